package main

import (
	"fmt"
	"strconv"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
	"github.com/gobacklist/backlist/ordering"
)

// A form is the text form of a fault.
type form struct {
	name    string
	example string // complete
	parse   func(a *arguments) cataloguetest.Fault
}

// forms returns the forms besides that of a status.
func forms() []form {
	type fault = cataloguetest.Fault
	return []form{
		{"unavailable", "unavailable 5s", func(a *arguments) fault { return cataloguetest.Unavailable(a.duration()) }},
		{"header", "header Retry-After 5", func(a *arguments) fault { return cataloguetest.Header(a.text(), a.value()) }},
		{"delay", "delay 2s", func(a *arguments) fault { return cataloguetest.Delay(a.duration()) }},
		{"slow", "slow 100 50ms", func(a *arguments) fault { return cataloguetest.Slow(a.number(), a.duration()) }},
		{"cut", "cut", func(*arguments) fault { return cataloguetest.Cut() }},
		{"cut-after", "cut-after 100", func(a *arguments) fault { return cataloguetest.CutAfter(a.number()) }},
		{"truncate", "truncate 100", func(a *arguments) fault { return cataloguetest.Truncate(a.number()) }},
		{"browsable-api", "browsable-api", func(*arguments) fault { return cataloguetest.BrowsableAPI() }},
		{"next-is-self", "next-is-self", func(*arguments) fault { return cataloguetest.NextIsSelf() }},
		{"next-cycle", "next-cycle", func(*arguments) fault { return cataloguetest.NextCycle() }},
		{"next-host", "next-host elsewhere.example", func(a *arguments) fault { return cataloguetest.NextHost(a.text()) }},
		{"next-scheme", "next-scheme ftp", func(a *arguments) fault { return cataloguetest.NextScheme(a.text()) }},
		{"empty-page-with-next", "empty-page-with-next", func(*arguments) fault { return cataloguetest.EmptyPageWithNext() }},
		{"missing-row", "missing-row", func(*arguments) fault { return cataloguetest.MissingRow() }},
		{"repeated-row", "repeated-row", func(*arguments) fault { return cataloguetest.RepeatedRow() }},
		{"count-shrinks", "count-shrinks 1", func(a *arguments) fault { return cataloguetest.CountShrinks(a.number()) }},
	}
}

// fault removes and returns the fault that the next words name.
func (a *arguments) fault() (cataloguetest.Fault, error) {
	if len(a.words) == 0 {
		return cataloguetest.Fault{}, fmt.Errorf(`no fault; want one such as 503, "delay 2s" or cut`)
	}
	w := a.next()
	if status, err := strconv.Atoi(w.text); err == nil && !w.quoted {
		return cataloguetest.Status(status, a.quoted()), nil
	}
	names := []string{"503"}
	for _, f := range forms() {
		if f.name == w.text && !w.quoted {
			made := f.parse(a)
			if a.err != nil {
				return cataloguetest.Fault{}, fmt.Errorf("%s: %w; want %q", f.name, a.err, f.example)
			}
			return made, nil
		}
		names = append(names, f.name)
	}
	return cataloguetest.Fault{}, fmt.Errorf("unknown fault %q: %s", w.text, ordering.Suggest(w.text, names))
}

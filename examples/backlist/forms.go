package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
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
		{"slow", "slow 100 50ms", func(a *arguments) fault { return cataloguetest.Throttle(a.number(), a.duration()) }},
		{"cut", "cut", func(*arguments) fault { return cataloguetest.ResetConnection() }},
		{"cut-after", "cut-after 100", func(a *arguments) fault { return cataloguetest.ResetAfter(a.number()) }},
		{"truncate", "truncate 100", func(a *arguments) fault { return cataloguetest.Truncate(a.number()) }},
		{"browsable-api", "browsable-api", func(*arguments) fault { return cataloguetest.BrowsableAPI() }},
		{"next-is-self", "next-is-self", func(*arguments) fault { return cataloguetest.NextIsSelf() }},
		{"next-cycle", "next-cycle", func(*arguments) fault { return cataloguetest.Page(nextCycle) }},
		{"next-host", "next-host elsewhere.example", func(a *arguments) fault { return cataloguetest.Page(nextHost(a.text())) }},
		{"next-scheme", "next-scheme ftp", func(a *arguments) fault { return cataloguetest.Page(nextScheme(a.text())) }},
		{"empty-page-with-next", "empty-page-with-next", func(*arguments) fault { return cataloguetest.Page(emptyPageWithNext) }},
		{"missing-row", "missing-row", func(*arguments) fault { return cataloguetest.MissingRow() }},
		{"repeated-row", "repeated-row", func(*arguments) fault { return cataloguetest.RepeatedRow() }},
		{"count-shrinks", "count-shrinks 1", func(a *arguments) fault { return cataloguetest.Page(countShrinks(a.number())) }},
	}
}

// These functions change pages; see [cataloguetest.Page].

type listPage = pagination.Envelope[json.RawMessage]

func nextCycle(r *http.Request, p *listPage) { p.Next = linkTo(r, 0) }

func emptyPageWithNext(r *http.Request, p *listPage) {
	offset, _ := strconv.Atoi(r.URL.Query().Get("offset"))
	p.Next, p.Records = linkTo(r, offset+max(len(p.Records), 1)), nil
}

func nextHost(host string) func(*http.Request, *listPage) {
	return func(_ *http.Request, p *listPage) {
		if u, err := url.Parse(p.Next); err == nil && p.Next != "" {
			u.Host = host
			p.Next = u.String()
		}
	}
}

func nextScheme(scheme string) func(*http.Request, *listPage) {
	return func(_ *http.Request, p *listPage) {
		if _, rest, ok := strings.Cut(p.Next, "://"); ok {
			p.Next = scheme + "://" + rest
		}
	}
}

func countShrinks(by int) func(*http.Request, *listPage) {
	var pages atomic.Int64
	return func(_ *http.Request, p *listPage) { p.Count = max(p.Count-by*int(pages.Add(1)), 0) }
}

// linkTo returns a link to the page of the same list that begins at an offset.
func linkTo(r *http.Request, offset int) string {
	path, _, _ := strings.Cut(r.RequestURI, "?")
	query := r.URL.Query()
	query.Set("offset", strconv.Itoa(offset))
	if offset == 0 {
		query.Del("offset")
	}
	return "http://" + r.Host + path + "?" + query.Encode()
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

package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/internal/flags"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A fault is a fault in text form, such as "GET /api/events/ 503 10%". The package
// documentation describes the form.
type fault struct {
	match cataloguetest.Match
	fault cataloguetest.Fault
}

// parseFault parses the text form. A server still has to check the result.
func parseFault(text string) (fault, error) {
	words := regexp.MustCompile("\"(?:[^\"\\\\]|\\\\.)*\"|`[^`]*`|\\S+")
	f, a := fault{}, &arguments{words: words.FindAllString(text, -1)}
	methods := []string{"GET", "HEAD", "OPTIONS", "POST", "PUT", "PATCH", "DELETE"}
	if method := strings.ToUpper(a.peek()); slices.Contains(methods, method) {
		if f.match.Method = a.text(); f.match.Method != method {
			return f, fmt.Errorf("%q is not a method; want %q", f.match.Method, method)
		}
	}
	if method, path, ok := strings.Cut(a.peek(), "/"); ok && slices.Contains(methods, method) {
		return f, fmt.Errorf("want a space before the path, as in '%s /%s 503'", method, path)
	}
	if strings.HasPrefix(a.peek(), "/") {
		f.match.Path = a.text()
	}
	if len(a.words) == 0 {
		return f, errors.New(`no fault; want one such as 503, "delay 2s" or cut`)
	}
	f.fault = a.fault()
	for a.err == nil && len(a.words) > 0 {
		a.err = setWhen(&f.match, a.text())
	}
	return f, a.err
}

// setWhen sets the field of a Match that a word such as 10% or nth=2 stands for.
func setWhen(match *cataloguetest.Match, word string) error {
	if share, ok := strings.CutSuffix(word, "%"); ok {
		percent, err := strconv.ParseFloat(share, 64)
		if err != nil || !(percent > 0 && percent <= 100) {
			return fmt.Errorf("%q is not a share; want more than 0%% and at most 100%%", word)
		}
		match.Share = percent / 100
		return nil
	}
	name, value, _ := strings.Cut(word, "=")
	number, err := strconv.ParseUint(value, 10, 31)
	switch {
	case err == nil && name == "nth" && number > 0:
		match.Nth = int(number)
	case err == nil && name == "times" && number > 0:
		match.Times = int(number)
	default:
		return fmt.Errorf("unexpected %q after the fault; want a share such as 10%%, or nth=2 or times=2", word)
	}
	return nil
}

// fault removes and returns the fault that the next words name.
func (a *arguments) fault() cataloguetest.Fault {
	name := a.text()
	if status, err := strconv.Atoi(name); err == nil {
		body := ""
		if a.quoted() {
			body = a.text()
		}
		return cataloguetest.Status(status, body)
	}
	names := []string{"503"}
	for _, f := range forms() {
		known, _, _ := strings.Cut(f.example, " ")
		if known == name {
			made := f.parse(a)
			if a.err != nil {
				a.err = fmt.Errorf("%s: %w; want %q", name, a.err, f.example)
			}
			return made
		}
		names = append(names, known)
	}
	a.err = fmt.Errorf("unknown fault %q: %s", name, ordering.Suggest(name, names))
	return cataloguetest.Fault{}
}

// A form is the text form of a fault.
type form struct {
	example string
	parse   func(a *arguments) cataloguetest.Fault
}

// forms returns the forms besides that of a status.
func forms() []form {
	type fault = cataloguetest.Fault
	return []form{
		{"rate-limit 5s", func(a *arguments) fault { return cataloguetest.RateLimit(a.duration()) }},
		{"late cut", func(a *arguments) fault { return cataloguetest.Late(a.fault()) }},
		{"header Retry-After 5", func(a *arguments) fault { return cataloguetest.Header(a.text(), a.value()) }},
		{"delay 2s", func(a *arguments) fault { return cataloguetest.Delay(a.duration()) }},
		{"cut", func(*arguments) fault { return cataloguetest.ResetConnection() }},
		{"cut-after 100", func(a *arguments) fault { return cataloguetest.ResetAfter(a.number()) }},
		{"stall-after 100", func(a *arguments) fault { return cataloguetest.Stall(a.number()) }},
		{"truncate 100", func(a *arguments) fault { return cataloguetest.Truncate(a.number()) }},
		{"next-is-self", func(*arguments) fault { return cataloguetest.NextIsSelf() }},
		{"next-host elsewhere.example", func(a *arguments) fault { return cataloguetest.Page(nextHost(a.text())) }},
		{"missing-row", func(*arguments) fault { return cataloguetest.MissingRow() }},
		{"repeated-row", func(*arguments) fault { return cataloguetest.RepeatedRow() }},
	}
}

// nextHost changes pages, see [cataloguetest.Page].
func nextHost(host string) func(*http.Request, *pagination.Envelope[json.RawMessage]) {
	return func(_ *http.Request, p *pagination.Envelope[json.RawMessage]) {
		if u, err := url.Parse(p.Next); err == nil && p.Next != "" {
			u.Host = host
			p.Next = u.String()
		}
	}
}

// arguments are the words that are not parsed yet, some in quotes, and the first error.
type arguments struct {
	words []string
	err   error
}

// peek returns the next word, or "" if none exists.
func (a *arguments) peek() string {
	if len(a.words) == 0 {
		return ""
	}
	return a.words[0]
}

// quoted reports whether the next word is in quotes.
func (a *arguments) quoted() bool {
	return strings.HasPrefix(a.peek(), `"`) || strings.HasPrefix(a.peek(), "`")
}

// text removes and returns the next word, without its quotes.
func (a *arguments) text() (word string) {
	var err error
	switch word = a.peek(); {
	case word == "":
		err = errors.New("an argument is missing")
	case a.quoted():
		if word, err = strconv.Unquote(word); err != nil {
			err = fmt.Errorf("%s does not end in its quote", a.words[0])
		}
	}
	a.words = a.words[min(1, len(a.words)):]
	a.err = cmp.Or(a.err, err)
	return word
}

// value removes and returns the next word unless it belongs to a Match.
func (a *arguments) value() string {
	if !a.quoted() && (a.peek() == "" || strings.HasSuffix(a.peek(), "%") || strings.Contains(a.peek(), "=")) {
		return ""
	}
	return a.text()
}

func (a *arguments) number() int {
	word := a.text()
	n, err := strconv.Atoi(word)
	if err != nil {
		a.err = cmp.Or(a.err, fmt.Errorf("%q is not a number", word))
	}
	return n
}

func (a *arguments) duration() time.Duration {
	word := a.text()
	d, err := flags.Duration(word)
	if err != nil {
		a.err = cmp.Or(a.err, fmt.Errorf("%q is not a time", word))
	}
	return d
}

// faults are the faults of a service. It is safe for concurrent use.
type faults struct {
	fake  *cataloguetest.Server
	paths []string // of the service; an asterisk stands for a record

	mu    sync.Mutex
	added []addedFault
}

type addedFault struct {
	text string
	*cataloguetest.Injection
}

// A usedFault is a fault with the number of responses that it has changed.
type usedFault struct {
	Fault string `json:"fault"` // as it was added
	Count int    `json:"count"`
}

func (f *faults) add(text string) error {
	parsed, err := parseFault(text)
	if err != nil {
		return err
	}
	injection, err := f.fake.TryInject(parsed.match, parsed.fault)
	if err != nil {
		text := strings.TrimPrefix(err.Error(), "cataloguetest: ")
		return errors.New(strings.TrimPrefix(text, "Match."))
	}
	if path := parsed.match.Path; path != "" && !f.serves(path) {
		injection.Remove()
		return fmt.Errorf("no path of the service matches %q: %s", path, ordering.Suggest(path, f.paths))
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.added = append(f.added, addedFault{text, injection})
	return nil
}

// serves reports whether a path, or a valid pattern of one, matches a path of the service.
func (f *faults) serves(pattern string) bool {
	return slices.ContainsFunc(f.paths, func(served string) bool {
		narrower, _ := path.Match(pattern, served)
		wider, _ := path.Match(served, pattern)
		return narrower || wider
	})
}

// used returns the faults in the order in which they were added.
func (f *faults) used() []usedFault {
	f.mu.Lock()
	defer f.mu.Unlock()
	all := []usedFault{}
	for _, added := range f.added {
		all = append(all, usedFault{added.text, added.Count()})
	}
	return all
}

// pathsOf returns the paths of a handler. That of a record ends in */.
func pathsOf(root string, list []httpapi.Collection) []string {
	const ofRecords = schema.Retrieve | schema.Update | schema.PartialUpdate | schema.Destroy
	paths := []string{root}
	for _, collection := range list {
		about := collection.Description()
		paths = append(paths, root+about.Segment+"/")
		if about.Actions&ofRecords != 0 {
			paths = append(paths, root+about.Segment+"/*/")
		}
	}
	return paths
}

package cataloguetest

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A Match selects the requests that a fault applies to: those that match all of its
// fields that are set. The zero Match selects every request.
type Match struct {
	// Method is the method of the request in upper case. If empty, any method
	// matches.
	Method string
	// Path is the decoded path of the request, such as "/api/events/", or
	// "/v1/films/7/" for a record of a program's own collection. If it contains braces,
	// it is a pattern of [http.ServeMux]: "/v1/films/{id}/{$}" matches the path of any
	// film. As there, a pattern with a slash at its end matches the paths below as well.
	// If empty, any path matches.
	Path string
	// Collection is the key or path segment of a collection, such as "itemVariants"
	// or "item_variants". It matches requests to the path of the collection and, if its
	// records have paths of their own, to those, with any method. If empty, any request
	// matches.
	Collection string
	// Offset matches GET and HEAD requests for the page of any collection that begins at
	// this offset, with any limit or, if pages have numbers, with any number but last. Zero
	// matches any request; Nth: 1 selects a first page. Pages by cursors begin at no offset.
	Offset int
	// Query are parameters of the request, each with one of its values or, if the list is empty,
	// with any. Others do not matter. If nil, any query matches.
	Query url.Values
	// Header are headers of the request, in the same way.
	Header http.Header
	// Body is text that the body of the request contains, such as `"name":"Rope"`. If empty, any
	// request matches. At most 1 MiB of the body is searched.
	Body string

	// Share is the fraction of the requests matching the fields above that is
	// selected: 0.1 selects about one in ten. The choice depends only on Seed and on
	// the number of the request among those, so a program that sends its requests one
	// after another meets the same faults in every run. With concurrent requests, the
	// same numbers are selected, but the order of arrival is not determined. Zero
	// selects all.
	Share float64
	// Seed determines the choice of Share. Zero is a seed like any other.
	Seed uint64

	// After is the number of requests to skip at the start, of those that the fields
	// above select. With 1, the second request is the first that is selected.
	After int
	// Nth selects a single request, of those that the fields above select; 1 is the
	// first. Zero selects all.
	Nth int
	// Times is the largest number of requests that are selected, from the Nth on. Zero selects the
	// Nth or, if that is zero too, all.
	Times int
}

// check returns an error if a field is invalid or can match no request.
func (m *Match) check(p paths) error {
	if _, err := p.named(m.Collection); err != nil && m.Collection != "" {
		return fmt.Errorf("Match.Collection: %w", err)
	}
	if upper := strings.ToUpper(m.Method); m.Method != upper {
		return fmt.Errorf("Match.Method: %q is not in upper case; want %q", m.Method, upper)
	}
	if m.Path != "" {
		if err := checkPath(m.Path, p); err != nil {
			return err
		}
	}
	switch {
	case m.Method != "" && !isToken(m.Method):
		return fmt.Errorf("Match.Method: %q is not a method; want one such as %q", m.Method, http.MethodGet)
	case min(m.Offset, m.After, m.Nth, m.Times) < 0:
		return fmt.Errorf("Match: Offset %d, After %d, Nth %d or Times %d is negative", m.Offset, m.After, m.Nth, m.Times)
	case !(m.Share >= 0 && m.Share <= 1): // false for NaN
		return fmt.Errorf("Match.Share: %v is not between 0 and 1", m.Share)
	case m.Offset > 0 && !slices.ContainsFunc(p.collections, func(c schema.Description) bool {
		return pagination.TraitsOf(c.Pages).Counted && (m.Collection == "" || m.Collection == c.Key || m.Collection == c.Segment)
	}):
		return fmt.Errorf("Match.Offset: %d: pages by cursors begin at no offset; want Nth or After", m.Offset)
	}
	return nil
}

// matches reports whether a request with a body matches the fields that do not count requests. The
// pattern is Path's, if it has one.
func (m *Match) matches(r *http.Request, body []byte, p paths, pattern *pathPattern) bool {
	parameters := func(name string) []string { return r.URL.Query()[name] }
	if !includes(parameters, m.Query) || !includes(r.Header.Values, m.Header) || !bytes.Contains(body, []byte(m.Body)) {
		return false
	}
	switch {
	case m.Method != "" && m.Method != r.Method:
		return false
	case pattern != nil && !pattern.matches(r):
		return false
	case pattern == nil && m.Path != "" && m.Path != r.URL.Path:
		return false
	case m.Collection != "":
		if c, err := p.named(m.Collection); err != nil || !p.belongs(r.URL.Path, c) {
			return false
		}
	}
	if m.Offset == 0 {
		return true
	}
	c := p.at(r.URL.Path)
	if c.Key == "" || !pagination.TraitsOf(c.Pages).Counted {
		return false
	}
	query := r.URL.RawQuery
	if p.codec != nil {
		values, _ := p.codec.query(r, c.Pages)
		query = values.Encode()
	}
	at, _ := pagination.Requested(c.Pages, pagination.ParseQuery(query), math.MaxInt)
	return reads(r) && at.Offset == m.Offset
}

// includes reports whether each name has one of the wanted values or, if none is wanted, any.
func includes(values func(name string) []string, wanted map[string][]string) bool {
	for name, want := range wanted {
		got := values(name)
		isWanted := func(value string) bool { return slices.Contains(want, value) }
		if len(got) == 0 || len(want) > 0 && !slices.ContainsFunc(got, isWanted) {
			return false
		}
	}
	return true
}

// requestsPage reports whether a request is a GET or HEAD of a page.
func requestsPage(r *http.Request, p paths) bool { return reads(r) && p.at(r.URL.Path).Key != "" }

func reads(r *http.Request) bool { return r.Method == http.MethodGet || r.Method == http.MethodHead }

// inRange reports whether After and Nth select the nth request of the share.
func (m *Match) inRange(nth int) bool {
	from, times := max(m.Nth, 1), m.Times
	if m.Nth > 0 {
		times = max(times, 1)
	}
	nth -= m.After
	return nth >= from && (times == 0 || nth < from+times)
}

// checkPath returns an error if no request that the service answers can have the path.
func checkPath(path string, p paths) error {
	if !strings.HasPrefix(path, "/") {
		return fmt.Errorf(`Match.Path: %q is not a path; want one such as "/api/events/"`, path)
	}
	if i := strings.IndexAny(path, "?#"); i >= 0 {
		return fmt.Errorf("Match.Path: %q has a query or a fragment; want %q, or an Offset", path, path[:i])
	}
	if isPattern(path) {
		if _, err := newPathPattern(path); err != nil {
			return fmt.Errorf("Match.Path: %q is not a pattern of http.ServeMux: %w", path, err)
		}
	}
	if p.codec == nil && p.isServed(wildcard.ReplaceAllString(path, "1")+"/") {
		return fmt.Errorf("Match.Path: the service redirects %q; want %q", path, path+"/")
	}
	return nil
}

// wildcard matches a wildcard of a pattern of http.ServeMux.
var wildcard = regexp.MustCompile(`\{[^{}/]*\}`)

func isPattern(path string) bool { return strings.ContainsAny(path, "{}") }

// A pathPattern matches requests by a pattern of http.ServeMux without method and host.
type pathPattern struct{ mux *http.ServeMux }

func newPathPattern(pattern string) (p *pathPattern, err error) {
	defer func() {
		if reason := recover(); reason != nil { // of an invalid pattern
			err = fmt.Errorf("%v", reason)
		}
	}()
	p = &pathPattern{http.NewServeMux()}
	p.mux.Handle(pattern, matched{})
	return p, nil
}

// matches reports whether the path of a request matches. The mux redirects some of the
// requests that do not.
func (p *pathPattern) matches(r *http.Request) bool {
	handler, _ := p.mux.Handler(r)
	_, ok := handler.(matched)
	return ok
}

// matched is the handler of requests that match.
type matched struct{}

func (matched) ServeHTTP(http.ResponseWriter, *http.Request) {}

// paths are the paths of the collections of a service.
type paths struct {
	root        string               // of the root listing
	collections []schema.Description // with the style of their pages
	codec       *Codec               // nil: the framework's pages
}

// pathsOf returns the paths of a catalogue that is served at root. An empty root is /api/.
// Collections without a style of their own have the given one.
func pathsOf(c *catalogue.Catalogue, root string, style pagination.Style, codec *Codec) paths {
	p := paths{root: cmp.Or(root, "/api/"), codec: codec}
	for _, collection := range c.All() {
		about := collection.Description()
		about.Pages = cmp.Or(about.Pages, style)
		p.collections = append(p.collections, about)
	}
	return p
}

// named returns the collection with the given key or path segment. The error suggests a key.
func (p paths) named(name string) (schema.Description, error) {
	var known []string
	for _, c := range p.collections {
		if c.Key == name || c.Segment == name {
			return c, nil
		}
		known = append(known, c.Key)
	}
	return schema.Description{}, fmt.Errorf("%w: %q: %s", catalogue.ErrUnknownCollection, name, ordering.Suggest(name, known))
}

// of returns the path at which a collection is served.
func (p paths) of(c schema.Description) string {
	return p.root + c.Segment + "/"
}

// at returns the collection that a path names, or the zero Description.
func (p paths) at(path string) (about schema.Description) {
	path = p.canonical(path)
	if i := slices.IndexFunc(p.collections, func(c schema.Description) bool { return p.of(c) == path }); i >= 0 {
		about = p.collections[i]
	}
	return about
}

// canonical returns a path with a slash at its end, as the framework's have, if the service has others.
func (p paths) canonical(path string) string {
	if p.codec != nil && !strings.HasSuffix(path, "/") {
		path += "/"
	}
	return path
}

// isServed reports whether a path names the root listing, a collection or a record.
func (p paths) isServed(path string) bool {
	return p.canonical(path) == p.root || slices.ContainsFunc(p.collections, func(c schema.Description) bool { return p.belongs(path, c) })
}

// belongs reports whether a path names a collection or, if its records have paths, one of
// them.
func (p paths) belongs(path string, c schema.Description) bool {
	path = p.canonical(path)
	if path == p.of(c) {
		return true
	}
	collection, id, ok := wire.SplitRecord(path)
	return ok && collection == p.of(c) && (c.Lookup != "" || !wire.HasFormat(id)) && c.Actions&wire.RecordActions != 0
}

// isToken reports whether text is a token (RFC 9110, section 5.6.2), as methods and the names of
// headers are.
func isToken(text string) bool {
	_, err := http.NewRequest(text, "/", nil)
	return err == nil && text != ""
}

package cataloguetest

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
)

// A Match selects the requests that a fault applies to: those that match all of its fields that are
// set. The zero Match selects every request.
type Match struct {
	// Method is the method of the request in upper case.
	Method string
	// Path is the decoded path of the request, such as "/api/events/", or a pattern of
	// [path.Match]: "/v1/films/*/" matches the path of any film.
	Path string
	// Collection is the key or path segment of a collection, such as "itemVariants" or
	// "item_variants". It matches requests to the path of the collection and to those of its
	// records.
	Collection string
	// Query are parameters of the request, each with one of its values or, if the list is empty,
	// with any, such as {"offset": {"21"}} for a page. Others do not matter.
	Query url.Values
	// Header are headers of the request, in the same way.
	Header http.Header
	// Body is text that the body of the request contains, such as `"name":"Rope"`. At most 1 MiB of
	// the body is searched.
	Body string

	// Share is the fraction of the requests matching the fields above that is selected: 0.1 selects
	// about one in ten. The choice depends only on the number of the request among those, so a
	// program that sends its requests one after another meets the same faults in every run. Zero
	// selects all.
	Share float64

	// Nth is the number of the first selected request among those that match, from 1.
	// Zero selects all.
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
	case min(m.Nth, m.Times) < 0:
		return fmt.Errorf("Match: Nth %d or Times %d is negative", m.Nth, m.Times)
	case !(m.Share >= 0 && m.Share <= 1): // false for NaN
		return fmt.Errorf("Match.Share: %v is not between 0 and 1", m.Share)
	}
	return nil
}

// matches reports whether a request with a body matches the fields that do not count requests.
func (m *Match) matches(r *http.Request, body []byte, p paths) bool {
	parameters := func(name string) []string { return r.URL.Query()[name] }
	if !includes(parameters, m.Query) || !includes(r.Header.Values, m.Header) || !bytes.Contains(body, []byte(m.Body)) {
		return false
	}
	if is, _ := path.Match(m.Path, r.URL.Path); m.Path != "" && !is || m.Method != "" && m.Method != r.Method {
		return false
	}
	c, err := p.named(m.Collection)
	return m.Collection == "" || err == nil && p.belongs(r.URL.Path, c)
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

// inRange reports whether Nth and Times select the nth request of the share.
func (m *Match) inRange(nth int) bool {
	nth -= max(m.Nth, 1)
	return nth >= 0 && (m.Nth+m.Times == 0 || nth < max(m.Times, 1))
}

// checkPath returns an error if no request that the service answers can have the path.
func checkPath(pattern string, p paths) error {
	if !strings.HasPrefix(pattern, "/") {
		return fmt.Errorf(`Match.Path: %q is not a path; want one such as "/api/events/"`, pattern)
	}
	if i := strings.IndexAny(pattern, "?#"); i >= 0 {
		return fmt.Errorf("Match.Path: %q has a query or a fragment; want %q, and a Query", pattern, pattern[:i])
	}
	if _, err := path.Match(pattern, ""); err != nil {
		return fmt.Errorf("Match.Path: %q is not a pattern of path.Match: %w", pattern, err)
	}
	if served := strings.ReplaceAll(pattern, "*", "1") + "/"; served == p.root || p.at(served).Key != "" {
		return fmt.Errorf("Match.Path: the service redirects %q; want %q", pattern, pattern+"/")
	}
	return nil
}

// isToken reports whether text is a token (RFC 9110, section 5.6.2), as methods and the names of
// headers are.
func isToken(text string) bool {
	_, err := http.NewRequest(text, "/", nil)
	return err == nil && text != ""
}

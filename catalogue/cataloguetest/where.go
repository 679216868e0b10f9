package cataloguetest

import (
	"fmt"
	"math"
	"net/http"
	"strings"

	"github.com/gobacklist/backlist/pagination"
)

// A Where selects the requests that a fault applies to: those that match all of its
// fields that are set. The zero Where selects every request.
type Where struct {
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
	// Page is a page of a collection, see [AtOffset]. It matches GET and HEAD requests
	// to the path of any collection. The zero Page matches any request.
	Page Page

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
}

// A Page identifies a page of a collection by its offset. The zero Page stands for
// no particular page.
type Page struct {
	set    bool
	offset int
}

// AtOffset returns the page that begins at the given offset, with any limit. The first
// page has offset 0, even if the request does not contain an offset.
func AtOffset(offset int) Page { return Page{set: true, offset: offset} }

// check returns an error if a field is invalid or can match no request.
func (w *Where) check(p paths) error {
	if _, err := p.named(w.Collection); err != nil && w.Collection != "" {
		return fmt.Errorf("Where.Collection: %w", err)
	}
	if upper := strings.ToUpper(w.Method); w.Method != upper {
		return fmt.Errorf("Where.Method: %q is not in upper case; want %q", w.Method, upper)
	}
	if w.Path != "" {
		if err := checkPath(w.Path, p); err != nil {
			return err
		}
	}
	switch {
	case w.Method != "" && !isToken(w.Method):
		return fmt.Errorf("Where.Method: %q is not a method; want one such as %q", w.Method, http.MethodGet)
	case w.Page.offset < 0:
		return fmt.Errorf("Where.Page: negative offset %d", w.Page.offset)
	case !(w.Share >= 0 && w.Share <= 1): // false for NaN
		return fmt.Errorf("Where.Share: %v is not between 0 and 1", w.Share)
	case w.After < 0:
		return fmt.Errorf("Where.After: negative number of requests %d", w.After)
	case w.Nth < 0:
		return fmt.Errorf("Where.Nth: negative number %d; the first request is 1", w.Nth)
	}
	return nil
}

// matches reports whether a request matches Method, Path, Collection and Page. The pattern
// is that of Path, if Path is one.
func (w *Where) matches(r *http.Request, p paths, pattern pathPattern) bool {
	switch {
	case w.Method != "" && w.Method != r.Method:
		return false
	case pattern.mux != nil && !pattern.matches(r):
		return false
	case pattern.mux == nil && w.Path != "" && w.Path != r.URL.Path:
		return false
	case w.Collection != "":
		if c, err := p.named(w.Collection); err != nil || !p.belongs(r.URL.Path, c) {
			return false
		}
	}
	return !w.Page.set || requestsPage(r, p) && offsetOf(r) == w.Page.offset
}

// requestsPage reports whether a request is a GET or HEAD of a page.
func requestsPage(r *http.Request, p paths) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && p.isCollection(r.URL.Path)
}

// offsetOf returns the offset of a request, as the handler parses it. It does not depend on the
// limits.
func offsetOf(r *http.Request) int {
	return pagination.Limits{}.Window(pagination.ParseQuery(r.URL.RawQuery)).Offset
}

// inShare reports whether the nth matching request belongs to the share. It compares
// the nth number of SplitMix64 with the share of all numbers.
func (w *Where) inShare(nth int) bool {
	if w.Share == 0 || w.Share == 1 {
		return true
	}
	z := w.Seed + uint64(nth)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	return float64(z) < w.Share*math.MaxUint64
}

// inRange reports whether After and Nth select the nth request of the share.
func (w *Where) inRange(nth int) bool {
	return nth > w.After && (w.Nth == 0 || nth-w.After == w.Nth)
}

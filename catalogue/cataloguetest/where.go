package cataloguetest

import (
	"fmt"
	"math"
	"net/http"

	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// Where says which requests a fault meets: those that all of its fields that are
// set agree with. The zero Where is every request.
type Where struct {
	// Method is the request's, in upper case. Empty: any.
	Method string
	// Path is the request's path, decoded: "/api/events/". Empty: any.
	Path string
	// Collection is a collection by its key or path segment ("itemVariants" or
	// "item_variants"): requests to its path, with any method. Empty: any.
	Collection string
	// Page is a page of a collection by its offset, see [AtOffset]: requests of
	// any collection's path with GET or HEAD. The zero Page: any request.
	Page Page

	// Share is the part of the requests that are met, of those that all of the
	// above agrees with: 0.1 is about one in ten. Which ones depends on Seed and
	// on the number of the request among those alone, so that a program which asks
	// one after the other meets the same in each run. One that asks at once has
	// the same numbers chosen, but which request has which number is chance. 0: all.
	Share float64
	// Seed chooses the requests of a Share. Each gives others, 0 as well.
	Seed uint64

	// After leaves out so many requests, the first ones of those that all of the
	// above agrees with: with 1 it is the second that is met, and all behind it.
	After int
	// Nth is one request alone, of those that all of the above agrees with: 1 is
	// the first. 0: each.
	Nth int
}

// Page is a page of a collection, or, if it is zero, none in particular.
type Page struct {
	set    bool
	offset int
}

// AtOffset is the page that begins behind so many records; the first is at
// offset 0, also where the request names no offset. How many records are asked
// for does not matter.
func AtOffset(offset int) Page { return Page{set: true, offset: offset} }

// check says what is wrong with a Where.
func (w *Where) check() error {
	switch {
	case w.Collection != "" && w.collectionPath() == "":
		return fmt.Errorf("Where.Collection: the document has no collection %q", w.Collection)
	case w.Page.offset < 0:
		return fmt.Errorf("Where.Page: offset %d is less than 0", w.Page.offset)
	case !(w.Share >= 0 && w.Share <= 1): // or not a number
		return fmt.Errorf("Where.Share: %v is not between 0 and 1", w.Share)
	case w.After < 0:
		return fmt.Errorf("Where.After: %d is less than 0", w.After)
	case w.Nth < 0:
		return fmt.Errorf("Where.Nth: %d is less than 0; 1 is the first request", w.Nth)
	}
	return nil
}

// collectionPath is the path of the collection, "" if there is none.
func (w *Where) collectionPath() string {
	for _, c := range resources.Descriptions() {
		if w.Collection == c.Key || w.Collection == c.Segment {
			return pathOf(c)
		}
	}
	return ""
}

// pathOf is where a collection is served.
func pathOf(c resources.Description) string { return "/api/" + c.Segment + "/" }

// isCollection reports whether a path is that of some collection.
func isCollection(path string) bool {
	for _, c := range resources.Descriptions() {
		if path == pathOf(c) {
			return true
		}
	}
	return false
}

// agrees looks at all that a request itself tells.
func (w *Where) agrees(r *http.Request) bool {
	switch {
	case w.Method != "" && w.Method != r.Method:
		return false
	case w.Path != "" && w.Path != r.URL.Path:
		return false
	case w.Collection != "" && w.collectionPath() != r.URL.Path:
		return false
	}
	return !w.Page.set || asksPage(r) && offsetOf(r) == w.Page.offset
}

// asksPage reports whether a request asks for a page, or for its head.
func asksPage(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && isCollection(r.URL.Path)
}

// offsetOf is the offset that a request asks for, as the handler reads it.
func offsetOf(r *http.Request) int {
	return pagination.Limits{}.Window(pagination.ParseQuery(r.URL.RawQuery)).Offset
}

// chooses says whether the nth request that agrees belongs to the share. It is
// SplitMix64's nth number of that seed, taken as a part of all numbers.
func (w *Where) chooses(nth int) bool {
	if w.Share == 0 || w.Share == 1 {
		return true
	}
	z := w.Seed + uint64(nth)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	z ^= z >> 31
	return float64(z) < w.Share*math.MaxUint64
}

// meets says whether it is the nth of those that all the rest agrees with.
func (w *Where) meets(nth int) bool {
	return nth > w.After && (w.Nth == 0 || nth-w.After == w.Nth)
}

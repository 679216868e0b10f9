package browse

import (
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi"
)

func TestRootSearch(t *testing.T) {
	h := newHandlers(t, load(t, books(3)), httpapi.Options{})
	tests := []struct {
		reason, query string
		summary       string
		want          []string // nil means all 39
	}{
		{"one word", "?search=sales", "2 of 39 collections", []string{"Direct sales", "Bookshop sales"}},
		{"part of a word in upper case", "?search=BOOK", "2 of 39 collections", []string{"Books", "Bookshop sales"}},
		{"several words", "?search=note+credit", "2 of 39 collections", []string{"Credit notes", "Credit note lines"}},
		{"as it is spelled", "?search=tie-ins", "1 of 39 collections", []string{"Tie-ins"}},
		{"the key", "?search=tieins", "1 of 39 collections", []string{"Tie-ins"}},
		{"the segment", "?search=item_v", "1 of 39 collections", []string{"Item variants"}},
		{"the last value counts", "?search=x&search=faq", "1 of 39 collections", []string{"FAQs"}},
		{"no match", "?search=%3Cb%3E", "0 of 39 collections", []string{}},
		{"white space", "?search=+", "39 collections", nil},
		{"no search", "", "39 collections", nil},
		{"another parameter", "?q=books", "39 collections", nil},
	}
	for _, test := range tests {
		got := get(h.browse, "/api/"+test.query)
		names := []string{}
		for _, link := range got.find("a", "href", "*") {
			if strings.HasPrefix(link.attrs["href"], "./") {
				names = append(names, link.text)
			}
		}
		if test.want == nil && len(names) != 39 {
			t.Errorf("%s: %d collections, want 39", test.reason, len(names))
		} else if diff := cmp.Diff(test.want, names); test.want != nil && diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.reason, diff)
		}
		if lead := got.one(t, "p", "class", "lead").text; lead != test.summary {
			t.Errorf("%s: %q, want %q", test.reason, lead, test.summary)
		}
		if _, clear := got.links()["Clear"]; clear != (len(names) < 39) {
			t.Errorf("%s: there is a link to all collections: %t", test.reason, clear)
		}
		if (len(got.find("p", "class", "empty")) == 1) != (len(names) == 0) {
			t.Errorf("%s: %d collections, and %s", test.reason, len(names), got.text)
		}
		checkAccessible(t, got)
	}
}

// Records are counted only of the collections that are shown.
func TestRootSearchCountsShownCollections(t *testing.T) {
	h := newHandlers(t, load(t, books(3)), httpapi.Options{})
	var requests atomic.Int32
	counting := around(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		h.plain.ServeHTTP(w, r)
	})
	if got := get(counting, "/api/?search=books&format=api"); !strings.Contains(got.text, "Books 3 records") || requests.Load() != 3 {
		t.Errorf("%d requests, want those for the root, books and bookshop-sales: %s", requests.Load(), got.text)
	}
}

// A short list of collections needs no search, but shows one that is active.
func TestRootWithoutSearch(t *testing.T) {
	h := newService().handler(t, httpapi.Options{})
	if got := get(h, "/api/"); len(got.find("form", "", "")) != 0 {
		t.Errorf("three collections have a search: %s", got.text)
	}
	if got := get(h, "/api/?search=film"); !strings.Contains(got.text, "1 of 3 collections") || got.one(t, "input", "name", "search").attrs["value"] != "film" {
		t.Errorf("the search is not shown: %s", got.text)
	}
}

func TestRoot(t *testing.T) {
	h := newHandlers(t, load(t, books(1234)), httpapi.Options{})
	got := get(h.browse, "/api/")
	links := got.links()
	for _, want := range []struct{ name, link string }{
		{"Books", "./books/?format=api"},
		{"Item variants", "./item_variants/?format=api"}, // the key is itemVariants
		{"Social links", "./social-links/?format=api"},
		{"Raw JSON", "?format=json"},
	} {
		if links[want.name] != want.link {
			t.Errorf("%s leads to %q, want %q", want.name, links[want.name], want.link)
		}
	}
	for _, want := range []string{"39 collections", "Books 1,234 records", "Events 0 records", "GET /api/", "HTTP 200 OK", "Allow: GET, HEAD, OPTIONS", "Content-Type: application/json"} {
		if !strings.Contains(got.text, want) {
			t.Errorf("the root does not show %q", want)
		}
	}
	if page := follow(t, h.browse, "/api/", links["Books"]); page.status != 200 || !strings.Contains(page.text, "Records 1–21 of 1,234") {
		t.Errorf("GET of the link to Books: %d %.300s", page.status, page.text)
	}
}

// Only the failing collection is shown without a count.
func TestRootWithFailingCollection(t *testing.T) {
	h := newHandlers(t, load(t, books(3)), httpapi.Options{})
	failing := around(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/events/" {
			http.Error(w, `{"count":7}`, 500)
			return
		}
		h.plain.ServeHTTP(w, r)
	})
	got := get(failing, "/api/")
	if got.status != 200 || !strings.Contains(got.text, "Books 3 records") || !strings.Contains(got.text, "Events Expenses") {
		t.Errorf("GET /api/: %d %s", got.status, got.text)
	}
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %s, want %s", n, got, want)
		}
	}
}

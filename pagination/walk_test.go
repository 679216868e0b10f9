package pagination_test

import (
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gobacklist/backlist/pagination"
	"github.com/google/go-cmp/cmp"
)

// Who follows the next links from anywhere sees each record from there on once,
// and who follows the previous links gets to the first page.
func TestWalk(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	limits := pagination.Limits{Max: -1}
	for range 500 {
		items := make([]int, random.IntN(60))
		for i := range items {
			items[i] = i
		}
		limit, start := 1+random.IntN(12), random.IntN(80)
		from := pagination.Window{Limit: limit, Offset: start}
		raw := seedQueries[random.IntN(len(seedQueries))]

		seen := []int{}
		pages := 0
		for link := firstLink(raw, from); link != ""; pages++ {
			page := pagination.Page(items, parseURL(t, link), limits)
			seen = append(seen, page.Results...)
			link = page.Next
		}
		if diff := cmp.Diff(items[min(start, len(items)):], seen); diff != "" {
			t.Fatalf("%d records, %+v: next (-want +got):\n%s", len(items), from, diff)
		}
		if want := max(1, (len(items)-start+limit-1)/limit); pages != want {
			t.Fatalf("%d records, %+v: %d pages, want %d", len(items), from, pages, want)
		}

		var last pagination.Window
		pages = 0
		for link := firstLink(raw, from); link != ""; pages++ {
			u := parseURL(t, link)
			last = limits.Window(pagination.ParseQuery(u.RawQuery))
			link = pagination.Page(items, u, limits).Previous
		}
		if diff := cmp.Diff(pagination.Window{Limit: limit}, last); diff != "" {
			t.Fatalf("%d records, %+v: previous ends at (-want +got):\n%s", len(items), from, diff)
		}
		if want := 1 + (start+limit-1)/limit; pages != want {
			t.Fatalf("%d records, %+v: %d pages backwards, want %d", len(items), from, pages, want)
		}
	}
}

// firstLink is a URL that asks for the window in a query of other things.
func firstLink(raw string, w pagination.Window) string {
	other := pagination.ParseQuery(raw).Encode()
	values := url.Values{"limit": {itoa(w.Limit)}, "offset": {itoa(w.Offset)}}
	return "https://host.example/books?" + other + "&" + values.Encode()
}

func parseURL(t *testing.T, link string) *url.URL {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatalf("a link is no URL: %v", err)
	}
	return u
}

func FuzzLinks(f *testing.F) {
	for _, raw := range seedQueries {
		f.Add(raw, 5, 7, 60)
	}
	f.Add("offset=%35&%6Cimit=x&limit", 1<<31-1, 1<<31-1, 1<<31-1)
	f.Add("o=1&l=2&m&p", -1, -1, -1)
	f.Fuzz(func(t *testing.T, raw string, limit, offset, count int) {
		const base = "https://host.example/api/books/"
		q := pagination.ParseQuery(raw)
		w := pagination.Window{Limit: limit, Offset: offset}
		next, previous := pagination.Links(base, q, w, count)

		// Unsigned, the sum of two ints cannot overflow.
		from := uint64(max(offset, 0))
		hasNext := limit > 0 && from+uint64(limit) < uint64(max(count, 0))
		if (next != "") != hasNext {
			t.Fatalf("%+v of %d: next is %q", w, count, next)
		}
		if hasPrevious := limit > 0 && offset > 0; (previous != "") != hasPrevious {
			t.Fatalf("%+v of %d: previous is %q", w, count, previous)
		}
		if next != "" {
			checkLink(t, raw, next, pagination.Window{Limit: limit, Offset: int(from) + limit})
		}
		if previous != "" {
			checkLink(t, raw, previous, pagination.Window{Limit: limit, Offset: max(offset-limit, 0)})
		}
	})
}

// checkLink checks that a link asks for a window, and for nothing else but what
// the query that it comes from asks for.
func checkLink(t *testing.T, raw, link string, want pagination.Window) {
	t.Helper()
	_, query, _ := strings.Cut(link, "?")
	if !isClean(query) {
		t.Errorf("not escaped: %q", query)
	}
	q := pagination.ParseQuery(query)
	if diff := cmp.Diff(want, (pagination.Limits{Max: -1}).Window(q)); diff != "" {
		t.Errorf("window of %q (-want +got):\n%s", link, diff)
	}
	if diff := cmp.Diff(query, q.Encode()); diff != "" {
		t.Errorf("a link is not encoded like a query (-want +got):\n%s", diff)
	}
	if model, ok := modelQuery(raw, want); ok {
		if diff := cmp.Diff(model, query); diff != "" {
			t.Errorf("link (-want +got):\n%s", diff)
		}
	}
}

// modelQuery is a link's query as net/url makes it, if it can.
func modelQuery(raw string, w pagination.Window) (query string, ok bool) {
	values, err := url.ParseQuery(raw)
	if err != nil || strings.ContainsFunc(raw, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return "", false
	}
	for name, list := range values {
		if !utf8.ValidString(name + strings.Join(list, "")) {
			return "", false
		}
	}
	values.Set("limit", itoa(w.Limit))
	values.Del("offset")
	if w.Offset > 0 {
		values.Set("offset", itoa(w.Offset))
	}
	return values.Encode(), true
}

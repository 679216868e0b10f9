package pagination_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/gobacklist/backlist/pagination"
	"github.com/google/go-cmp/cmp"
)

func parseURL(t *testing.T, link string) *url.URL {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatalf("invalid link: %v", err)
	}
	return u
}

// FuzzWalk checks that the next links of any query lead to all records from its offset
// on, once and in order, and end, and that the previous links end at the first page.
func FuzzWalk(f *testing.F) {
	for i, raw := range seedQueries {
		f.Add(raw, uint8(3*i), i%7, i%5-1)
	}
	f.Add("limit=2&offset=3&limit=4", uint8(60), 0, 0)
	f.Add("offset=99999999999999999999&limit=1", uint8(3), 0, 0)
	f.Add("limit=%31&off%73et=+1", uint8(5), 2, 3)
	for i := range 60 {
		f.Add(fmt.Sprintf("limit=%d&offset=%d&q=%%20", 1+i%13, i*7%80), uint8(i), 0, -1)
	}
	f.Fuzz(func(t *testing.T, raw string, count uint8, byDefault, maximum int) {
		items := make([]int, count)
		for i := range items {
			items[i] = i
		}
		limits := pagination.Limits{Default: byDefault, Max: maximum}
		u := &url.URL{Scheme: "https", Host: "host.example", Path: "/books", RawQuery: raw}
		w := limits.Window(pagination.ParseQuery(raw))
		start := min(w.Offset, len(items))

		want := max(1, (len(items)-start+w.Limit-1)/w.Limit)
		if w.Limit > len(items) {
			want = 1 // the sum above may overflow
		}
		seen := []int{}
		pages := follow(t, u, want, func(u *url.URL) string {
			page := pagination.Page(items, u, limits)
			seen = append(seen, page.Records...)
			return page.Next
		})
		if diff := cmp.Diff(items[start:], seen); diff != "" || pages != want {
			t.Fatalf("%q of %d: %d pages, want %d; records (-want +got):\n%s", raw, count, pages, want, diff)
		}

		if w.Offset > 1000*w.Limit {
			return // too many pages
		}
		want = 1 + w.Offset/w.Limit
		if w.Offset%w.Limit > 0 {
			want++
		}
		var last *url.URL
		pages = follow(t, u, want, func(u *url.URL) string {
			last = u
			return pagination.Page(items, u, limits).Previous
		})
		first := pagination.Window{Limit: w.Limit}
		if diff := cmp.Diff(first, limits.Window(pagination.ParseQuery(last.RawQuery))); diff != "" || pages != want {
			t.Fatalf("%q of %d: %d pages backwards, want %d; last page (-want +got):\n%s", raw, count, pages, want, diff)
		}
	})
}

// follow calls get with a URL and then with each link that get returns, until there is
// none or most links have been followed. It returns the number of calls.
func follow(t *testing.T, u *url.URL, most int, get func(u *url.URL) string) (steps int) {
	t.Helper()
	for link := get(u); link != ""; link = get(parseURL(t, link)) {
		steps++
		if steps > most {
			break
		}
	}
	return steps + 1
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

		// The sum of two ints does not overflow a uint64.
		from := uint64(max(offset, 0))
		hasNext := limit > 0 && from+uint64(limit) < uint64(max(count, 0))
		if (next != "") != hasNext {
			t.Fatalf("%+v of %d: next = %q", w, count, next)
		}
		if hasPrevious := limit > 0 && offset > 0; (previous != "") != hasPrevious {
			t.Fatalf("%+v of %d: previous = %q", w, count, previous)
		}
		if next != "" {
			checkLink(t, raw, next, pagination.Window{Limit: limit, Offset: int(from) + limit})
		}
		if previous != "" {
			checkLink(t, raw, previous, pagination.Window{Limit: limit, Offset: max(offset-limit, 0)})
		}
	})
}

// checkLink checks that a link requests a window and has the other parameters of raw.
func checkLink(t *testing.T, raw, link string, want pagination.Window) {
	t.Helper()
	_, query, _ := strings.Cut(link, "?")
	if !isClean(query) {
		t.Errorf("query %q is not escaped", query)
	}
	q := pagination.ParseQuery(query)
	if diff := cmp.Diff(want, (pagination.Limits{Max: -1}).Window(q)); diff != "" {
		t.Errorf("window of %q (-want +got):\n%s", link, diff)
	}
	if diff := cmp.Diff(query, q.Encode()); diff != "" {
		t.Errorf("Encode() of the query of a link (-want +got):\n%s", diff)
	}
	if model, ok := modelQuery(raw, want); ok {
		if diff := cmp.Diff(model, query); diff != "" {
			t.Errorf("link (-want +got):\n%s", diff)
		}
	}
}

// allValid reports whether all names and values are valid UTF-8.
func allValid(values url.Values) bool {
	for name, list := range values {
		if !utf8.ValidString(name) || slices.ContainsFunc(list, func(s string) bool { return !utf8.ValidString(s) }) {
			return false
		}
	}
	return true
}

// modelQuery returns the query of a link as net/url encodes it. ok is false if net/url
// does not parse raw in the same way.
func modelQuery(raw string, w pagination.Window) (query string, ok bool) {
	values, err := url.ParseQuery(raw)
	if err != nil || strings.ContainsFunc(raw, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return "", false
	}
	if !allValid(values) {
		return "", false
	}
	values.Set("limit", itoa(w.Limit))
	values.Del("offset")
	if w.Offset > 0 {
		values.Set("offset", itoa(w.Offset))
	}
	return values.Encode(), true
}

package pagination_test

import (
	"fmt"
	"net/url"
	"testing"

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
		w := windowOf(limits, raw)
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
		if diff := cmp.Diff(first, windowOf(limits, last.RawQuery)); diff != "" || pages != want {
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

package clienttest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/pagination"
)

// numbers is the style of the services that the clients of this file read, with page numbers.
var numbers = pagination.Numbers{Size: "page_size"}

// A counting client counts pages. It makes at most one mistake: that of a function or a value that
// has been replaced.
type counting struct {
	path  string
	first int // number of the first page
	size  int // that it asks for; 0: none
	// last reports whether the page with a number was the last one.
	last func(page naivePage, number int) bool
	// check checks the counts of all pages and the ids.
	check func(counts, ids []int) error
}

// newCounting returns a client without a mistake.
func newCounting() *counting {
	return &counting{
		path: "/api/events/", first: 1,
		last: func(page naivePage, _ int) bool { return page.Next == "" },
		check: func(counts, ids []int) error {
			if counts = append(counts, len(ids)); slices.Min(counts) != slices.Max(counts) {
				return fmt.Errorf("records and counts %v", counts)
			}
			return nil
		},
	}
}

// ids fetches all ids.
func (c *counting) ids(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	client = withoutRedirects(client)
	var counts []int
	for n := c.first; ; n++ {
		url := fmt.Sprintf("%s%s?ordering=id&page=%d", baseURL, c.path, n)
		if c.size > 0 {
			url += fmt.Sprintf("&page_size=%d", c.size)
		}
		page, err := newCareful().page(ctx, client, url)
		switch {
		case err != nil:
			return nil, err
		case page.Count < 0:
			return nil, errors.New("not a page")
		}
		counts = append(counts, page.Count)
		for _, r := range page.Results {
			if slices.Contains(ids, r.ID) {
				return nil, errors.New("a record occurs twice")
			}
			ids = append(ids, r.ID)
		}
		if c.last(page, n) {
			return ids, c.check(counts, ids)
		}
	}
}

// firstShort stops at the first page that is not full.
func firstShort() *counting {
	c := newCounting()
	c.last = func(page naivePage, _ int) bool { return len(page.Results) < pageSize }
	c.check = func([]int, []int) error { return nil }
	return c
}

// firstCount reads as many pages as the count and the size of the first one say, and compares
// neither that count with those of the others nor with the number of records.
func firstCount() *counting {
	c := newCounting()
	pages := 0
	c.last = func(page naivePage, number int) bool {
		if number == 1 {
			size := max(len(page.Results), 1)
			pages = (page.Count + size - 1) / size
		}
		return number >= pages
	}
	c.check = func([]int, []int) error { return nil }
	return c
}

// lastCount compares the number of records with the count of the last page, which is the same if a
// record was deleted and another one lost.
func lastCount() *counting {
	c := newCounting()
	c.check = func(counts, ids []int) error {
		if count := counts[len(counts)-1]; count != len(ids) {
			return fmt.Errorf("%d of %d records", len(ids), count)
		}
		return nil
	}
	return c
}

// fromZero asks for page 0 first.
func fromZero() *counting {
	c := newCounting()
	c.first = 0
	return c
}

// unclamped asks for large pages, and takes what it gets for such.
func unclamped() *counting {
	c := newCounting()
	c.size = 100
	c.last = func(page naivePage, number int) bool { return page.Count <= number*c.size }
	c.check = func([]int, []int) error { return nil }
	return c
}

// clamped asks for large pages as well, and notices that they are smaller.
func clamped() *counting {
	c := newCounting()
	c.size = 100
	return c
}

// following follows links, orders by id, and checks what can be checked without a count.
func following(path string) Fetch[int] {
	return func(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
		client = withoutRedirects(client)
		for next := baseURL + path + "?ordering=id"; next != ""; {
			page, err := newCareful().page(ctx, client, next)
			switch {
			case err != nil:
				return nil, err
			case page.Results == nil, len(page.Results) == 0 && page.Next != "":
				return nil, errors.New("no page, or an empty one before others")
			case page.Next != "" && !strings.HasPrefix(page.Next, baseURL+path+"?"):
				return nil, fmt.Errorf("next leads to %s", page.Next)
			}
			for _, r := range page.Results {
				if len(ids) > 0 && ids[len(ids)-1] >= r.ID {
					return nil, errors.New("records are not in order")
				}
				ids = append(ids, r.ID)
			}
			next = page.Next
		}
		return ids, nil
	}
}

// TestVerifyPages runs clients of services whose pages have numbers or cursors through the
// situations.
func TestVerifyPages(t *testing.T) {
	for _, tt := range []struct {
		reason string
		fetch  Fetch[int]
		opts   Options
		run    int    // number of situations
		fails  string // the situations
		with   string // in the problem of the last one
	}{
		{"no mistake", newCounting().ids, Options{Pages: numbers}, 38, "", ""},
		{"no mistake, and a size that is reduced", clamped().ids, Options{Pages: numbers}, 38, "", ""},
		{"stops at the first short page", firstShort().ids, Options{Pages: numbers}, 38,
			"full-pages one-full-page empty-pages-with-next row-missing record-deleted", "without the one with the id"},
		{"trusts the first count while a record is deleted", firstCount().ids, Options{Pages: numbers}, 38,
			"empty-pages-with-next row-missing record-deleted", "if count changes"},
		{"trusts the last count while a record is deleted", lastCount().ids, Options{Pages: numbers}, 38, "record-deleted", "if count changes"},
		{"asks for page 0", fromZero().ids, Options{Pages: numbers}, 1, "several-pages", "404 Not Found): pages may have fewer records than requested, and a list may have none; follow next, or ask for what follows"},
		{"ignores that page_size is reduced", unclamped().ids, Options{Pages: numbers}, 1, "several-pages", "returned 10 of at least 25 records"},

		{"follows links with numbers", followNext, Options{Pages: numbers}, 38,
			"error-with-status-200 next-is-self next-cycle empty-pages-with-next next-on-other-host next-without-tls redirect-to-other-host row-missing row-repeated row-repeated-for-another record-deleted", ""},
		{"no mistake with cursors", following("/api/events/"), Options{Pages: pagination.Cursors{}}, 35, "", ""},
		{"follows each link", followNext, Options{Pages: pagination.Cursors{}}, 35,
			"error-with-status-200 next-is-self next-cycle empty-pages-with-next next-on-other-host next-without-tls redirect-to-other-host row-repeated", ""},
		{"counts pages that have cursors", newCounting().ids, Options{Pages: pagination.Cursors{}}, 1, "several-pages", "returned an error although nothing is wrong (not a page)"},

		{"the style and the size of the description do not matter", following("/api/films/"), Options{Catalogue: styled(t, pagination.Cursors{Limits: pagination.Limits{Default: 99}})}, 35, "", ""},
		{"the style of the description", onlyFirst("/api/films/"), Options{Catalogue: styled(t, pagination.Numbers{Page: "p", Limits: pagination.Limits{Default: 99}}), Skip: only("many-pages", "one-full-page")}, 2,
			"many-pages", "returned 10 of at least 95 records"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel()
			names, problems := verify(t, tt.fetch, tt.opts)
			failed := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return problems[name] == "" })
			if diff := cmp.Diff(tt.fails, strings.Join(failed, " ")); diff != "" || len(names) != tt.run {
				t.Fatalf("%d situations, want %d; those that it fails (-want +got):\n%s\n%v", len(names), tt.run, diff, problems)
			}
			if len(failed) > 0 && !strings.Contains(problems[failed[len(failed)-1]], tt.with) {
				t.Errorf("%s: %s, want %q", failed[len(failed)-1], problems[failed[len(failed)-1]], tt.with)
			}
		})
	}
}

// styled returns a catalogue of 100 films whose description has a style of pages.
func styled(t *testing.T, style pagination.Style) *catalogue.Catalogue {
	t.Helper()
	c, err := catalogue.New(catalogue.Define[film]("films", catalogue.Options{Description: &schema.Description{Pages: style}}))
	must(t, err)
	var records []string
	for id := 1; id <= 100; id++ {
		records = append(records, fmt.Sprintf(`{"id":%d,"title":"Film"}`, id))
	}
	must(t, c.Load(strings.NewReader(`{"films":[`+strings.Join(records, ",")+`]}`), catalogue.LoadOptions{}))
	return c
}

// TestWrongPages checks where the next links of wrong pages lead, and that other pages are empty
// only if their next links lead on.
func TestWrongPages(t *testing.T) {
	for _, tt := range []struct {
		situation string
		style     pagination.Style
		query     string
		want      string // the number of records, and the query of next
	}{
		{"next-cycle", nil, "limit=5&offset=10", "5 limit=5"},
		{"next-cycle", nil, "offset=20", "5 "}, // the last page
		{"next-cycle", numbers, "page=2&page_size=5", "5 page_size=5"},
		{"next-cycle", numbers, "page=3", "5 "},
		{"next-cycle", pagination.Cursors{Cursor: "from"}, "from=bz0yMA%3D%3D", "5 "}, // o=20
		{"empty-pages-with-next", nil, "offset=10", "0 offset=20"},
		{"empty-pages-with-next", nil, "offset=20", "0 offset=25"},
		{"empty-pages-with-next", nil, "offset=26", "0 offset=27"},
		{"empty-pages-with-next", numbers, "page=2", "0 page=3"},
		{"empty-pages-with-next", numbers, "page=3", "5 "},
		{"empty-pages-with-next", pagination.Cursors{}, "cursor=bz0yMA%3D%3D", "5 "},
	} {
		v := mustVerification(t, newCounting().ids, Options{Pages: tt.style})
		c := v.data.catalogue.Clone()
		first := make([]int, 25)
		for i := range first {
			first[i] = i
		}
		must(t, v.data.write(c, first))
		server, err := v.data.serve(c)
		must(t, err)
		defer server.Close()
		for _, s := range v.situations {
			if s.name == tt.situation {
				server.Inject(cataloguetest.Match{}, s.faults[0])
			}
		}
		page, err := getPage(t.Context(), server.Client, server.URL+"/api/events/?"+tt.query)
		must(t, err)
		_, next, _ := strings.Cut(page.Next, "?")
		if got := fmt.Sprint(len(page.Results), " ", next); got != tt.want {
			t.Errorf("%s, %T: %s: %s, want %s", tt.situation, tt.style, tt.query, got, tt.want)
		}
	}
}

// A lister is a client of a list without pages. It makes the mistakes that its fields say.
type lister struct {
	anyStatus bool // does not look at the status
	repeats   bool // does not notice that a record is repeated
	anyHost   bool // follows redirects
}

func (c lister) ids(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error) {
	if !c.anyHost {
		client = withoutRedirects(client)
	}
	resp, err := get(ctx, client, baseURL+"/api/events/")
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	var all []struct{ ID int }
	err = json.NewDecoder(resp.Body).Decode(&all)
	if c.anyStatus && ctx.Err() == nil {
		err = nil
	} else if resp.StatusCode != http.StatusOK || err != nil {
		return nil, fmt.Errorf("%s: %w", resp.Status, err)
	}
	for _, r := range all {
		if !c.repeats && slices.Contains(ids, r.ID) {
			return nil, errors.New("a record occurs twice")
		}
		ids = append(ids, r.ID)
	}
	return ids, nil
}

// Clients of lists without pages run through the situations that such a list can have.
func TestListsWithoutPages(t *testing.T) {
	for _, opts := range []Options{{Pages: pagination.Whole{}}, {Pages: pagination.Whole{Max: 3}}} {
		for _, tt := range []struct {
			reason string
			client lister
			fails  string
		}{
			{"no mistake", lister{}, ""},
			{"swallows errors", lister{anyStatus: true}, "status-500-once status-500-always status-503-once status-503-always status-429-once status-429-always status-404-once rate-limit error-with-status-200 html-with-status-200 cut-in-body truncated-body redirect-to-other-host"},
			{"does not compare records", lister{repeats: true}, "row-repeated"},
			{"follows redirects", lister{anyHost: true}, "redirect-to-other-host"},
		} {
			names, problems := verify(t, tt.client.ids, opts)
			failed := slices.DeleteFunc(slices.Clone(names), func(name string) bool { return problems[name] == "" })
			if diff := cmp.Diff(tt.fails, strings.Join(failed, " ")); diff != "" || len(names) != 22 {
				t.Errorf("%s: %d situations, want 22; those that it fails (-want +got):\n%s\n%v", tt.reason, len(names), diff, problems)
			}
		}
		v := mustVerification(t, lister{}.ids, opts)
		if want := "many-pages responses-out-of-order full-pages one-full-page status-500-from-second-page status-503-from-second-page status-429-from-second-page next-is-self next-cycle empty-pages-with-next next-on-other-host next-without-tls row-missing row-repeated-for-another count-shrinks record-deleted record-replaced"; strings.Join(v.left, " ") != want {
			t.Errorf("left out are %q", v.left)
		}
	}
}

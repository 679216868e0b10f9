package httpapi_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

// walkRecord is a record of FuzzWalk.
type walkRecord struct {
	ID    int    `json:"id"`
	Name  string `json:"name"`
	Pages int    `json:"pages"`
}

// walkOrders are orderings with equivalent comparisons.
var walkOrders = [...]struct {
	ordering string
	compare  func(a, b walkRecord) int
}{
	{"id", func(a, b walkRecord) int { return a.ID - b.ID }},
	{"-id", func(a, b walkRecord) int { return b.ID - a.ID }},
	{"pages", func(a, b walkRecord) int { return cmp.Or(a.Pages-b.Pages, a.ID-b.ID) }},
	{"-name", func(a, b walkRecord) int { return cmp.Or(cmp.Compare(b.Name, a.Name), b.ID-a.ID) }},
	{"name,-pages", func(a, b walkRecord) int { return cmp.Or(cmp.Compare(a.Name, b.Name), b.Pages-a.Pages, a.ID-b.ID) }},
	{"bogus,-pages,,name", func(a, b walkRecord) int { return cmp.Or(b.Pages-a.Pages, cmp.Compare(a.Name, b.Name), b.ID-a.ID) }},
}

// FuzzWalk requests books with a query and follows the next links. The pages contain every
// record from the first offset on once, in order.
func FuzzWalk(f *testing.F) {
	for i, query := range []string{
		"", "limit=1", "limit=4&offset=6", "offset=14&limit=3&limit=2", "limit=99999999999999999999&offset=-1", "offset=20", "%6Cimit=5&x=%zz;",
		"&&q=a%20b+c&=5&limit= 3 ", "ordering=name&\xff=\xe9%C3", "format=json", "format=xml", "offset=%EF%BC%93&limit=0",
		strings.Repeat("\xff", 1815), strings.Repeat("\xff", 2000), strings.Repeat("a&", 998),
	} {
		f.Add(query, uint8(i))
	}
	var records []walkRecord
	for id := 1; id <= 13; id++ {
		records = append(records, walkRecord{id, []string{"b", "a&b", "é", "B"}[id%4], id * 7 % 5})
	}
	house := catalogue.New()
	if list, err := json.Marshal(records); err != nil {
		f.Fatal(err)
	} else if err := house.LoadCollection("books", strings.NewReader(string(list))); err != nil {
		f.Fatal(err)
	}
	handler, err := httpapi.New(house, httpapi.Options{Limits: pagination.Limits{Default: 5}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, query string, order uint8) {
		by := walkOrders[int(order)%len(walkOrders)]
		want := slices.Clone(records)
		slices.SortFunc(want, by.compare)

		u := &url.URL{Scheme: "http", Host: "host.example", Path: "/api/books/", RawQuery: query + "&ordering=" + by.ordering}
		seen := []walkRecord{}
		for pages := 0; u != nil; pages++ {
			page := askPage(t, handler, u)
			if page == nil && pages == 0 {
				return
			}
			if page == nil || page.Count != len(records) || pages > len(records) {
				t.Fatalf("%q, page %d, %s: %+v", query, pages, u, page)
			}
			seen = append(seen, page.Results...)
			u = page.next(t)
		}
		start := len(want) - min(len(seen), len(want))
		if diff := gocmp.Diff(want[start:], seen); diff != "" {
			t.Errorf("%q by %s (-want +got):\n%s", query, by.ordering, diff)
		}
		if offset, ok := plainOffset(query); ok && start != min(offset, len(want)) {
			t.Errorf("%q by %s starts at %d, want %d", query, by.ordering, start, offset)
		}
	})
}

// plainOffset returns the offset of a query and reports whether it is a plain number.
func plainOffset(query string) (offset int, ok bool) {
	values, err := url.ParseQuery(query)
	if err != nil {
		return 0, false
	}
	list := values["offset"]
	if len(list) == 0 {
		return 0, true
	}
	n, err := strconv.ParseUint(list[len(list)-1], 10, 16)
	return int(n), err == nil
}

// walkPage is a decoded page.
type walkPage struct {
	Count   int
	Next    *string
	Results []walkRecord
}

// next returns the URL of the next page, or nil.
func (p *walkPage) next(t *testing.T) *url.URL {
	t.Helper()
	if p.Next == nil {
		return nil
	}
	u, err := url.Parse(*p.Next)
	if err != nil || u.Host != "host.example" || u.Path != "/api/books/" {
		t.Fatalf("next is %q, %v", *p.Next, err)
	}
	return u
}

// askPage returns a page, or nil if the response is a 4xx.
func askPage(t *testing.T, handler http.Handler, u *url.URL) *walkPage {
	t.Helper()
	r := &http.Request{Method: http.MethodGet, URL: u, Host: u.Host, RequestURI: u.RequestURI(), Header: http.Header{}}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	switch w.Code {
	case http.StatusOK:
	case http.StatusBadRequest, http.StatusNotFound, http.StatusRequestURITooLong:
		return nil
	default:
		t.Fatalf("%s: status %d: %s", u, w.Code, w.Body)
	}
	page := new(walkPage)
	if err := json.Unmarshal(w.Body.Bytes(), page); err != nil {
		t.Fatal(fmt.Errorf("%s: %w: %s", u, err, w.Body))
	}
	return page
}

package httpapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/pagination"
)

// FuzzRequest calls the handler with requests, including those that net/http would reject.
// No response is a 5xx, and every response with type JSON is JSON.
func FuzzRequest(f *testing.F) {
	const film = `{"title":"Lola","slug":"lola","minutes":90,"price":"1","director":1}`
	f.Add("GET", "/api/films/", "limit=2&offset=1&ordering=-id", "*/*;indent=2", "", "host.example", "")
	f.Add("POST", "/api/films/", "format=api", "application/json", "application/json;charset=latin-1", "[::1]:80", film)
	f.Add("POST", "/api/films/", "", "", "*/*", "h", `{"director":1`)
	f.Add("OPTIONS", "/api/", "format=xml", "text/html", "", "h:1", "")
	f.Add("HEAD", "/api/papers", "q=%zz;\xff&&", "", "", "h_", "")
	f.Add("\"<\xff", "/api/notes/", strings.Repeat("&", 1000), "*/*", "", "a b", "")
	f.Add("PUT", "/api/films/1/", "\r\n", "application/*;x=\"\\\"", "", "h", "\x00")
	f.Fuzz(func(t *testing.T, method, path, query, accepted, contentType, host, body string) {
		r := &http.Request{
			Method:     method,
			URL:        &url.URL{Path: path, RawQuery: query},
			Host:       host,
			RequestURI: path + "?" + query,
			Header:     http.Header{"Accept": {accepted}, "Content-Type": {contentType}},
			Body:       io.NopCloser(strings.NewReader(body)),
		}
		h, err := New(newSmallCatalogue(t), Options{Authorizer: AllowAll, MaxBody: 1000})
		if err != nil {
			t.Fatal(err)
		}
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		checkAnswer(t, method, rec)
	})
}

func checkAnswer(t *testing.T, method string, rec *httptest.ResponseRecorder) {
	t.Helper()
	header := rec.Header()
	if rec.Code >= 500 {
		t.Errorf("status %d: %s", rec.Code, rec.Body)
	}
	if method == http.MethodHead {
		if rec.Body.Len() > 0 {
			t.Errorf("body in the response to HEAD: %s", rec.Body)
		}
		return
	}
	if got := header.Get("Content-Length"); got != strconv.Itoa(rec.Body.Len()) {
		t.Errorf("Content-Length %s, body of %d bytes", got, rec.Body.Len())
	}
	if header.Get("Content-Type") == "application/json" && !json.Valid(rec.Body.Bytes()) {
		t.Errorf("not JSON: %q", rec.Body)
	}
	if isError := rec.Code >= 400; isError && rec.Code != 400 && !strings.Contains(rec.Body.String(), `"detail"`) {
		t.Errorf("%d without detail: %s", rec.Code, rec.Body)
	}
}

// FuzzRecordPath sends requests to any path and with any query below the films. No
// response may be a 5xx, and all bodies are JSON.
func FuzzRecordPath(f *testing.F) {
	for _, target := range []string{
		"2/?status=released", "7%00/", "%201/?minutes__gte=9e1", "1_1/?search=%C3%89,%20x", "?genres=1&genres=", "?released__isnull=TRUE&title__icontains=%25",
		"2/?status=bogus&minutes=x", "?minutes__lt=1e50", "999999999999999999999/", "1.0/", "%2F1/?director=%D9%A1", "?search=%00&search=%FF",
	} {
		f.Add("GET", target)
	}
	f.Add("DELETE", "3/?search=x")
	f.Add("OPTIONS", "3/?status=bogus")
	f.Fuzz(func(t *testing.T, method, tail string) {
		u, err := url.ParseRequestURI("/api/films/" + tail)
		if err != nil {
			t.Skip()
		}
		r := httptest.NewRequest("GET", "/", nil)
		r.Method, r.URL, r.RequestURI = method, u, "/api/films/"+tail
		w := httptest.NewRecorder()
		recordedFilms(t).ServeHTTP(w, r)
		if body := w.Body.Bytes(); w.Code >= 500 || len(body) > 0 && !json.Valid(body) {
			t.Errorf("%s %q: %d %s", method, tail, w.Code, body)
		}
	})
}

// FuzzPartialBody sends any body as a PUT, a PATCH and a POST. After a 200 the record is
// the one in the response. After a 400 it is unchanged.
func FuzzPartialBody(f *testing.F) {
	for _, body := range []string{
		`{}`, ``, `null`, `[]`, `{"title":" U ","minutes":"90.0"}`, `{"price":"1E+6","rating":true}`, `{"genres":{"1":0}}`, `{"released":"2024-5-1","premiere_at":null}`,
		`{"title":"T","slug":"t","minutes":1,"price":"1","director":41}`, `{"rating":1e999}`, `{"rating":-0.0}`, `{"slug":"x","Slug":"y"}`, `{"id":9,"createdAt":null}`, `{"a":`,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body string) {
		h := recordedFilms(t)
		_, before := send(h, "GET", "/api/films/2/", "")
		for _, method := range []string{"PUT", "PATCH"} {
			status, text := send(h, method, "/api/films/2/", body)
			_, after := send(h, "GET", "/api/films/2/", "")
			switch {
			case status == 200 && text == after:
			case status == 400 && json.Valid([]byte(text)) && after == before:
			default:
				t.Errorf("%s %q: %d %s, then %s", method, body, status, text, after)
			}
			before = after
		}
		if status, text := send(h, "POST", "/api/films/", body); status != 201 && status != 400 || !json.Valid([]byte(text)) {
			t.Errorf("POST %q: %d %s", body, status, text)
		}
	})
}

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
	cat, err := catalogue.New(catalogue.Define[walkRecord]("books", catalogue.Options{}))
	if err != nil {
		f.Fatal(err)
	}
	if list, err := json.Marshal(records); err != nil {
		f.Fatal(err)
	} else if err := cat.Load(strings.NewReader(`{"books":`+string(list)+`}`), catalogue.LoadOptions{}); err != nil {
		f.Fatal(err)
	}
	handler, err := New(cat, Options{Limits: pagination.Limits{Default: 5}})
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

package httpapi

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// sized returns part repeated to a number of bytes.
func sized(part string, bytes int) string {
	return strings.Repeat(part, bytes/len(part)+1)[:bytes]
}

// A router may let the client choose the prefix, which every link contains.
func TestLongPrefix(t *testing.T) {
	h := newStubHandler(t, Options{}, newStub(1))
	anywhere := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := strings.Index(r.URL.Path, "/api/")
		http.StripPrefix(r.URL.Path[:i], h).ServeHTTP(w, r)
	})
	for _, test := range []struct {
		reason string
		prefix string
		status int
	}{
		{"longest prefix", sized("/a", 2048-len("/api/")), 200},
		{"one byte more", sized("/a", 2048-len("/api/")+1), 414},
		{"very long prefix", sized(`/"`, 1<<20), 414},
		{"longest prefix that needs escapes", "/" + sized(`"`, (2048-len("//api/"))/3), 200},
		{"one byte more that needs escapes", "/" + sized(`"`, (2048-len("//api/"))/3+1), 414},
	} {
		r := call{target: "/"}.request()
		r.URL.Path, r.RequestURI = test.prefix+"/api/", test.prefix+"/api/"
		got := serve(anywhere, r)
		if got.Status != test.status || len(got.Body) > 1<<18 {
			t.Errorf("%s: %d with %d bytes, want %d", test.reason, got.Status, len(got.Body), test.status)
		}
		if test.status == 414 && !strings.Contains(got.Body, " 2048 ") {
			t.Errorf("%s: %s does not name the limit", test.reason, got.Body)
		}
	}
}

// A query that is too long is rejected before it is parsed.
func TestRefusedQueryAllocations(t *testing.T) {
	h := newStubHandler(t, Options{}, newStub(1))
	for reason, query := range map[string]string{
		"length":     sized("%FF&", 1<<20),
		"parameters": sized("&", 16000),
	} {
		r := call{target: "/api/films/"}.request()
		r.URL.RawQuery = query
		w := newDiscard()
		if allocs := testing.AllocsPerRun(10, func() { h.ServeHTTP(w, r) }); allocs > 10 {
			t.Errorf("%s: %v allocations, want at most 10", reason, allocs)
		}
	}
}

// serveRows are the requests of the benchmarks, and how many allocations each takes at most, without
// those of net/http.
var serveRows = [...]struct {
	name, method, target, body string
	most                       float64
}{
	{"GET page", "GET", "/films/", "", 4},
	{"GET page at 9000", "GET", "/films/?offset=9000", "", 4},
	{"GET filter and order", "GET", "/films/?genre=g7&ordering=-year", "", 10},
	{"GET filter, order and range", "GET", "/films/?genre=g7&ordering=-year&year__gte=1950", "", 15},
	{"GET two filters", "GET", "/films/?genre=g7&year__gte=1950", "", 53},
	{"GET record", "GET", "/films/77/", "", 1},
	{"PATCH", "PATCH", "/films/77/", `{"title": "Another"}`, 27},
	{"POST", "POST", "/films/", `{"title": "New", "genre": "g1", "year": 2001, "studio": "S", "length": 90}`, 47},
}

func TestAllocations(t *testing.T) {
	h := serveManyFilms(t)
	for _, row := range serveRows {
		body, w := strings.NewReader(""), newDiscard()
		r := httptest.NewRequest(row.method, row.target, body)
		r.Header.Set("Content-Type", "application/json")
		got := testing.AllocsPerRun(100, func() {
			clear(w.header)
			body.Reset(row.body)
			h.ServeHTTP(w, r)
		})
		if got > row.most+4 || w.status >= 300 { // the race detector allocates, too
			t.Errorf("%s: %d, %v allocations, want at most %v", row.name, w.status, got, row.most)
		}
	}
}

// serveManyFilms returns a handler of 10,000 records.
func serveManyFilms(b testing.TB) http.Handler {
	type film struct {
		ID     int    `json:"id"`
		Title  string `json:"title"`
		Genre  string `json:"genre"`
		Year   int    `json:"year"`
		Studio string `json:"studio"`
		Length int    `json:"length"`
	}
	about := schema.Description{Filters: []string{"genre", "year__gte", "year__lte", "length"}, Actions: schema.AllActions}
	films := catalogue.Define[film]("films", catalogue.Options{Description: &about, Indexes: [][]ordering.Term{{ordering.Asc("genre"), ordering.Asc("year")}}})
	cat, err := catalogue.New(films)
	must(b, err)
	var text strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&text, `,{"id": %d, "title": "The Film %d", "genre": "g%d", "year": %d, "studio": "Studio %d", "length": %d}`, i+1, i, i%20, 1900+i%120, i%7, 60+i%90)
	}
	must(b, cat.Load(strings.NewReader(`{"films": [`+text.String()[1:]+`]}`), catalogue.LoadOptions{}))
	return mustHandler(b, cat, Options{Root: "/", Authorizer: AllowAll})
}

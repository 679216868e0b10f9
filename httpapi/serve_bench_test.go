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

// BenchmarkServe calls the handler.
func BenchmarkServe(b *testing.B) {
	h := serveManyFilms(b)
	for _, row := range serveRows {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w := httptest.NewRecorder()
				r := httptest.NewRequest(row.method, row.target, strings.NewReader(row.body))
				r.Header.Set("Content-Type", "application/json")
				if h.ServeHTTP(w, r); w.Code >= 300 {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}

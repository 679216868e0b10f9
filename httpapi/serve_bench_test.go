package httpapi_test

import (
	"fmt"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
)

// BenchmarkServe serves a page with and without a filter, and writes, from 10,000 records.
func BenchmarkServe(b *testing.B) {
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
	if err != nil {
		b.Fatal(err)
	}
	var text strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&text, `,{"id": %d, "title": "The Film %d", "genre": "g%d", "year": %d, "studio": "Studio %d", "length": %d}`, i+1, i, i%20, 1900+i%120, i%7, 60+i%90)
	}
	if err := cat.Load(strings.NewReader(`{"films": [`+text.String()[1:]+`]}`), catalogue.LoadOptions{}); err != nil {
		b.Fatal(err)
	}
	h, err := httpapi.New(cat, httpapi.Options{Root: "/", Authorizer: httpapi.AllowAll})
	if err != nil {
		b.Fatal(err)
	}
	for _, row := range []struct{ name, method, target, body string }{
		{"GET page", "GET", "/films/", ""},
		{"GET filter and order", "GET", "/films/?" + url.Values{"genre": {"g7"}, "ordering": {"-year"}}.Encode(), ""},
		{"GET two filters", "GET", "/films/?genre=g7&year__gte=1950", ""},
		{"GET record", "GET", "/films/77/", ""},
		{"PATCH", "PATCH", "/films/77/", `{"title": "Another"}`},
		{"POST", "POST", "/films/", `{"title": "New", "genre": "g1", "year": 2001, "studio": "S", "length": 90}`},
	} {
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

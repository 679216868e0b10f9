package browse

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources/sample"
)

// BenchmarkServed tells what tools pay for the pages of others, and what a page
// costs.
func BenchmarkServed(b *testing.B) {
	var made bytes.Buffer
	if _, err := sample.New(sample.Options{}).WriteTo(&made); err != nil {
		b.Fatal(err)
	}
	p := newPair(b, load(b, made.String()), httpapi.Options{Authorizer: httpapi.AllowAll})
	for _, bench := range []struct {
		name           string
		h              http.Handler
		target, accept string
	}{
		{"json", p.plain, "/api/events/", "*/*"},
		{"json through browse", p.browse, "/api/events/", "*/*"},
		{"page of events", p.browse, "/api/events/", chrome},
		{"page of the root", p.browse, "/api/", chrome},
	} {
		b.Run(bench.name, func(b *testing.B) {
			r := request("GET", bench.target, "", "Accept", bench.accept)
			b.ReportAllocs()
			for b.Loop() {
				bench.h.ServeHTTP(httptest.NewRecorder(), r)
			}
		})
	}
}

package browse

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources/sample"
)

// BenchmarkServeHTTP measures JSON with and without package browse, and pages.
func BenchmarkServeHTTP(b *testing.B) {
	var file bytes.Buffer
	if _, err := sample.New(sample.Options{}).WriteTo(&file); err != nil {
		b.Fatal(err)
	}
	h := newHandlers(b, load(b, file.String()), httpapi.Options{Authorizer: httpapi.AllowAll})
	for _, bench := range []struct {
		name           string
		h              http.Handler
		target, accept string
	}{
		{"json", h.plain, "/api/events/", "*/*"},
		{"json through browse", h.browse, "/api/events/", "*/*"},
		{"page of events", h.browse, "/api/events/", chrome},
		{"page of the root", h.browse, "/api/", chrome},
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

package httpapi

import (
	"net/http"
	"testing"
)

// BenchmarkServeHTTP measures requests, and writing the same responses from memory. The page has
// 21 records of about 500 bytes.
func BenchmarkServeHTTP(b *testing.B) {
	h := newStubHandler(b, Options{ETags: true}, pages{newPages(repeated("x", 21, 500)...)})
	page := call{target: "/api/films/"}
	for name, c := range map[string]call{
		"page":         page,
		"query":        {target: "/api/films/?format=api&limit=21&offset=42&ordering=-name"},
		"not modified": {target: page.target, header: ifNoneMatch(page.do(h).Header["Etag"])},
		"root":         {target: "/api/"},
	} {
		answer := c.do(h)
		body := []byte(answer.Body)
		static := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			for name, value := range answer.Header {
				w.Header().Set(name, value)
			}
			w.WriteHeader(answer.Status)
			_, _ = w.Write(body)
		})
		for kind, h := range map[string]http.Handler{"handler": h, "static": static} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				b.ReportAllocs()
				r, w := c.request(), &discard{http.Header{}}
				for b.Loop() {
					clear(w.header)
					h.ServeHTTP(w, r)
				}
			})
		}
	}
}

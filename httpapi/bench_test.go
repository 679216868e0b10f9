package httpapi

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// discard is a ResponseWriter that discards everything.
type discard struct{ header http.Header }

func (d *discard) Header() http.Header         { return d.header }
func (d *discard) Write(p []byte) (int, error) { return len(p), nil }
func (d *discard) WriteHeader(int)             {}

// benchTargets are the measured requests: a page of 21 records of about 500 bytes, one
// with a query, and the root.
var benchTargets = [...]struct{ name, target string }{
	{"page", "/api/books/"},
	{"query", "/api/books/?format=api&limit=21&offset=42&ordering=-name"},
	{"root", "/api/"},
}

func benchHandler(b *testing.B) *Handler {
	return newTestHandler(b, Options{}, map[string]Collection{"books": newFixedCollection()})
}

func newFixedCollection() *fixedCollection {
	record := []byte(`{"id":1,"text":"` + strings.Repeat("x", 500) + `"}`)
	books := new(fixedCollection)
	for range 21 {
		books.page = append(books.page, record)
	}
	return books
}

// static returns a handler that writes the response of h to a target from memory.
func static(h http.Handler, target string) http.Handler {
	a := get(h, target)
	body := []byte(a.Body)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range a.Header {
			w.Header().Set(name, value)
		}
		w.WriteHeader(a.Status)
		_, _ = w.Write(body)
	})
}

func BenchmarkServeHTTP(b *testing.B) {
	h := benchHandler(b)
	for _, target := range benchTargets {
		handlers := map[string]http.Handler{"handler": h, "static": static(h, target.target)}
		for _, name := range []string{"handler", "static"} {
			b.Run(target.name+"/"+name, func(b *testing.B) {
				b.ReportAllocs()
				r := call{target: target.target}.request()
				w := &discard{http.Header{}}
				for b.Loop() {
					clear(w.header)
					handlers[name].ServeHTTP(w, r)
				}
			})
		}
	}
}

func BenchmarkLoopback(b *testing.B) {
	h := benchHandler(b)
	for _, target := range benchTargets {
		handlers := map[string]http.Handler{"handler": h, "static": static(h, target.target)}
		for _, name := range []string{"handler", "static"} {
			b.Run(target.name+"/"+name, func(b *testing.B) {
				server := httptest.NewServer(handlers[name])
				defer server.Close()
				for b.Loop() {
					res, err := server.Client().Get(server.URL + target.target)
					if err != nil {
						b.Fatal(err)
					}
					_, _ = io.Copy(io.Discard, res.Body)
					_ = res.Body.Close()
				}
			})
		}
	}
}

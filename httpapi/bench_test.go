package httpapi

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources"
	"github.com/gobacklist/backlist/resources/sample"
)

// benchTargets are the measured requests: a page of 21 records of about 500 bytes, one
// with a query, and the root.
var benchTargets = [...]struct{ name, target string }{
	{"page", "/api/films/"},
	{"query", "/api/films/?format=api&limit=21&offset=42&ordering=-name"},
	{"root", "/api/"},
}

func benchHandler(b *testing.B) *Handler {
	return newStubHandler(b, Options{}, pages{newPages(repeated("x", 21, 500)...)})
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

// BenchmarkServed measures the handler over loopback, with 10,000 events and 8
// connections, and a handler that writes the same bytes from memory. The two alternate to
// reduce the effect of other load. "of-static" is the ratio of their requests per second.
func BenchmarkServed(b *testing.B) {
	handler, err := New(newCatalogue(b), Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, target := range []string{
		"/api/events/",
		"/api/events/?offset=9000",
		"/api/events/?format=api&limit=21&offset=9000&ordering=-name",
	} {
		b.Run(target, func(b *testing.B) { compareLoads(b, handler, target) })
	}
}

// BenchmarkNotModified measures responses of 304 and whole pages over loopback. "of-200"
// is the ratio of their requests per second.
func BenchmarkNotModified(b *testing.B) {
	handler, err := New(newCatalogue(b), Options{ETags: true})
	if err != nil {
		b.Fatal(err)
	}
	const target = "/api/events/?offset=9000"
	whole, not := newLoad(b, handler, target), newLoad(b, handler, target)
	r, w := httptest.NewRequest("GET", not.server.URL+target, nil), httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	not.request = fmt.Appendf(bytes.TrimSuffix(not.request, []byte("\r\n")), "If-None-Match: %s\r\n\r\n", w.Header().Get("ETag"))
	not.status = "HTTP/1.1 304 Not Modified"
	alternate(b, not, whole, "of-200")
}

// newCatalogue returns a catalogue with 10,000 events.
func newCatalogue(b *testing.B) *catalogue.Catalogue {
	b.Helper()
	var file bytes.Buffer
	if err := sample.Write(&file, sample.Options{Sizes: map[string]int{"events": 10_000}}); err != nil {
		b.Fatal(err)
	}
	cat, err := resources.New()
	if err != nil {
		b.Fatal(err)
	}
	if err := cat.Load(&file, catalogue.LoadOptions{}); err != nil {
		b.Fatal(err)
	}
	return cat
}

func compareLoads(b *testing.B, handler http.Handler, target string) {
	served, static := newLoad(b, handler, target), newLoad(b, nil, target)
	static.server.Config.Handler = sameBytes(handler, static.server, target)
	alternate(b, served, static, "of-static")
}

// alternate runs two loads in turn. It reports the requests per second of the first and, as
// unit, the median of the ratios to those of the second. The median excludes turns that
// other load has slowed down.
func alternate(b *testing.B, one, other *load, unit string) {
	const requests = 400 // a turn
	one.run(b, requests)
	other.run(b, requests)
	var took time.Duration
	var ratios []float64
	for b.Loop() {
		a := one.run(b, requests)
		ratios = append(ratios, float64(other.run(b, requests))/float64(a))
		took += a
	}
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], unit)
	b.ReportMetric(float64(b.N*requests)/took.Seconds(), "requests/s")
}

// sameBytes returns a handler that writes the response of handler to a target from memory.
func sameBytes(handler http.Handler, server *httptest.Server, target string) http.Handler {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", server.URL+target, nil))
	header, body := w.Result().Header, w.Body.Bytes()
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name, values := range header {
			w.Header()[name] = values
		}
		w.Write(body)
	})
}

// load is a server with connections that repeat one request.
type load struct {
	server  *httptest.Server
	request []byte
	status  string // expected status line
	conns   []*bufio.ReadWriter
}

const connections = 8

func newLoad(b *testing.B, handler http.Handler, target string) *load {
	l := &load{server: httptest.NewServer(handler), status: "HTTP/1.1 200 OK"}
	b.Cleanup(l.server.Close)
	address := l.server.Listener.Addr().String()
	l.request = fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, address)
	for range connections {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { conn.Close() })
		l.conns = append(l.conns, bufio.NewReadWriter(bufio.NewReaderSize(conn, 64<<10), bufio.NewWriter(conn)))
	}
	return l
}

// run sends a number of requests over all connections and returns the time that it took.
func (l *load) run(b *testing.B, requests int) time.Duration {
	start := time.Now()
	var all sync.WaitGroup
	for _, conn := range l.conns {
		all.Go(func() {
			for range requests / connections {
				if err := exchange(conn, l.request, l.status); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
	return time.Since(start)
}

// exchange sends a request and reads the response with as little work as possible.
func exchange(conn *bufio.ReadWriter, request []byte, want string) error {
	conn.Write(request)
	if err := conn.Flush(); err != nil {
		return err
	}
	reader := textproto.NewReader(conn.Reader)
	if status, err := reader.ReadLine(); err != nil || status != want {
		return fmt.Errorf("%s, want %s: %v", status, want, err)
	}
	header, err := reader.ReadMIMEHeader()
	if err != nil {
		return err
	}
	length := header.Get("Content-Length")
	if length == "" {
		return nil // 304
	}
	size, err := strconv.ParseInt(length, 10, 64)
	if err != nil {
		return err
	}
	_, err = io.CopyN(io.Discard, conn.Reader, size)
	return err
}

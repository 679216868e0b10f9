package httpapi_test

import (
	"bufio"
	"bytes"
	"context"
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
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources/sample"
)

// BenchmarkServed measures the handler over loopback, with 10,000 events and 8
// connections, and a handler that writes the same bytes from memory. The two alternate to
// reduce the effect of other load. "of-static" is the ratio of their requests per second.
func BenchmarkServed(b *testing.B) {
	handler, err := httpapi.New(newCatalogue(b), httpapi.Options{})
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

// BenchmarkServedFixed measures the same with a collection that returns a fixed page, so
// that only the handler itself keeps the ratio below 1.
func BenchmarkServedFixed(b *testing.B) {
	house := newCatalogue(b)
	all := make(map[string]httpapi.Collection)
	for key, c := range house.All() {
		all[key] = c
	}
	terms := []ordering.Term{ordering.Asc("start_date"), ordering.Asc("id")}
	count, records, err := all["events"].Page(b.Context(), pagination.Window{Limit: 21, Offset: 9000}, terms)
	if err != nil {
		b.Fatal(err)
	}
	all["events"] = fixedPage{all["events"], count, records}
	handler, err := httpapi.NewHandler(all, httpapi.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for _, target := range []string{"/api/events/", "/api/events/?offset=9000"} {
		b.Run(target, func(b *testing.B) { compareLoads(b, handler, target) })
	}
}

// fixedPage is a collection that returns the same page to every call.
type fixedPage struct {
	httpapi.Collection
	count   int
	records [][]byte
}

func (p fixedPage) Page(context.Context, pagination.Window, []ordering.Term) (int, [][]byte, error) {
	return p.count, p.records, nil
}

// BenchmarkNotModified measures responses of 304 and whole pages over loopback. "of-200"
// is the ratio of their requests per second.
func BenchmarkNotModified(b *testing.B) {
	handler, err := httpapi.New(newCatalogue(b), httpapi.Options{ETags: true})
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
	if _, err := sample.New(sample.Options{Events: 10_000}).WriteTo(&file); err != nil {
		b.Fatal(err)
	}
	house := catalogue.New()
	if err := house.Load(&file); err != nil {
		b.Fatal(err)
	}
	return house
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

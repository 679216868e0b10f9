package httpapi_test

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
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

// A response is one of which nothing but the status is kept.
type response struct {
	header http.Header
	status int
}

func (w *response) Header() http.Header         { return w.header }
func (w *response) WriteHeader(status int)      { w.status = status }
func (w *response) Write(p []byte) (int, error) { return len(p), nil }

func TestAllocations(t *testing.T) {
	h := serveFilms(t)
	for _, row := range serveRows {
		body, w := strings.NewReader(""), &response{header: http.Header{}}
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

// serveFilms returns a handler of 10,000 records.
func serveFilms(b testing.TB) http.Handler {
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
	return h
}

// BenchmarkServe calls the handler.
func BenchmarkServe(b *testing.B) {
	h := serveFilms(b)
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

// BenchmarkServeBesideStatic sends requests on eight connections, in turn to the handler and to
// one that always writes the same response. It reports the median of the rate of the first as
// a part of that of the second.
func BenchmarkServeBesideStatic(b *testing.B) {
	h := serveFilms(b)
	for _, row := range serveRows {
		b.Run(row.name, func(b *testing.B) {
			request := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s",
				row.method, row.target, len(row.body), row.body)
			w := httptest.NewRecorder()
			r := httptest.NewRequest(row.method, row.target, strings.NewReader(row.body))
			r.Header.Set("Content-Type", "application/json")
			h.ServeHTTP(w, r)
			static := func(to http.ResponseWriter, r *http.Request) {
				io.Copy(io.Discard, r.Body)
				maps.Copy(to.Header(), w.Header())
				to.WriteHeader(w.Code)
				to.Write(w.Body.Bytes())
			}
			ours, theirs := dialServer(b, h), dialServer(b, http.HandlerFunc(static))
			var rates []float64
			for b.Loop() {
				took := exchange(b, ours, request, w.Code)
				rates = append(rates, float64(exchange(b, theirs, request, w.Code))/float64(took))
			}
			slices.Sort(rates)
			b.ReportMetric(rates[len(rates)/2], "of-static")
		})
	}
}

// dialServer returns connections to a server with the handler.
func dialServer(b *testing.B, h http.Handler) (conns [8]net.Conn) {
	s := httptest.NewServer(h)
	b.Cleanup(s.Close)
	for i := range conns {
		conn, err := net.Dial("tcp", s.Listener.Addr().String())
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { conn.Close() })
		conns[i] = conn
	}
	return conns
}

// exchange sends a request 25 times on each connection and returns how long all of them take.
func exchange(b *testing.B, conns [8]net.Conn, request []byte, code int) time.Duration {
	start := time.Now()
	var all sync.WaitGroup
	for _, conn := range conns {
		all.Go(func() {
			in := bufio.NewReader(conn)
			for range 25 {
				conn.Write(request) // an error makes the read fail
				r, err := http.ReadResponse(in, nil)
				if err != nil || r.StatusCode != code {
					b.Error(r, err)
					return
				}
				io.Copy(io.Discard, r.Body)
			}
		})
	}
	all.Wait()
	return time.Since(start)
}

// BenchmarkNestedPost posts an order with three lines and a flat record with as many members.
func BenchmarkNestedPost(b *testing.B) {
	type line struct {
		SKU      string `json:"sku" backlist:"maxlength=8"`
		Quantity int    `json:"quantity" backlist:"min=1,max=99"`
		Price    string `json:"price" backlist:"decimal=6.2,min=0"`
		Gift     bool   `json:"gift"`
	}
	type order struct {
		ID       int    `json:"id"`
		Number   string `json:"number" backlist:"maxlength=12"`
		Customer string `json:"customer"`
		Lines    []line `json:"lines" backlist:"minlength=1"`
	}
	type flat struct {
		ID        int    `json:"id"`
		Number    string `json:"number" backlist:"maxlength=12"`
		Customer  string `json:"customer"`
		SKU1      string `json:"sku1" backlist:"maxlength=8"`
		Quantity1 int    `json:"quantity1" backlist:"min=1,max=99"`
		Price1    string `json:"price1" backlist:"decimal=6.2,min=0"`
		Gift1     bool   `json:"gift1"`
		SKU2      string `json:"sku2" backlist:"maxlength=8"`
		Quantity2 int    `json:"quantity2" backlist:"min=1,max=99"`
		Price2    string `json:"price2" backlist:"decimal=6.2,min=0"`
		Gift2     bool   `json:"gift2"`
		SKU3      string `json:"sku3" backlist:"maxlength=8"`
		Quantity3 int    `json:"quantity3" backlist:"min=1,max=99"`
		Price3    string `json:"price3" backlist:"decimal=6.2,min=0"`
		Gift3     bool   `json:"gift3"`
	}
	cat, err := catalogue.New(catalogue.Define[order]("orders", catalogue.Options{}), catalogue.Define[flat]("flats", catalogue.Options{}))
	if err != nil {
		b.Fatal(err)
	}
	h, err := httpapi.New(cat, httpapi.Options{Root: "/", Authorizer: httpapi.AllowAll})
	if err != nil {
		b.Fatal(err)
	}
	const members = `"number":"A-1","customer":"Ann",`
	for _, row := range []struct{ name, target, body string }{
		{"flat", "/flats/", `{` + members +
			`"sku1":"a","quantity1":1,"price1":"1.50","gift1":true,"sku2":"b","quantity2":2,"price2":"2.50","gift2":false,` +
			`"sku3":"c","quantity3":3,"price3":"3.50","gift3":true}`},
		{"nested", "/orders/", `{` + members + `"lines":[{"sku":"a","quantity":1,"price":"1.50","gift":true},` +
			`{"sku":"b","quantity":2,"price":"2.50","gift":false},{"sku":"c","quantity":3,"price":"3.50","gift":true}]}`},
	} {
		b.Run(row.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				w := httptest.NewRecorder()
				r := httptest.NewRequest("POST", row.target, strings.NewReader(row.body))
				r.Header.Set("Content-Type", "application/json")
				if h.ServeHTTP(w, r); w.Code != 201 {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}

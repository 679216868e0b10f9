package httpapi

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/google/go-cmp/cmp"
)

// lettered is a collection whose records consist of one letter, over and over. Its
// pages are easily told from those of other collections, whatever part is looked at.
type lettered struct {
	letter byte
	count  int // of records
	size   int // of the text of each
}

func (l lettered) record() string {
	return `{"text":"` + strings.Repeat(string(l.letter), l.size) + `"}`
}

func (l lettered) Fields(context.Context) ([]string, error) { return []string{"id"}, nil }

func (l lettered) Page(_ context.Context, w pagination.Window, _ []ordering.Term) (int, [][]byte, error) {
	var records [][]byte
	for range min(w.Limit, max(l.count-w.Offset, 0)) {
		records = append(records, []byte(l.record()))
	}
	return l.count, records, nil
}

// page is the body of the first page, of all records, with this many spaces a level.
func (l lettered) page(t *testing.T, indent int) string {
	records := strings.TrimSuffix(strings.Repeat(l.record()+",", l.count), ",")
	body := fmt.Sprintf(`{"count":%d,"next":null,"previous":null,"results":[%s]}`, l.count, records)
	if indent == 0 {
		return body
	}
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(body), "", strings.Repeat(" ", indent)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// shelves are collections with pages of very different sizes.
func shelves() map[string]lettered {
	return map[string]lettered{
		"books":  {'b', 21, 700},
		"news":   {'n', 0, 0},
		"wires":  {'w', 1, 10},
		"faqs":   {'f', 20, 3000},
		"carts":  {'c', 2, 600_000}, // too large for its buffer to be used again
		"labels": {'l', 5, 100},
	}
}

func shelvesHandler(t testing.TB, opts Options) *Handler {
	with := make(map[string]Collection)
	for key, l := range shelves() {
		with[key] = l
	}
	return newTestHandler(t, opts, with)
}

// TestConcurrentPages has many clients ask one server for different pages at once:
// plain, indented, with HEAD, and without reading the answer to its end. Each answer
// is the whole page that was asked for.
func TestConcurrentPages(t *testing.T) {
	server := httptest.NewServer(shelvesHandler(t, Options{}))
	defer server.Close()
	server.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = 16
	var clients sync.WaitGroup
	for key, l := range shelves() {
		target := "/api/" + key + "/"
		ask := func(method string, indent int, want string) {
			r, _ := http.NewRequest(method, server.URL+target, nil)
			r.Header.Set("Accept", fmt.Sprintf("application/json; indent=%d", indent))
			answer, err := server.Client().Do(r)
			if err != nil {
				t.Error(err)
				return
			}
			defer answer.Body.Close()
			body, err := io.ReadAll(answer.Body)
			if err != nil || string(body) != want {
				t.Errorf("%s %s, indent %d: %d bytes, want %d; %v", method, target, indent, len(body), len(want), err)
			}
		}
		plain, indented := l.page(t, 0), l.page(t, 2)
		clients.Go(func() {
			for range 10 {
				ask("GET", 0, plain)
				ask("GET", 2, indented)
				ask("HEAD", 0, "")
			}
		})
		clients.Go(func() {
			for range 10 {
				ask("GET", 0, plain)
				leave(t, server, target)
			}
		})
	}
	clients.Wait()
}

// leave asks for something and closes the connection when the answer begins.
func leave(t *testing.T, server *httptest.Server, target string) {
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", target)
	_, _ = conn.Read(make([]byte, 20))
}

// keeping is a ResponseWriter that keeps the body it is given without a copy, as
// net/http does with a stream of HTTP/2 that is reset, and then fails.
type keeping struct {
	discard
	panics bool
	body   []byte
}

func (k *keeping) Write(body []byte) (int, error) {
	k.body = body
	if k.panics {
		panic("torn")
	}
	return 0, errors.New("reset")
}

// TestBodyOfAFailedWrite: after a Write that failed or panicked, the body does not
// change whatever else is answered.
func TestBodyOfAFailedWrite(t *testing.T) {
	h := shelvesHandler(t, Options{})
	want := shelves()["books"].page(t, 0)
	for _, panics := range []bool{false, true} {
		for range 10 { // the buffer may be another one
			w := &keeping{discard{http.Header{}}, panics, nil}
			reason := thrown(func() { h.ServeHTTP(w, call{target: "/api/books/"}.request()) })
			if (reason == http.ErrAbortHandler) != panics {
				t.Fatalf("%v came through", reason)
			}
			for range 4 {
				get(h, "/api/faqs/")
			}
			if string(w.body) != want {
				t.Fatalf("panics: %t; the body has become %.80s...", panics, w.body)
			}
		}
	}
}

// TestBuffersOfPages: a buffer is used again, unless it is large, and is empty then.
func TestBuffersOfPages(t *testing.T) {
	for _, test := range []struct {
		size int
		kept bool
	}{{1, true}, {maxPooled, true}, {maxPooled + 1, false}} {
		kept := false
		for range 100 { // under the race detector a pool loses some, on purpose
			var b buffers
			buffer := b.get()
			*buffer = append(make([]byte, 0, test.size), 'x')
			b.put(buffer)
			again := b.get()
			if len(*again) != 0 {
				t.Errorf("%d bytes: %q is left in it", test.size, *again)
			}
			kept = kept || cap(*again) > 0
		}
		if kept != test.kept {
			t.Errorf("a buffer of %d bytes is kept: %t, want %t", test.size, kept, test.kept)
		}
	}
}

// TestPagesInTurn asks one handler for pages that differ in one thing each, over and
// over, and compares with a handler that has answered nobody else.
func TestPagesInTurn(t *testing.T) {
	const target = "/api/news/?limit=2&offset=2"
	tests := []struct {
		reason string
		call   call
		change func(*http.Request)
		part   string // of the body
	}{
		{"plain", call{target: target}, nil, `"http://host.example/api/news/?limit=2&offset=4"`},
		{"another Host", call{target: target, host: "other.example:81"}, nil, `"http://other.example:81/api/news/?limit=2&offset=4"`},
		{"TLS", call{target: target}, func(r *http.Request) { r.TLS = new(tls.ConnectionState) }, `"https://host.example/api/news/?limit=2&offset=4"`},
		{"prefix", call{target: target}, func(r *http.Request) { r.RequestURI = "/shop" + r.RequestURI }, `"http://host.example/shop/api/news/?limit=2&offset=4"`},
		{"indent", call{target: target, header: accept("*/*;indent=1")}, nil, "\n  {\n   \"id\": 3"},
		{"more indent", call{target: target, header: accept("*/*;indent=2")}, nil, "\n    {\n      \"id\": 3"},
		{"query", call{target: target + "&a=b"}, nil, `?a=b&limit=2&offset=4"`},
		{"a query that makes links long", call{target: target + "&a=" + strings.Repeat("é", 1000)}, nil, strings.Repeat("%C3%83%C2%A9", 1000) + `&limit=2&offset=4"`},
		{"HEAD", call{method: "HEAD", target: target}, nil, ""},
		{"another collection", call{target: "/api/wires/?limit=2&offset=2"}, nil, `"http://host.example/api/wires/?limit=2&offset=4"`},
		{"unacceptable", call{target: target, header: accept("text/html")}, nil, notAcceptable},
		{"POST", call{target: target}, func(r *http.Request) { r.Method = "POST" }, `{"detail":"Method \"POST\" not allowed."}`},
	}
	with := map[string]Collection{"news": newShelf(9), "wires": newShelf(9)}
	h := newTestHandler(t, Options{}, with)
	for range 3 {
		for _, test := range tests {
			r := test.call.request()
			if test.change != nil {
				test.change(r)
			}
			got := serve(h, r)
			if diff := cmp.Diff(serve(newTestHandler(t, Options{}, with), r), got); diff != "" {
				t.Errorf("%s (-alone +in turn):\n%s", test.reason, diff)
			}
			if !strings.Contains(got.Body, test.part) || test.part == "" && got.Body != "" {
				t.Errorf("%s: %q is not in %s", test.reason, test.part, got.Body)
			}
		}
	}
}

// TestPageAllocates: a page takes little memory, whatever its size. Nothing of it is
// for a hook that nobody has set.
func TestPageAllocates(t *testing.T) {
	h := newTestHandler(t, Options{}, map[string]Collection{"books": benchShelf()}) // 11 kB
	r, w := call{target: "/api/books/?offset=20"}.request(), &discard{http.Header{}}
	const runs = 1000
	var before, after runtime.MemStats
	bytes, allocs := uint64(1<<20), uint64(1<<20)
	for range 5 { // the garbage collector may take buffers from the pool
		runtime.ReadMemStats(&before)
		for range runs {
			clear(w.header)
			h.ServeHTTP(w, r)
		}
		runtime.ReadMemStats(&after)
		bytes = min(bytes, (after.TotalAlloc-before.TotalAlloc)/runs)
		allocs = min(allocs, (after.Mallocs-before.Mallocs)/runs)
	}
	// The race detector makes a pool lose buffers on purpose.
	if bytes > 8000 || allocs > 4 {
		t.Errorf("%d bytes and %d allocations a page", bytes, allocs)
	}
}

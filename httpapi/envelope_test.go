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

// letterCollection is a collection whose records repeat one letter, so that any part of
// a page identifies the collection.
type letterCollection struct {
	letter byte
	count  int // number of records
	size   int // length of the text of each
}

func (c letterCollection) record() string {
	return `{"text":"` + strings.Repeat(string(c.letter), c.size) + `"}`
}

func (c letterCollection) Fields(context.Context) ([]string, error) { return []string{"id"}, nil }

func (c letterCollection) Page(_ context.Context, w pagination.Window, _ []ordering.Term) (int, [][]byte, error) {
	var records [][]byte
	for range min(w.Limit, max(c.count-w.Offset, 0)) {
		records = append(records, []byte(c.record()))
	}
	return c.count, records, nil
}

// page returns the body of a page of all records, with indent spaces for each level.
func (c letterCollection) page(t *testing.T, indent int) string {
	records := strings.TrimSuffix(strings.Repeat(c.record()+",", c.count), ",")
	body := fmt.Sprintf(`{"count":%d,"next":null,"previous":null,"results":[%s]}`, c.count, records)
	if indent == 0 {
		return body
	}
	var out bytes.Buffer
	if err := json.Indent(&out, []byte(body), "", strings.Repeat(" ", indent)); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// letterCollections returns collections with pages of very different sizes.
func letterCollections() map[string]letterCollection {
	return map[string]letterCollection{
		"books":  {'b', 21, 700},
		"news":   {'n', 0, 0},
		"wires":  {'w', 1, 10},
		"faqs":   {'f', 20, 3000},
		"carts":  {'c', 2, 600_000}, // too large for its buffer to be reused
		"labels": {'l', 5, 100},
	}
}

func newLetterHandler(t testing.TB, opts Options) *Handler {
	with := make(map[string]Collection)
	for key, l := range letterCollections() {
		with[key] = l
	}
	return newTestHandler(t, opts, with)
}

// Concurrent clients get different pages, compact, indented and with HEAD, while others
// close the connection early. Each response is the whole page that was requested.
func TestConcurrentPages(t *testing.T) {
	server := httptest.NewServer(newLetterHandler(t, Options{}))
	defer server.Close()
	server.Client().Transport.(*http.Transport).MaxIdleConnsPerHost = 16
	var clients sync.WaitGroup
	for key, l := range letterCollections() {
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
				abandon(t, server, target)
			}
		})
	}
	clients.Wait()
}

// abandon sends a request and closes the connection when the response begins.
func abandon(t *testing.T, server *httptest.Server, target string) {
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: x\r\n\r\n", target)
	_, _ = conn.Read(make([]byte, 20))
}

// keepingWriter is a ResponseWriter whose Write fails and keeps the body without copying
// it, as net/http may when a stream of HTTP/2 is reset.
type keepingWriter struct {
	discard
	panics bool
	body   []byte
}

func (w *keepingWriter) Write(body []byte) (int, error) {
	w.body = body
	if w.panics {
		panic("oops")
	}
	return 0, errors.New("reset")
}

// After a Write that failed or panicked, the body is not reused for other responses.
func TestBodyAfterFailedWrite(t *testing.T) {
	h := newLetterHandler(t, Options{})
	want := letterCollections()["books"].page(t, 0)
	for _, panics := range []bool{false, true} {
		for range 10 { // the pool may drop a buffer
			w := &keepingWriter{discard{http.Header{}}, panics, nil}
			reason := panicValue(func() { h.ServeHTTP(w, call{target: "/api/books/"}.request()) })
			if (reason == http.ErrAbortHandler) != panics {
				t.Fatalf("Write panics %t: ServeHTTP panics with %v", panics, reason)
			}
			for range 4 {
				get(h, "/api/faqs/")
			}
			if string(w.body) != want {
				t.Fatalf("Write panics %t: the body has changed to %.80s...", panics, w.body)
			}
		}
	}
}

// A buffer is reused unless it is large, and is empty then.
func TestBuffers(t *testing.T) {
	for _, test := range []struct {
		size int
		kept bool
	}{{1, true}, {maxPooled, true}, {maxPooled + 1, false}} {
		kept := false
		for range 100 { // under the race detector, pools drop some
			var b buffers
			buffer := b.get()
			*buffer = append(make([]byte, 0, test.size), 'x')
			b.put(buffer)
			again := b.get()
			if len(*again) != 0 {
				t.Errorf("size %d: get returns a buffer with %q", test.size, *again)
			}
			kept = kept || cap(*again) > 0
		}
		if kept != test.kept {
			t.Errorf("a buffer of %d bytes is reused: %t, want %t", test.size, kept, test.kept)
		}
	}
}

// A handler responds to requests that differ in one part as a new handler does.
func TestRequestsAreIndependent(t *testing.T) {
	const target = "/api/news/?limit=2&offset=2"
	tests := []struct {
		reason string
		call   call
		change func(*http.Request)
		part   string // of the body
	}{
		{"plain", call{target: target}, nil, `"http://host.example/api/news/?limit=2&offset=4"`},
		{"other Host", call{target: target, host: "other.example:81"}, nil, `"http://other.example:81/api/news/?limit=2&offset=4"`},
		{"TLS", call{target: target}, func(r *http.Request) { r.TLS = new(tls.ConnectionState) }, `"https://host.example/api/news/?limit=2&offset=4"`},
		{"prefix", call{target: target}, func(r *http.Request) { r.RequestURI = "/shop" + r.RequestURI }, `"http://host.example/shop/api/news/?limit=2&offset=4"`},
		{"indent", call{target: target, header: accept("*/*;indent=1")}, nil, "\n  {\n   \"id\": 3"},
		{"more indent", call{target: target, header: accept("*/*;indent=2")}, nil, "\n    {\n      \"id\": 3"},
		{"query", call{target: target + "&a=b"}, nil, `?a=b&limit=2&offset=4"`},
		{"query with long links", call{target: target + "&a=" + strings.Repeat("é", 1000)}, nil, strings.Repeat("%C3%83%C2%A9", 1000) + `&limit=2&offset=4"`},
		{"HEAD", call{method: "HEAD", target: target}, nil, ""},
		{"other collection", call{target: "/api/wires/?limit=2&offset=2"}, nil, `"http://host.example/api/wires/?limit=2&offset=4"`},
		{"not acceptable", call{target: target, header: accept("text/html")}, nil, notAcceptable},
		{"POST", call{target: target}, func(r *http.Request) { r.Method = "POST" }, `{"detail":"Method \"POST\" not allowed."}`},
	}
	with := map[string]Collection{"news": newCollection(9), "wires": newCollection(9)}
	h := newTestHandler(t, Options{}, with)
	for range 3 {
		for _, test := range tests {
			r := test.call.request()
			if test.change != nil {
				test.change(r)
			}
			got := serve(h, r)
			if diff := cmp.Diff(serve(newTestHandler(t, Options{}, with), r), got); diff != "" {
				t.Errorf("%s (-new handler +got):\n%s", test.reason, diff)
			}
			if !strings.Contains(got.Body, test.part) || test.part == "" && got.Body != "" {
				t.Errorf("%s: %q is not in %s", test.reason, test.part, got.Body)
			}
		}
	}
}

// The number of allocations of a page does not depend on its size. Without OnAccess, none
// are made for it.
func TestPageAllocations(t *testing.T) {
	h := newTestHandler(t, Options{}, map[string]Collection{"books": newFixedCollection()}) // 11 kB
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
	// Under the race detector, pools drop some buffers.
	if bytes > 8000 || allocs > 4 {
		t.Errorf("%d bytes and %d allocations for each page, want at most 8000 and 4", bytes, allocs)
	}
}

package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

func TestEveryCollection(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	for key := range strings.FieldsSeq(documentKeys) {
		vary, allow := "Accept", readMethods
		switch key {
		case "events":
			vary, allow = authorizedVary, createMethods
		case "social-links":
			allow = createMethods
		}
		target := "/api/" + strings.Replace(key, "itemVariants", "item_variants", 1) + "/"
		want := answer{200, viewHeader(vary, allow, len(emptyPage)), emptyPage}
		if diff := cmp.Diff(want, get(h, target)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", target, diff)
		}
	}
}

func TestPages(t *testing.T) {
	record := func(id int) string { return fmt.Sprintf(`{"id":%d,"name":"<é> & co","tags":[]}`, id) }
	const books = `"http://host.example/api/books/?`
	h := newTestHandler(t, Options{}, map[string]Collection{"books": newCollection(5)})
	tests := []struct{ reason, query, want string }{
		{"first", "?limit=2", `{"count":5,"next":` + books + `limit=2&offset=2","previous":null,"results":[` + record(1) + "," + record(2) + "]}"},
		{"middle", "?limit=1&offset=2", `{"count":5,"next":` + books + `limit=1&offset=3","previous":` + books + `limit=1&offset=1","results":[` + record(3) + "]}"},
		{"last, back to the first", "?limit=4&offset=4", `{"count":5,"next":null,"previous":` + books + `limit=4","results":[` + record(5) + "]}"},
		{"past the end", "?offset=1000", `{"count":5,"next":null,"previous":` + books + `limit=21&offset=979","results":[]}`},
		{"other parameters", "?z=1&limit=1&format=api&ordering=-id&a=%C3%A9+%22", `{"count":5,"next":` + books + `a=%C3%A9+%22&format=api&limit=1&offset=1&ordering=-id&z=1","previous":null,"results":[` + record(5) + "]}"},
		{"invalid limit", "?limit=x&offset=4", `{"count":5,"next":null,"previous":` + books + `limit=21","results":[` + record(5) + "]}"},
		{"two limits", "?limit=3&limit=1&offset=4", `{"count":5,"next":null,"previous":` + books + `limit=1&offset=3","results":[` + record(5) + "]}"},
		{"limit too large", "?limit=2000&offset=4", `{"count":5,"next":null,"previous":` + books + `limit=1000","results":[` + record(5) + "]}"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			want := answer{200, viewHeader("Accept", readMethods, len(test.want)), test.want}
			if diff := cmp.Diff(want, get(h, "/api/books/"+test.query)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestLimits(t *testing.T) {
	h := newTestHandler(t, Options{Limits: pagination.Limits{Default: 2, Max: 3}}, map[string]Collection{"books": newCollection(9)})
	for query, want := range map[string]string{"": "limit=2&offset=2", "?limit=9": "limit=3&offset=3"} {
		if got := next(get(h, "/api/books/"+query)); got != "http://host.example/api/books/?"+want {
			t.Errorf("%q: next %s, want %s", query, got, want)
		}
	}
}

// The terms of a request are passed to List as they are, without repeated fields. List drops
// those that name no field, and it knows the default order.
func TestOrdering(t *testing.T) {
	tests := []struct {
		reason, query string
		want          []ordering.Term
	}{
		{"no ordering", "", nil},
		{"empty ordering", "?ordering=", nil},
		{"empty terms", "?ordering=,-,%20,", nil},
		{"one term", "?ordering=name", []ordering.Term{{Field: "name"}}},
		{"descending and white space", "?ordering=-name%20,+id", []ordering.Term{{Field: "name", Desc: true}, {Field: "id"}}},
		{"unknown fields", "?ordering=bogus,start_date,startDate", []ordering.Term{{Field: "bogus"}, {Field: "start_date"}, {Field: "startDate"}}},
		{"a field twice", "?ordering=name,-name,id", []ordering.Term{{Field: "name"}, {Field: "id"}}},
		{"two orderings", "?ordering=name&ordering=-id", []ordering.Term{{Field: "id", Desc: true}}},
		{"two orderings, the last empty", "?ordering=name&ordering=", nil},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			var got []ordering.Term
			books := &sliceCollection{onList: func(q catalogue.Query) { got = q.Terms }}
			get(newTestHandler(t, Options{}, map[string]Collection{"books": books}), "/api/books/"+test.query)
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestFailingCollection(t *testing.T) {
	secret := errors.New("password of the database is 1234")
	tests := []struct {
		reason string
		err    error
		status int
	}{
		{"any error", secret, 500},
		{"canceled", fmt.Errorf("%w: %w", secret, context.Canceled), 503},
		{"deadline", fmt.Errorf("%w: %w", secret, context.DeadlineExceeded), 503},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			var reported []error
			opts := Options{Authorizer: AllowAll, OnError: func(_ *http.Request, err error) { reported = append(reported, err) }}
			broken := creatableCollection{&sliceCollection{err: test.err}, func([]byte) ([]byte, error) { return nil, test.err }}
			h := newTestHandler(t, opts, map[string]Collection{"events": broken})
			calls := []call{
				{target: "/api/events/"},
				{target: "/api/events/?ordering=id"},
				{method: "POST", target: "/api/events/"},
			}
			for _, c := range calls {
				got := c.do(h)
				if got.Status != test.status || !strings.HasPrefix(got.Body, `{"detail":"`) || strings.Contains(got.Body, "1234") {
					t.Errorf("%s %s: %d %s, want %d", c.method, c.target, got.Status, got.Body, test.status)
				}
			}
			if want := []error{test.err, test.err, test.err}; !slices.Equal(reported, want) {
				t.Errorf("OnError was called with %v, want %v", reported, want)
			}
			h = newTestHandler(t, Options{}, map[string]Collection{"events": broken})
			if got := get(h, "/api/events/"); got.Status != test.status {
				t.Errorf("without OnError: %d, want %d", got.Status, test.status)
			}
		})
	}
}

// A record that is not JSON cannot be indented.
func TestInvalidStoredRecord(t *testing.T) {
	h := newTestHandler(t, Options{}, map[string]Collection{"books": &sliceCollection{records: [][]byte{[]byte("{")}}})
	got := call{target: "/api/books/", header: accept("*/*;indent=2")}.do(h)
	if want := `{"detail":"Internal server error."}`; got.Status != 500 || got.Body != want {
		t.Errorf("%d %s, want 500 %s", got.Status, got.Body, want)
	}
}

func TestRoot(t *testing.T) {
	var want []string
	for key := range strings.FieldsSeq(documentKeys) {
		segment := strings.Replace(key, "itemVariants", "item_variants", 1)
		want = append(want, fmt.Sprintf(`"%s":"http://host.example/api/%s/?format=api"`, key, segment))
	}
	body := "{" + strings.Join(want, ",") + "}"
	if len(body) != 2426 { // as recorded from the service
		t.Fatalf("the expected root has %d bytes, want 2426", len(body))
	}
	h := newTestHandler(t, Options{}, nil)
	for _, target := range []string{"/api/", "/api/?format=api", "/api/?format=json&x=1", "/api%2F"} {
		if diff := cmp.Diff(answer{200, viewHeader("Accept", readMethods, 2426), body}, get(h, target)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", target, diff)
		}
	}
	if diff := cmp.Diff(answer{200, viewHeader("Accept", readMethods, 2426), ""}, call{method: "HEAD", target: "/api/"}.do(h)); diff != "" {
		t.Errorf("HEAD (-want +got):\n%s", diff)
	}
	based := newTestHandler(t, Options{BaseURL: "https://x.example/shop"}, nil)
	if got, want := get(based, "/api/").Body, strings.ReplaceAll(body, "http://host.example", "https://x.example/shop"); got != want {
		t.Errorf("with a base URL the root is %s", got)
	}
}

// The records of a page, their order and their count are of one instant, even while a
// batch removes the member that orders them and adds one record or removes it.
func TestPageOfOneInstant(t *testing.T) {
	house := mustNew()
	books, err := resources.Records("books").In(house)
	if err != nil {
		t.Fatal(err)
	}
	set := func(member string, n int) {
		err := books.Batch(func(tx *catalogue.Tx[schema.Record]) error {
			if n == 3 {
				if err := tx.Delete(4); err != nil && !errors.Is(err, catalogue.ErrNotFound) {
					return err
				}
			}
			for id := 1; id <= n; id++ {
				r, err := schema.ParseRecord(fmt.Appendf(nil, `{"id":%d,%q:%d}`, id, member, -id))
				if err != nil {
					return err
				}
				if _, err := tx.Upsert(r); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	set("title", 3)
	var seen Access
	h, err := New(house, Options{OnAccess: func(_ context.Context, a Access) { seen = a }})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				set("rank", 4)
				set("title", 3)
			}
		}
	})
	want := map[string]string{ // the ordering that was used, by the page
		`{"count":3,"results":[{"id":1,"title":-1}]}`: "", // by id, since no record has a rank
		`{"count":4,"results":[{"id":4,"rank":-4}]}`:  "rank",
	}
	pages := map[string]int{}
	for i := 0; i < 300 || len(pages) < len(want) && i < 100_000 && !t.Failed(); i++ {
		got := get(h, "/api/books/?ordering=no_such,rank&limit=1")
		var page struct {
			Count   int             `json:"count"`
			Results json.RawMessage `json:"results"`
		}
		if err := json.Unmarshal([]byte(got.Body), &page); err != nil {
			t.Fatalf("%v: %s", err, got.Body)
		}
		text, _ := json.Marshal(page)
		pages[string(text)]++
		if terms, ok := want[string(text)]; !ok || ordering.Format(seen.Ordering) != terms {
			t.Errorf("%s ordered by %v", text, seen.Ordering)
		}
	}
	close(done)
	writer.Wait()
	if len(pages) != len(want) {
		t.Errorf("pages %v, want both", pages)
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}

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

func (c letterCollection) List(_ context.Context, q catalogue.Query) (catalogue.List, error) {
	list := catalogue.List{Count: c.count}
	for range min(q.Window.Limit, max(c.count-q.Window.Offset, 0)) {
		list.Records = append(list.Records, []byte(c.record()))
	}
	return list, nil
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
		"carts":  {'c', 2, 600_000}, // longer than a chunk
		"labels": {'l', 5, 100},
	}
}

func newLetterHandler(t testing.TB, opts Options) *Handler {
	with := make(map[string]Collection)
	for key, l := range letterCollections() {
		with[key] = &struct {
			keyed
			letterCollection
		}{letterCollection: l}
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

// countingWriter is a ResponseWriter that measures and hashes the body instead of keeping it.
type countingWriter struct {
	discard
	largest int // Write
	size    int
	sum     hash.Hash
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.largest = max(w.largest, len(p))
	w.size += len(p)
	return w.sum.Write(p)
}

// newLongPage returns a collection of which each page has a number of records of a size.
func newLongPage(records, size int) *fixedCollection {
	c := new(fixedCollection)
	for i := range records {
		text := fmt.Sprintf(`{"id":%d,"tags":[],"text":"`, i)
		c.page = append(c.page, []byte(text+strings.Repeat("x", size-len(text)-len(`"}`))+`"}`))
	}
	return c
}

// body returns the page as one text.
func (c *fixedCollection) body(t *testing.T, indent int) []byte {
	body := fmt.Appendf(nil, `{"count":1000,"next":null,"previous":"http://host.example/api/books/?limit=1000","results":[%s]}`, bytes.Join(c.page, []byte(",")))
	if indent == 0 {
		return body
	}
	var out bytes.Buffer
	if err := json.Indent(&out, body, "", strings.Repeat(" ", indent)); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// A page is written in parts of which none is larger than a chunk or one record, and is
// nowhere in memory as a whole, so that a client that does not read does not keep it there.
func TestLongPages(t *testing.T) {
	const (
		chunk  = 32 << 10
		memory = 256 << 10 // for each request
	)
	tests := []struct {
		reason        string
		records, size int
		indent        int
		largest       int // Write
	}{
		{"many records", 1000, 5000, 0, chunk},
		{"many records, indented", 1000, 5000, 4, chunk},
		{"small records", 50_000, 100, 0, chunk},
		{"records as large as a chunk", 150, chunk, 0, chunk},
		{"records larger than a chunk", 5, 1_000_000, 0, 1_000_000},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			books := newLongPage(test.records, test.size)
			want := books.body(t, test.indent)
			h := newTestHandler(t, Options{}, map[string]Collection{"books": books})
			r := call{target: "/api/books/?limit=1000&offset=1000", header: accept(fmt.Sprintf("*/*; indent=%d", test.indent))}.request()
			w := &countingWriter{discard: discard{http.Header{}}, sum: sha256.New()}
			h.ServeHTTP(w, r)
			if got := w.Header().Get("Content-Length"); got != strconv.Itoa(len(want)) || w.size != len(want) {
				t.Errorf("%d bytes and Content-Length %s, want %d", w.size, got, len(want))
			}
			if sum := sha256.Sum256(want); !bytes.Equal(w.sum.Sum(nil), sum[:]) {
				t.Error("the body is not that of the page")
			}
			if w.largest > test.largest {
				t.Errorf("Write of %d bytes, want at most %d", w.largest, test.largest)
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			h.ServeHTTP(w, r)
			runtime.ReadMemStats(&after)
			if got := after.TotalAlloc - before.TotalAlloc; got > memory {
				t.Errorf("a request allocates %d bytes, want at most %d", got, memory)
			}
		})
	}
}

// Pages of all sizes around that of a chunk are those that encoding/json would write.
// OnAccess counts their bytes, and a HEAD has their length.
func TestPagesAroundChunk(t *testing.T) {
	tests := []struct {
		reason  string
		records []string
	}{
		{"no record", nil},
		{"one record", []string{`{"id":1}`}},
		{"nested and empty values", []string{`{"id":1,"tags":[],"deep":{"a":[{"b":"<é>, [}"}],"c":{}}}`, `{"id":2,"tags":["x",1.50]}`}},
		{"white space of an encoder", []string{"{\"id\": 1}\n", " {\"id\":\t2}\r\n", "[ ]\n"}},
		{"other values", []string{`null`, `"x"`, `1`, `{}`}},
		{"long records", []string{quote(strings.Repeat("a", 16000)), quote(strings.Repeat("b", 16000)), quote(strings.Repeat("c", 16000))}},
		{"first longer than a chunk", []string{quote(strings.Repeat("a", 40_000)), `{"id":2}`}},
		{"last longer than a chunk", []string{`{"id":1}`, quote(strings.Repeat("a", 40_000))}},
		{"one record longer than a chunk", []string{quote(strings.Repeat("a", 40_000))}},
	}
	head := len(`{"count":1000,"next":null,"previous":"http://host.example/api/books/?limit=1000","results":[]}`)
	for size := 32<<10 - head - 4; size <= 32<<10-head+4; size++ {
		tests = append(tests, struct {
			reason  string
			records []string
		}{fmt.Sprintf("%d bytes", head+size), []string{quote(strings.Repeat("a", size-13)), `{"id":1234}`[:10] + "}"}})
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			books := new(fixedCollection)
			for _, record := range test.records {
				books.page = append(books.page, []byte(record))
			}
			var seen Access
			h := newTestHandler(t, Options{OnAccess: func(_ context.Context, a Access) { seen = a }}, map[string]Collection{"books": books})
			for _, indent := range []int{0, 1, 4} {
				want := string(books.body(t, indent))
				c := call{target: "/api/books/?limit=1000&offset=1000", header: accept(fmt.Sprintf("*/*; indent=%d", indent))}
				got := c.do(h)
				if diff := cmp.Diff(want, got.Body); diff != "" {
					t.Fatalf("indent %d (-want +got):\n%.2000s", indent, diff)
				}
				if seen.Bytes != len(want) || seen.Count != 1000 || seen.Window.Limit != 1000 {
					t.Errorf("indent %d: OnAccess got %+v, want %d bytes", indent, seen, len(want))
				}
				c.method = "HEAD"
				header := got.Header
				if diff := cmp.Diff(answer{200, header, ""}, c.do(h)); diff != "" || header["Content-Length"] != strconv.Itoa(len(want)) {
					t.Errorf("indent %d, Content-Length %s, want %d; HEAD (-want +got):\n%s", indent, header["Content-Length"], len(want), diff)
				}
			}
		})
	}
}

// A record that is not JSON is found before the response begins, wherever it is in a page.
func TestInvalidRecordOfLongPage(t *testing.T) {
	for _, at := range []int{0, 1, 99} {
		books := newLongPage(100, 5000)
		books.page[at] = []byte(`{"id":`)
		h := newTestHandler(t, Options{}, map[string]Collection{"books": books})
		got := call{target: "/api/books/", header: accept("*/*; indent=2")}.do(h)
		if got.Status != 500 || got.Body != internalError {
			t.Errorf("record %d: %d %.80s, want 500", at, got.Status, got.Body)
		}
	}
}

// failingWriter is a ResponseWriter that fails at a number of bytes and keeps what it was
// given there without copying it, as net/http may when a stream of HTTP/2 is reset.
type failingWriter struct {
	keepingWriter
	left int
}

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left > 0 {
		return len(p), nil
	}
	if w.body != nil {
		return 0, errors.New("Write after an error")
	}
	return w.keepingWriter.Write(p)
}

// A Write that fails or panics within a long page is the last, and its chunk is not reused.
func TestChunkAfterFailedWrite(t *testing.T) {
	h := newTestHandler(t, Options{}, map[string]Collection{"books": newLongPage(100, 5000), "news": newLongPage(50, 7000)})
	for _, panics := range []bool{false, true} {
		for range 10 { // the pool may drop a buffer
			w := &failingWriter{keepingWriter{discard{http.Header{}}, panics, nil}, 200_000}
			reason := panicValue(func() { h.ServeHTTP(w, call{target: "/api/books/"}.request()) })
			if (reason == http.ErrAbortHandler) != panics {
				t.Fatalf("Write panics %t: ServeHTTP panics with %v", panics, reason)
			}
			want := string(w.body)
			for range 4 {
				get(h, "/api/news/")
			}
			if string(w.body) != want || w.left < -32<<10 {
				t.Fatalf("Write panics %t: the chunk has changed, or another followed: %d left", panics, w.left)
			}
		}
	}
}

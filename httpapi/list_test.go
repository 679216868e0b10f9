package httpapi

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"net/http"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/pagination"
)

// newPages returns a collection that has these records on each page, and a count of 1000.
func newPages(records ...string) *stub {
	c := newStub(0)
	c.count = 1000
	for _, record := range records {
		c.records = append(c.records, []byte(record))
	}
	return c
}

func repeated(letter string, n, size int) (records []string) {
	for i := range n {
		text := fmt.Sprintf(`{"id":%d,"text":"`, i)
		records = append(records, text+strings.Repeat(letter, size-len(text)-len(`"}`))+`"}`)
	}
	return records
}

// A pages is a stub whose List ignores the offset. If whole, its records are a list without pages.
type pages struct {
	*stub
	whole bool
}

func (c pages) Description() schema.Description {
	about := c.stub.Description()
	if c.whole {
		about.Pages = pagination.Whole{Max: -1}
	}
	return about
}

func (c pages) List(context.Context, catalogue.Query) (catalogue.Listing, error) {
	return catalogue.Listing{Records: c.records, Count: c.count}, nil
}

const lastPage = "/api/films/?limit=1000&offset=1000"

// body returns the response to a request for lastPage.
func (c pages) body(t *testing.T, indent int) string {
	page := `{"count":1000,"next":null,"previous":"http://host.example/api/films/?limit=1000","results":[%s]}`
	if c.whole {
		page = `[%s]`
	}
	body := fmt.Appendf(nil, page, bytes.Join(c.records, []byte(",")))
	if indent == 0 {
		return string(body)
	}
	var out bytes.Buffer
	must(t, json.Indent(&out, body, "", strings.Repeat(" ", indent)))
	return out.String()
}

// failingWriter is a ResponseWriter whose Write fails or panics at a number of bytes. It keeps
// what it was given there without copying it, as net/http may when a stream of HTTP/2 is reset.
type failingWriter struct {
	discard
	left   int
	panics bool
	body   []byte
}

func (w *failingWriter) Write(p []byte) (int, error) {
	if w.left -= len(p); w.left > 0 {
		return len(p), nil
	}
	if w.body != nil {
		return 0, errors.New("Write after an error")
	}
	if w.body = p; w.panics {
		panic("oops")
	}
	return 0, errors.New("reset")
}

// A Write that fails or panics is the last of its response, and its buffer is not reused for
// other responses.
func TestBodyAfterFailedWrite(t *testing.T) {
	other := newPages(repeated("b", 50, 7000)...)
	other.about.Key, other.about.Segment = "others", "others"
	for what, test := range map[string]struct{ records, size, left int }{
		"a short page": {5, 5000, 0}, "within a long page": {100, 5000, 200_000}, "before a long record": {2, 50_000, -1},
	} {
		h := newStubHandler(t, Options{OnError: func(*http.Request, error) {}}, newPages(repeated("a", test.records, test.size)...), other)
		whole := get(h, "/api/films/?limit=1000").Body
		if test.left < 0 {
			test.left = strings.Index(whole, `,{"id":1,`) + 1
		}
		for _, panics := range []bool{false, true} {
			for range 10 { // the pool may drop a buffer
				w := &failingWriter{discard: *newDiscard(), left: test.left, panics: panics}
				reason := panicValue(func() { h.ServeHTTP(w, call{target: "/api/films/?limit=1000"}.request()) })
				if (reason == http.ErrAbortHandler) != panics {
					t.Fatalf("Write panics %t: ServeHTTP panics with %v", panics, reason)
				}
				want := string(w.body)
				if test.left == 0 && want != whole {
					t.Fatalf("%s, Write panics %t: the first Write is %.80s, want %.80s", what, panics, want, whole)
				}
				for range 4 {
					get(h, "/api/others/")
				}
				if string(w.body) != want || w.left < -32<<10 {
					t.Fatalf("%s, Write panics %t: the body has changed, or another Write followed: %d left", what, panics, w.left)
				}
			}
		}
	}
}

// The number of allocations of a page does not depend on its size. Without OnAccess, none
// are made for it.
func TestPageAllocations(t *testing.T) {
	h := newStubHandler(t, Options{}, pages{stub: newPages(repeated("x", 21, 500)...)}) // 11 kB
	r, w := call{target: "/api/films/?offset=20"}.request(), newDiscard()
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
	// Under the race detector, pools drop a quarter of the buffers at random: 7700 bytes on average.
	if bytes > 12000 || allocs > 4 {
		t.Errorf("%d bytes and %d allocations for each page, want at most 12000 and 4", bytes, allocs)
	}
}

// countingWriter is a ResponseWriter that measures and hashes the body instead of keeping it.
type countingWriter struct {
	discard
	largest int // Write
	sum     hash.Hash
}

func (w *countingWriter) Write(p []byte) (int, error) {
	w.largest = max(w.largest, len(p))
	w.size += len(p)
	return w.sum.Write(p)
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
		whole         bool
	}{
		{"many records", 1000, 5000, 0, chunk, false},
		{"many records, indented", 1000, 5000, 4, chunk, false},
		{"many records without pages", 1000, 5000, 0, chunk, true},
		{"many records without pages, indented", 1000, 5000, 4, chunk, true},
		{"small records", 50_000, 100, 0, chunk, false},
		{"records as large as a chunk", 150, chunk, 0, chunk, false},
		{"records larger than a chunk", 5, 1_000_000, 0, 1_000_000, false},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			films := pages{newPages(repeated("x", test.records, test.size)...), test.whole}
			want := films.body(t, test.indent)
			h := newStubHandler(t, Options{}, films)
			r := call{target: lastPage, header: accept(fmt.Sprintf("*/*; indent=%d", test.indent))}.request()
			w := &countingWriter{discard: *newDiscard(), sum: sha256.New()}
			h.ServeHTTP(w, r)
			if got := w.Header().Get("Content-Length"); got != strconv.Itoa(len(want)) || w.size != len(want) {
				t.Errorf("%d bytes and Content-Length %s, want %d", w.size, got, len(want))
			}
			if sum := sha256.Sum256([]byte(want)); !bytes.Equal(w.sum.Sum(nil), sum[:]) {
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

// Pages, and lists without pages, of all sizes around that of a chunk are those that encoding/json would write.
// OnAccess counts their bytes, and a HEAD has their length.
func TestPagesAroundChunk(t *testing.T) {
	tests := []struct {
		reason  string
		records []string
	}{
		{"no record", nil},
		{"one record", []string{`{"id":1}`}},
		{"nested and empty values", []string{
			`{"id":1,"tags":[],"deep":{"a":[{"b":"<é>, [}"}],"c":{}}}`, `{"id":2,"tags":["x",1.50]}`}},
		{"white space of an encoder", []string{"{\"id\": 1}\n", " {\"id\":\t2}\r\n", "[ ]\n"}},
		{"other values", []string{`null`, `"x"`, `1`, `{}`}},
		{"long records", repeated("a", 3, 16000)},
		{"first longer than a chunk", []string{wire.Quote(strings.Repeat("a", 40_000)), `{"id":2}`}},
		{"last longer than a chunk", []string{`{"id":1}`, wire.Quote(strings.Repeat("a", 40_000))}},
		{"one record longer than a chunk", []string{wire.Quote(strings.Repeat("a", 40_000))}},
	}
	head := len(`{"count":1000,"next":null,"previous":"http://host.example/api/films/?limit=1000","results":[]}`)
	for size := 32<<10 - head - 4; size <= 32<<10-head+4; size++ {
		tests = append(tests, struct {
			reason  string
			records []string
		}{fmt.Sprintf("%d bytes", head+size), []string{wire.Quote(strings.Repeat("a", size-13)), `{"id":1234}`[:10] + "}"}})
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			for _, style := range [][2]int{{0, 0}, {0, 1}, {0, 4}, {1, 0}, {1, 1}, {1, 4}} {
				films, indent := pages{newPages(test.records...), style[0] == 1}, style[1]
				onAccess, accesses := observed()
				h := newStubHandler(t, Options{OnAccess: onAccess}, films)
				want := films.body(t, indent)
				c := call{target: lastPage, header: accept(fmt.Sprintf("*/*; indent=%d", indent))}
				got := c.do(h)
				if diff := cmp.Diff(want, got.Body); diff != "" {
					t.Fatalf("indent %d (-want +got):\n%.2000s", indent, diff)
				}
				seen := (*accesses)[len(*accesses)-1]
				if seen.Bytes != len(want) {
					t.Errorf("indent %d: OnAccess got %+v, want %d bytes", indent, seen, len(want))
				}
				c.method = "HEAD"
				header := got.Header
				diff, length := cmp.Diff(answer{200, header, ""}, c.do(h)), header["Content-Length"]
				if diff != "" || length != strconv.Itoa(len(want)) {
					t.Errorf("indent %d, Content-Length %s, want %d; HEAD (-want +got):\n%s", indent, length, len(want), diff)
				}
			}
		})
	}
}

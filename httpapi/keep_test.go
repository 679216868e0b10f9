package httpapi

import (
	"context"
	"crypto/tls"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/google/go-cmp/cmp"
)

// newsHandler serves a journal of so many news.
func newsHandler(t *testing.T, opts Options, records int) (*Handler, *journal) {
	t.Helper()
	news := &journal{Collection: newShelf(records)}
	return newTestHandler(t, opts, map[string]Collection{"news": news}), news
}

// TestWhatIsKept asks for the same four times. What is kept is made for the
// first and the second, what is not for all. All four are the same.
func TestWhatIsKept(t *testing.T) {
	long := strings.Repeat("x", maxKeyText)
	tests := []struct {
		reason string
		opts   Options
		call   call
		status int
		pages  int64 // how often the collection is asked
	}{
		{"a page", Options{}, call{target: "/api/news/"}, 200, 2},
		{"of a query", Options{}, call{target: "/api/news/?ordering=-id&limit=1&format=api"}, 200, 2},
		{"behind the end", Options{}, call{target: "/api/news/?offset=1000"}, 200, 2},
		{"indented", Options{}, call{target: "/api/news/", header: accept("*/*; indent=3")}, 200, 2},
		{"HEAD", Options{}, call{method: "HEAD", target: "/api/news/"}, 200, 2},
		{"with a base URL", Options{BaseURL: "https://x.example"}, call{target: "/api/news/"}, 200, 2},
		{"with a base URL a long Host does not matter", Options{BaseURL: "https://x.example"}, call{target: "/api/news/", host: long}, 200, 2},
		{"small cache", Options{MaxCache: 100_000}, call{target: "/api/news/"}, 200, 2},
		{"no cache", Options{MaxCache: -1}, call{target: "/api/news/"}, 200, 4},
		{"a cache that can hold nothing", Options{MaxCache: 1}, call{target: "/api/news/"}, 200, 4},
		{"a cache that can hold little", Options{MaxCache: cacheOverhead + 2000}, call{target: "/api/news/"}, 200, 4},
		{"a page larger than its share", Options{}, call{target: "/api/news/?limit=1000&x=large"}, 200, 4},
		{"long query", Options{}, call{target: "/api/news/?" + long}, 200, 4},
		{"long host and query", Options{}, call{target: "/api/news/?" + long[:150], host: long[:150]}, 200, 4},
		{"a collection that tells no revision", Options{}, call{target: "/api/wires/"}, 200, 4},
		{"an error", Options{}, call{target: "/api/faqs/"}, 500, 4},
		{"unknown format", Options{}, call{target: "/api/news/?format=xml"}, 404, 0},
		{"nothing acceptable", Options{}, call{target: "/api/news/", header: accept("text/html")}, 406, 0},
		{"OPTIONS", Options{}, call{method: "OPTIONS", target: "/api/news/"}, 200, 0},
		{"POST", Options{}, call{method: "POST", target: "/api/news/"}, 405, 0},
		{"invalid host", Options{}, call{target: "/api/news/", host: "a b"}, 400, 0},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			records := 5
			if strings.Contains(test.call.target, "large") {
				records = 10_000 // 1000 of them take some 40 kB
				test.opts.MaxCache = 500_000
			}
			news := &journal{Collection: newShelf(records)}
			wires := &journal{Collection: newShelf(1)}
			faqs := &journal{Collection: &shelf{err: fmt.Errorf("broken")}}
			h := newTestHandler(t, test.opts, map[string]Collection{
				"news": news, "faqs": faqs, "wires": struct{ Collection }{wires},
			})
			first := test.call.do(h)
			if first.Status != test.status {
				t.Errorf("status %d, want %d", first.Status, test.status)
			}
			for range 3 {
				if diff := cmp.Diff(first, test.call.do(h)); diff != "" {
					t.Errorf("asked again (-first +later):\n%s", diff)
				}
			}
			if pages := news.pages.Load() + wires.pages.Load() + faqs.pages.Load(); pages != test.pages {
				t.Errorf("asked for %d pages, want %d", pages, test.pages)
			}
		})
	}
}

// TestKeptPagesDiffer asks one handler, many times, for pages that differ in
// one thing each, and compares with those of a handler that keeps none.
func TestKeptPagesDiffer(t *testing.T) {
	const target = "/api/news/?limit=2&offset=2"
	secure := func(r *http.Request) { r.TLS = new(tls.ConnectionState) }
	prefixed := func(r *http.Request) { r.RequestURI = "/shop" + r.RequestURI }
	posted := func(r *http.Request) { r.Method = "POST" }
	requests := []struct {
		reason string
		call   call
		change func(*http.Request)
		part   string // of the body
	}{
		{"plain", call{target: target}, nil, `"http://host.example/api/news/?limit=2&offset=4"`},
		{"another Host", call{target: target, host: "other.example:81"}, nil, `"http://other.example:81/api/news/?limit=2&offset=4"`},
		{"TLS", call{target: target}, secure, `"https://host.example/api/news/?limit=2&offset=4"`},
		{"prefix", call{target: target}, prefixed, `"http://host.example/shop/api/news/?limit=2&offset=4"`},
		{"indent", call{target: target, header: accept("*/*;indent=1")}, nil, "\n  {\n   \"id\": 3"},
		{"more indent", call{target: target, header: accept("*/*;indent=2")}, nil, "\n    {\n      \"id\": 3"},
		{"query", call{target: target + "&a=b"}, nil, `?a=b&limit=2&offset=4"`},
		{"query in another order", call{target: "/api/news/?offset=2&limit=2"}, nil, `?limit=2&offset=4"`},
		{"HEAD", call{method: "HEAD", target: target}, nil, ""},
		{"another collection", call{target: "/api/wires/?limit=2&offset=2"}, nil, `"http://host.example/api/wires/?limit=2&offset=4"`},
		{"unacceptable", call{target: target, header: accept("text/html")}, nil, notAcceptable},
		{"POST", call{target: target}, posted, `{"detail":"Method \"POST\" not allowed."}`},
	}
	collections := func() map[string]Collection {
		return map[string]Collection{"news": &journal{Collection: newShelf(9)}, "wires": &journal{Collection: newShelf(9)}}
	}
	keeps, makes := newTestHandler(t, Options{}, collections()), newTestHandler(t, Options{MaxCache: -1}, collections())
	for range 3 {
		for _, row := range requests {
			r := row.call.request()
			if row.change != nil {
				row.change(r)
			}
			got := serve(keeps, r)
			if diff := cmp.Diff(serve(makes, r), got); diff != "" {
				t.Errorf("%s (-made +kept):\n%s", row.reason, diff)
			}
			if !strings.Contains(got.Body, row.part) || row.part == "" && got.Body != "" {
				t.Errorf("%s: %q is not in %s", row.reason, row.part, got.Body)
			}
		}
	}
}

// HEAD and GET have each other's page, and middleware its headers.
func TestKeptPageIsSharedByMethods(t *testing.T) {
	h, news := newsHandler(t, Options{}, 3)
	made := get(h, "/api/news/")
	head := call{method: "HEAD", target: "/api/news/"}.do(h)
	w := &discard{http.Header{"Vary": {"Accept-Encoding"}}}
	h.ServeHTTP(w, call{target: "/api/news/"}.request())
	if diff := cmp.Diff([]string{"Accept-Encoding", "Accept"}, w.header["Vary"]); diff != "" {
		t.Errorf("Vary (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(made, get(h, "/api/news/")); diff != "" {
		t.Errorf("GET (-made +kept):\n%s", diff)
	}
	made.Body = ""
	if diff := cmp.Diff(made, head); diff != "" {
		t.Errorf("HEAD (-GET +HEAD):\n%s", diff)
	}
	if news.pages.Load() != 2 {
		t.Errorf("asked for %d pages, want 2", news.pages.Load())
	}
}

// late is a collection that is written to while it makes pages: each waits.
type late struct {
	*journal
	made, write chan struct{}
}

func (l *late) Page(ctx context.Context, terms []ordering.Term, w pagination.Window) (int, [][]byte, error) {
	count, records, err := l.journal.Page(ctx, terms, w)
	l.made <- struct{}{}
	<-l.write
	return count, records, err
}

// TestWriteWhileAPageIsMade has two requests make a page of what was there
// before a write, and be through after it. Theirs must not be kept as new.
func TestWriteWhileAPageIsMade(t *testing.T) {
	news := &journal{Collection: newShelf(1)}
	made, write := make(chan struct{}, 9), make(chan struct{})
	h := newTestHandler(t, Options{}, map[string]Collection{"news": &late{news, made, write}})
	answers := make(chan answer)
	for range 2 {
		go func() { answers <- get(h, "/api/news/") }()
		<-made
	}
	news.Collection = newShelf(2)
	news.revision.Add(1)
	close(write)
	for range 2 {
		if a := <-answers; !strings.HasPrefix(a.Body, `{"count":1,`) {
			t.Errorf("made before the write: %s", a.Body)
		}
	}
	for range 4 {
		if a := get(h, "/api/news/"); !strings.HasPrefix(a.Body, `{"count":2,`) {
			t.Errorf("after the write: %s", a.Body)
		}
	}
}

// Of a collection that is written to between any two requests nothing is kept.
func TestAlwaysWritten(t *testing.T) {
	h, news := newsHandler(t, Options{}, 3)
	for range 10 {
		get(h, "/api/news/")
		news.revision.Add(1)
	}
	if pages := checkBudget(t, h.cache, defaultMaxCache); pages != 0 || news.pages.Load() != 10 {
		t.Errorf("%d pages are kept, %d were made of 10", pages, news.pages.Load())
	}
}

// TestStrangers has one ask for ever different pages and Hosts, each twice.
func TestStrangers(t *testing.T) {
	const budget = 300_000
	h, _ := newsHandler(t, Options{MaxCache: budget}, 40)
	before := heap()
	for i := range 4000 {
		c := call{target: fmt.Sprintf("/api/news/?limit=%d&x=%d", 1+i%40, i), host: fmt.Sprintf("h%d.example", i%7)}
		c.do(h)
		c.do(h)
	}
	if took := heap() - before; took > budget {
		t.Errorf("%d bytes of heap, of %d", took, budget)
	}
	if pages := checkBudget(t, h.cache, budget); pages < 50 {
		t.Errorf("only %d pages are kept", pages)
	}
}

// A page that is kept costs no allocation.
func TestKeptPageAllocates(t *testing.T) {
	for _, opts := range []Options{{}, {BaseURL: "https://x.example"}, {Limits: pagination.Limits{Max: -1}}} {
		h, news := newsHandler(t, opts, 21)
		w := &discard{http.Header{}}
		r := call{target: "/api/news/?ordering=-name&limit=7", header: accept("*/*")}.request()
		allocs := testing.AllocsPerRun(100, func() {
			clear(w.header)
			h.ServeHTTP(w, r)
		})
		// Of the 101 runs the first two make the page; that is lost in rounding.
		if allocs != 0 || news.pages.Load() != 2 {
			t.Errorf("%+v: %v allocations, %d pages", opts, allocs, news.pages.Load())
		}
	}
}

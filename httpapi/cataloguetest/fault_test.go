package cataloguetest

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources"
)

// sevenBooks returns a handler that serves seven books with the ids 1 to 7.
func sevenBooks(t testing.TB) http.Handler {
	t.Helper()
	c := mustNew()
	err := c.Load(strings.NewReader(`{"books":[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6},{"id":7}]}`), catalogue.LoadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	handler, err := httpapi.New(c, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

// An injection is a fault that a test injects.
type injection struct {
	match Match
	fault Fault
}

func at(match Match, fault Fault) injection { return injection{match, fault} }

// newFaults returns the faults of a server of the documented collections.
func newFaults() *faults { return &faults{paths: pathsOf(mustNew(), "")} }

// serveFaults serves the seven books with faults, and returns the faults.
func serveFaults(t testing.TB, all ...injection) (*httptest.Server, []*Injection) {
	t.Helper()
	f := newFaults()
	var injections []*Injection
	for _, p := range all {
		injection, err := f.add(p.match, p.fault, "")
		if err != nil {
			t.Fatal(err)
		}
		injections = append(injections, injection)
	}
	server := httptest.NewServer(f.wrap(sevenBooks(t)))
	t.Cleanup(server.Close)
	return server, injections
}

// A view is what a client of net/http sees of a response.
type view struct {
	Status int
	Type   string // Content-Type
	Length int64  // ContentLength
	Body   string // with HOST for the host of the server
	Err    string // of the request or of reading the body
}

// request sends a request on a new connection.
func request(t testing.TB, server *httptest.Server, method, path string) view {
	t.Helper()
	r, err := http.NewRequest(method, server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Close = true
	resp, err := server.Client().Do(r)
	if err != nil {
		return view{Err: innermost(err)}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	host := strings.TrimPrefix(server.URL, "http://")
	text := strings.ReplaceAll(string(body), host, "HOST")
	return view{resp.StatusCode, resp.Header.Get("Content-Type"), resp.ContentLength, text, innermost(err)}
}

// innermost returns the text of the innermost error.
func innermost(err error) string {
	for err != nil {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
	return ""
}

// page returns the view of a page without faults.
func page(count int, next, previous, results string) view {
	body := `{"count":` + strconv.Itoa(count) + `,"next":` + link(next) + `,"previous":` + link(previous) + `,"results":` + results + `}`
	return view{200, "application/json", int64(len(body)), body, ""}
}

func link(url string) string {
	if url == "" {
		return "null"
	}
	return `"` + url + `"`
}

// diffViews compares views. It ignores their length if the body contains HOST, which
// has another length than the host.
func diffViews(want, got view) string {
	if strings.Contains(got.Body, "HOST") {
		want.Length, got.Length = 0, 0
	}
	return cmp.Diff(want, got)
}

// Links of the list of seven books with a limit of three.
const (
	listURL   = "http://HOST/api/books/"
	firstURL  = listURL + "?limit=3"
	middleURL = listURL + "?limit=3&offset=3"
	lastURL   = listURL + "?limit=3&offset=6"
)

func TestFaults(t *testing.T) {
	const (
		first  = "/api/books/?limit=3"
		middle = "/api/books/?limit=3&offset=3"
		last   = "/api/books/?limit=3&offset=6"
		all    = "/api/books/"
		detail = `{"detail":"Not found."}`
	)
	normal := page(7, lastURL, firstURL, `[{"id":4},{"id":5},{"id":6}]`)
	tests := []struct {
		reason string
		faults []Fault
		path   string
		want   view
		counts bool
	}{
		{"status with JSON", []Fault{Status(503, `{"detail":"Later."}`)}, middle,
			view{503, "application/json", 19, `{"detail":"Later."}`, ""}, true},
		{"status with HTML", []Fault{Status(502, `<h1>Bad Gateway</h1>`)}, middle,
			view{502, "text/html; charset=utf-8", 20, `<h1>Bad Gateway</h1>`, ""}, true},
		{"status with an empty body", []Fault{Status(500, "")}, middle, view{500, "text/html; charset=utf-8", 0, "", ""}, true},
		{"status that cannot have a body", []Fault{Status(204, "text")}, middle, view{204, "text/html; charset=utf-8", 0, "", ""}, true},
		{"unavailable", []Fault{Unavailable(0)}, middle,
			view{503, "text/html; charset=utf-8", int64(len(unavailablePage)), unavailablePage, ""}, true},
		{"other content type", []Fault{Header("Content-Type", "text/plain")}, middle,
			view{200, "text/plain", normal.Length, normal.Body, ""}, true},
		{"no content type", []Fault{Header("Content-Type", "")}, middle, view{200, "", normal.Length, normal.Body, ""}, true},

		{"cut before the response", []Fault{ResetConnection()}, middle, view{Err: "EOF"}, true},
		{"cut in the body", []Fault{ResetAfter(9)}, "/api/none/",
			view{404, "application/json", int64(len(detail)), `{"detail"`, "unexpected EOF"}, true},
		{"cut after the header", []Fault{ResetAfter(0)}, "/api/none/",
			view{404, "application/json", int64(len(detail)), "", "unexpected EOF"}, true},
		{"cut after more bytes than there are", []Fault{ResetAfter(1000)}, "/api/none/",
			view{404, "application/json", int64(len(detail)), `{"detail":"Not found."`, "unexpected EOF"}, true},
		{"truncated body", []Fault{Truncate(9)}, "/api/none/", view{404, "application/json", 9, `{"detail"`, ""}, true},
		{"truncated to more bytes than there are", []Fault{Truncate(1000)}, "/api/none/",
			view{404, "application/json", int64(len(detail)) - 1, `{"detail":"Not found."`, ""}, true},
		{"slow body", []Fault{Throttle(5, 0)}, middle, normal, true},

		{"NextIsSelf on the first page", []Fault{NextIsSelf()}, first,
			page(7, firstURL, "", `[{"id":1},{"id":2},{"id":3}]`), true},
		{"NextIsSelf on the second page", []Fault{NextIsSelf()}, middle, page(7, middleURL, firstURL, `[{"id":4},{"id":5},{"id":6}]`), true},
		{"NextIsSelf on the last page", []Fault{NextIsSelf()}, last, page(7, lastURL, middleURL, `[{"id":7}]`), true},
		{"NextIsSelf on the only page", []Fault{NextIsSelf()}, all,
			page(7, listURL, "", `[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6},{"id":7}]`), true},
		{"NextIsSelf keeps the query", []Fault{NextIsSelf()}, "/api/books/?ordering=-id&offset=5&limit=1&x=%26",
			page(7, listURL+"?ordering=-id&offset=5&limit=1&x=%26", listURL+"?limit=1&offset=4&ordering=-id&x=%26", `[{"id":2}]`), true},

		{"Page", []Fault{Page(nextHost)}, middle,
			page(7, "http://elsewhere.example/api/books/?limit=3&offset=6", firstURL, `[{"id":4},{"id":5},{"id":6}]`), true},
		{"Page that is not changed", []Fault{Page(nextHost)}, last, page(7, "", middleURL, `[{"id":7}]`), false},
		{"Page without records", []Fault{Page(func(_ *http.Request, page *envelope) { page.Records = nil })}, middle,
			page(7, lastURL, firstURL, `[]`), true},
		{"Page with the request", []Fault{Page(func(r *http.Request, page *envelope) { page.Next = r.URL.RequestURI() })}, last,
			page(7, last, middleURL, `[{"id":7}]`), true},
		{"Page with an invalid record", []Fault{Page(func(_ *http.Request, page *envelope) { page.Records[0] = json.RawMessage("{") })}, middle, normal, false},
		{"Page twice", []Fault{Page(fewer), Page(fewer)}, middle, page(5, lastURL, firstURL, `[{"id":4},{"id":5},{"id":6}]`), true},
		{"MissingRow", []Fault{MissingRow()}, middle, page(7, lastURL, firstURL, `[{"id":4},{"id":5}]`), true},
		{"MissingRow with one record", []Fault{MissingRow()}, last, page(7, "", middleURL, `[]`), true},
		{"MissingRow on an empty page", []Fault{MissingRow()}, "/api/books/?limit=3&offset=7", page(7, "", listURL+"?limit=3&offset=4", `[]`), false},
		{"RepeatedRow", []Fault{RepeatedRow()}, middle,
			page(7, lastURL, firstURL, `[{"id":3},{"id":4},{"id":5},{"id":6}]`), true},
		{"RepeatedRow with an ordering", []Fault{RepeatedRow()}, "/api/books/?ordering=-id&limit=2&offset=2",
			page(7, listURL+"?limit=2&offset=4&ordering=-id", listURL+"?limit=2&ordering=-id", `[{"id":6},{"id":5},{"id":4}]`), true},
		{"RepeatedRow with one record", []Fault{RepeatedRow()}, last, page(7, "", middleURL, `[{"id":6},{"id":7}]`), true},
		{"RepeatedRow on the first page", []Fault{RepeatedRow()}, first, page(7, middleURL, "", `[{"id":1},{"id":2},{"id":3}]`), false},
		{"MissingRow and RepeatedRow", []Fault{MissingRow(), RepeatedRow()}, middle, page(7, lastURL, firstURL, `[{"id":3},{"id":4},{"id":5}]`), true},

		{"not a page: 404", []Fault{NextIsSelf()}, "/api/none/", view{404, "application/json", 23, detail, ""}, false},
		{"not a page: results are not an array", []Fault{Status(200, `{"count":1,"next":null,"previous":null,"results":"none"}`), MissingRow()}, middle,
			view{200, "application/json", 56, `{"count":1,"next":null,"previous":null,"results":"none"}`, ""}, true},

		{"not a page: a member is missing", []Fault{Status(200, `{"next":null,"previous":null,"results":[]}`), NextIsSelf()}, middle,
			view{200, "application/json", 42, `{"next":null,"previous":null,"results":[]}`, ""}, true},
		{"not a page: not the path of a collection", []Fault{Status(200, `{"count":1,"next":null,"previous":null,"results":[{}]}`), MissingRow()}, "/api/",
			view{200, "application/json", 54, `{"count":1,"next":null,"previous":null,"results":[{}]}`, ""}, true},
		{"faults of all stages", []Fault{Header("Content-Type", "text/x"), Truncate(30), Page(fewer)}, last,
			view{200, "text/x", 30, `{"count":6,"next":null,"previo`, ""}, true},
		{"the last of two statuses", []Fault{Status(500, "a"), Status(501, "b")}, last,
			view{501, "text/html; charset=utf-8", 1, "b", ""}, true},
		{"slow body that is cut", []Fault{ResetAfter(12), Throttle(5, 0)}, "/api/none/",
			view{404, "application/json", 23, `{"detail":"N`, "unexpected EOF"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			var all []injection
			for _, f := range tt.faults {
				all = append(all, at(Match{}, f))
			}
			server, injections := serveFaults(t, all...)
			if diff := diffViews(tt.want, request(t, server, "GET", tt.path)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if n := injections[0].Count(); (n == 1) != tt.counts {
				t.Errorf("Count() = %d", n)
			}
		})
	}
}

// nextHost makes the next link of a page lead to another host.
func nextHost(_ *http.Request, page *envelope) {
	if _, rest, ok := strings.Cut(page.Next, "/api/"); ok {
		page.Next = "http://elsewhere.example/api/" + rest
	}
}

// fewer makes the count of a page less than it is.
func fewer(_ *http.Request, page *envelope) { page.Count-- }

// TestFaultsOfHEAD checks that a HEAD has the same header as the GET, and no body.
func TestFaultsOfHEAD(t *testing.T) {
	const path = "/api/books/?limit=3&offset=3"
	for reason, f := range map[string]Fault{
		"shorter body": Truncate(10),
		"longer list":  RepeatedRow(),
		"longer link":  Page(nextHost),
		"status":       Status(500, `{"detail":"x"}`),
		"content type": Header("Content-Type", "text/plain"),
	} {
		server, injections := serveFaults(t, at(Match{}, f))
		get, head := request(t, server, "GET", path), request(t, server, "HEAD", path)
		get.Body = ""
		if diff := cmp.Diff(get, head); diff != "" {
			t.Errorf("%s: (-GET +HEAD):\n%s", reason, diff)
		}
		if n := injections[0].Count(); n != 2 {
			t.Errorf("%s: Count() = %d, want 2", reason, n)
		}
	}
	for reason, f := range map[string]Fault{"ResetAfter": ResetAfter(10), "Throttle": Throttle(1, 0)} {
		server, injections := serveFaults(t, at(Match{}, f))
		if head := request(t, server, "HEAD", path); head.Err != "" || injections[0].Count() != 0 {
			t.Errorf("%s: error %q, Count() = %d; want none, 0", reason, head.Err, injections[0].Count())
		}
	}
}

func TestFaultHeader(t *testing.T) {
	server, _ := serveFaults(t, at(Match{}, Header("retry-after", "7")), at(Match{}, Status(429, "")))
	resp, err := server.Client().Get(server.URL + "/api/books/")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "7" {
		t.Errorf("status %s, Retry-After %q; want 429, 7", resp.Status, resp.Header.Get("Retry-After"))
	}
	server, _ = serveFaults(t, at(Match{}, Header("vary", "")))
	resp, err = server.Client().Get(server.URL + "/api/books/")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if _, there := resp.Header["Vary"]; there {
		t.Error("Vary is still there")
	}
}

// TestFaultsOfPOST checks that a POST stores its record unless a fault replaces the
// response.
func TestFaultsOfPOST(t *testing.T) {
	for _, tt := range []struct {
		reason string
		fault  Fault
		stored int
	}{
		{"ResetConnection", ResetConnection(), 0},
		{"Status", Status(500, ""), 0},
		{"ResetAfter", ResetAfter(0), 1},
		{"a fault of pages", MissingRow(), 1},
	} {
		c := mustNew()
		handler, err := httpapi.New(c, httpapi.Options{Authorizer: httpapi.AllowAll})
		if err != nil {
			t.Fatal(err)
		}
		f := newFaults()
		if _, err := f.add(Match{}, tt.fault, ""); err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(f.wrap(handler))
		resp, err := server.Client().Post(server.URL+"/api/events/", "application/json", strings.NewReader(
			`{"name": "Reading", "slug": "reading", "startDate": "2026-05-10T18:00:00Z", "endDate": "2026-05-10T20:00:00Z"}`))
		if err == nil {
			resp.Body.Close()
		}
		server.Close()
		if n := mustIn(resources.Events, c).Count(); n != tt.stored {
			t.Errorf("%s: %d events stored, want %d", tt.reason, n, tt.stored)
		}
		if err := c.Check(); err != nil {
			t.Error(err)
		}
	}
}

// TestPageFaultsIndented checks that faults of pages keep the white space of indented
// pages.
func TestPageFaultsIndented(t *testing.T) {
	for _, tt := range []struct {
		reason  string
		fault   Fault
		results string
	}{
		{"MissingRow", MissingRow(), "[\n  {\n   \"id\": 4\n  }\n ]"},
		{"RepeatedRow", RepeatedRow(), "[\n  {\n   \"id\": 3\n  },\n  {\n   \"id\": 4\n  },\n  {\n   \"id\": 5\n  }\n ]"},
		{"Page", Page(func(_ *http.Request, page *envelope) { page.Records = nil }), "[]"},
	} {
		server, _ := serveFaults(t, at(Match{}, tt.fault))
		r, err := http.NewRequest("GET", server.URL+"/api/books/?limit=2&offset=3", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", "application/json; indent=1")
		resp, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		list := server.URL + "/api/books/?limit=2&offset="
		want := "{\n \"count\": 7,\n \"next\": \"" + list + "5\",\n \"previous\": \"" + list + "1\",\n \"results\": " + tt.results + "\n}"
		if diff := cmp.Diff(want, string(body)); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", tt.reason, diff)
		}
	}
}

// TestResetReusedConnection checks that net/http retries a GET if its connection has been
// used before and breaks before the response.
func TestResetReusedConnection(t *testing.T) {
	server, injections := serveFaults(t, at(Match{Nth: 2}, ResetConnection()))
	for range 2 {
		resp, err := server.Client().Get(server.URL + "/api/")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, resp.Body); err != nil {
			t.Error(err)
		}
		resp.Body.Close()
	}
	if n := injections[0].Count(); n != 1 {
		t.Errorf("Count() = %d, want 1", n)
	}
}

// timed serves one request inside a bubble. It returns the time that this took and
// whether the connection was cut.
func timed(t *testing.T, ctx context.Context, all ...injection) (took time.Duration, w *httptest.ResponseRecorder, cut bool) {
	t.Helper()
	f := newFaults()
	for _, p := range all {
		if _, err := f.add(p.match, p.fault, ""); err != nil {
			t.Fatal(err)
		}
	}
	w = httptest.NewRecorder()
	r := httptest.NewRequestWithContext(ctx, "GET", "/api/none/", nil)
	start := time.Now()
	func() {
		defer func() {
			switch reason := recover(); reason {
			case nil:
			case http.ErrAbortHandler:
				cut = true
			default:
				t.Errorf("panic: %v", reason)
			}
		}()
		f.wrap(sevenBooks(t)).ServeHTTP(w, r)
	}()
	return time.Since(start), w, cut
}

// TestFaultTiming uses the response of /api/none/, which has 23 bytes.
func TestFaultTiming(t *testing.T) {
	tests := []struct {
		reason  string
		timeout time.Duration // 0: none
		faults  []Fault
		took    time.Duration
		body    string
		cut     bool
	}{
		{"delay", 0, []Fault{Delay(time.Hour)}, time.Hour, `{"detail":"Not found."}`, false},
		{"negative delay", 0, []Fault{Delay(-time.Hour)}, 0, `{"detail":"Not found."}`, false},
		{"two delays", 0, []Fault{Delay(time.Hour), Delay(time.Minute)}, 61 * time.Minute, `{"detail":"Not found."}`, false},
		{"delay before a status", 0, []Fault{Status(500, "x"), Delay(time.Hour)}, time.Hour, `x`, false},
		{"delay before a cut", 0, []Fault{ResetConnection(), Delay(time.Hour)}, time.Hour, ``, true},
		{"client disconnects during the delay", time.Minute, []Fault{Delay(time.Hour)}, time.Minute, ``, true},
		{"three chunks", 0, []Fault{Throttle(10, time.Minute)}, 2 * time.Minute, `{"detail":"Not found."}`, false},
		{"one chunk", 0, []Fault{Throttle(23, time.Minute)}, 0, `{"detail":"Not found."}`, false},
		{"client disconnects in the second pause", 90 * time.Second, []Fault{Throttle(10, time.Minute)}, 90 * time.Second, `{"detail":"Not found`, true},
		{"delay and slow body", 0, []Fault{Throttle(12, time.Minute), Delay(time.Hour)}, 61 * time.Minute, `{"detail":"Not found."}`, false},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if tt.timeout > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tt.timeout)
					defer cancel()
				}
				var all []injection
				for _, f := range tt.faults {
					all = append(all, at(Match{}, f))
				}
				took, w, cut := timed(t, ctx, all...)
				if took != tt.took || w.Body.String() != tt.body || cut != tt.cut {
					t.Errorf("took %v, body %q, cut %t; want %v, %q, %t", took, w.Body, cut, tt.took, tt.body, tt.cut)
				}
			})
		})
	}
}

// TestThrottleOverConnection checks that each chunk is sent immediately, and that a client
// that disconnects during a pause ends the handler. Otherwise the server could not be
// closed.
func TestThrottleOverConnection(t *testing.T) {
	server, _ := serveFaults(t, at(Match{}, Throttle(10, time.Hour)))
	resp, err := server.Client().Get(server.URL + "/api/none/")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	var first [10]byte
	if _, err := io.ReadFull(resp.Body, first[:]); err != nil || string(first[:]) != `{"detail":` {
		t.Errorf("first chunk = %q, %v", first, err)
	}
}

func TestDelayEndsWithTheClient(t *testing.T) {
	for method, body := range map[string]io.Reader{"GET": nil, "POST": strings.NewReader(`{"name":"x"}`)} {
		server, injections := serveFaults(t, at(Match{}, Delay(time.Hour)))
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		defer cancel()
		r, err := http.NewRequestWithContext(ctx, method, server.URL+"/api/books/", body)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := server.Client().Do(r)
		if err == nil {
			resp.Body.Close()
		}
		if !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%s: error %v, want %v", method, err, context.DeadlineExceeded)
		}
		if n := injections[0].Count(); n != 1 {
			t.Errorf("%s: Count() = %d, want 1", method, n)
		}
		server.Close() // waits for the handler
	}
}

// TestDelayKeepsBody checks that the handler receives the body that was read before the
// delay, and that it is not called if the body cannot be read.
func TestDelayKeepsBody(t *testing.T) {
	long := strings.Repeat("x", maxBody)
	for _, tt := range []struct {
		reason string
		body   io.Reader
		want   string
		err    bool
	}{
		{"no body", http.NoBody, "", false},
		{"short body", strings.NewReader("hello"), "hello", false},
		{"body of the maximum size", strings.NewReader(long), long, false},
		{"longer body", strings.NewReader(long + long + "end"), long + long + "end", false},
		{"body that fails", &failingReader{"half"}, "", true},
	} {
		f := newFaults()
		if _, err := f.add(Match{}, Delay(time.Nanosecond), ""); err != nil {
			t.Fatal(err)
		}
		var got []byte
		server := httptest.NewServer(f.wrap(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			var err error
			if got, err = io.ReadAll(r.Body); err != nil {
				t.Errorf("%s: %v", tt.reason, err)
			}
		})))
		resp, err := server.Client().Post(server.URL, "text/plain", tt.body)
		if err == nil {
			resp.Body.Close()
		}
		server.Close()
		if (err != nil) != tt.err || string(got) != tt.want {
			t.Errorf("%s: received %d bytes, want %d; error %v", tt.reason, len(got), len(tt.want), err)
		}
	}
}

// mustNew returns a catalogue of the documented collections.
func mustNew() *catalogue.Catalogue {
	c, err := resources.New()
	if err != nil {
		panic(err)
	}
	return c
}

// mustIn returns d's collection in c.
func mustIn[T any](d catalogue.Definition[T], c *catalogue.Catalogue) *catalogue.Collection[T] {
	coll, err := d.In(c)
	if err != nil {
		panic(err)
	}
	return coll
}

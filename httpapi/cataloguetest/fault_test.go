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
)

// An injection is a fault that a test injects.
type injection struct {
	match Match
	fault Fault
}

func at(match Match, fault Fault) injection { return injection{match, fault} }

// serveFaults serves seven books, with the ids 1 to 7, with faults.
func serveFaults(t testing.TB, loopback bool, all ...injection) (*Server, []*Injection) {
	t.Helper()
	server := NewWith(t, Options{Loopback: loopback, Fixtures: files("books.json",
		`[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6},{"id":7}]`)})
	var injections []*Injection
	for _, p := range all {
		injections = append(injections, server.Inject(p.match, p.fault))
	}
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
func request(t testing.TB, server *Server, method, path string) view {
	t.Helper()
	r, err := http.NewRequest(method, server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Close = true
	resp, err := server.Client.Do(r)
	if err != nil {
		return view{Err: innermost(err)}
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	text := strings.ReplaceAll(string(body), strings.TrimPrefix(server.URL, "http://"), "HOST")
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

// pageView returns the view of a page without faults.
func pageView(count int, next, previous, results string) view {
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
	normal := pageView(7, lastURL, firstURL, `[{"id":4},{"id":5},{"id":6}]`)
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
			pageView(7, firstURL, "", `[{"id":1},{"id":2},{"id":3}]`), true},
		{"NextIsSelf on the second page", []Fault{NextIsSelf()}, middle, pageView(7, middleURL, firstURL, `[{"id":4},{"id":5},{"id":6}]`), true},
		{"NextIsSelf on the last page", []Fault{NextIsSelf()}, last, pageView(7, lastURL, middleURL, `[{"id":7}]`), true},
		{"NextIsSelf on the only page", []Fault{NextIsSelf()}, all,
			pageView(7, listURL, "", `[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6},{"id":7}]`), true},
		{"NextIsSelf keeps the query", []Fault{NextIsSelf()}, "/api/books/?ordering=-id&offset=5&limit=1&x=%26",
			pageView(7, listURL+"?ordering=-id&offset=5&limit=1&x=%26", listURL+"?limit=1&offset=4&ordering=-id&x=%26", `[{"id":2}]`), true},

		{"Page", []Fault{Page(nextHost)}, middle,
			pageView(7, "http://elsewhere.example/api/books/?limit=3&offset=6", firstURL, `[{"id":4},{"id":5},{"id":6}]`), true},
		{"Page that is not changed", []Fault{Page(nextHost)}, last, pageView(7, "", middleURL, `[{"id":7}]`), false},
		{"Page without records", []Fault{Page(func(_ *http.Request, page *envelope) { page.Records = nil })}, middle,
			pageView(7, lastURL, firstURL, `[]`), true},
		{"Page with the request", []Fault{Page(func(r *http.Request, page *envelope) { page.Next = r.URL.RequestURI() })}, last,
			pageView(7, last, middleURL, `[{"id":7}]`), true},
		{"Page with an invalid record", []Fault{Page(func(_ *http.Request, page *envelope) { page.Records[0] = json.RawMessage("{") })}, middle, normal, false},
		{"Page twice", []Fault{Page(fewer), Page(fewer)}, middle, pageView(5, lastURL, firstURL, `[{"id":4},{"id":5},{"id":6}]`), true},
		{"MissingRow", []Fault{MissingRow()}, middle, pageView(7, lastURL, firstURL, `[{"id":4},{"id":5}]`), true},
		{"MissingRow with one record", []Fault{MissingRow()}, last, pageView(7, "", middleURL, `[]`), true},
		{"MissingRow on an empty page", []Fault{MissingRow()}, "/api/books/?limit=3&offset=7", pageView(7, "", listURL+"?limit=3&offset=4", `[]`), false},
		{"RepeatedRow", []Fault{RepeatedRow()}, middle,
			pageView(7, lastURL, firstURL, `[{"id":3},{"id":4},{"id":5},{"id":6}]`), true},
		{"RepeatedRow with an ordering", []Fault{RepeatedRow()}, "/api/books/?ordering=-id&limit=2&offset=2",
			pageView(7, listURL+"?limit=2&offset=4&ordering=-id", listURL+"?limit=2&ordering=-id", `[{"id":6},{"id":5},{"id":4}]`), true},
		{"RepeatedRow with one record", []Fault{RepeatedRow()}, last, pageView(7, "", middleURL, `[{"id":6},{"id":7}]`), true},
		{"RepeatedRow on the first page", []Fault{RepeatedRow()}, first, pageView(7, middleURL, "", `[{"id":1},{"id":2},{"id":3}]`), false},
		{"MissingRow and RepeatedRow", []Fault{MissingRow(), RepeatedRow()}, middle, pageView(7, lastURL, firstURL, `[{"id":3},{"id":4},{"id":5}]`), true},

		{"not a page: 404", []Fault{NextIsSelf()}, "/api/none/", view{404, "application/json", 23, detail, ""}, false},
		{"not a page: results are not an array", []Fault{Status(200, `{"count":1,"next":null,"previous":null,"results":"none"}`), MissingRow()}, middle,
			view{200, "application/json", 56, `{"count":1,"next":null,"previous":null,"results":"none"}`, ""}, true},

		{"not a page: a member is missing", []Fault{Status(200, `{"next":null,"previous":null,"results":[]}`), NextIsSelf()}, middle,
			view{200, "application/json", 42, `{"next":null,"previous":null,"results":[]}`, ""}, true},
		{"not a page: not the path of a collection", []Fault{Status(200, `{"count":1,"next":null,"previous":null,"results":[{}]}`), MissingRow()}, "/api/",
			view{200, "application/json", 54, `{"count":1,"next":null,"previous":null,"results":[{}]}`, ""}, true},
		{"Page with a longer link and a shorter list", []Fault{Page(nextHost), MissingRow()}, middle,
			pageView(7, "http://elsewhere.example/api/books/?limit=3&offset=6", firstURL, `[{"id":4},{"id":5}]`), true},
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
			server, injections := serveFaults(t, true, all...)
			if diff := diffViews(tt.want, request(t, server, "GET", tt.path)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if n := injections[0].Count(); (n == 1) != tt.counts {
				t.Errorf("Count() = %d", n)
			}
			// A HEAD has the header of the GET, and no body that can break off.
			head := tt.want
			if head.Body = ""; head.Status != 0 {
				head.Err = ""
			}
			if tt.want.Status == http.StatusNoContent { // which has no Content-Length
				head.Length = -1
			}
			if strings.Contains(tt.want.Body, "HOST") {
				head.Length = request(t, server, "GET", tt.path).Length
			}
			if diff := cmp.Diff(head, request(t, server, "HEAD", tt.path)); diff != "" {
				t.Errorf("HEAD (-want +got):\n%s", diff)
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

func TestFaultHeader(t *testing.T) {
	server, _ := serveFaults(t, false, at(Match{}, Header("retry-after", "7")), at(Match{}, Header("vary", "")))
	resp, _ := ask(t, server, "GET /api/books/", "")
	if _, there := resp.Header["Vary"]; there || resp.Header.Get("Retry-After") != "7" {
		t.Errorf("header %v, want Retry-After 7 and no Vary", resp.Header)
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
		server, _ := serveFaults(t, true, at(Match{}, tt.fault))
		resp, err := server.Client.Post(server.URL+"/api/events/", "application/json", strings.NewReader(eventBody))
		if err == nil {
			resp.Body.Close()
		}
		if n := eventsOf(server.Catalogue).Count(); n != tt.stored {
			t.Errorf("%s: %d events stored, want %d", tt.reason, n, tt.stored)
		}
		if err := server.Catalogue.Check(); err != nil {
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
		server, _ := serveFaults(t, false, at(Match{}, tt.fault))
		_, body := ask(t, server, "GET /api/books/?limit=2&offset=3", "", "Accept", "application/json; indent=1")
		list := server.URL + "/api/books/?limit=2&offset="
		want := "{\n \"count\": 7,\n \"next\": \"" + list + "5\",\n \"previous\": \"" + list + "1\",\n \"results\": " + tt.results + "\n}"
		if diff := cmp.Diff(want, body); diff != "" {
			t.Errorf("%s: (-want +got):\n%s", tt.reason, diff)
		}
	}
}

// timed serves one request inside a bubble. It returns the time that this took and
// whether the connection was cut.
func timed(t *testing.T, ctx context.Context, all ...injection) (took time.Duration, w *httptest.ResponseRecorder, cut bool) {
	t.Helper()
	server, _ := serveFaults(t, false, all...)
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
		server.Handler.ServeHTTP(w, r)
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
	server, _ := serveFaults(t, true, at(Match{}, Throttle(10, time.Hour)))
	resp, err := server.Client.Get(server.URL + "/api/none/")
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
		server, injections := serveFaults(t, true, at(Match{}, Delay(time.Hour)))
		ctx, cancel := context.WithCancel(t.Context())
		go func() {
			for injections[0].Count() == 0 && t.Context().Err() == nil { // until the delay has begun
				time.Sleep(time.Millisecond)
			}
			cancel()
		}()
		r, err := http.NewRequestWithContext(ctx, method, server.URL+"/api/books/", body)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := server.Client.Do(r)
		if err == nil {
			resp.Body.Close()
		}
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want %v", method, err, context.Canceled)
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
		var got []byte
		receive := http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			var err error
			if got, err = io.ReadAll(r.Body); err != nil {
				t.Errorf("%s: %v", tt.reason, err)
			}
		})
		server := NewWith(t, Options{Empty: true, Wrap: func(http.Handler) http.Handler { return receive }})
		server.Inject(Match{}, Delay(time.Nanosecond))
		resp, err := server.Client.Post(server.URL, "text/plain", tt.body)
		if err == nil {
			resp.Body.Close()
		}
		server.Close()
		if (err != nil) != tt.err || string(got) != tt.want {
			t.Errorf("%s: received %d bytes, want %d; error %v", tt.reason, len(got), len(tt.want), err)
		}
	}
}

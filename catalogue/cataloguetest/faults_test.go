package cataloguetest

import (
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

// sevenBooks returns a handler that serves seven books with the ids 1 to 7.
func sevenBooks(t testing.TB) http.Handler {
	t.Helper()
	house := catalogue.New()
	err := house.LoadCollection("books", strings.NewReader(`[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6},{"id":7}]`))
	if err != nil {
		t.Fatal(err)
	}
	handler, err := httpapi.New(house, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

func at(where Where, fault Fault) scopedFault { return scopedFault{where, fault} }

// serveFaults serves the seven books with faults, and returns the faults.
func serveFaults(t testing.TB, breaks ...scopedFault) (*httptest.Server, []*Breakage) {
	t.Helper()
	f := new(faults)
	var breakages []*Breakage
	for _, b := range breaks {
		breakage, err := f.add(b.where, b.fault)
		if err != nil {
			t.Fatal(err)
		}
		breakages = append(breakages, breakage)
	}
	server := httptest.NewServer(f.wrap(sevenBooks(t)))
	t.Cleanup(server.Close)
	return server, breakages
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

		{"cut before the response", []Fault{Cut()}, middle, view{Err: "EOF"}, true},
		{"cut in the body", []Fault{CutAfter(9)}, "/api/none/",
			view{404, "application/json", int64(len(detail)), `{"detail"`, "unexpected EOF"}, true},
		{"cut after the header", []Fault{CutAfter(0)}, "/api/none/",
			view{404, "application/json", int64(len(detail)), "", "unexpected EOF"}, true},
		{"cut after more bytes than there are", []Fault{CutAfter(1000)}, "/api/none/",
			view{404, "application/json", int64(len(detail)), `{"detail":"Not found."`, "unexpected EOF"}, true},
		{"truncated body", []Fault{Truncate(9)}, "/api/none/", view{404, "application/json", 9, `{"detail"`, ""}, true},
		{"truncated to more bytes than there are", []Fault{Truncate(1000)}, "/api/none/",
			view{404, "application/json", int64(len(detail)) - 1, `{"detail":"Not found."`, ""}, true},
		{"slow body", []Fault{Slow(5, 0)}, middle, normal, true},

		{"NextIsSelf on the first page", []Fault{NextIsSelf()}, first,
			page(7, firstURL, "", `[{"id":1},{"id":2},{"id":3}]`), true},
		{"NextIsSelf on the second page", []Fault{NextIsSelf()}, middle, page(7, middleURL, firstURL, `[{"id":4},{"id":5},{"id":6}]`), true},
		{"NextIsSelf on the last page", []Fault{NextIsSelf()}, last, page(7, lastURL, middleURL, `[{"id":7}]`), true},
		{"NextIsSelf on the only page, with the default limit", []Fault{NextIsSelf()}, all,
			page(7, listURL+"?limit=21", "", `[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6},{"id":7}]`), true},
		{"NextIsSelf keeps the query", []Fault{NextIsSelf()}, "/api/books/?ordering=-id&offset=5&limit=1&x=%26",
			page(7, listURL+"?limit=1&offset=5&ordering=-id&x=%26", listURL+"?limit=1&offset=4&ordering=-id&x=%26", `[{"id":2}]`), true},
		{"NextIsSelf on the only page, with a limit above the maximum", []Fault{NextIsSelf()}, "/api/books/?limit=5000",
			page(7, listURL+"?limit=1000", "", `[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6},{"id":7}]`), true},
		{"NextIsSelf with a limit above the maximum", []Fault{NextIsSelf()}, "/api/books/?limit=5000&offset=3",
			page(7, listURL+"?limit=1000&offset=3", listURL+"?limit=1000", `[{"id":4},{"id":5},{"id":6},{"id":7}]`), true},
		{"NextCycle on the second page", []Fault{NextCycle()}, middle, page(7, firstURL, firstURL, `[{"id":4},{"id":5},{"id":6}]`), true},
		{"NextCycle on the last page", []Fault{NextCycle()}, last, page(7, firstURL, middleURL, `[{"id":7}]`), true},

		{"NextHost", []Fault{NextHost("elsewhere.example:8443")}, middle,
			page(7, "http://elsewhere.example:8443/api/books/?limit=3&offset=6", firstURL, `[{"id":4},{"id":5},{"id":6}]`), true},
		{"NextHost on the last page", []Fault{NextHost("elsewhere.example")}, last, page(7, "", middleURL, `[{"id":7}]`), false},
		{"NextScheme", []Fault{NextScheme("gopher")}, middle,
			page(7, "gopher://HOST/api/books/?limit=3&offset=6", firstURL, `[{"id":4},{"id":5},{"id":6}]`), true},
		{"NextScheme with the same scheme", []Fault{NextScheme("http")}, middle, normal, false},

		{"EmptyPageWithNext", []Fault{EmptyPageWithNext()}, middle, page(7, lastURL, firstURL, `[]`), true},
		{"EmptyPageWithNext past the end", []Fault{EmptyPageWithNext()}, "/api/books/?limit=3&offset=9",
			page(7, listURL+"?limit=3&offset=12", lastURL, `[]`), true},
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
		{"CountShrinks", []Fault{CountShrinks(2)}, middle, page(5, lastURL, firstURL, `[{"id":4},{"id":5},{"id":6}]`), true},
		{"CountShrinks to zero at least", []Fault{CountShrinks(9)}, middle, page(0, lastURL, firstURL, `[{"id":4},{"id":5},{"id":6}]`), true},

		{"not a page: 404", []Fault{NextIsSelf()}, "/api/none/", view{404, "application/json", 23, detail, ""}, false},
		{"not a page: results are not an array", []Fault{Status(200, `{"count":1,"next":null,"previous":null,"results":"none"}`), MissingRow()}, middle,
			view{200, "application/json", 56, `{"count":1,"next":null,"previous":null,"results":"none"}`, ""}, true},

		{"not a page: a member is missing", []Fault{Status(200, `{"count":1,"previous":null,"results":[]}`), NextIsSelf()}, middle,
			view{200, "application/json", 40, `{"count":1,"previous":null,"results":[]}`, ""}, true},
		{"not a page: not the path of a collection", []Fault{Status(200, `{"count":1,"next":null,"previous":null,"results":[{}]}`), MissingRow()}, "/api/",
			view{200, "application/json", 54, `{"count":1,"next":null,"previous":null,"results":[{}]}`, ""}, true},
		{"faults of all stages", []Fault{Header("Content-Type", "text/x"), Truncate(30), CountShrinks(1)}, last,
			view{200, "text/x", 30, `{"count":6,"next":null,"previo`, ""}, true},
		{"the last of two statuses", []Fault{Status(500, "a"), Status(501, "b")}, last,
			view{501, "text/html; charset=utf-8", 1, "b", ""}, true},
		{"slow body that is cut", []Fault{CutAfter(12), Slow(5, 0)}, "/api/none/",
			view{404, "application/json", 23, `{"detail":"N`, "unexpected EOF"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			var breaks []scopedFault
			for _, f := range tt.faults {
				breaks = append(breaks, at(Where{}, f))
			}
			server, breakages := serveFaults(t, breaks...)
			if diff := diffViews(tt.want, request(t, server, "GET", tt.path)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if n := breakages[0].Count(); (n == 1) != tt.counts {
				t.Errorf("Count() = %d", n)
			}
		})
	}
}

// TestFaultsOfHEAD checks that a HEAD has the same header as the GET, and no body.
func TestFaultsOfHEAD(t *testing.T) {
	const path = "/api/books/?limit=3&offset=3"
	for reason, f := range map[string]Fault{
		"shorter body": Truncate(10),
		"longer list":  RepeatedRow(),
		"longer link":  NextHost("a.longer.host.than.before.example"),
		"status":       Status(500, `{"detail":"x"}`),
		"content type": Header("Content-Type", "text/plain"),
	} {
		server, breakages := serveFaults(t, at(Where{}, f))
		get, head := request(t, server, "GET", path), request(t, server, "HEAD", path)
		get.Body = ""
		if diff := cmp.Diff(get, head); diff != "" {
			t.Errorf("%s: (-GET +HEAD):\n%s", reason, diff)
		}
		if n := breakages[0].Count(); n != 2 {
			t.Errorf("%s: Count() = %d, want 2", reason, n)
		}
	}
	for reason, f := range map[string]Fault{"CutAfter": CutAfter(10), "Slow": Slow(1, 0)} {
		server, breakages := serveFaults(t, at(Where{}, f))
		if head := request(t, server, "HEAD", path); head.Err != "" || breakages[0].Count() != 0 {
			t.Errorf("%s: error %q, Count() = %d; want none, 0", reason, head.Err, breakages[0].Count())
		}
	}
}

func TestFaultHeader(t *testing.T) {
	server, _ := serveFaults(t, at(Where{}, Header("retry-after", "7")), at(Where{}, Status(429, "")))
	resp, err := server.Client().Get(server.URL + "/api/books/")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != 429 || resp.Header.Get("Retry-After") != "7" {
		t.Errorf("status %s, Retry-After %q; want 429, 7", resp.Status, resp.Header.Get("Retry-After"))
	}
	server, _ = serveFaults(t, at(Where{}, Header("vary", "")))
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
		{"Cut", Cut(), 0},
		{"Status", Status(500, ""), 0},
		{"CutAfter", CutAfter(0), 1},
		{"a fault of pages", MissingRow(), 1},
	} {
		house := catalogue.New()
		handler, err := httpapi.New(house, httpapi.Options{Authorizer: httpapi.AllowAll})
		if err != nil {
			t.Fatal(err)
		}
		var f faults
		if _, err := f.add(Where{}, tt.fault); err != nil {
			t.Fatal(err)
		}
		server := httptest.NewServer(f.wrap(handler))
		resp, err := server.Client().Post(server.URL+"/api/events/", "application/json", strings.NewReader(
			`{"name": "Reading", "slug": "reading", "startDate": "2026-05-10T18:00:00Z", "endDate": "2026-05-10T20:00:00Z"}`))
		if err == nil {
			resp.Body.Close()
		}
		server.Close()
		if n := house.Events().Count(); n != tt.stored {
			t.Errorf("%s: %d events stored, want %d", tt.reason, n, tt.stored)
		}
		if err := house.Check(); err != nil {
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
		{"EmptyPageWithNext", EmptyPageWithNext(), "[]"},
	} {
		server, _ := serveFaults(t, at(Where{}, tt.fault))
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

// TestCutReusedConnection checks that net/http retries a GET if its connection has been
// used before and breaks before the response.
func TestCutReusedConnection(t *testing.T) {
	server, breakages := serveFaults(t, at(Where{Nth: 2}, Cut()))
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
	if n := breakages[0].Count(); n != 1 {
		t.Errorf("Count() = %d, want 1", n)
	}
}

func TestCountShrinksFurther(t *testing.T) {
	server, _ := serveFaults(t, at(Where{Collection: "books", After: 1}, CountShrinks(2)))
	for i, want := range []string{`{"count":7,`, `{"count":5,`, `{"count":3,`, `{"count":1,`, `{"count":0,`} {
		if got := request(t, server, "GET", "/api/books/?offset=3").Body; !strings.HasPrefix(got, want) {
			t.Errorf("request %d: %s, want %s", i+1, got, want)
		}
	}
}

// TestPageFaultsLimits checks the links that faults make for the only page of a list, in houses
// with other limits than the default ones.
func TestPageFaultsLimits(t *testing.T) {
	tests := []struct {
		reason string
		limits pagination.Limits
		fault  Fault
		query  string
		want   string // the query of the link
	}{
		{"smaller default", pagination.Limits{Default: 15}, NextIsSelf(), "", "limit=15"},
		{"larger default", pagination.Limits{Default: 50, Max: 50}, NextIsSelf(), "", "limit=50"},
		{"smaller maximum", pagination.Limits{Max: 15}, NextCycle(), "?limit=100", "limit=15"},
		{"larger maximum", pagination.Limits{Max: 5000}, NextCycle(), "?limit=4000", "limit=4000"},
		{"larger maximum, in the link of the page", pagination.Limits{Max: 5000}, NextIsSelf(), "?limit=4000&offset=1", "limit=4000&offset=1"},
		{"the page after that", pagination.Limits{Default: 50}, EmptyPageWithNext(), "", "limit=50&offset=50"},
		{"no maximum", pagination.Limits{Default: -1, Max: -1}, NextIsSelf(), "", fmt.Sprintf("limit=%d", math.MaxInt)},
		{"no page after all", pagination.Limits{Default: -1, Max: -1}, EmptyPageWithNext(), "?offset=5", ""},
	}
	for _, tt := range tests {
		house := NewWith(t, Options{Limits: tt.limits})
		house.Break(Where{}, tt.fault)
		resp, err := house.Client.Get(house.URL + "/api/news/" + tt.query)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		page, ok := parseEnvelope(body)
		if _, query, _ := strings.Cut(page.link(page.next), "?"); err != nil || !ok || query != tt.want {
			t.Errorf("%s: next has the query %q, want %q", tt.reason, query, tt.want)
		}
	}
}

package cataloguetest_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// checkMessage checks that a message contains all parts or, if there are no parts,
// that it is empty.
func checkMessage(t *testing.T, reason, message string, parts ...string) {
	t.Helper()
	if len(parts) == 0 && message != "" {
		t.Errorf("%s: unexpected message %q", reason, message)
	}
	plain := strings.ReplaceAll(message, "\u00a0", " ") // go-cmp varies its spaces
	for _, part := range parts {
		if !strings.Contains(plain, part) {
			t.Errorf("%s: message %q does not contain %q", reason, message, part)
		}
	}
}

func TestAssertRequests(t *testing.T) {
	server := cataloguetest.New(t)
	getAll(t, server, "/api/", "/api/events/?limit=2&ordering=name", "/api/events/?limit=2&limit=3")
	const root, page, twice = "GET /api/", "GET /api/events/?limit=2&ordering=name", "GET /api/events/?limit=2&limit=3"
	for _, row := range []struct {
		reason string
		want   []string
		parts  []string
	}{
		{"same requests", []string{root, page, twice}, nil},
		{"other order of parameters, other escapes", []string{root, "GET /api/events/?ordering=n%61me&limit=2", twice}, nil},
		{"one request too few", []string{root, page}, []string{"requests received (-want +got)", `+ 	"GET /api/events/?limit=2&limit=3"`}},
		{"one request too many", []string{root, page, twice, root}, []string{`- 	"GET /api/",`}},
		{"other order", []string{page, root, twice}, []string{`- 	"GET /api/events/?limit=2&ordering=name",`, `+ 	"GET /api/events/?limit=2&ordering=name",`}},
		{"other value", []string{root, "GET /api/events/?limit=3&ordering=name", twice}, []string{`- 	"GET /api/events/?limit=3&ordering=name",`, `+ 	"GET /api/events/?limit=2&ordering=name",`}},
		{"additional parameter", []string{root, "GET /api/events/?limit=2&ordering=name&offset=0", twice}, []string{`- 	"GET /api/events/?limit=2&offset=0&ordering=name"`}},
		{"other order of values", []string{root, page, "GET /api/events/?limit=3&limit=2"}, []string{`- 	"GET /api/events/?limit=3&limit=2"`}},
		{"other method", []string{"HEAD /api/", page, twice}, []string{`"HEAD /api/"`}},
		{"other path", []string{"GET /api", page, twice}, []string{`"GET /api"`}},
		{"no requests", nil, []string{`+ 	"GET /api/",`}},
		{"no method", []string{"/api/"}, []string{`AssertRequests: invalid request "/api/"; want one such as "GET /api/events/?limit=2"`}},
		{"absolute URL", []string{"GET http://catalogue.test/api/"}, []string{"invalid request"}},
		{"invalid escape in the path", []string{"GET /%zz"}, []string{`AssertRequests: invalid request "GET /%zz"`}},
	} {
		checkMessage(t, row.reason, failureOf(t, func(tb testing.TB) { server.AssertRequests(tb, row.want...) }), row.parts...)
	}
}

// TestAssertRequestsInvalidQuery checks that parameters that net/url drops are compared, in any
// order.
func TestAssertRequestsInvalidQuery(t *testing.T) {
	server := cataloguetest.New(t)
	getAll(t, server, "/api/events/?a=1;b=2&c=3", "/api/events/?x=100%&c=3")
	const semicolon, percent = "GET /api/events/?c=3&a=1;b=2", "GET /api/events/?c=3&x=100%"
	for _, row := range []struct {
		reason string
		want   []string
		parts  []string
	}{
		{"other order", []string{semicolon, percent}, nil},
		{"without the parameter that has a semicolon", []string{"GET /api/events/?c=3", percent}, []string{`- 	"GET /api/events/?c=3",`}},
		{"other invalid escape", []string{semicolon, "GET /api/events/?c=3&x=10%"}, []string{"requests received"}},
	} {
		checkMessage(t, row.reason, failureOf(t, func(tb testing.TB) { server.AssertRequests(tb, row.want...) }), row.parts...)
	}
}

func TestAssertReadOnly(t *testing.T) {
	server := cataloguetest.New(t)
	do := func(method, path string) {
		r, err := http.NewRequest(method, server.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := server.Client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	for _, method := range []string{"GET", "HEAD", "OPTIONS"} {
		do(method, "/api/events/")
	}
	if err := mustIn(resources.Events, server.Catalogue).Delete(1); err != nil {
		t.Fatal(err)
	}
	checkMessage(t, "reads, and a change by the test", failureOf(t, func(tb testing.TB) { server.AssertReadOnly(tb) }))
	do("DELETE", "/api/events/")
	checkMessage(t, "refused write", failureOf(t, func(tb testing.TB) { server.AssertReadOnly(tb) }),
		"write requests received (-want +got)", `"DELETE /api/events/: 405"`)
	server.ClearLog()
	if status := postEvent(t, server); status != http.StatusCreated {
		t.Fatalf("POST: status %d", status)
	}
	checkMessage(t, "write", failureOf(t, func(tb testing.TB) { server.AssertReadOnly(tb) }), `"POST /api/events/: 201"`)
}

// TestAssertWalkedOnce uses a server with 300 events, 12 news and no wires.
func TestAssertWalkedOnce(t *testing.T) {
	const events = "/api/events/?limit=100"
	for _, row := range []struct {
		reason     string
		collection string
		paths      []string
		parts      []string
	}{
		{"in order", "events", []string{events, events + "&offset=100", events + "&offset=200"}, nil},
		{"in any order", "events", []string{events + "&offset=200", events, events + "&offset=100"}, nil},
		{"pages of different sizes", "events", []string{"/api/events/?limit=30", "/api/events/?limit=270&offset=30"}, nil},
		{"other requests in between", "events", []string{events, "/api/news/", "/api/events/?format=x", events + "&offset=100", events + "&offset=200"}, nil},
		{"one page", "events", []string{"/api/events/?limit=300"}, nil},
		{"page that is not full", "news", []string{"/api/news/"}, nil},
		{"key other than the segment", "itemVariants", []string{"/api/item_variants/"}, nil},
		{"empty collection", "wires", []string{"/api/wires/"}, nil},
		{"not fetched", "events", []string{"/api/news/"}, []string{"events: no page of /api/events/ was fetched"}},
		{"unknown collection", "evnets", nil, []string{`AssertWalkedOnce: unknown collection: "evnets"`}},
		{"last page missing", "events", []string{events, events + "&offset=100"}, []string{`- 	"offset 200: 100 records, last page",`}},
		{"first page missing", "events", []string{events + "&offset=100", events + "&offset=200"}, []string{`- 	"offset 0: 100 records",`}},
		{"page twice", "events", []string{events, events + "&offset=100", events + "&offset=100", events + "&offset=200"}, []string{`+ 	"offset 100: 100 records",`}},
		{"gap", "events", []string{events, events + "&offset=101", events + "&offset=200"}, []string{`"offset 100: 100 records"`, `"offset 101: 100 records"`}},
		{"overlap", "events", []string{events, events + "&offset=99", events + "&offset=199", events + "&offset=299"}, []string{`"offset 99: 100 records"`}},
		{"page past the end", "events", []string{events, events + "&offset=100", events + "&offset=200", events + "&offset=300"}, []string{`+ 	"offset 300: 0 records, last page",`}},
		{"two orderings", "events", []string{events, events + "&offset=100&ordering=name"}, []string{"pages have different orderings", "ordering=name"}},
	} {
		server := cataloguetest.New(t)
		if err := server.Catalogue.Load(strings.NewReader(`{"wires":[]}`), catalogue.LoadOptions{}); err != nil {
			t.Fatal(err)
		}
		getAll(t, server, row.paths...)
		checkMessage(t, row.reason, failureOf(t, func(tb testing.TB) { server.AssertWalkedOnce(tb, row.collection) }), row.parts...)
	}
}

// TestAssertWalkedOnceLimits walks the 12 news of servers with other limits than the default ones.
func TestAssertWalkedOnceLimits(t *testing.T) {
	tests := []struct {
		reason string
		limits pagination.Limits
		paths  []string
	}{
		{"smaller default", pagination.Limits{Default: 6}, []string{"/api/news/", "/api/news/?offset=6"}},
		{"smaller maximum", pagination.Limits{Max: 6}, []string{"/api/news/?limit=100", "/api/news/?limit=100&offset=6"}},
		{"all by default", pagination.Limits{Default: -1, Max: -1}, []string{"/api/news/"}},
		{"no maximum", pagination.Limits{Max: -1}, []string{"/api/news/?limit=5000"}},
	}
	for _, tt := range tests {
		server := cataloguetest.NewWith(t, cataloguetest.Options{Limits: tt.limits})
		getAll(t, server, tt.paths...)
		checkMessage(t, tt.reason, failureOf(t, func(tb testing.TB) { server.AssertWalkedOnce(tb, "news") }))
	}
}

func TestAssertWalkedOnceCountChanges(t *testing.T) {
	server := cataloguetest.New(t)
	getAll(t, server, "/api/events/?limit=150")
	if err := mustIn(resources.Events, server.Catalogue).Delete(1); err != nil {
		t.Fatal(err)
	}
	getAll(t, server, "/api/events/?limit=150&offset=150")
	checkMessage(t, "record deleted", failureOf(t, func(tb testing.TB) { server.AssertWalkedOnce(tb, "events") }),
		`the count changed: 300 in "GET /api/events/?limit=150", 299 in "GET /api/events/?limit=150&offset=150"`)
}

// TestAssertWalkedOnceRecordTwice uses pages with the right number of records, of which one is
// repeated and another is missing.
func TestAssertWalkedOnceRecordTwice(t *testing.T) {
	const first, second = "/api/events/?limit=150&ordering=-id", "/api/events/?limit=150&ordering=-id&offset=150"
	for reason, between := range map[string]func(server *cataloguetest.Server) error{
		"record inserted before and record deleted after": func(server *cataloguetest.Server) error {
			if _, err := mustIn(resources.Events, server.Catalogue).Insert(resources.Event{Name: "new"}); err != nil {
				return err
			}
			return mustIn(resources.Events, server.Catalogue).Delete(1)
		},
		"ordering with ties": func(server *cataloguetest.Server) error {
			server.Inject(cataloguetest.Match{}, cataloguetest.RepeatedRow())
			server.Inject(cataloguetest.Match{}, cataloguetest.MissingRow())
			return nil
		},
	} {
		server := cataloguetest.New(t)
		var ids []int
		for e := range mustIn(resources.Events, server.Catalogue).All() {
			ids = append(ids, e.ID)
		}
		last := slices.Sorted(slices.Values(ids))[len(ids)-150] // on the first page
		getAll(t, server, first)
		if err := between(server); err != nil {
			t.Fatal(err)
		}
		getAll(t, server, second)
		checkMessage(t, reason, failureOf(t, func(tb testing.TB) { server.AssertWalkedOnce(tb, "events") }),
			fmt.Sprintf(`events: record %d is in both "GET %s" and "GET /api/events/?limit=150&offset=150&ordering=-id"`, last, first))
		if err := server.Catalogue.Check(); err != nil {
			t.Error(err)
		}
	}
}

// TestAssertWalkedOnceOtherIDs uses a record type whose ids are not numbers.
func TestAssertWalkedOnceOtherIDs(t *testing.T) {
	server := cataloguetest.New(t)
	server.Inject(cataloguetest.Match{}, cataloguetest.Status(200,
		`{"count":3,"next":null,"previous":null,"results":[{"id":"a"},{"key":1},{"key":1}]}`))
	getAll(t, server, "/api/books/")
	server.AssertWalkedOnce(t, "books")
}

// TestAssertWalkedOnceNotPages checks that responses other than pages are ignored.
func TestAssertWalkedOnceNotPages(t *testing.T) {
	for _, body := range []string{"null", "{}", "[]", "0", `{"count":0,"next":null,"previous":null}`} {
		server := cataloguetest.New(t)
		server.Inject(cataloguetest.Match{Nth: 1}, cataloguetest.Status(200, body))
		getAll(t, server, "/api/books/", "/api/books/?limit=1000")
		checkMessage(t, body, failureOf(t, func(tb testing.TB) { server.AssertWalkedOnce(tb, "books") }))
	}
}

// TestFailureReport checks that a failed test logs its requests and the changes to the
// catalogue, with a limited number of lines.
func TestFailureReport(t *testing.T) {
	run := func(opts cataloguetest.Options, test func(tb testing.TB, server *cataloguetest.Server)) string {
		r := &recorder{TB: t}
		test(r, cataloguetest.NewWith(r, opts))
		r.end()
		return strings.Join(r.logs, "\n")
	}
	text := run(cataloguetest.Options{}, func(tb testing.TB, server *cataloguetest.Server) {
		getAll(t, server, "/api/events/")
	})
	if text != "" {
		t.Errorf("passed test logged %q", text)
	}
	text = run(cataloguetest.Options{}, func(tb testing.TB, server *cataloguetest.Server) {
		for range 30 {
			getAll(t, server, "/api/news/?limit=1")
		}
		getAll(t, server, "/api/nothing/?"+strings.Repeat("q", 500))
		for e := range mustIn(resources.Events, server.Catalogue).All() {
			if err := mustIn(resources.Events, server.Catalogue).Delete(e.ID); err != nil {
				t.Fatal(err)
			}
		}
		tb.Errorf("deliberate failure")
	})
	checkMessage(t, "failed test", text, "cataloguetest: the last 20 of 31 requests:\n  GET /api/news/?limit=1 → 200, ",
		"GET /api/nothing/?qqqq", "…\n    {\"detail\":\"Not found.\"}\nchanges to the catalogue", "events: want 300 records, got 0")
	if lines := strings.Count(text, "\n"); lines > 65 {
		t.Errorf("report has %d lines", lines)
	}
	for line := range strings.Lines(text) {
		if len(line) > 210 {
			t.Errorf("report has a line of %d bytes: %s", len(line), line)
		}
	}
	for reason, opts := range map[string]cataloguetest.Options{
		"sample": {}, "empty": {Empty: true}, "fixtures": {Fixtures: files("news.json", `[{"id": 1}]`)},
	} {
		text = run(opts, func(tb testing.TB, _ *cataloguetest.Server) { tb.Errorf("deliberate failure") })
		checkMessage(t, reason+", unused", text, "cataloguetest: no requests were received\nthe catalogue has not changed")
	}
	text = run(cataloguetest.Options{Fixtures: files("news.json", `[{"id": 1}]`)}, func(tb testing.TB, server *cataloguetest.Server) {
		if err := server.Catalogue.Load(strings.NewReader(`{"news":[]}`), catalogue.LoadOptions{}); err != nil {
			t.Fatal(err)
		}
		tb.Errorf("deliberate failure")
	})
	checkMessage(t, "changed fixtures", text, "news: want 1 record")
}

// TestFailureReportBodies checks that the bodies of error responses are logged, in one line
// of valid UTF-8.
func TestFailureReportBodies(t *testing.T) {
	tests := []struct {
		reason string
		status int
		body   string
		want   string // the line; empty: none
	}{
		{"a document", 400, `{"name":["This field is required."]}`, `{"name":["This field is required."]}`},
		{"several lines", 500, "<h1>Down</h1>\n\t<p>Later\r\n</p>\x1b[31m", "<h1>Down</h1> <p>Later </p> [31m"},
		{"invalid UTF-8", 404, "a\xffb", "a\ufffdb"},
		{"500 bytes", 502, strings.Repeat("x", 500), strings.Repeat("x", 500)},
		{"a longer body is cut between two characters", 502, strings.Repeat("x", 499) + "éé", strings.Repeat("x", 499) + "…"},
		{"a body that is only white space", 500, " \n ", ""},
		{"no body", 500, "", ""},
		{"no error", 399, "fine", ""},
	}
	for _, tt := range tests {
		r := &recorder{TB: t}
		server := cataloguetest.New(r)
		server.Inject(cataloguetest.Match{}, cataloguetest.Status(tt.status, tt.body))
		getAll(t, server, "/api/news/")
		r.Errorf("deliberate failure")
		r.end()
		lines := strings.Split(strings.Join(r.logs, "\n"), "\n")
		if len(lines) < 3 || !strings.HasPrefix(lines[1], fmt.Sprintf("  GET /api/news/ → %d, %d bytes", tt.status, len(tt.body))) {
			t.Fatalf("%s: logs %q", tt.reason, r.logs)
		}
		line := ""
		if rest, ok := strings.CutPrefix(lines[2], "    "); ok {
			line = rest
		}
		if line != tt.want {
			t.Errorf("%s: line %q, want %q", tt.reason, line, tt.want)
		}
	}
}

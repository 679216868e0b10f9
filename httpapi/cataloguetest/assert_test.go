package cataloguetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
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
	server := New(t)
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
	server := New(t)
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

// TestAssertWalkedOnce uses servers with 300 events, 12 news and no wires, or with 30 films.
func TestAssertWalkedOnce(t *testing.T) {
	const events = "/api/events/?limit=100"
	const first, second = "/v1/films/", "/v1/films/?limit=21&offset=21"
	var none pagination.Limits
	for _, row := range []struct {
		reason     string
		collection string
		paths      []string
		parts      []string
		limits     pagination.Limits
		body       string // of the response to the first request, if not empty
	}{
		{"in order", "events", []string{events, events + "&offset=100", events + "&offset=200"}, nil, none, ""},
		{"in any order", "events", []string{events + "&offset=200", events, events + "&offset=100"}, nil, none, ""},
		{"pages of different sizes", "events", []string{"/api/events/?limit=30", "/api/events/?limit=270&offset=30"}, nil, none, ""},
		{"other requests in between", "events", []string{events, "/api/news/", "/api/events/?format=x", events + "&offset=100", events + "&offset=200"}, nil, none, ""},
		{"one page", "events", []string{"/api/events/?limit=300"}, nil, none, ""},
		{"page that is not full", "news", []string{"/api/news/"}, nil, none, ""},
		{"key other than the segment", "itemVariants", []string{"/api/item_variants/"}, nil, none, ""},
		{"empty collection", "wires", []string{"/api/wires/"}, nil, none, ""},
		{"not fetched", "events", []string{"/api/news/"}, []string{"events: no page of /api/events/ was fetched"}, none, ""},
		{"unknown collection", "evnets", nil, []string{`AssertWalkedOnce: unknown collection: "evnets"`}, none, ""},
		{"last page missing", "events", []string{events, events + "&offset=100"}, []string{`- 	"offset 200: 100 records, last page",`}, none, ""},
		{"first page missing", "events", []string{events + "&offset=100", events + "&offset=200"}, []string{`- 	"offset 0: 100 records",`}, none, ""},
		{"page twice", "events", []string{events, events + "&offset=100", events + "&offset=100", events + "&offset=200"}, []string{`+ 	"offset 100: 100 records",`}, none, ""},
		{"gap", "events", []string{events, events + "&offset=101", events + "&offset=200"}, []string{`"offset 100: 100 records"`, `"offset 101: 100 records"`}, none, ""},
		{"overlap", "events", []string{events, events + "&offset=99", events + "&offset=199", events + "&offset=299"}, []string{`"offset 99: 100 records"`}, none, ""},
		{"page past the end", "events", []string{events, events + "&offset=100", events + "&offset=200", events + "&offset=300"}, []string{`+ 	"offset 300: 0 records, last page",`}, none, ""},
		{"two orderings", "events", []string{events, events + "&offset=100&ordering=name"}, []string{"pages have different orderings", "ordering=name"}, none, ""},

		{"smaller default", "news", []string{"/api/news/", "/api/news/?offset=6"}, nil, pagination.Limits{Default: 6}, ""},
		{"smaller maximum", "news", []string{"/api/news/?limit=100", "/api/news/?limit=100&offset=6"}, nil, pagination.Limits{Max: 6}, ""},
		{"all by default", "news", []string{"/api/news/"}, nil, pagination.Limits{Default: -1, Max: -1}, ""},
		{"no maximum", "news", []string{"/api/news/?limit=5000"}, nil, pagination.Limits{Max: -1}, ""},

		{"ids that are not numbers", "news", []string{"/api/news/"}, nil, none, `{"count":3,"next":null,"previous":null,"results":[{"id":"a"},{"key":1},{"key":1}]}`},
		{"not a page: null", "news", []string{"/api/news/", "/api/news/"}, nil, none, "null"},
		{"not a page: an empty object", "news", []string{"/api/news/", "/api/news/"}, nil, none, "{}"},
		{"not a page: an array", "news", []string{"/api/news/", "/api/news/"}, nil, none, "[]"},
		{"not a page: no results", "news", []string{"/api/news/", "/api/news/"}, nil, none, `{"count":0,"next":null,"previous":null}`},

		{"both pages of films", "shortFilms", []string{first, second}, nil, none, ""},
		{"records between the pages", "shortFilms", []string{first, "/v1/films/7/", second}, nil, none, ""},
		{"pages of a filter and of a search do not count", "shortFilms", []string{first, first + "?director=1", first + "?search=film+7", second}, nil, none, ""},
		{"an empty filter selects all", "shortFilms", []string{first, first + "?director=", second}, []string{"pages fetched"}, none, ""},
		{"only pages of a filter", "shortFilms", []string{first + "?director=1"}, []string{"no page of /v1/films/ was fetched"}, none, ""},
		{"second page missing", "shortFilms", []string{first}, []string{"offset 21: 9 records, last page"}, none, ""},
		{"the documented path", "shortFilms", []string{"/api/films/"}, []string{"no page of /v1/films/ was fetched"}, none, ""},
	} {
		server := newFilms(t, 30)
		if row.collection != "shortFilms" {
			server = NewWith(t, Options{Limits: row.limits})
			if err := server.Catalogue.Load(strings.NewReader(`{"wires":[]}`), catalogue.LoadOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		if row.body != "" {
			server.Inject(Match{Nth: 1}, Status(200, row.body))
		}
		getAll(t, server, row.paths...)
		checkMessage(t, row.reason, failureOf(t, func(tb testing.TB) { server.AssertWalkedOnce(tb, row.collection) }), row.parts...)
	}
}

func TestAssertWalkedOnceCountChanges(t *testing.T) {
	server := New(t)
	getAll(t, server, "/api/events/?limit=150")
	if err := eventsOf(server.Catalogue).Delete(1); err != nil {
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
	for reason, between := range map[string]func(server *Server) error{
		"record inserted before and record deleted after": func(server *Server) error {
			if _, err := eventsOf(server.Catalogue).Insert(resources.Event{Name: "new"}); err != nil {
				return err
			}
			return eventsOf(server.Catalogue).Delete(1)
		},
		"ordering with ties": func(server *Server) error {
			server.Inject(Match{}, RepeatedRow())
			server.Inject(Match{}, MissingRow())
			return nil
		},
	} {
		server := New(t)
		var ids []int
		for e := range eventsOf(server.Catalogue).All() {
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

// TestFailureReport checks that a failed test logs its requests and the changes to the
// catalogue, with a limited number of lines.
func TestFailureReport(t *testing.T) {
	run := func(opts Options, test func(tb testing.TB, server *Server)) string {
		r := &recorder{TB: t}
		test(r, NewWith(r, opts))
		r.end()
		return strings.Join(r.logs, "\n")
	}
	text := run(Options{}, func(tb testing.TB, server *Server) {
		getAll(t, server, "/api/events/")
	})
	if text != "" {
		t.Errorf("passed test logged %q", text)
	}
	text = run(Options{}, func(tb testing.TB, server *Server) {
		for range 30 {
			getAll(t, server, "/api/news/?limit=1")
		}
		getAll(t, server, "/api/nothing/?"+strings.Repeat("q", 500))
		for e := range eventsOf(server.Catalogue).All() {
			if err := eventsOf(server.Catalogue).Delete(e.ID); err != nil {
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
	for reason, opts := range map[string]Options{
		"sample": {}, "empty": {Empty: true}, "fixtures": {Fixtures: files("news.json", `[{"id": 1}]`)},
	} {
		text = run(opts, func(tb testing.TB, _ *Server) { tb.Errorf("deliberate failure") })
		checkMessage(t, reason+", unused", text, "cataloguetest: no requests were received\nthe catalogue has not changed")
	}
	text = run(Options{Fixtures: files("news.json", `[{"id": 1}]`)}, func(tb testing.TB, server *Server) {
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
		server := New(r)
		server.Inject(Match{}, Status(tt.status, tt.body))
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

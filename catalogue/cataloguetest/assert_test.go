package cataloguetest_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
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

func TestAsked(t *testing.T) {
	house := cataloguetest.New(t)
	getAll(t, house, "/api/", "/api/events/?limit=2&ordering=name", "/api/events/?limit=2&limit=3")
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
		{"no method", []string{"/api/"}, []string{`Asked: invalid request "/api/"; want one such as "GET /api/events/?limit=2"`}},
		{"absolute URL", []string{"GET http://catalogue.test/api/"}, []string{"invalid request"}},
		{"invalid escape in the path", []string{"GET /%zz"}, []string{`Asked: invalid request "GET /%zz"`}},
	} {
		checkMessage(t, row.reason, failureOf(t, func(tb testing.TB) { house.Asked(tb, row.want...) }), row.parts...)
	}
}

// TestAskedInvalidQuery checks that parameters that net/url drops are compared, in any
// order.
func TestAskedInvalidQuery(t *testing.T) {
	house := cataloguetest.New(t)
	getAll(t, house, "/api/events/?a=1;b=2&c=3", "/api/events/?x=100%&c=3")
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
		checkMessage(t, row.reason, failureOf(t, func(tb testing.TB) { house.Asked(tb, row.want...) }), row.parts...)
	}
}

func TestNeverWrote(t *testing.T) {
	house := cataloguetest.New(t)
	do := func(method, path string) {
		r, err := http.NewRequest(method, house.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		resp, err := house.Client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
	}
	for _, method := range []string{"GET", "HEAD", "OPTIONS"} {
		do(method, "/api/events/")
	}
	if err := house.Catalogue.Events().Delete(1); err != nil {
		t.Fatal(err)
	}
	checkMessage(t, "reads, and a change by the test", failureOf(t, func(tb testing.TB) { house.NeverWrote(tb) }))
	do("DELETE", "/api/events/")
	checkMessage(t, "refused write", failureOf(t, func(tb testing.TB) { house.NeverWrote(tb) }),
		"write requests received (-want +got)", `"DELETE /api/events/: 405"`)
	house.Forget()
	if status := postEvent(t, house); status != http.StatusCreated {
		t.Fatalf("POST: status %d", status)
	}
	checkMessage(t, "write", failureOf(t, func(tb testing.TB) { house.NeverWrote(tb) }), `"POST /api/events/: 201"`)
}

// TestWalkedOnce uses a house with 300 events, 12 news and no wires.
func TestWalkedOnce(t *testing.T) {
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
		{"unknown collection", "evnets", nil, []string{`WalkedOnce: unknown collection: "evnets"`}},
		{"last page missing", "events", []string{events, events + "&offset=100"}, []string{`- 	"offset 200: 100 records, last page",`}},
		{"first page missing", "events", []string{events + "&offset=100", events + "&offset=200"}, []string{`- 	"offset 0: 100 records",`}},
		{"page twice", "events", []string{events, events + "&offset=100", events + "&offset=100", events + "&offset=200"}, []string{`+ 	"offset 100: 100 records",`}},
		{"gap", "events", []string{events, events + "&offset=101", events + "&offset=200"}, []string{`"offset 100: 100 records"`, `"offset 101: 100 records"`}},
		{"overlap", "events", []string{events, events + "&offset=99", events + "&offset=199", events + "&offset=299"}, []string{`"offset 99: 100 records"`}},
		{"page past the end", "events", []string{events, events + "&offset=100", events + "&offset=200", events + "&offset=300"}, []string{`+ 	"offset 300: 0 records, last page",`}},
		{"two orderings", "events", []string{events, events + "&offset=100&ordering=name"}, []string{"pages have different orderings", "ordering=name"}},
	} {
		house := cataloguetest.New(t)
		if err := house.Catalogue.LoadCollection("wires", strings.NewReader("[]")); err != nil {
			t.Fatal(err)
		}
		getAll(t, house, row.paths...)
		checkMessage(t, row.reason, failureOf(t, func(tb testing.TB) { house.WalkedOnce(tb, row.collection) }), row.parts...)
	}
}

// TestWalkedOnceLimits walks the 12 news of houses with other limits than the default ones.
func TestWalkedOnceLimits(t *testing.T) {
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
		house := cataloguetest.NewWith(t, cataloguetest.Options{Limits: tt.limits})
		getAll(t, house, tt.paths...)
		checkMessage(t, tt.reason, failureOf(t, func(tb testing.TB) { house.WalkedOnce(tb, "news") }))
	}
}

func TestWalkedOnceCountChanges(t *testing.T) {
	house := cataloguetest.New(t)
	getAll(t, house, "/api/events/?limit=150")
	if err := house.Catalogue.Events().Delete(1); err != nil {
		t.Fatal(err)
	}
	getAll(t, house, "/api/events/?limit=150&offset=150")
	checkMessage(t, "record deleted", failureOf(t, func(tb testing.TB) { house.WalkedOnce(tb, "events") }),
		`the count changed: 300 in "GET /api/events/?limit=150", 299 in "GET /api/events/?limit=150&offset=150"`)
}

// TestWalkedOnceRecordTwice uses pages with the right number of records, of which one is
// repeated and another is missing.
func TestWalkedOnceRecordTwice(t *testing.T) {
	const first, second = "/api/events/?limit=150&ordering=-id", "/api/events/?limit=150&ordering=-id&offset=150"
	for reason, between := range map[string]func(house *cataloguetest.House) error{
		"record inserted before and record deleted after": func(house *cataloguetest.House) error {
			if _, err := house.Catalogue.Events().Insert(schema.Event{Name: "new"}); err != nil {
				return err
			}
			return house.Catalogue.Events().Delete(1)
		},
		"ordering with ties": func(house *cataloguetest.House) error {
			house.Break(cataloguetest.Where{}, cataloguetest.RepeatedRow())
			house.Break(cataloguetest.Where{}, cataloguetest.MissingRow())
			return nil
		},
	} {
		house := cataloguetest.New(t)
		var ids []int
		for e := range house.Catalogue.Events().All() {
			ids = append(ids, e.ID)
		}
		last := slices.Sorted(slices.Values(ids))[len(ids)-150] // on the first page
		getAll(t, house, first)
		if err := between(house); err != nil {
			t.Fatal(err)
		}
		getAll(t, house, second)
		checkMessage(t, reason, failureOf(t, func(tb testing.TB) { house.WalkedOnce(tb, "events") }),
			fmt.Sprintf(`events: record %d is in both "GET %s" and "GET /api/events/?limit=150&offset=150&ordering=-id"`, last, first))
		if err := house.Catalogue.Check(); err != nil {
			t.Error(err)
		}
	}
}

// TestWalkedOnceOtherIDs uses a record type whose ids are not numbers.
func TestWalkedOnceOtherIDs(t *testing.T) {
	house := cataloguetest.New(t)
	house.Break(cataloguetest.Where{}, cataloguetest.Status(200,
		`{"count":3,"next":null,"previous":null,"results":[{"id":"a"},{"key":1},{"key":1}]}`))
	getAll(t, house, "/api/books/")
	house.WalkedOnce(t, "books")
}

// TestWalkedOnceNotPages checks that responses other than pages are ignored.
func TestWalkedOnceNotPages(t *testing.T) {
	for _, body := range []string{"null", "{}", "[]", "0", `{"count":0,"next":null,"previous":null}`} {
		house := cataloguetest.New(t)
		house.Break(cataloguetest.Where{Nth: 1}, cataloguetest.Status(200, body))
		getAll(t, house, "/api/books/", "/api/books/?limit=1000")
		checkMessage(t, body, failureOf(t, func(tb testing.TB) { house.WalkedOnce(tb, "books") }))
	}
}

// TestFailureReport checks that a failed test logs its requests and the changes to the
// catalogue, with a limited number of lines.
func TestFailureReport(t *testing.T) {
	run := func(opts cataloguetest.Options, test func(tb testing.TB, house *cataloguetest.House)) string {
		r := &recorder{TB: t}
		test(r, cataloguetest.NewWith(r, opts))
		r.end()
		return strings.Join(r.logs, "\n")
	}
	text := run(cataloguetest.Options{}, func(tb testing.TB, house *cataloguetest.House) {
		getAll(t, house, "/api/events/")
	})
	if text != "" {
		t.Errorf("passed test logged %q", text)
	}
	text = run(cataloguetest.Options{}, func(tb testing.TB, house *cataloguetest.House) {
		for range 30 {
			getAll(t, house, "/api/news/?limit=1")
		}
		getAll(t, house, "/api/nothing/?"+strings.Repeat("q", 500))
		for e := range house.Catalogue.Events().All() {
			if err := house.Catalogue.Events().Delete(e.ID); err != nil {
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
		text = run(opts, func(tb testing.TB, _ *cataloguetest.House) { tb.Errorf("deliberate failure") })
		checkMessage(t, reason+", unused", text, "cataloguetest: no requests were received\nthe catalogue has not changed")
	}
	text = run(cataloguetest.Options{Fixtures: files("news.json", `[{"id": 1}]`)}, func(tb testing.TB, house *cataloguetest.House) {
		if err := house.Catalogue.LoadCollection("news", strings.NewReader("[]")); err != nil {
			t.Fatal(err)
		}
		tb.Errorf("deliberate failure")
	})
	checkMessage(t, "changed fixtures", text, "news: want 1 record")
}

package cataloguetest_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue/cataloguetest"
	"github.com/gobacklist/backlist/resources"
)

// said fails the test unless a failure has all of some parts. Without parts there
// must be no failure.
func said(t *testing.T, reason, failure string, parts ...string) {
	t.Helper()
	if len(parts) == 0 && failure != "" {
		t.Errorf("%s: failed with %s", reason, failure)
	}
	plain := strings.ReplaceAll(failure, "\u00a0", " ") // go-cmp varies its blanks
	for _, part := range parts {
		if !strings.Contains(plain, part) {
			t.Errorf("%s: failed with %q, without %q", reason, failure, part)
		}
	}
}

func TestAsked(t *testing.T) {
	house := cataloguetest.New(t)
	ask(t, house, "/api/", "/api/events/?limit=2&ordering=name", "/api/events/?limit=2&limit=3")
	const root, page, twice = "GET /api/", "GET /api/events/?limit=2&ordering=name", "GET /api/events/?limit=2&limit=3"
	for _, row := range []struct {
		reason string
		want   []string
		parts  []string
	}{
		{"exactly these", []string{root, page, twice}, nil},
		{"parameters in another order, escaped otherwise", []string{root, "GET /api/events/?ordering=n%61me&limit=2", twice}, nil},
		{"one too few", []string{root, page}, []string{"asked otherwise (-want +got)", `+ 	"GET /api/events/?limit=2&limit=3"`}},
		{"one too many", []string{root, page, twice, root}, []string{`- 	"GET /api/",`}},
		{"another order", []string{page, root, twice}, []string{`- 	"GET /api/events/?limit=2&ordering=name",`, `+ 	"GET /api/events/?limit=2&ordering=name",`}},
		{"another value", []string{root, "GET /api/events/?limit=3&ordering=name", twice}, []string{`- 	"GET /api/events/?limit=3&ordering=name",`, `+ 	"GET /api/events/?limit=2&ordering=name",`}},
		{"another parameter", []string{root, "GET /api/events/?limit=2&ordering=name&offset=0", twice}, []string{`- 	"GET /api/events/?limit=2&offset=0&ordering=name"`}},
		{"values of one parameter in another order", []string{root, page, "GET /api/events/?limit=3&limit=2"}, []string{`- 	"GET /api/events/?limit=3&limit=2"`}},
		{"another method", []string{"HEAD /api/", page, twice}, []string{`"HEAD /api/"`}},
		{"another path", []string{"GET /api", page, twice}, []string{`"GET /api"`}},
		{"nothing", nil, []string{`+ 	"GET /api/",`}},
		{"no method", []string{"/api/"}, []string{`Asked: "/api/" is no request, which looks like "GET /api/events/?limit=2"`}},
		{"a whole URL", []string{"GET http://catalogue.test/api/"}, []string{"is no request"}},
		{"a broken path", []string{"GET /%zz"}, []string{`Asked: "GET /%zz" is no request`}},
	} {
		said(t, row.reason, failure(t, func(tb testing.TB) { house.Asked(tb, row.want...) }), row.parts...)
	}
}

// TestAskedOddly: the order of parameters does not count either where net/url
// drops some of them, and none of them is overlooked.
func TestAskedOddly(t *testing.T) {
	house := cataloguetest.New(t)
	ask(t, house, "/api/events/?a=1;b=2&c=3", "/api/events/?x=100%&c=3")
	const semicolon, percent = "GET /api/events/?c=3&a=1;b=2", "GET /api/events/?c=3&x=100%"
	for _, row := range []struct {
		reason string
		want   []string
		parts  []string
	}{
		{"another order", []string{semicolon, percent}, nil},
		{"without what has a semicolon", []string{"GET /api/events/?c=3", percent}, []string{`- 	"GET /api/events/?c=3",`}},
		{"with another broken escape", []string{semicolon, "GET /api/events/?c=3&x=10%"}, []string{"asked otherwise"}},
	} {
		said(t, row.reason, failure(t, func(tb testing.TB) { house.Asked(tb, row.want...) }), row.parts...)
	}
}

func TestNeverWrote(t *testing.T) {
	house := cataloguetest.New(t)
	do := func(method, path string) {
		r, err := http.NewRequest(method, house.URL+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		answer, err := house.Client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		answer.Body.Close()
	}
	for _, method := range []string{"GET", "HEAD", "OPTIONS"} {
		do(method, "/api/events/")
	}
	if err := house.Catalogue.Events().Delete(1); err != nil {
		t.Fatal(err)
	}
	said(t, "reads, and writes of the test's own", failure(t, func(tb testing.TB) { house.NeverWrote(tb) }))
	do("DELETE", "/api/events/")
	said(t, "a write that was refused", failure(t, func(tb testing.TB) { house.NeverWrote(tb) }),
		"the house was written to (-want +got)", `"DELETE /api/events/: 405"`)
	house.Forget()
	if status := postEvent(t, house); status != http.StatusCreated {
		t.Fatal(status)
	}
	said(t, "a write", failure(t, func(tb testing.TB) { house.NeverWrote(tb) }), `"POST /api/events/: 201"`)
}

// TestWalkedOnce walks 300 events, 12 news and no wires in many ways.
func TestWalkedOnce(t *testing.T) {
	const events = "/api/events/?limit=100"
	for _, row := range []struct {
		reason     string
		collection string
		paths      []string
		parts      []string
	}{
		{"page by page", "events", []string{events, events + "&offset=100", events + "&offset=200"}, nil},
		{"in any order", "events", []string{events + "&offset=200", events, events + "&offset=100"}, nil},
		{"with pages that grow", "events", []string{"/api/events/?limit=30", "/api/events/?limit=270&offset=30"}, nil},
		{"with other questions in between", "events", []string{events, "/api/news/", "/api/events/?format=x", events + "&offset=100", events + "&offset=200"}, nil},
		{"in one page", "events", []string{"/api/events/?limit=300"}, nil},
		{"a page that has room", "news", []string{"/api/news/"}, nil},
		{"a key that is no segment", "itemVariants", []string{"/api/item_variants/"}, nil},
		{"nothing to walk", "wires", []string{"/api/wires/"}, nil},
		{"never asked", "events", []string{"/api/news/"}, []string{"events: no page of /api/events/ was fetched"}},
		{"no such collection", "evnets", nil, []string{`WalkedOnce: there is no collection "evnets"`}},
		{"not to the end", "events", []string{events, events + "&offset=100"}, []string{`- 	"offset 200: 100 records, the last",`}},
		{"not from the beginning", "events", []string{events + "&offset=100", events + "&offset=200"}, []string{`- 	"offset 0: 100 records",`}},
		{"a page twice", "events", []string{events, events + "&offset=100", events + "&offset=100", events + "&offset=200"}, []string{`+ 	"offset 100: 100 records",`}},
		{"a gap", "events", []string{events, events + "&offset=101", events + "&offset=200"}, []string{`"offset 100: 100 records"`, `"offset 101: 100 records"`}},
		{"an overlap", "events", []string{events, events + "&offset=99", events + "&offset=199", events + "&offset=299"}, []string{`"offset 99: 100 records"`}},
		{"a page too many", "events", []string{events, events + "&offset=100", events + "&offset=200", events + "&offset=300"}, []string{`+ 	"offset 300: 0 records, the last",`}},
		{"two orders", "events", []string{events, events + "&offset=100&ordering=name"}, []string{"pages of different orders", "ordering=name"}},
	} {
		house := cataloguetest.New(t)
		if err := house.Catalogue.LoadCollection("wires", strings.NewReader("[]")); err != nil {
			t.Fatal(err)
		}
		ask(t, house, row.paths...)
		said(t, row.reason, failure(t, func(tb testing.TB) { house.WalkedOnce(tb, row.collection) }), row.parts...)
	}
}

// TestWalkOfWhatChanges: a walk during which the count changed proves nothing.
func TestWalkOfWhatChanges(t *testing.T) {
	house := cataloguetest.New(t)
	ask(t, house, "/api/events/?limit=150")
	if err := house.Catalogue.Events().Delete(1); err != nil {
		t.Fatal(err)
	}
	ask(t, house, "/api/events/?limit=150&offset=150")
	said(t, "a record was deleted", failure(t, func(tb testing.TB) { house.WalkedOnce(tb, "events") }),
		`the count changed: 300 in "GET /api/events/?limit=150", 299 in "GET /api/events/?limit=150&offset=150"`)
}

// TestWalkOfListsThatDiffer: as many records as there should be are no proof either,
// if one came twice and so another not at all.
func TestWalkOfListsThatDiffer(t *testing.T) {
	const first, second = "/api/events/?limit=150&ordering=-id", "/api/events/?limit=150&ordering=-id&offset=150"
	for reason, between := range map[string]func(house *cataloguetest.House) error{
		"one more in front, one less behind": func(house *cataloguetest.House) error {
			if _, err := house.Catalogue.Events().Insert(resources.Event{Name: "new"}); err != nil {
				return err
			}
			return house.Catalogue.Events().Delete(1)
		},
		"an order with ties": func(house *cataloguetest.House) error {
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
		last := slices.Sorted(slices.Values(ids))[len(ids)-150] // of the first page
		ask(t, house, first)
		if err := between(house); err != nil {
			t.Fatal(err)
		}
		ask(t, house, second)
		said(t, reason, failure(t, func(tb testing.TB) { house.WalkedOnce(tb, "events") }),
			fmt.Sprintf(`events: record %d came in "GET %s" and in "GET /api/events/?limit=150&offset=150&ordering=-id": the pages are not of one list`, last, first))
		if err := house.Catalogue.Check(); err != nil {
			t.Error(err)
		}
	}
}

// TestWalkOfTheProgramsOwn: records that have another id than the service's are
// walked as any.
func TestWalkOfTheProgramsOwn(t *testing.T) {
	house := cataloguetest.New(t)
	house.Break(cataloguetest.Where{}, cataloguetest.Status(200,
		`{"count":3,"next":null,"previous":null,"results":[{"id":"a"},{"key":1},{"key":1}]}`))
	ask(t, house, "/api/books/")
	house.WalkedOnce(t, "books")
}

// TestWalkWithWhatIsNoPage: what a client had to ask for again is no page.
func TestWalkWithWhatIsNoPage(t *testing.T) {
	for _, body := range []string{"null", "{}", "[]", "0", `{"count":0,"next":null,"previous":null}`} {
		house := cataloguetest.New(t)
		house.Break(cataloguetest.Where{Nth: 1}, cataloguetest.Status(200, body))
		ask(t, house, "/api/books/", "/api/books/?limit=1000")
		said(t, body, failure(t, func(tb testing.TB) { house.WalkedOnce(tb, "books") }))
	}
}

// TestReport: a test that failed tells what was asked and what was changed, in
// few lines; one that passed tells nothing.
func TestReport(t *testing.T) {
	run := func(opts cataloguetest.Options, test func(tb testing.TB, house *cataloguetest.House)) string {
		r := &recorder{TB: t}
		test(r, cataloguetest.NewWith(r, opts))
		r.end()
		return strings.Join(r.logs, "\n")
	}
	text := run(cataloguetest.Options{}, func(tb testing.TB, house *cataloguetest.House) {
		ask(t, house, "/api/events/")
	})
	if text != "" {
		t.Errorf("passed, and logged %s", text)
	}
	text = run(cataloguetest.Options{}, func(tb testing.TB, house *cataloguetest.House) {
		for range 30 {
			ask(t, house, "/api/news/?limit=1")
		}
		ask(t, house, "/api/nothing/?"+strings.Repeat("q", 500))
		for e := range house.Catalogue.Events().All() {
			if err := house.Catalogue.Events().Delete(e.ID); err != nil {
				t.Fatal(err)
			}
		}
		tb.Errorf("on purpose")
	})
	said(t, "a test that failed", text, "cataloguetest: the house was asked 31 times, at last:\n  GET /api/news/?limit=1 → 200, ",
		"GET /api/nothing/?qqqq", "…\nits catalogue was changed", "events: want 300 records, got 0")
	if lines := strings.Count(text, "\n"); lines > 65 {
		t.Errorf("%d lines", lines)
	}
	for line := range strings.Lines(text) {
		if len(line) > 210 {
			t.Errorf("a line of %d bytes: %s", len(line), line)
		}
	}
	for reason, opts := range map[string]cataloguetest.Options{
		"sample": {}, "empty": {Empty: true}, "fixtures": {Fixtures: files("news.json", `[{"id": 1}]`)},
	} {
		text = run(opts, func(tb testing.TB, _ *cataloguetest.House) { tb.Errorf("on purpose") })
		said(t, reason+", unused", text, "cataloguetest: the house was asked nothing\nits catalogue is as it was")
	}
	text = run(cataloguetest.Options{Fixtures: files("news.json", `[{"id": 1}]`)}, func(tb testing.TB, house *cataloguetest.House) {
		if err := house.Catalogue.LoadCollection("news", strings.NewReader("[]")); err != nil {
			t.Fatal(err)
		}
		tb.Errorf("on purpose")
	})
	said(t, "fixtures, changed", text, "news: want 1 record")
}

package cataloguetest

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

// sevenBooks is a handler of seven books, 1 to 7, and nothing else.
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

// at is a fault in a place, for tables.
func at(where Where, fault Fault) placed { return placed{where, fault} }

// serveBroken serves the seven books with faults, and gives these.
func serveBroken(t testing.TB, breaks ...placed) (*httptest.Server, []*Breakage) {
	t.Helper()
	f := new(faults)
	var made []*Breakage
	for _, b := range breaks {
		breakage, err := f.add(b.where, b.fault)
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, breakage)
	}
	server := httptest.NewServer(f.wrap(sevenBooks(t)))
	t.Cleanup(server.Close)
	return server, made
}

// view is what a client of net/http sees of an answer.
type view struct {
	Status int
	Type   string // Content-Type
	Length int64  // ContentLength
	Body   string // with HOST for the service's
	Err    string // of the request, or of reading the body
}

// ask sends one request, on a connection of its own.
func ask(t testing.TB, server *httptest.Server, method, path string) view {
	t.Helper()
	r, err := http.NewRequest(method, server.URL+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Close = true
	answer, err := server.Client().Do(r)
	if err != nil {
		return view{Err: lastOf(err)}
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	host := strings.TrimPrefix(server.URL, "http://")
	text := strings.ReplaceAll(string(body), host, "HOST")
	return view{answer.StatusCode, answer.Header.Get("Content-Type"), answer.ContentLength, text, lastOf(err)}
}

// lastOf is the text of the innermost error.
func lastOf(err error) string {
	for err != nil {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
	return ""
}

// page is what is seen of a page as it should be.
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

// differ compares, but for the length of bodies in which HOST stands for another
// text.
func differ(want, got view) string {
	if strings.Contains(got.Body, "HOST") {
		want.Length, got.Length = 0, 0
	}
	return cmp.Diff(want, got)
}

// Links of the seven books by threes.
const (
	listURL   = "http://HOST/api/books/"
	firstURL  = listURL + "?limit=3"
	middleURL = listURL + "?limit=3&offset=3"
	lastURL   = listURL + "?limit=3&offset=6"
)

func TestFaultsAsTheClientSeesThem(t *testing.T) {
	const (
		first  = "/api/books/?limit=3"
		middle = "/api/books/?limit=3&offset=3"
		last   = "/api/books/?limit=3&offset=6"
		all    = "/api/books/"
		detail = `{"detail":"Not found."}`
	)
	good := page(7, lastURL, firstURL, `[{"id":4},{"id":5},{"id":6}]`)
	tests := []struct {
		reason string
		faults []Fault
		path   string
		want   view
		counts bool // whether it happened
	}{
		{"a status with JSON", []Fault{Status(503, `{"detail":"Later."}`)}, middle,
			view{503, "application/json", 19, `{"detail":"Later."}`, ""}, true},
		{"a status with what a proxy says", []Fault{Status(502, `<h1>Bad Gateway</h1>`)}, middle,
			view{502, "text/html; charset=utf-8", 20, `<h1>Bad Gateway</h1>`, ""}, true},
		{"a status without a body", []Fault{Status(500, "")}, middle, view{500, "text/html; charset=utf-8", 0, "", ""}, true},
		{"a status that has no body, whatever is said", []Fault{Status(204, "text")}, middle, view{204, "text/html; charset=utf-8", 0, "", ""}, true},
		{"another type, the same bytes", []Fault{ContentType("text/plain")}, middle,
			view{200, "text/plain", good.Length, good.Body, ""}, true},
		{"no type at all", []Fault{ContentType("")}, middle, view{200, "", good.Length, good.Body, ""}, true},

		{"no answer at all", []Fault{Cut()}, middle, view{Err: "EOF"}, true},
		{"cut in the body", []Fault{CutAfter(9)}, "/api/none/",
			view{404, "application/json", int64(len(detail)), `{"detail"`, "unexpected EOF"}, true},
		{"cut behind the header", []Fault{CutAfter(0)}, "/api/none/",
			view{404, "application/json", int64(len(detail)), "", "unexpected EOF"}, true},
		{"cut before the last byte, if it is short", []Fault{CutAfter(1000)}, "/api/none/",
			view{404, "application/json", int64(len(detail)), `{"detail":"Not found."`, "unexpected EOF"}, true},
		{"valid HTTP, broken JSON", []Fault{Truncate(9)}, "/api/none/", view{404, "application/json", 9, `{"detail"`, ""}, true},
		{"but the last byte, if it is short", []Fault{Truncate(1000)}, "/api/none/",
			view{404, "application/json", int64(len(detail)) - 1, `{"detail":"Not found."`, ""}, true},
		{"all bytes, in pieces", []Fault{Slow(5, 0)}, middle, good, true},

		{"next is the first page itself, without an offset", []Fault{NextIsSelf()}, first,
			page(7, firstURL, "", `[{"id":1},{"id":2},{"id":3}]`), true},
		{"next is the page itself", []Fault{NextIsSelf()}, middle, page(7, middleURL, firstURL, `[{"id":4},{"id":5},{"id":6}]`), true},
		{"next is the last page itself", []Fault{NextIsSelf()}, last, page(7, lastURL, middleURL, `[{"id":7}]`), true},
		{"next is the only page itself, in the service's limit", []Fault{NextIsSelf()}, all,
			page(7, listURL+"?limit=21", "", `[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6},{"id":7}]`), true},
		{"the query stays", []Fault{NextIsSelf()}, "/api/books/?ordering=-id&offset=5&limit=1&x=%26",
			page(7, listURL+"?limit=1&offset=5&ordering=-id&x=%26", listURL+"?limit=1&offset=4&ordering=-id&x=%26", `[{"id":2}]`), true},
		{"of the only page a limit is clamped as the service does", []Fault{NextIsSelf()}, "/api/books/?limit=5000",
			page(7, listURL+"?limit=1000", "", `[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6},{"id":7}]`), true},
		{"a clamped limit stays clamped", []Fault{NextIsSelf()}, "/api/books/?limit=5000&offset=3",
			page(7, listURL+"?limit=1000&offset=3", listURL+"?limit=1000", `[{"id":4},{"id":5},{"id":6},{"id":7}]`), true},
		{"back to the first", []Fault{NextCycle()}, middle, page(7, firstURL, firstURL, `[{"id":4},{"id":5},{"id":6}]`), true},
		{"back to the first from the last", []Fault{NextCycle()}, last, page(7, firstURL, middleURL, `[{"id":7}]`), true},

		{"to a stranger", []Fault{NextHost("elsewhere.example:8443")}, middle,
			page(7, "http://elsewhere.example:8443/api/books/?limit=3&offset=6", firstURL, `[{"id":4},{"id":5},{"id":6}]`), true},
		{"the last page leads nowhere", []Fault{NextHost("elsewhere.example")}, last, page(7, "", middleURL, `[{"id":7}]`), false},
		{"by another scheme", []Fault{NextScheme("gopher")}, middle,
			page(7, "gopher://HOST/api/books/?limit=3&offset=6", firstURL, `[{"id":4},{"id":5},{"id":6}]`), true},
		{"it is that scheme already", []Fault{NextScheme("http")}, middle, good, false},

		{"nothing, and on", []Fault{EmptyPageWithNext()}, middle, page(7, lastURL, firstURL, `[]`), true},
		{"nothing, and on behind the end", []Fault{EmptyPageWithNext()}, "/api/books/?limit=3&offset=9",
			page(7, listURL+"?limit=3&offset=12", lastURL, `[]`), true},
		{"the last of a page", []Fault{MissingRow()}, middle, page(7, lastURL, firstURL, `[{"id":4},{"id":5}]`), true},
		{"the only one of a page", []Fault{MissingRow()}, last, page(7, "", middleURL, `[]`), true},
		{"none is there", []Fault{MissingRow()}, "/api/books/?limit=3&offset=7", page(7, "", listURL+"?limit=3&offset=4", `[]`), false},
		{"the last of the page before", []Fault{RepeatedRow()}, middle,
			page(7, lastURL, firstURL, `[{"id":3},{"id":4},{"id":5},{"id":6}]`), true},
		{"the last of the page before, in its order", []Fault{RepeatedRow()}, "/api/books/?ordering=-id&limit=2&offset=2",
			page(7, listURL+"?limit=2&offset=4&ordering=-id", listURL+"?limit=2&ordering=-id", `[{"id":6},{"id":5},{"id":4}]`), true},
		{"before a single one", []Fault{RepeatedRow()}, last, page(7, "", middleURL, `[{"id":6},{"id":7}]`), true},
		{"nothing is before the first", []Fault{RepeatedRow()}, first, page(7, middleURL, "", `[{"id":1},{"id":2},{"id":3}]`), false},
		{"one for another", []Fault{MissingRow(), RepeatedRow()}, middle, page(7, lastURL, firstURL, `[{"id":3},{"id":4},{"id":5}]`), true},
		{"less than there are", []Fault{CountShrinks(2)}, middle, page(5, lastURL, firstURL, `[{"id":4},{"id":5},{"id":6}]`), true},
		{"not less than none", []Fault{CountShrinks(9)}, middle, page(0, lastURL, firstURL, `[{"id":4},{"id":5},{"id":6}]`), true},

		{"no page: an error", []Fault{NextIsSelf()}, "/api/none/", view{404, "application/json", 23, detail, ""}, false},
		{"no page: a status in its place", []Fault{Status(200, `{"count":1,"next":null,"previous":null,"results":"none"}`), MissingRow()}, middle,
			view{200, "application/json", 56, `{"count":1,"next":null,"previous":null,"results":"none"}`, ""}, true},

		{"no page: it lacks a member", []Fault{Status(200, `{"count":1,"previous":null,"results":[]}`), NextIsSelf()}, middle,
			view{200, "application/json", 40, `{"count":1,"previous":null,"results":[]}`, ""}, true},
		{"no page: not of a collection", []Fault{Status(200, `{"count":1,"next":null,"previous":null,"results":[{}]}`), MissingRow()}, "/api/",
			view{200, "application/json", 54, `{"count":1,"next":null,"previous":null,"results":[{}]}`, ""}, true},
		{"a lie, then less of it, under another name", []Fault{ContentType("text/x"), Truncate(30), CountShrinks(1)}, last,
			view{200, "text/x", 30, `{"count":6,"next":null,"previo`, ""}, true},
		{"of two the later is last", []Fault{Status(500, "a"), Status(501, "b")}, last,
			view{501, "text/html; charset=utf-8", 1, "b", ""}, true},
		{"in pieces, then cut", []Fault{CutAfter(12), Slow(5, 0)}, "/api/none/",
			view{404, "application/json", 23, `{"detail":"N`, "unexpected EOF"}, true},
	}
	for _, tt := range tests {
		t.Run(tt.reason, func(t *testing.T) {
			var breaks []placed
			for _, f := range tt.faults {
				breaks = append(breaks, at(Where{}, f))
			}
			server, made := serveBroken(t, breaks...)
			if diff := differ(tt.want, ask(t, server, "GET", tt.path)); diff != "" {
				t.Error(diff)
			}
			if happened := made[0].Count() == 1; happened != tt.counts {
				t.Errorf("it has happened %d times", made[0].Count())
			}
		})
	}
}

// A HEAD has the header that the GET has, and no body that could be broken.
func TestFaultsOfHead(t *testing.T) {
	const path = "/api/books/?limit=3&offset=3"
	for reason, f := range map[string]Fault{
		"less":           Truncate(10),
		"a longer list":  RepeatedRow(),
		"a longer link":  NextHost("a.longer.host.than.before.example"),
		"another answer": Status(500, `{"detail":"x"}`),
		"another type":   ContentType("text/plain"),
	} {
		server, made := serveBroken(t, at(Where{}, f))
		get, head := ask(t, server, "GET", path), ask(t, server, "HEAD", path)
		get.Body = ""
		if diff := cmp.Diff(get, head); diff != "" {
			t.Errorf("%s: from GET to HEAD: %s", reason, diff)
		}
		if n := made[0].Count(); n != 2 {
			t.Errorf("%s: it has happened %d times to two requests", reason, n)
		}
	}
	for reason, f := range map[string]Fault{"nothing to cut": CutAfter(10), "nothing to send slowly": Slow(1, 0)} {
		server, made := serveBroken(t, at(Where{}, f))
		if head := ask(t, server, "HEAD", path); head.Err != "" || made[0].Count() != 0 {
			t.Errorf("%s: %q, %d times", reason, head.Err, made[0].Count())
		}
	}
}

// Two statuses and headers make a redirect, or a wait.
func TestFaultHeader(t *testing.T) {
	server, _ := serveBroken(t, at(Where{}, Header("retry-after", "7")), at(Where{}, Status(429, "")))
	answer, err := server.Client().Get(server.URL + "/api/books/")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != 429 || answer.Header.Get("Retry-After") != "7" {
		t.Errorf("%s, Retry-After %q", answer.Status, answer.Header.Get("Retry-After"))
	}
	server, _ = serveBroken(t, at(Where{}, Header("vary", "")))
	answer, err = server.Client().Get(server.URL + "/api/books/")
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	if _, there := answer.Header["Vary"]; there {
		t.Error("Vary has not been taken away")
	}
}

// A POST that is cut before the handler stores nothing; one whose answer is cut has
// been stored.
func TestFaultsOfPost(t *testing.T) {
	for _, tt := range []struct {
		reason string
		fault  Fault
		stored int
	}{
		{"the catalogue is not asked", Cut(), 0},
		{"nor when another answers", Status(500, ""), 0},
		{"the answer is lost, not the record", CutAfter(0), 1},
		{"no page, and no lie", MissingRow(), 1},
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
		answer, err := server.Client().Post(server.URL+"/api/events/", "application/json", strings.NewReader(
			`{"name": "Reading", "slug": "reading", "startDate": "2026-05-10T18:00:00Z", "endDate": "2026-05-10T20:00:00Z"}`))
		if err == nil {
			answer.Body.Close()
		}
		server.Close()
		if n := house.Events().Count(); n != tt.stored {
			t.Errorf("%s: %d events stored", tt.reason, n)
		}
		if err := house.Check(); err != nil {
			t.Error(err)
		}
	}
}

// Indented pages keep their white space.
func TestLiesIndented(t *testing.T) {
	for _, tt := range []struct {
		reason  string
		fault   Fault
		results string
	}{
		{"one less", MissingRow(), "[\n  {\n   \"id\": 4\n  }\n ]"},
		{"one more", RepeatedRow(), "[\n  {\n   \"id\": 3\n  },\n  {\n   \"id\": 4\n  },\n  {\n   \"id\": 5\n  }\n ]"},
		{"none", EmptyPageWithNext(), "[]"},
	} {
		server, _ := serveBroken(t, at(Where{}, tt.fault))
		r, err := http.NewRequest("GET", server.URL+"/api/books/?limit=2&offset=3", nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Accept", "application/json; indent=1")
		answer, err := server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(answer.Body)
		answer.Body.Close()
		if err != nil {
			t.Fatal(err)
		}
		list := server.URL + "/api/books/?limit=2&offset="
		want := "{\n \"count\": 7,\n \"next\": \"" + list + "5\",\n \"previous\": \"" + list + "1\",\n \"results\": " + tt.results + "\n}"
		if diff := cmp.Diff(want, string(body)); diff != "" {
			t.Errorf("%s: %s", tt.reason, diff)
		}
	}
}

// net/http asks a GET again whose connection breaks before an answer, if it has
// been used before: as when a server closes one that is idle.
func TestCutOfAUsedConnection(t *testing.T) {
	server, made := serveBroken(t, at(Where{Nth: 2}, Cut()))
	for range 2 {
		answer, err := server.Client().Get(server.URL + "/api/")
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.Copy(io.Discard, answer.Body); err != nil {
			t.Error(err)
		}
		answer.Body.Close()
	}
	if n := made[0].Count(); n != 1 {
		t.Errorf("it has happened %d times", n)
	}
}

// Each page that a count shrinks on has less than the one before, whoever asks.
func TestCountShrinksFurther(t *testing.T) {
	server, _ := serveBroken(t, at(Where{Collection: "books", After: 1}, CountShrinks(2)))
	for i, want := range []string{`{"count":7,`, `{"count":5,`, `{"count":3,`, `{"count":1,`, `{"count":0,`} {
		if got := ask(t, server, "GET", "/api/books/?offset=3").Body; !strings.HasPrefix(got, want) {
			t.Errorf("request %d: %s, want %s", i+1, got, want)
		}
	}
}

package browse

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi"
)

func TestRoot(t *testing.T) {
	p := newPair(t, load(t, shelf(1234)), httpapi.Options{})
	got := get(p.browse, "/api/")
	links := got.links()
	for _, want := range []struct{ name, link string }{
		{"Books", "./books/?format=api"},
		{"Item variants", "./item_variants/?format=api"}, // key and segment differ
		{"Social links", "./social-links/?format=api"},
		{"Raw JSON", "?format=json"},
	} {
		if links[want.name] != want.link {
			t.Errorf("%s leads to %q, want %q", want.name, links[want.name], want.link)
		}
	}
	for _, want := range []string{"39 collections", "Books 1,234 records", "Events 0 records", "GET /api/", "HTTP 200 OK", "Allow: GET, HEAD, OPTIONS", "Content-Type: application/json"} {
		if !strings.Contains(got.text, want) {
			t.Errorf("the root does not say %q", want)
		}
	}
	if books := follow(t, p.browse, "/api/", links["Books"]); books.status != 200 || !strings.Contains(books.text, "Records 1–21 of 1,234") {
		t.Errorf("behind the link is %d %.300s", books.status, books.text)
	}
}

// A collection that fails has no count, and the others have theirs.
func TestRootOfABrokenCollection(t *testing.T) {
	p := newPair(t, load(t, shelf(3)), httpapi.Options{})
	broken := New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/events/" {
			http.Error(w, `{"count":7}`, 500)
			return
		}
		p.plain.ServeHTTP(w, r)
	}), Options{})
	got := get(broken, "/api/")
	if got.status != 200 || !strings.Contains(got.text, "Books 3 records") || !strings.Contains(got.text, "Events Expenses") {
		t.Errorf("%d %s", got.status, got.text)
	}
}

func TestWindows(t *testing.T) {
	p := newPair(t, load(t, shelf(500)), httpapi.Options{})
	const none = ""
	tests := []struct {
		reason, query, summary      string
		first, previous, next, last string
	}{
		{"the first page", "", "Records 1–21 of 500", none, none,
			"?format=api&limit=21&offset=21", "?format=api&limit=21&offset=483"},
		{"the second", "?limit=21&offset=21", "Records 22–42 of 500", "?format=api&limit=21", "?format=api&limit=21",
			"?format=api&limit=21&offset=42", "?format=api&limit=21&offset=483"},
		{"the last", "?offset=483", "Records 484–500 of 500", "?format=api&limit=21", "?format=api&limit=21&offset=462", none, none},
		{"between pages", "?limit=100&offset=5", "Records 6–105 of 500", "?format=api&limit=100", "?format=api&limit=100",
			"?format=api&limit=100&offset=105", "?format=api&limit=100&offset=400"},
		{"a full last page", "?limit=100&offset=300", "Records 301–400 of 500", "?format=api&limit=100", "?format=api&limit=100&offset=200",
			"?format=api&limit=100&offset=400", "?format=api&limit=100&offset=400"},
		{"all", "?limit=900", "Records 1–500 of 500", none, none, none, none},
		{"one", "?limit=1&offset=7", "Record 8 of 500", "?format=api&limit=1", "?format=api&limit=1&offset=6",
			"?format=api&limit=1&offset=8", "?format=api&limit=1&offset=499"},
		{"what else the query has stays", "?ordering=-id&x=%C3%A9+%26&x=2&offset=21", "Records 22–42 of 500", "?format=api&limit=21&ordering=-id&x=%C3%A9+%26&x=2",
			"?format=api&limit=21&ordering=-id&x=%C3%A9+%26&x=2", "?format=api&limit=21&offset=42&ordering=-id&x=%C3%A9+%26&x=2", "?format=api&limit=21&offset=483&ordering=-id&x=%C3%A9+%26&x=2"},
		{"the last value counts", "?limit=5&limit=10&offset=100&offset=20", "Records 21–30 of 500", "?format=api&limit=10", "?format=api&limit=10&offset=10",
			"?format=api&limit=10&offset=30", "?format=api&limit=10&offset=490"},
		{"no numbers", "?limit=x&offset=y", "Records 1–21 of 500", none, none,
			"?format=api&limit=21&offset=21", "?format=api&limit=21&offset=483"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got := get(p.browse, "/api/books/"+test.query)
			links := got.links()
			want := []string{test.first, test.previous, test.next, test.last}
			if diff := cmp.Diff(want, []string{links["« First"], links["‹ Previous"], links["Next ›"], links["Last »"]}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !strings.Contains(got.text, test.summary) {
				t.Errorf("the page does not say %q", test.summary)
			}
		})
	}
}

// Whoever follows next from the first page sees each record once.
func TestNextVisitsAll(t *testing.T) {
	p := newPair(t, load(t, shelf(50)), httpapi.Options{})
	target, seen := "/api/books/?limit=7", 0
	for page := 0; page < 8; page++ {
		got := get(p.browse, target)
		for _, row := range got.find("tr", "id", "*") {
			if seen++; row.attrs["id"] != fmt.Sprintf("record-%d", seen) {
				t.Errorf("record %d is %q", seen, row.attrs["id"])
			}
		}
		next := got.find("a", "rel", "next")
		if len(next) == 0 {
			break
		}
		target = "/api/books/" + next[0].attrs["href"]
	}
	if seen != 50 {
		t.Errorf("%d records were seen, want 50", seen)
	}
}

func TestNothingToShow(t *testing.T) {
	p := newPair(t, load(t, shelf(43)), httpapi.Options{})
	if got := get(p.browse, "/api/events/"); got.status != 200 || !strings.Contains(got.text, "There are no records yet.") || len(got.find("table", "", "")) > 0 {
		t.Errorf("empty: %d %s", got.status, got.text)
	}
	got := get(p.browse, "/api/books/?offset=9000")
	if link := got.links()["Go to the last page"]; link != "?format=api&limit=21&offset=42" {
		t.Errorf("behind the end: the last page is at %q", link)
	}
}

func TestPageSizes(t *testing.T) {
	p := newPair(t, load(t, shelf(500)), httpapi.Options{})
	tests := []struct {
		reason, query, current string
		want                   map[string]string
	}{
		{"the service's", "?ordering=id", "21", map[string]string{"10": "?format=api&limit=10&ordering=id", "50": "?format=api&limit=50&ordering=id", "100": "?format=api&limit=100&ordering=id"}},
		{"one of one's own", "?limit=33&offset=66", "33", map[string]string{"10": "?format=api&limit=10&offset=66", "21": "?format=api&limit=21&offset=66"}},
		{"more than there may be", "?limit=5000&offset=1", "1000", nil},
	}
	for _, test := range tests {
		got := get(p.browse, "/api/books/"+test.query)
		if current := got.one(t, "a", "aria-current", "true").text; current != test.current {
			t.Errorf("%s: the current size is %s, want %s", test.reason, current, test.current)
		}
		for text, link := range test.want {
			if got.links()[text] != link {
				t.Errorf("%s: %s leads to %q, want %q", test.reason, text, got.links()[text], link)
			}
		}
	}
}

const threeEvents = `{"events":[
	{"id":1,"name":"b","slug":"b","summary":"","description":"","location":"","startDate":"2026-05-10T18:00:00+02:00","endDate":"2026-05-10T20:00:00+02:00","published":true,"poster":"","posterWebp":"","labels":[],"authors":[]},
	{"id":2,"name":"c","slug":"c","summary":"","description":"","location":"","startDate":"2026-05-09T18:00:00Z","endDate":"2026-05-10T20:00:00Z","published":true,"poster":"","posterWebp":"","labels":[],"authors":[]},
	{"id":3,"name":"a","slug":"a","summary":"","description":"","location":"","startDate":"2026-05-11T18:00:00+02:00","endDate":"2026-05-11T20:00:00+02:00","published":true,"poster":"","posterWebp":"","labels":[],"authors":[]}]}`

func TestOrderingByClicks(t *testing.T) {
	p := newPair(t, load(t, threeEvents), httpapi.Options{})
	tests := []struct {
		reason, query    string
		sorted, sort     string // the column that is marked, and how
		column, wantLink string // where another click leads
	}{
		{"the default of events", "", "Start date", "ascending", "startDate", "?format=api&ordering=-start_date"},
		{"another column", "", "Start date", "ascending", "name", "?format=api&ordering=name"},
		{"up", "?ordering=name", "Name", "ascending", "name", "?format=api&ordering=-name"},
		{"down", "?ordering=-name", "Name", "descending", "name", "?format=api&ordering=name"},
		{"two terms", "?ordering=-end_date,name", "End date", "descending", "name", "?format=api&ordering=name"},
		{"the unknown are dropped, as in the handler", "?ordering=price,-name", "Name", "descending", "name", "?format=api&ordering=name"},
		{"all unknown: the default", "?ordering=price", "Start date", "ascending", "startDate", "?format=api&ordering=-start_date"},
		{"to the first page of as many", "?ordering=name&limit=1&offset=2", "Name", "ascending", "name", "?format=api&limit=1&ordering=-name"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got := get(p.browse, "/api/events/"+test.query)
			if th := got.one(t, "th", "aria-sort", "*"); th.attrs["aria-sort"] != test.sort {
				t.Errorf("sorted %s, want %s", th.attrs["aria-sort"], test.sort)
			}
			if !strings.Contains(got.text, test.sorted+map[string]string{"ascending": "▲", "descending": "▼"}[test.sort]) {
				t.Errorf("no arrow at %s", test.sorted)
			}
			if said := got.one(t, "p", "class", "lead order").text; strings.TrimSpace(said) != "By "+test.sorted+", "+test.sort {
				t.Errorf("the page says %q", said)
			}
			if link := got.one(t, "a", "title", test.column).attrs["href"]; link != test.wantLink {
				t.Errorf("%s leads to %q, want %q", test.column, link, test.wantLink)
			}
		})
	}
	got := get(p.browse, "/api/events/?ordering=-name")
	for i, row := range got.find("tr", "id", "*") {
		if want := []string{"record-2", "record-1", "record-3"}[i]; row.attrs["id"] != want {
			t.Errorf("row %d is %s, want %s", i, row.attrs["id"], want)
		}
	}
}

// Links hold wherever the handler is mounted, since none of them says where.
func TestMounted(t *testing.T) {
	p := newPair(t, load(t, shelf(50)), httpapi.Options{BaseURL: "https://elsewhere.example/x"})
	mux := http.NewServeMux()
	if err := httpapi.Mount(mux, "/shop", p.browse); err != nil {
		t.Fatal(err)
	}
	for target, link := range map[string]string{
		"/shop/api/":                  "Books",
		"/shop/api/books/":            "Next ›",
		"/shop/api/books/?offset=21":  "Catalogue",
		"/shop/api/magazines/":        "Catalogue",
		"/shop/api/magazines/9/pages": "Catalogue",
		"/shop/api/magazines%2F9/":    "Catalogue",
	} {
		got := get(mux, target)
		if next := follow(t, mux, target, got.links()[link]); next.status != 200 {
			t.Errorf("%s: %s leads by %q to %d", target, link, got.links()[link], next.status)
		}
	}
}

func TestRootLink(t *testing.T) {
	for target, want := range map[string]string{
		"/api/": "/api/", "/api/books/": "/api/", "/api/a/b/c": "/api/", "/api": "/api/", "/": "/api/", "/a/b": "/api/", "//x/y": "/api/",
	} {
		r := request("GET", "http://host.example"+target, "")
		u, err := r.URL.Parse(rootLink(r))
		if err != nil || u.Path != want || u.Host != "host.example" {
			t.Errorf("from %s the root is at %v, want %s", target, u, want)
		}
	}
}

func TestErrors(t *testing.T) {
	p := newPair(t, load(t, shelf(3)), httpapi.Options{Authorizer: httpapi.Bearer("secret")})
	long := strings.Repeat("x", 20_000)
	tests := []struct {
		reason  string
		request *http.Request
		status  int
		says    string
	}{
		{"nothing there", request("GET", "/api/magazines/", ""), 404, "Not found."},
		{"not below the root", request("GET", "/favicon.ico", ""), 404, "Not found."},
		{"no such format", request("GET", "/api/books/?format=xml", ""), 404, "Not found."},
		{"HEAD", request("HEAD", "/api/magazines/", ""), 404, ""},
		{"a missing slash", request("GET", "/api/books?limit=2", ""), 301, "/api/books/?limit=2"},
		{"no such method", request("PUT", "/api/books/", "{}"), 405, `Method "PUT" not allowed.`},
		{"not to be posted to", posting("/api/books/", "name=x"), 405, `Method "POST" not allowed.`},
		{"no credentials", posting("/api/events/", "name=x"), 401, "Authentication credentials were not provided."},
		{"too many terms", request("GET", "/api/books/?ordering="+strings.Repeat("a,", 200), ""), 400, "100"},
		{"too long", request("GET", "/api/books/?x="+long, ""), 414, "16384"},
		{"no JSON", request("POST", "/api/events/", "x", "Content-Type", "application/json", "Authorization", "Bearer secret"), 400, "JSON parse error"},
		{"JSON with faults", request("POST", "/api/events/", "{}", "Content-Type", "application/json", "Authorization", "Bearer secret"), 400, "This field is required."},
		{"a large body", request("POST", "/api/events/", strings.Repeat(" ", 2<<20), "Content-Type", "application/json", "Authorization", "Bearer secret"), 413, "1048576"},
		{"a large form", posting("/api/events/", "name="+strings.Repeat("x", 2<<20), "Authorization", "Bearer secret"), 413, "1 MiB"},
		{"a broken form", posting("/api/events/", "name=%zz", "Authorization", "Bearer secret"), 400, "could not be read"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got := do(p.browse, test.request)
			if got.status != test.status || got.header.Get("Content-Type") != "text/html; charset=utf-8" {
				t.Errorf("%d %s, want %d and a page", got.status, got.header.Get("Content-Type"), test.status)
			}
			if !strings.Contains(got.text, test.says) {
				t.Errorf("the page does not say %q:\n%s", test.says, got.text)
			}
			if test.request.Method == "HEAD" {
				if got.body != "" {
					t.Error("HEAD has a body")
				}
				return
			}
			if link := got.links()["Catalogue"]; link == "" {
				t.Error("no link leads to the root")
			}
			if h1 := got.one(t, "h1", "", "").text; h1 != fmt.Sprintf("%d %s", test.status, http.StatusText(test.status)) {
				t.Errorf("the heading is %q", h1)
			}
		})
	}
}

// A failure of the program's is a page too, and shows no more than its JSON does.
func TestFailures(t *testing.T) {
	p := newPair(t, load(t, shelf(3)), httpapi.Options{Authorizer: func(*http.Request, string) error { panic("secret") }})
	r := request("POST", "/api/events/", "{}", "Content-Type", "application/json")
	if got := do(p.browse, r); got.status != 500 || !strings.Contains(got.text, "Internal server error.") || strings.Contains(got.body, "secret") {
		t.Errorf("%d %s", got.status, got.text)
	}
	if got := get(p.browse, "/api/events/"); got.status != 200 || len(got.find("form", "", "")) != 0 {
		t.Errorf("who may post cannot be found out: %d, %d forms", got.status, len(got.find("form", "", "")))
	}
	abort := New(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }), Options{})
	defer func() {
		if recover() != http.ErrAbortHandler {
			t.Error("who wants to abort is held back")
		}
	}()
	get(abort, "/api/books/")
}

func TestOtherAnswers(t *testing.T) {
	p := newPair(t, load(t, "{}"), httpapi.Options{})
	if got := do(p.browse, request("OPTIONS", "/api/books/", "")); got.status != 200 || !strings.Contains(got.text, `"name": "Book List"`) {
		t.Errorf("OPTIONS: %d %s", got.status, got.text)
	}
	for _, body := range []string{"", "no JSON <b>", `[1]`, `{"results":7}`, `{"count":1,"results":[7]}`, `"text"`} {
		h := New(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(body)) }), Options{})
		for _, target := range []string{"/api/", "/api/books/"} {
			got := get(h, target)
			if got.status != 200 || strings.Contains(got.body, "<b> ") || !strings.Contains(got.text, "HTTP 200 OK") {
				t.Errorf("%s of %q: %d %s", target, body, got.status, got.text)
			}
		}
	}
	if got := get(New(nil, Options{Title: "House <1>"}), "/api/"); got.status != 404 || !strings.Contains(got.text, "House <1>") {
		t.Errorf("nil: %d %s", got.status, got.text)
	}
}

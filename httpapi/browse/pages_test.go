package browse

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

func TestRoot(t *testing.T) {
	h := newHandlers(t, load(t, books(1234)), httpapi.Options{})
	got := get(h.browse, "/api/")
	links := got.links()
	for _, want := range []struct{ name, link string }{
		{"Books", "./books/?format=api"},
		{"Item variants", "./item_variants/?format=api"}, // the key is itemVariants
		{"Social links", "./social-links/?format=api"},
		{"Raw JSON", "?format=json"},
	} {
		if links[want.name] != want.link {
			t.Errorf("%s leads to %q, want %q", want.name, links[want.name], want.link)
		}
	}
	for _, want := range []string{"39 collections", "Books 1,234 records", "Events 0 records", "GET /api/", "HTTP 200 OK", "Allow: GET, HEAD, OPTIONS", "Content-Type: application/json"} {
		if !strings.Contains(got.text, want) {
			t.Errorf("the root does not show %q", want)
		}
	}
	if page := follow(t, h.browse, "/api/", links["Books"]); page.status != 200 || !strings.Contains(page.text, "Records 1–21 of 1,234") {
		t.Errorf("GET of the link to Books: %d %.300s", page.status, page.text)
	}
}

// Only the failing collection is shown without a count.
func TestRootWithFailingCollection(t *testing.T) {
	h := newHandlers(t, load(t, books(3)), httpapi.Options{})
	failing := around(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/events/" {
			http.Error(w, `{"count":7}`, 500)
			return
		}
		h.plain.ServeHTTP(w, r)
	})
	got := get(failing, "/api/")
	if got.status != 200 || !strings.Contains(got.text, "Books 3 records") || !strings.Contains(got.text, "Events Expenses") {
		t.Errorf("GET /api/: %d %s", got.status, got.text)
	}
}

func TestPagerLinks(t *testing.T) {
	h := newHandlers(t, load(t, books(500)), httpapi.Options{})
	const none = ""
	tests := []struct {
		reason, query, summary      string
		first, previous, next, last string
	}{
		{"first page", "", "Records 1–21 of 500", none, none,
			"?format=api&limit=21&offset=21", "?format=api&limit=21&offset=483"},
		{"second page", "?limit=21&offset=21", "Records 22–42 of 500", "?format=api&limit=21", "?format=api&limit=21",
			"?format=api&limit=21&offset=42", "?format=api&limit=21&offset=483"},
		{"last page", "?offset=483", "Records 484–500 of 500", "?format=api&limit=21", "?format=api&limit=21&offset=462", none, none},
		{"offset between pages", "?limit=100&offset=5", "Records 6–105 of 500", "?format=api&limit=100", "?format=api&limit=100",
			"?format=api&limit=100&offset=105", "?format=api&limit=100&offset=400"},
		{"next to last of full pages", "?limit=100&offset=300", "Records 301–400 of 500", "?format=api&limit=100", "?format=api&limit=100&offset=200",
			"?format=api&limit=100&offset=400", "?format=api&limit=100&offset=400"},
		{"all records", "?limit=900", "Records 1–500 of 500", none, none, none, none},
		{"one record", "?limit=1&offset=7", "Record 8 of 500", "?format=api&limit=1", "?format=api&limit=1&offset=6",
			"?format=api&limit=1&offset=8", "?format=api&limit=1&offset=499"},
		{"other parameters are kept", "?ordering=-id&x=%C3%A9+%26&x=2&offset=21", "Records 22–42 of 500", "?format=api&limit=21&ordering=-id&x=%C3%A9+%26&x=2",
			"?format=api&limit=21&ordering=-id&x=%C3%A9+%26&x=2", "?format=api&limit=21&offset=42&ordering=-id&x=%C3%A9+%26&x=2", "?format=api&limit=21&offset=483&ordering=-id&x=%C3%A9+%26&x=2"},
		{"the last value of a parameter is used", "?limit=5&limit=10&offset=100&offset=20", "Records 21–30 of 500", "?format=api&limit=10", "?format=api&limit=10&offset=10",
			"?format=api&limit=10&offset=30", "?format=api&limit=10&offset=490"},
		{"invalid limit and offset", "?limit=x&offset=y", "Records 1–21 of 500", none, none,
			"?format=api&limit=21&offset=21", "?format=api&limit=21&offset=483"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got := get(h.browse, "/api/books/"+test.query)
			links := got.links()
			want := []string{test.first, test.previous, test.next, test.last}
			if diff := cmp.Diff(want, []string{links["« First"], links["‹ Previous"], links["Next ›"], links["Last »"]}); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if !strings.Contains(got.text, test.summary) {
				t.Errorf("the page does not show %q", test.summary)
			}
		})
	}
}

// Following next from the first page visits each record once.
func TestFollowNext(t *testing.T) {
	h := newHandlers(t, load(t, books(50)), httpapi.Options{})
	target, seen := "/api/books/?limit=7", 0
	for page := 0; page < 8; page++ {
		got := get(h.browse, target)
		for _, row := range got.find("tr", "id", "*") {
			if seen++; row.attrs["id"] != fmt.Sprintf("record-%d", seen) {
				t.Errorf("row %d has id %q", seen, row.attrs["id"])
			}
		}
		next := got.find("a", "rel", "next")
		if len(next) == 0 {
			break
		}
		target = "/api/books/" + next[0].attrs["href"]
	}
	if seen != 50 {
		t.Errorf("visited %d records, want 50", seen)
	}
}

func TestEmptyPage(t *testing.T) {
	h := newHandlers(t, load(t, books(43)), httpapi.Options{})
	if got := get(h.browse, "/api/events/"); got.status != 200 || !strings.Contains(got.text, "There are no records yet.") || len(got.find("table", "", "")) > 0 {
		t.Errorf("empty collection: %d %s", got.status, got.text)
	}
	got := get(h.browse, "/api/books/?offset=9000")
	if link := got.links()["Go to the last page"]; link != "?format=api&limit=21&offset=42" {
		t.Errorf("past the end: the link to the last page is %q", link)
	}
}

func TestPageSizes(t *testing.T) {
	h := newHandlers(t, load(t, books(500)), httpapi.Options{})
	tests := []struct {
		reason, query, current string
		want                   map[string]string
	}{
		{"default size", "?ordering=id", "21", map[string]string{"10": "?format=api&limit=10&ordering=id", "50": "?format=api&limit=50&ordering=id", "100": "?format=api&limit=100&ordering=id"}},
		{"other size", "?limit=33&offset=66", "33", map[string]string{"10": "?format=api&limit=10&offset=66", "21": "?format=api&limit=21&offset=66"}},
		{"more than the maximum", "?limit=5000&offset=1", "1000", nil},
	}
	for _, test := range tests {
		got := get(h.browse, "/api/books/"+test.query)
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

func TestOrderingLinks(t *testing.T) {
	h := newHandlers(t, load(t, threeEvents), httpapi.Options{})
	tests := []struct {
		reason, query    string
		sorted, sort     string // the marked column and its direction
		column, wantLink string // a column and its link
	}{
		{"default ordering", "", "Start date", "ascending", "startDate", "?format=api&ordering=-start_date"},
		{"another column", "", "Start date", "ascending", "name", "?format=api&ordering=name"},
		{"ascending", "?ordering=name", "Name", "ascending", "name", "?format=api&ordering=-name"},
		{"descending", "?ordering=-name", "Name", "descending", "name", "?format=api&ordering=name"},
		{"two terms", "?ordering=-end_date,name", "End date", "descending", "name", "?format=api&ordering=name"},
		{"unknown term", "?ordering=price,-name", "Name", "descending", "name", "?format=api&ordering=name"},
		{"only unknown terms", "?ordering=price", "Start date", "ascending", "startDate", "?format=api&ordering=-start_date"},
		{"the limit is kept, the offset is not", "?ordering=name&limit=1&offset=2", "Name", "ascending", "name", "?format=api&limit=1&ordering=-name"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got := get(h.browse, "/api/events/"+test.query)
			if th := got.one(t, "th", "aria-sort", "*"); th.attrs["aria-sort"] != test.sort {
				t.Errorf("aria-sort = %s, want %s", th.attrs["aria-sort"], test.sort)
			}
			if !strings.Contains(got.text, test.sorted+map[string]string{"ascending": "▲", "descending": "▼"}[test.sort]) {
				t.Errorf("no arrow at %s", test.sorted)
			}
			if said := got.one(t, "p", "class", "lead order").text; strings.TrimSpace(said) != "By "+test.sorted+", "+test.sort {
				t.Errorf("the ordering is shown as %q", said)
			}
			if link := got.one(t, "a", "title", test.column).attrs["href"]; link != test.wantLink {
				t.Errorf("%s leads to %q, want %q", test.column, link, test.wantLink)
			}
		})
	}
	got := get(h.browse, "/api/events/?ordering=-name")
	for i, row := range got.find("tr", "id", "*") {
		if want := []string{"record-2", "record-1", "record-3"}[i]; row.attrs["id"] != want {
			t.Errorf("row %d is %s, want %s", i, row.attrs["id"], want)
		}
	}
}

// Links are relative, so they are valid under any prefix.
func TestMountedUnderPrefix(t *testing.T) {
	h := newHandlers(t, load(t, books(50)), httpapi.Options{BaseURL: "https://elsewhere.example/x"})
	mux := http.NewServeMux()
	if err := httpapi.Mount(mux, "/shop", h.browse); err != nil {
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
			t.Errorf("%s: link %s to %q: status %d", target, link, got.links()[link], next.status)
		}
	}
}

func TestRootLink(t *testing.T) {
	for target, want := range map[string]string{
		"/api/": "/api/", "/api/books/": "/api/", "/api/a/b/c": "/api/", "/api": "/api/", "/": "/api/", "/a/b": "/api/", "//x/y": "/api/",
	} {
		r := request("GET", "http://host.example"+target, "")
		u, err := r.URL.Parse((&browser{root: "/api/"}).rootLink(r))
		if err != nil || u.Path != want || u.Host != "host.example" {
			t.Errorf("rootLink of %s leads to %v, want %s", target, u, want)
		}
	}
}

// Paths outside the root lead to it too.
func TestOtherRootLink(t *testing.T) {
	b := &browser{root: "/v1/x/"}
	for target, want := range map[string]string{"/v1/x/": "/v1/x/", "/v1/x/films/1/": "/v1/x/", "/v1/": "/v1/x/", "/a/b": "/v1/x/"} {
		r := request("GET", "http://host.example"+target, "")
		u, err := r.URL.Parse(b.rootLink(r))
		if err != nil || u.Path != want {
			t.Errorf("rootLink of %s leads to %v, want %s", target, u, want)
		}
	}
}

func TestErrorPages(t *testing.T) {
	h := newHandlers(t, load(t, books(3)), httpapi.Options{Authorizer: httpapi.Bearer("secret")})
	long := strings.Repeat("x", 20_000)
	tests := []struct {
		reason  string
		request *http.Request
		status  int
		text    string
	}{
		{"unknown path", request("GET", "/api/magazines/", ""), 404, "Not found."},
		{"path outside the root", request("GET", "/favicon.ico", ""), 404, "Not found."},
		{"unknown format", request("GET", "/api/books/?format=xml", ""), 404, "Not found."},
		{"HEAD", request("HEAD", "/api/magazines/", ""), 404, ""},
		{"missing slash", request("GET", "/api/books?limit=2", ""), 301, "/api/books/?limit=2"},
		{"unsupported method", request("PUT", "/api/books/", "{}"), 405, `Method "PUT" not allowed.`},
		{"read-only collection", formRequest("/api/books/", "name=x"), 405, `Method "POST" not allowed.`},
		{"missing credentials", formRequest("/api/events/", "name=x"), 401, "Authentication credentials were not provided."},
		{"too many terms", request("GET", "/api/books/?ordering="+strings.Repeat("a,", 200), ""), 400, "100"},
		{"query too long", request("GET", "/api/books/?x="+long, ""), 414, "16384"},
		{"invalid JSON", request("POST", "/api/events/", "x", "Content-Type", "application/json", "Authorization", "Bearer secret"), 400, "JSON parse error"},
		{"invalid record", request("POST", "/api/events/", "{}", "Content-Type", "application/json", "Authorization", "Bearer secret"), 400, "This field is required."},
		{"body too large", request("POST", "/api/events/", strings.Repeat(" ", 2<<20), "Content-Type", "application/json", "Authorization", "Bearer secret"), 413, "1048576"},
		{"form too large", formRequest("/api/events/", "name="+strings.Repeat("x", 2<<20), "Authorization", "Bearer secret"), 413, "1 MiB"},
		{"invalid form", formRequest("/api/events/", "name=%zz", "Authorization", "Bearer secret"), 400, "could not be read"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got := do(h.browse, test.request)
			if got.status != test.status || got.header.Get("Content-Type") != "text/html; charset=utf-8" {
				t.Errorf("status %d, Content-Type %s, want status %d and a page", got.status, got.header.Get("Content-Type"), test.status)
			}
			if !strings.Contains(got.text, test.text) {
				t.Errorf("the page does not contain %q:\n%s", test.text, got.text)
			}
			if test.request.Method == "HEAD" {
				if got.body != "" {
					t.Error("HEAD has a body")
				}
				return
			}
			if link := got.links()["Catalogue"]; link == "" {
				t.Error("the page has no link to the root")
			}
			if h1 := got.one(t, "h1", "", "").text; h1 != fmt.Sprintf("%d %s", test.status, http.StatusText(test.status)) {
				t.Errorf("the heading is %q", h1)
			}
		})
	}
}

// A page about a server error shows no more than its JSON.
func TestServerErrors(t *testing.T) {
	h := newHandlers(t, load(t, books(3)), httpapi.Options{Authorizer: func(*http.Request, string, schema.Actions) error { panic("secret") }})
	r := request("POST", "/api/events/", "{}", "Content-Type", "application/json")
	if got := do(h.browse, r); got.status != 500 || !strings.Contains(got.text, "Internal server error.") || strings.Contains(got.body, "secret") {
		t.Errorf("POST: %d %s", got.status, got.text)
	}
	if got := get(h.browse, "/api/events/"); got.status != 200 || len(got.find("form", "", "")) != 0 {
		t.Errorf("GET: status %d, %d forms, want no form", got.status, len(got.find("form", "", "")))
	}
	abort := around(t, func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
	defer func() {
		if recover() != http.ErrAbortHandler {
			t.Error("http.ErrAbortHandler was not passed on")
		}
	}()
	get(abort, "/api/books/")
}

func TestOtherResponses(t *testing.T) {
	h := newHandlers(t, load(t, "{}"), httpapi.Options{})
	if got := do(h.browse, request("OPTIONS", "/api/books/", "")); got.status != 200 || !strings.Contains(got.text, `"name": "Book List"`) {
		t.Errorf("OPTIONS: %d %s", got.status, got.text)
	}
	for _, body := range []string{"", "not JSON <b>", `[1]`, `{"results":7}`, `{"count":1,"results":[7]}`, `"text"`} {
		h := around(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(body)) })
		for _, target := range []string{"/api/", "/api/books/"} {
			got := get(h, target)
			if got.status != 200 || strings.Contains(got.body, "<b> ") || !strings.Contains(got.text, "HTTP 200 OK") {
				t.Errorf("%s of %q: %d %s", target, body, got.status, got.text)
			}
		}
	}
	missing := browsing(t, middleware(t, http.NotFound), Options{Title: "House <1>"})
	if got := get(missing, "/api/"); got.status != 404 || !strings.Contains(got.text, "House <1>") {
		t.Errorf("nothing is found: %d %s", got.status, got.text)
	}
}

// Links keep the parameters that the handler reads, including those that net/url drops.
func TestLinksKeepQuery(t *testing.T) {
	h := newHandlers(t, load(t, books(50)), httpapi.Options{}).browse
	tests := []struct{ reason, query, want string }{
		{"semicolon", "search=a;b", "a;b"},
		{"escaped semicolon", "search=a%3Bb", "a;b"},
		{"invalid escape", "search=100%25%zz%", "100%%zz%"},
		{"not UTF-8", "search=%ff", "\uFFFD"},
		{"bytes above ASCII", "search=é", "é"},
		{"plus sign and number sign", "search=a+%2B%23", "a +#"},
	}
	for _, test := range tests {
		page := get(h, "/api/books/?limit=7&offset=14&"+test.query)
		links := page.links()
		for _, name := range []string{"« First", "‹ Previous", "Next ›", "Last »", "10", "Raw JSON", "ID⇅", "ID▲"} {
			link, shown := links[name]
			if !shown {
				continue
			}
			if got, _ := pagination.ParseQuery(strings.TrimPrefix(link, "?")).Get("search"); got != test.want {
				t.Errorf("%s: %s leads to %q", test.reason, name, link)
			}
		}
		if got := page.formValues("jump", nil).Get("search"); got != test.want {
			t.Errorf("%s: the form for a page sends %q", test.reason, got)
		}
		jump := get(h, "/api/books/?_page=2&"+test.query).header.Get("Location")
		if got, _ := pagination.ParseQuery(strings.TrimPrefix(jump, "?")).Get("search"); got != test.want {
			t.Errorf("%s: the second page is %q", test.reason, jump)
		}
	}
}

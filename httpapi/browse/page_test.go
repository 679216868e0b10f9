package browse

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

func TestResponseHeaders(t *testing.T) {
	h := newHandlers(t, load(t, books(3)), httpapi.Options{Authorizer: httpapi.Bearer("secret")})
	tests := []struct {
		reason      string
		request     *http.Request
		vary, allow string
		more        map[string]string
	}{
		{"root", request("GET", "/api/", ""), "Accept", "GET, HEAD, OPTIONS", nil},
		{"books", request("GET", "/api/books/", ""), "Accept", "GET, HEAD, OPTIONS", nil},
		{"events", request("GET", "/api/events/", ""), "Authorization, Accept", "GET, POST, HEAD, OPTIONS", nil},
		{"HEAD", request("HEAD", "/api/events/", ""), "Authorization, Accept", "GET, POST, HEAD, OPTIONS", nil},
		{"unknown path", request("GET", "/api/x/", ""), "Accept", "", nil},
		{"missing slash", request("GET", "/api/books", ""), "Accept", "", map[string]string{"Location": "/api/books/"}},
		{"unsupported method", request("PUT", "/api/books/", ""), "Accept", "GET, HEAD, OPTIONS", nil},
		{"missing credentials", formRequest("/api/events/", ""), "Authorization, Accept", "GET, POST, HEAD, OPTIONS", map[string]string{"Www-Authenticate": "Bearer"}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got := do(h.browse, test.request)
			want := http.Header{
				"Content-Type":            {"text/html; charset=utf-8"},
				"Content-Security-Policy": got.header["Content-Security-Policy"], // see TestStylesheet
				"X-Content-Type-Options":  {"nosniff"},
				"Cache-Control":           {"private, no-cache"},
				"Referrer-Policy":         {"same-origin"},
				"Vary":                    {test.vary},
			}
			if test.request.URL.Path != "/api/books" {
				want.Set("X-Frame-Options", "DENY")
			}
			if test.allow != "" {
				want.Set("Allow", test.allow)
			}
			for name, value := range test.more {
				want.Set(name, value)
			}
			equal(t, "the result", want, got.header)
		})
	}
}

// Pages load the stylesheet of the service, which all may read and browsers keep, and nothing else.
func TestStylesheet(t *testing.T) {
	api, err := httpapi.New(load(t, books(3)), httpapi.Options{AuthorizeReads: true, Authorizer: httpapi.Bearer("s")})
	must(t, err)
	mux := http.NewServeMux()
	must(t, httpapi.Mount(mux, "/shop", browsing(t, wrapped{api, func(w http.ResponseWriter, r *http.Request) {
		r.URL.RawQuery = "" // middleware does not see the request for the stylesheet
		api.ServeHTTP(w, r)
	}}, Options{})))
	for _, target := range []string{"/shop/api/", "/shop/api/books/", "/shop/api/books/1/", "/shop/api/none/x/y"} {
		page := get(mux, target)
		link := page.one(t, "link", "rel", "stylesheet").attrs["href"]
		style := follow(t, mux, target, link)
		want := http.Header{"Content-Type": {"text/css; charset=utf-8"}, "Cache-Control": {"public, max-age=31536000, immutable"}, "X-Content-Type-Options": {"nosniff"}, "Content-Length": {fmt.Sprint(len(style.body))}, "Accept-Ranges": {"bytes"}}
		equal(t, "the header", want, style.header)
		if sum := fmt.Sprintf("%x", sha256.Sum256([]byte(style.body))); style.status != 200 || !strings.HasSuffix(link, "?_style="+sum[:16]) || len(style.body) < 1000 {
			t.Errorf("%s: %s leads to %d, with the hash %s", target, link, style.status, sum)
		}
		if policy := page.header.Get("Content-Security-Policy"); policy != "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'" {
			t.Errorf("Content-Security-Policy is %s", policy)
		}
		for _, name := range []string{"script", "style", "img", "iframe", "object", "base"} {
			if len(page.find(name, "", "")) > 0 {
				t.Errorf("the page has a <%s>", name)
			}
		}
		if icon := page.one(t, "link", "rel", "icon").attrs["href"]; !strings.HasPrefix(icon, "data:image/svg+xml,") || len(page.find("link", "", "")) != 2 {
			t.Errorf("the icon is %s", icon)
		}
	}
	if old := get(mux, "/shop/api/?_style=0"); old.status != 200 || old.header.Get("Cache-Control") != "no-cache" || len(old.body) < 1000 {
		t.Errorf("the stylesheet of another version: %d %v", old.status, old.header)
	}
	for _, target := range []string{"/shop/api/books/?_style=0", "/shop/api/none/?_style=0"} {
		if got := get(mux, target); got.status != 401 && got.status != 404 {
			t.Errorf("%s: %d, want no stylesheet", target, got.status)
		}
	}
}

// A page names what nothing reads in its query, with what could be meant, but not what pages read.
func TestIgnored(t *testing.T) {
	h := newService().handler(t, httpapi.Options{})
	many := ""
	for i := range 900 {
		many += fmt.Sprintf("&x%d", i)
	}
	for _, test := range []struct{ reason, target, want string }{
		{"what the service and its pages read", "/api/films/?status=released&search=n&limit=1&offset=0&ordering=title&_columns=title&_list=x&_style=1", ""},
		{"a mistake", "/api/films/?pubished=true", "Ignored: pubished; did you mean published?"},
		{"a term of an order", "/api/films/?ordering=titel", "Ignored: titel; did you mean title?"},
		{"two, of which one is like nothing", "/api/films/?utm_source=a&utm_source=b&lmit=1", "Ignored: utm_source, lmit; did you mean limit?"},
		{"a page of a record", "/api/films/1/?x=1", "Ignored: x"},
		{"markup", "/api/films/?<script>=1", "Ignored: <script>"},
		{"thousands", "/api/films/?" + many[1:], "Ignored: x0, x1, x2, x3, x4, x5, x6, x7, x8, x9"},
	} {
		page := get(h, test.target)
		checkAccessible(t, page)
		checkEscaped(t, page)
		got := ""
		if _, after, ok := strings.Cut(page.body, `<p class="ignored">`); ok {
			got, _, _ = strings.Cut(after, "</p>")
			_, got = parse("<p>" + got)
		}
		if page.status != 200 || got != test.want || len(page.body) > 35_000 {
			t.Errorf("%s: %d, the page of %d bytes says %q, want %q", test.reason, page.status, len(page.body), got, test.want)
		}
	}
}

// Paths outside the root lead to it too.
func TestRootLink(t *testing.T) {
	for _, row := range []struct {
		root    string
		targets []string
	}{
		{"/api/", []string{"/api/", "/api/books/", "/api/a/b/c", "/api", "/", "/a/b", "//x/y"}},
		{"/v1/x/", []string{"/v1/x/", "/v1/x/films/1/", "/v1/", "/a/b"}},
	} {
		for _, target := range row.targets {
			r := request("GET", "http://host.example"+target, "")
			u, err := r.URL.Parse((&browser{served: httpapi.Served{Options: httpapi.Options{Root: row.root}}}).rootLink(r))
			if err != nil || u.Path != row.root || u.Host != "host.example" {
				t.Errorf("rootLink of %s leads to %v, want %s", target, u, row.root)
			}
		}
	}
}

// TestLongRequests checks the pages about requests that are longer than the handler accepts.
func TestLongRequests(t *testing.T) {
	h := newHandlers(t, load(t, books(3)), httpapi.Options{Authorizer: httpapi.AllowAll})
	long := strings.Repeat("x", 2<<20)
	tests := []struct {
		reason  string
		request *http.Request
		status  int
		text    string
	}{
		{"terms", request("GET", "/api/books/?ordering="+strings.Repeat("a,", 200), ""), 400, "100"},
		{"query", request("GET", "/api/books/?x="+long[:20_000], ""), 414, "16384"},
		{"body", request("POST", "/api/events/", strings.Repeat(" ", 2<<20), "Content-Type", "application/json"), 413, "1048576"},
		{"form", formRequest("/api/events/", "name="+long), 413, "2 MiB"},
	}
	for _, test := range tests {
		got := do(h.browse, test.request)
		heading := fmt.Sprintf("%d %s", test.status, http.StatusText(test.status))
		if got.status != test.status || !strings.Contains(got.text, test.text) || got.one(t, "h1", "", "").text != heading {
			t.Errorf("%s: %d %.500s", test.reason, got.status, got.text)
		}
	}
}

// A page about a server error shows no more than its JSON.
func TestServerErrors(t *testing.T) {
	panics := func(*http.Request, string, schema.Actions) error { panic("secret") }
	h := newHandlers(t, load(t, books(3)), httpapi.Options{Authorizer: panics, OnError: func(*http.Request, error) {}})
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
	for _, body := range []string{"", "not JSON <b>", `[1]`, `{"results":7}`, `{"count":1,"results":[7]}`, `{"count":1,"results":[{}]}`, `"text"`} {
		h := around(t, func(w http.ResponseWriter, _ *http.Request) { w.Write([]byte(body)) })
		for _, target := range []string{"/api/", "/api/books/"} {
			got := get(h, target)
			if got.status != 200 || strings.Contains(got.body, "<b> ") {
				t.Errorf("%s of %q: %d %s", target, body, got.status, got.text)
			}
		}
	}
	missing := browsing(t, middleware(t, http.NotFound), Options{Title: "Films <1>"})
	if got := get(missing, "/api/"); got.status != 404 || !strings.Contains(got.text, "Films <1>") {
		t.Errorf("nothing is found: %d %s", got.status, got.text)
	}
}

// Only the failing collection is shown without a count.
func TestRootWithFailingCollection(t *testing.T) {
	var all []httpapi.Collection
	for _, c := range load(t, books(3)).All() {
		if all = append(all, c); c.Description().Key == "events" {
			all[len(all)-1] = failingList{c}
		}
	}
	h, err := httpapi.NewHandler(all, httpapi.Options{})
	must(t, err)
	got := get(browsing(t, h, Options{}), "/api/")
	if got.status != 200 || !strings.Contains(got.text, "Books 3 records") || !strings.Contains(got.text, "Events Expenses") {
		t.Errorf("GET /api/: %d %s", got.status, got.text)
	}
}

// A failingList is a collection whose List fails.
type failingList struct{ catalogue.AnyCollection }

func (failingList) List(context.Context, catalogue.Query) (catalogue.Listing, error) {
	return catalogue.Listing{Count: 7}, errors.New("no list")
}

func TestGrouped(t *testing.T) {
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 123456: "123,456", 1234567: "1,234,567"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %s, want %s", n, got, want)
		}
	}
}

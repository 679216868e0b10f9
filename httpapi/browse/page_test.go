package browse

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
				"Content-Length":          {fmt.Sprint(len(got.body))},
				"Content-Security-Policy": got.header["Content-Security-Policy"], // see TestContentSecurityPolicy
				"X-Content-Type-Options":  {"nosniff"},
				"Cache-Control":           {"private, no-cache"},
				"Referrer-Policy":         {"same-origin"},
				"Vary":                    {test.vary},
			}
			if test.request.Method == "HEAD" {
				want["Content-Length"] = got.header["Content-Length"]
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
			if diff := cmp.Diff(want, got.header); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The response to HEAD has the headers of the response to GET, including Content-Length, as
// RFC 9110 section 9.3.2 requires.
func TestHEAD(t *testing.T) {
	h := newHandlers(t, load(t, books(30)), httpapi.Options{})
	for _, target := range []string{
		"/api/", "/api/?search=book", "/api/books/", "/api/books/?offset=90", "/api/books/?_page=2",
		"/api/magazines/", "/api/books", "/api/books/?format=xml",
	} {
		want := get(h.browse, target)
		got := do(h.browse, request("HEAD", target, ""))
		if got.body != "" {
			t.Errorf("HEAD %s has a body of %d bytes", target, len(got.body))
		}
		if diff := cmp.Diff(want.header, got.header); diff != "" || got.status != want.status {
			t.Errorf("HEAD %s: status %d, want %d; header (-want +got):\n%s", target, got.status, want.status, diff)
		}
	}
}

// The policy allows only the style element, by its hash.
func TestContentSecurityPolicy(t *testing.T) {
	h := newHandlers(t, load(t, books(3)), httpapi.Options{})
	got := get(h.browse, "/api/books/")
	_, style, _ := strings.Cut(got.body, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	sum := sha256.Sum256([]byte(style))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	if policy := got.header.Get("Content-Security-Policy"); policy != want || len(style) < 1000 {
		t.Errorf("Content-Security-Policy is\n%s, want\n%s", policy, want)
	}
	for _, name := range []string{"script", "img", "link", "iframe", "object", "base"} {
		if len(got.find(name, "", "")) > 0 {
			t.Errorf("the page has a <%s>", name)
		}
	}
	if len(got.find("style", "", "")) != 1 {
		t.Error("the page does not have exactly one <style>")
	}
}

func TestAccessibility(t *testing.T) {
	h := newHandlers(t, load(t, threeEvents), httpapi.Options{Authorizer: httpapi.AllowAll})
	for _, page := range []result{
		get(h.browse, "/api/"), get(h.browse, "/api/events/"), get(h.browse, "/api/books/"), get(h.browse, "/api/x/"),
		do(h.browse, formRequest("/api/events/", "name=x")),
	} {
		checkAccessible(t, page)
	}
	own := newService().handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
	for _, page := range []result{
		get(own, "/api/"), get(own, "/api/films/"), get(own, "/api/films/?minutes__gte=bogus&genres=bogus"), get(own, "/api/films/1/"),
		get(own, "/api/films/1/?_method=DELETE"), get(own, "/api/films/9/"), get(own, "/api/directors/1/"),
		do(own, formRequest("/api/films/9/?_method=DELETE", "")),
	} {
		checkAccessible(t, page)
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
	missing := browsing(t, middleware(t, http.NotFound), Options{Title: "Films <1>"})
	if got := get(missing, "/api/"); got.status != 404 || !strings.Contains(got.text, "Films <1>") {
		t.Errorf("nothing is found: %d %s", got.status, got.text)
	}
}

// The page shows the body of the response, folded if it is long.
func TestResponseBody(t *testing.T) {
	h := newHandlers(t, load(t, books(300)), httpapi.Options{})
	own := newService().handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
	tests := []struct {
		reason  string
		handler http.Handler
		request *http.Request
		want    string // part of the body
		folded  bool
		open    bool // the folded body is unfolded
	}{
		{"short list", h.browse, request("GET", "/api/books/?limit=2", ""), `"count": 300, "next": "http://host.example/api/books/?limit=2&offset=2"`, false, false},
		{"long list", h.browse, request("GET", "/api/books/?limit=300", ""), `"id": 300`, true, false},
		{"many lines", h.browse, request("GET", "/api/books/?limit=9", ""), `"id": 9`, true, false},
		{"root", h.browse, request("GET", "/api/", ""), `"faqs": "http://host.example/api/faqs/?format=api"`, true, false},
		{"record", own, request("GET", "/api/films/1/", ""), `"extra": { "k": [ 1 ] }`, false, false},
		{"error", h.browse, request("GET", "/api/x/", ""), `{ "detail": "Not found." }`, false, false},
		{"errors of filters", own, request("GET", "/api/films/?status=bogus", ""), `{ "status": [ "Not <bogus>." ] }`, false, false},
		{"nothing else to show", own, request("OPTIONS", "/api/films/", ""), `"name": "Film List"`, true, true},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got := do(test.handler, test.request)
			_, shown, _ := strings.Cut(got.text, "Request and response")
			if !strings.Contains(shown, test.want) {
				t.Errorf("the page does not show %s:\n%s", test.want, shown)
			}
			folded := got.find("details", "class", "body")
			if (len(folded) == 1) != test.folded {
				t.Fatalf("%d folded bodies: %.300s", len(folded), shown)
			}
			if !test.folded {
				return
			}
			if _, open := folded[0].attrs["open"]; open != test.open {
				t.Errorf("the body is open: %t", open)
			}
			_, rest, _ := strings.Cut(shown, "Content-Length: ")
			length, _, _ := strings.Cut(rest, " ")
			if !strings.Contains(strings.ReplaceAll(shown, ",", ""), "Body "+length+" bytes") {
				t.Errorf("the length of the body is not %s: %.300s", length, shown)
			}
		})
	}
}

// The page after a form shows the request that the handler was sent.
func TestSentRequest(t *testing.T) {
	mux := http.NewServeMux()
	if err := httpapi.Mount(mux, "/shop", newService().handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})); err != nil {
		t.Fatal(err)
	}
	shelf := newService()
	shelf.films.refuse = http.ErrBodyNotAllowed
	failing := shelf.handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
	tests := []struct {
		reason  string
		handler http.Handler
		request *http.Request
		want    string
	}{
		{"GET with a prefix", mux, request("GET", "/shop/api/films/?limit=1", ""), "Request and response GET /shop/api/films/?limit=1 HTTP 200 OK"},
		{"a new record", failing, formRequest("/api/films/?format=api", "title=%3Cb%3E&minutes=7"),
			`POST /api/films/?format=api Content-Type: application/json { "title": "\u003cb\u003e", "minutes": 7, "published": false } HTTP 500`},
		{"a change", failing, formRequest("/api/films/1/?format=api&_method=PATCH", "title=x"), `PATCH /api/films/1/ Content-Type: application/json { "title": "x", "published": false }`},
		{"a deletion", failing, formRequest("/api/films/1/?_method=DELETE", ""), "DELETE /api/films/1/ HTTP 500"},
		{"the handler is not asked", failing, formRequest("/api/films/?format=api", "title=%zz"), "POST /api/films/?format=api HTTP 400"},
	}
	for _, test := range tests {
		got := do(test.handler, test.request)
		if !strings.Contains(got.text, test.want) {
			_, shown, _ := strings.Cut(got.text, "Request and response")
			t.Errorf("%s: the page does not show %q:\n%s", test.reason, test.want, shown)
		}
	}
}

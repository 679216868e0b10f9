package browse

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

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
				"Content-Security-Policy": got.header["Content-Security-Policy"], // see TestContentSecurityPolicy
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

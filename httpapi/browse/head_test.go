package browse

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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
		"/api/", "/api/?search=book", "/api/books/", "/api/books/?offset=90", "/api/books/?_page=2", "/api/books/?_record=7",
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

// Conditional and range headers refer to the page, so they are not passed to the
// handler.
func TestConditionalHeaders(t *testing.T) {
	var passed http.Header
	h := around(t, func(w http.ResponseWriter, r *http.Request) {
		passed = r.Header
		w.Header().Set("ETag", `"json"`)
		w.Header().Set("Last-Modified", "Sun, 10 May 2026 16:00:00 GMT")
		w.Header().Set("Cache-Control", "max-age=60")
		w.Header().Set("X-Request-Id", "7")
		w.Write([]byte(`{"count":0,"next":null,"previous":null,"results":[]}`))
	})
	r := request("GET", "/api/books/", "", "If-None-Match", `"json"`, "If-Modified-Since", "Sun, 10 May 2026 16:00:00 GMT",
		"Range", "bytes=0-5", "Accept-Encoding", "gzip", "Authorization", "Bearer x", "Cookie", "a=b")
	got := do(h, r)
	if diff := cmp.Diff(http.Header{"Accept": {"application/json"}, "Authorization": {"Bearer x"}, "Cookie": {"a=b"}}, passed); diff != "" {
		t.Errorf("request header of the handler (-want +got):\n%s", diff)
	}
	for name, want := range map[string]string{"ETag": "", "Last-Modified": "", "Cache-Control": "private, no-cache", "X-Request-Id": "7", "Vary": "Accept"} {
		if got.header.Get(name) != want {
			t.Errorf("header %s = %q, want %q", name, got.header.Get(name), want)
		}
	}
	if !strings.Contains(got.text, `Etag: "json"`) {
		t.Error("the page does not show the header of the JSON response")
	}
	if r.Header.Get("If-None-Match") == "" || r.Header.Get("Accept") != chrome {
		t.Error("the caller's request was modified")
	}
}

// Values of Vary set by middleware are kept.
func TestVaryOfMiddleware(t *testing.T) {
	h := newHandlers(t, load(t, books(3)), httpapi.Options{})
	middleware := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Accept-Encoding")
		h.browse.ServeHTTP(w, r)
	})
	for _, accept := range []string{chrome, "*/*"} {
		for target, want := range map[string][]string{"/api/books/": {"Accept-Encoding", "Accept"}, "/api/x/": {"Accept-Encoding", "Accept"}} {
			if got := do(middleware, request("GET", target, "", "Accept", accept)).header["Vary"]; !cmp.Equal(got, want) {
				t.Errorf("GET %s with Accept %q: Vary %q, want %q", target, accept, got, want)
			}
		}
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
	own := newHouse().handler(t, httpapi.Options{Authorizer: httpapi.AllowAll})
	for _, page := range []result{
		get(own, "/api/"), get(own, "/api/films/"), get(own, "/api/films/?minutes__gte=bogus&genres=bogus"), get(own, "/api/films/1/"),
		get(own, "/api/films/1/?_method=DELETE"), get(own, "/api/films/9/"), get(own, "/api/directors/1/"),
		do(own, formRequest("/api/films/9/?_method=DELETE", "")),
	} {
		checkAccessible(t, page)
	}
}

// checkAccessible checks the structure of a page on which screen readers rely.
func checkAccessible(t *testing.T, page result) {
	t.Helper()
	title := page.one(t, "title", "", "").text
	if page.one(t, "html", "", "").attrs["lang"] != "en" || title == "" || len(page.find("main", "", "")) != 1 {
		t.Errorf("%q: no language, title or main", title)
	}
	page.one(t, "h1", "", "")
	if about := page.one(t, "meta", "name", "description").attrs["content"]; len(about) < 20 || len(about) > 300 {
		t.Errorf("%s: the description of the page is %q", title, about)
	}
	ids := make(map[string]bool)
	for _, tag := range page.tags {
		id, ok := tag.attrs["id"]
		if ok && (ids[id] || id == "") {
			t.Errorf("%s: the id %q is empty or a duplicate", title, id)
		}
		ids[id] = true
	}
	for _, tag := range page.tags {
		if tag.attrs["role"] == "region" {
			t.Errorf("%s: a <%s role=region> instead of a <section>", title, tag.name)
		}
		for _, refers := range []string{"aria-describedby", "aria-labelledby", "for"} {
			for id := range strings.FieldsSeq(tag.attrs[refers]) {
				if !ids[id] {
					t.Errorf("%s: %s refers to the missing id %q", title, refers, id)
				}
			}
		}
		switch tag.name {
		case "input", "textarea", "select":
			if tag.attrs["type"] != "checkbox" && tag.attrs["type"] != "hidden" && len(page.find("label", "for", tag.attrs["id"])) != 1 {
				t.Errorf("%s: the field %s has no label", title, tag.attrs["name"])
			}
		case "th":
			if tag.attrs["scope"] == "" {
				t.Errorf("%s: a th without scope", title)
			}
		case "a":
			if target, ok := strings.CutPrefix(tag.attrs["href"], "#"); ok && !ids[target] {
				t.Errorf("%s: a link leads to the missing id %q", title, target)
			}
		}
	}
}

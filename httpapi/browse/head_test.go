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

func TestHeaders(t *testing.T) {
	p := newPair(t, load(t, shelf(3)), httpapi.Options{Authorizer: httpapi.Bearer("secret")})
	tests := []struct {
		reason     string
		request    *http.Request
		vary, allo string
		more       map[string]string
	}{
		{"the root", request("GET", "/api/", ""), "Accept", "GET, HEAD, OPTIONS", nil},
		{"books", request("GET", "/api/books/", ""), "Accept", "GET, HEAD, OPTIONS", nil},
		{"events", request("GET", "/api/events/", ""), "Authorization, Accept", "GET, POST, HEAD, OPTIONS", nil},
		{"HEAD", request("HEAD", "/api/events/", ""), "Authorization, Accept", "GET, POST, HEAD, OPTIONS", nil},
		{"nothing there", request("GET", "/api/x/", ""), "Accept", "", nil},
		{"a missing slash", request("GET", "/api/books", ""), "Accept", "", map[string]string{"Location": "/api/books/"}},
		{"no method", request("PUT", "/api/books/", ""), "Accept", "GET, HEAD, OPTIONS", nil},
		{"refused", posting("/api/events/", ""), "Authorization, Accept", "GET, POST, HEAD, OPTIONS", map[string]string{"Www-Authenticate": "Bearer"}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got := do(p.browse, test.request)
			want := http.Header{
				"Content-Type":            {"text/html; charset=utf-8"},
				"Content-Length":          {fmt.Sprint(len(got.body))},
				"Content-Security-Policy": got.header["Content-Security-Policy"], // see TestPolicy
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
			if test.allo != "" {
				want.Set("Allow", test.allo)
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

func TestHeadIsGetWithoutBody(t *testing.T) {
	p := newPair(t, load(t, shelf(3)), httpapi.Options{})
	want := get(p.browse, "/api/books/")
	got := do(p.browse, request("HEAD", "/api/books/", ""))
	if got.body != "" || want.body == "" {
		t.Errorf("HEAD has %d bytes, GET %d", len(got.body), len(want.body))
	}
	// The page shows the request's own line, so its length differs by that.
	want.header.Set("Content-Length", fmt.Sprint(len(want.body)+len("HEAD")-len("GET")))
	if diff := cmp.Diff(want.header, got.header); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// What is in the style element is what the policy allows, byte by byte, and
// nothing else is allowed.
func TestPolicy(t *testing.T) {
	p := newPair(t, load(t, shelf(3)), httpapi.Options{})
	got := get(p.browse, "/api/books/")
	_, style, _ := strings.Cut(got.body, "<style>")
	style, _, _ = strings.Cut(style, "</style>")
	sum := sha256.Sum256([]byte(style))
	want := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) +
		"'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	if policy := got.header.Get("Content-Security-Policy"); policy != want || len(style) < 1000 {
		t.Errorf("the policy is\n%s, want\n%s", policy, want)
	}
	for _, name := range []string{"script", "img", "link", "iframe", "object", "base"} {
		if len(got.find(name, "", "")) > 0 {
			t.Errorf("there is a <%s>", name)
		}
	}
	if len(got.find("style", "", "")) != 1 {
		t.Error("there is a second style")
	}
}

// A page is its own representation: what a client knows of the JSON is no reason
// to send no page, or part of one.
func TestConditionsAreNotPassedOn(t *testing.T) {
	var passed http.Header
	h := New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		passed = r.Header
		w.Header().Set("ETag", `"json"`)
		w.Header().Set("Last-Modified", "Sun, 10 May 2026 16:00:00 GMT")
		w.Header().Set("Cache-Control", "max-age=60")
		w.Header().Set("X-Request-Id", "7")
		w.Write([]byte(`{"count":0,"next":null,"previous":null,"results":[]}`))
	}), Options{})
	r := request("GET", "/api/books/", "", "If-None-Match", `"json"`, "If-Modified-Since", "Sun, 10 May 2026 16:00:00 GMT",
		"Range", "bytes=0-5", "Accept-Encoding", "gzip", "Authorization", "Bearer x", "Cookie", "a=b")
	got := do(h, r)
	if diff := cmp.Diff(http.Header{"Accept": {"application/json"}, "Authorization": {"Bearer x"}, "Cookie": {"a=b"}}, passed); diff != "" {
		t.Errorf("the handler is asked with (-want +got):\n%s", diff)
	}
	for name, want := range map[string]string{"ETag": "", "Last-Modified": "", "Cache-Control": "private, no-cache", "X-Request-Id": "7", "Vary": "Accept"} {
		if got.header.Get(name) != want {
			t.Errorf("%s is %q, want %q", name, got.header.Get(name), want)
		}
	}
	if !strings.Contains(got.text, `Etag: "json"`) {
		t.Error("the page does not show the header of the JSON")
	}
	if r.Header.Get("If-None-Match") == "" || r.Header.Get("Accept") != chrome {
		t.Error("the request of the caller has changed")
	}
}

// Middleware around the handler has its say in Vary as well.
func TestVaryOfMiddleware(t *testing.T) {
	p := newPair(t, load(t, shelf(3)), httpapi.Options{})
	h := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Accept-Encoding")
		p.browse.ServeHTTP(w, r)
	})
	for _, accept := range []string{chrome, "*/*"} {
		for target, want := range map[string][]string{"/api/books/": {"Accept-Encoding", "Accept"}, "/api/x/": {"Accept-Encoding", "Accept"}} {
			if got := do(h, request("GET", target, "", "Accept", accept)).header["Vary"]; !cmp.Equal(got, want) {
				t.Errorf("%s to %q varies by %q, want %q", target, accept, got, want)
			}
		}
	}
}

func TestBasicsOfAccess(t *testing.T) {
	p := newPair(t, load(t, threeEvents), httpapi.Options{Authorizer: httpapi.AllowAll})
	for _, page := range []shown{
		get(p.browse, "/api/"), get(p.browse, "/api/events/"), get(p.browse, "/api/books/"), get(p.browse, "/api/x/"),
		do(p.browse, posting("/api/events/", "name=x")),
	} {
		title := page.one(t, "title", "", "").text
		if page.one(t, "html", "", "").attrs["lang"] != "en" || title == "" || len(page.find("main", "", "")) != 1 {
			t.Errorf("%s: no language, title or main", title)
		}
		page.one(t, "h1", "", "")
		ids := make(map[string]bool)
		for _, tag := range page.tags {
			id, ok := tag.attrs["id"]
			if ok && (ids[id] || id == "") {
				t.Errorf("%s: the id %q comes twice, or is empty", title, id)
			}
			ids[id] = true
		}
		for _, tag := range page.tags {
			for _, refers := range []string{"aria-describedby", "aria-labelledby", "for"} {
				for id := range strings.FieldsSeq(tag.attrs[refers]) {
					if !ids[id] {
						t.Errorf("%s: %s refers to %q, which is not there", title, refers, id)
					}
				}
			}
			switch tag.name {
			case "input", "textarea":
				if tag.attrs["type"] != "checkbox" && len(page.find("label", "for", tag.attrs["id"])) != 1 {
					t.Errorf("%s: the field %s has no label", title, tag.attrs["name"])
				}
			case "th":
				if tag.attrs["scope"] == "" {
					t.Errorf("%s: a th without scope", title)
				}
			case "a":
				if target, ok := strings.CutPrefix(tag.attrs["href"], "#"); ok && !ids[target] {
					t.Errorf("%s: a link leads to %q, which is not there", title, target)
				}
			}
		}
	}
}

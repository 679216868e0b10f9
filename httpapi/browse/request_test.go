package browse

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// Other clients get exactly the handler's response, except for an added Vary.
func TestOtherClients(t *testing.T) {
	h := newHandlers(t, load(t, books(30)), httpapi.Options{Authorizer: httpapi.AllowAll})
	any := []string{"Accept", "*/*"}
	indented := []string{"Accept", "application/json; indent=2, text/html"}
	form := append([]string{"Content-Type", "application/x-www-form-urlencoded", "Origin", "http://host.example"}, any...)
	post := []string{"Accept", "application/json", "Content-Type", "application/json"}
	for _, test := range []struct {
		reason, method, target, body string
		header                       []string
		vary                         []string // the values of Vary, if they are others
	}{
		{"the root", "GET", "/api/?format=api", "", any, nil},
		{"a page", "GET", "/api/books/?offset=3", "", any, nil},
		{"indented JSON", "GET", "/api/books/", "", indented, nil},
		{"JSON for a browser", "GET", "/api/books/?format=json", "", nil, nil},
		{"empty Accept", "GET", "/api/books/", "", []string{"Accept", ""}, nil},
		{"HEAD", "HEAD", "/api/events/", "", any, nil},
		{"OPTIONS", "OPTIONS", "/api/events/", "", any, nil},
		{"unknown path", "GET", "/api/magazines/", "", any, []string{"Accept"}},
		{"missing slash", "GET", "/api/books?limit=2", "", any, []string{"Accept"}},
		{"unsupported method", "DELETE", "/api/books/", "", any, nil},
		{"a form without Accept: text/html", "POST", "/api/events/", "name=x", form, nil},
		{"a post", "POST", "/api/events/", `{"name":""}`, post, nil},
	} {
		t.Run(test.reason, func(t *testing.T) {
			send := func(h http.Handler) result {
				return do(h, request(test.method, test.target, test.body, test.header...))
			}
			want := send(h.plain)
			if test.vary != nil {
				want.header["Vary"] = test.vary
			}
			equal(t, "the result", want.comparable(), send(h.browse).comparable())
		})
	}
}

// comparable returns the response without parsed parts.
func (res result) comparable() any {
	return struct {
		Status int
		Header http.Header
		Body   string
	}{res.status, res.header, res.body}
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

// The body of a forbidden request is not read.
func TestForbiddenBodyIsNotRead(t *testing.T) {
	forbid := func(*http.Request, string, schema.Actions) error { return httpapi.Forbidden("Not you.") }
	h := newHandlers(t, load(t, "{}"), httpapi.Options{Authorizer: forbid})
	for _, change := range []func(*http.Request){
		func(*http.Request) {},
		func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		func(r *http.Request) { r.URL.Path = "/api/books/" },
	} {
		r := formRequest("/api/events/", "")
		r.Body, r.ContentLength = http.NoBody, 10
		r.Body = struct {
			unreadBody
			closer
		}{unreadBody{t}, closer{}}
		change(r)
		if got := do(h.browse, r); got.status != 403 && got.status != 405 {
			t.Errorf("status %d, want 403 or 405", got.status)
		}
	}
}

func TestFormReadError(t *testing.T) {
	cat := load(t, "{}")
	h := newHandlers(t, cat, httpapi.Options{Authorizer: httpapi.AllowAll})
	r := formRequest("/api/events/", "")
	r.Body = struct {
		failingReader
		closer
	}{}
	if got := do(h.browse, r); got.status != 400 || !strings.Contains(got.text, "could not be read") {
		t.Errorf("%d %s, want 400", got.status, got.text)
	}
}

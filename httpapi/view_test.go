package httpapi

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFormat(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	tests := []struct {
		reason, query string
		ok            bool
	}{
		{"json", "?format=json", true},
		{"api", "?format=api", true},
		{"blank", "?format=", true},
		{"without =", "?format", true},
		{"unknown", "?format=xml", false},
		{"html", "?format=html", false},
		{"upper case", "?format=JSON", false},
		{"space", "?format=api%20", false},
		{"list of formats", "?format=json,api", false},
		{"two formats, the last unknown", "?format=json&format=xml", false},
		{"two formats, the last known", "?format=xml&format=api", true},
		{"escaped parameter", "?%66ormat=%6Ason", true},
		{"name in upper case is another parameter", "?FORMAT=xml", true},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			want := answer{200, viewHeader("Accept", readMethods, len(emptyPage)), emptyPage}
			if !test.ok {
				want = answer{404, viewHeader("Accept", readMethods, len(notFound)), notFound}
			}
			got := get(h, "/api/news/"+test.query)
			want.Header["Content-Length"] = fmt.Sprint(len(want.Body))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The rules of Accept are tested in package negotiation.
func TestAccept(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	tests := []struct {
		reason  string
		headers []string
		status  int
		body    string
	}{
		{"no header", nil, 200, emptyPage},
		{"empty header", []string{""}, 406, notAcceptable},
		{"anything", []string{"*/*"}, 200, emptyPage},
		{"JSON", []string{"application/json"}, 200, emptyPage},
		{"another type", []string{"text/html"}, 406, notAcceptable},
		{"header of a browser", []string{"text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}, 200, emptyPage},
		{"indent", []string{"application/json; indent=2"}, 200, indented(2)},
		{"indent above the maximum", []string{"*/*; indent=9"}, 200, indented(8)},
		{"two headers", []string{"text/html", "application/json;indent=1"}, 200, indented(1)},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			want := answer{test.status, viewHeader("Accept", readMethods, len(test.body)), test.body}
			got := call{target: "/api/news/", header: accept(test.headers...)}.do(h)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Accept %q (-want +got):\n%s", test.headers, diff)
			}
		})
	}
}

// The first check that fails determines the response.
func TestOrderOfChecks(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	tests := []struct {
		reason string
		call   call
		status int
	}{
		{"format before Accept", call{target: "/api/events/?format=xml", header: accept("text/html")}, 404},
		{"format before method", call{method: "PUT", target: "/api/events/?format=xml"}, 404},
		{"format before OPTIONS", call{method: "OPTIONS", target: "/api/events/?format=xml"}, 404},
		{"format before credentials", call{method: "POST", target: "/api/events/?format=xml", body: "{}"}, 404},
		{"format of the root", call{target: "/api/?format=xml"}, 404},
		{"known format does not replace Accept", call{target: "/api/events/?format=api", header: accept("text/html")}, 406},
		{"Accept before method", call{method: "PUT", target: "/api/events/", header: accept("text/html")}, 406},
		{"Accept before OPTIONS", call{method: "OPTIONS", target: "/api/labels/", header: accept("application/xml")}, 406},
		{"Accept before credentials", call{method: "POST", target: "/api/events/", header: accept("text/html"), body: "{}"}, 406},
		{"method before content type", call{method: "POST", target: "/api/labels/", header: http.Header{"Content-Type": {"text/plain"}}, body: "{bad"}, 405},
		{"method without credentials", call{method: "PUT", target: "/api/events/", body: "{}"}, 405},
		{"slash before format", call{target: "/api/events?format=xml"}, 301},
		{"slash before credentials", call{method: "POST", target: "/api/events", body: "{}"}, 308},
		{"path before format", call{method: "POST", target: "/api/nope/?format=xml", header: accept("text/html")}, 404},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			if got := test.call.do(h); got.Status != test.status {
				t.Errorf("%d %s, want %d", got.Status, got.Body, test.status)
			}
		})
	}
}

func TestMethodNotAllowed(t *testing.T) {
	h := newTestHandler(t, Options{Authorizer: AllowAll}, nil)
	tests := []struct{ reason, method, path, vary, allow string }{
		{"events", "PUT", "/api/events/", authorizedVary, createMethods},
		{"social links", "PATCH", "/api/social-links/", "Accept", createMethods},
		{"delete", "DELETE", "/api/events/", authorizedVary, createMethods},
		{"post to a read-only collection", "POST", "/api/labels/", "Accept", readMethods},
		{"post to the root", "POST", "/api/", "Accept", readMethods},
		{"books", "DELETE", "/api/books/", "Accept", readMethods},
		{"trace", "TRACE", "/api/events/", authorizedVary, createMethods},
		{"unknown method", "FOO", "/api/events/", authorizedVary, createMethods},
		{"connect", "CONNECT", "/api/events/", authorizedVary, createMethods},
		{"lower case", "get", "/api/events/", authorizedVary, createMethods},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			body := `{"detail":"Method \"` + test.method + `\" not allowed."}`
			r := call{target: test.path, body: "{bad"}.request()
			r.Method = test.method
			want := answer{405, viewHeader(test.vary, test.allow, len(body)), body}
			if diff := cmp.Diff(want, serve(h, r)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// HEAD returns the status and headers of GET, including the length, and no body.
func TestHead(t *testing.T) {
	h := newTestHandler(t, Options{}, map[string]Collection{"events": newCollection(50)})
	for _, target := range []string{"/api/events/?limit=1", "/api/events/", "/api/events/?format=xml", "/api/nope/",
		"/api/", "/api", "/api/labels/?" + strings.Repeat("&", 1000)} {
		for _, accepted := range []string{"*/*", "text/html", "*/*;indent=3"} {
			want := call{target: target, header: accept(accepted)}.do(h)
			want.Body = ""
			got := call{method: "HEAD", target: target, header: accept(accepted)}.do(h)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s, %s (-GET +HEAD):\n%s", target, accepted, diff)
			}
		}
	}
}

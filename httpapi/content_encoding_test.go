package httpapi

import (
	"net/http"
	"strings"
	"testing"
)

// TestContentEncoding checks that a body with a content coding is rejected with 415, after
// authorization and size and before its type, and that only this 415 has Accept-Encoding
// (RFC 9110, section 12.5.3).
func TestContentEncoding(t *testing.T) {
	const (
		gzip = `{"detail":"Unsupported content encoding \"gzip\" in request."}`
		text = `{"detail":"Unsupported media type \"text/plain\" in request."}`
	)
	for _, test := range []struct {
		reason   string
		opts     Options
		coding   string
		mime     string
		body     string
		status   int
		response string // "" for any
		accepts  string // Accept-Encoding
	}{
		{"a coding", Options{Authorizer: AllowAll}, "gzip", "application/json", "{}", 415, gzip, "identity"},
		{"a coding before a type", Options{Authorizer: AllowAll}, "gzip", "text/plain", "{}", 415, gzip, "identity"},
		{"a type alone", Options{Authorizer: AllowAll}, "identity", "text/plain", "{}", 415, text, ""},
		{"no coding", Options{Authorizer: AllowAll}, "identity", "application/json", "{}", 201, "", ""},
		{"no body", Options{Authorizer: AllowAll}, "gzip", "", "", 201, "", ""},
		{"not authorized", Options{}, "gzip", "application/json", "{}", 403, "", ""},
		{"too large", Options{Authorizer: AllowAll, Bounds: Bounds{Body: 1}}, "gzip", "application/json", "{}", 413, "", ""},
		{"markup", Options{Authorizer: AllowAll}, `<"x">`, "application/json", "{}", 415,
			`{"detail":"Unsupported content encoding \"<\"x\">\" in request."}`, "identity"},
	} {
		h := newTestHandler(t, test.opts, nil)
		header := http.Header{"Content-Encoding": {test.coding}, "Content-Type": {test.mime}}
		got := call{method: "POST", target: "/api/events/", header: header, body: test.body}.do(h)
		if got.Status != test.status || test.response != "" && got.Body != test.response || got.Header["Accept-Encoding"] != test.accepts {
			t.Errorf("%s: %d %s, Accept-Encoding %q, want %d %s, %q", test.reason, got.Status, got.Body, got.Header["Accept-Encoding"], test.status, test.response, test.accepts)
		}
	}
	for method, want := range map[string]int{"PUT": 415, "PATCH": 415, "DELETE": 204, "GET": 200} {
		h := newTaggedFilms(t, Options{})
		header := http.Header{"Content-Encoding": {"gzip"}, "Content-Type": {"application/json"}}
		if got := (call{method: method, target: "/api/films/1/", header: header, body: "\x1f\x8b" + strings.Repeat("x", 20)}).do(h); got.Status != want {
			t.Errorf("%s: %d %s, want %d", method, got.Status, got.Body, want)
		}
	}
}

package httpapi

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMissingSlash(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	tests := []struct {
		reason, method, target string
		status                 int
		location               string
	}{
		{"a collection", "GET", "/api/events", 301, "/api/events/"},
		{"the root", "GET", "/api", 301, "/api/"},
		{"query is kept", "GET", "/api/events?limit=2&x=%20a&y=b%zz", 301, "/api/events/?limit=2&x=%20a&y=b%zz"},
		{"query that needs escapes", "GET", "/api/events?a[0]=\"<é>\\^`{|}#?/", 301, "/api/events/?a[0]=%22%3C%C3%A9%3E%5C%5E%60%7B%7C%7D%23?/"},
		{"empty query", "GET", "/api/events?", 301, "/api/events/"},
		{"head", "HEAD", "/api/events", 301, "/api/events/"},
		{"post", "POST", "/api/events", 308, "/api/events/"},
		{"put", "PUT", "/api/events", 308, "/api/events/"},
		{"delete", "DELETE", "/api/labels", 308, "/api/labels/"},
		{"options", "OPTIONS", "/api/labels", 308, "/api/labels/"},
		{"underscore", "GET", "/api/item_variants", 301, "/api/item_variants/"},
		{"unknown format", "GET", "/api/events?format=xml", 301, "/api/events/?format=xml"},
		{"unnecessary escapes", "GET", "/api/event%73?offset=%E2%80%837", 301, "/api/events/?offset=%E2%80%837"},
		{"more than 1,000 parameters", "GET", "/api?" + strings.Repeat("&", 1000), 301, "/api/?" + strings.Repeat("&", 1000)},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			want := answer{Status: test.status, Header: map[string]string{
				"Content-Type":           "text/html; charset=utf-8",
				"Location":               test.location,
				"Content-Length":         "0",
				"X-Content-Type-Options": "nosniff",
				"Referrer-Policy":        "same-origin",
			}}
			got := call{method: test.method, target: test.target, header: accept("text/html")}.do(h)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

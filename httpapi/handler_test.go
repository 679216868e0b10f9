package httpapi

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/schema"
)

func TestNewHandlerKeys(t *testing.T) {
	tests := []struct {
		reason      string
		collections map[string]Collection
		names       []string // in the error
	}{
		{"nil map", nil, []string{"no collections"}},
		{"nil collection", allCollections(map[string]Collection{"carts": nil}), []string{"nil", "carts"}},
		{"without a description", allCollections(map[string]Collection{"magazines": newCollection(0)}), []string{"Description", "magazines"}},
		{"segment instead of the key", allCollections(map[string]Collection{"item_variants": newCollection(0)}), []string{"item_variants", "did you mean itemVariants?"}},
		{"another key in the description", map[string]Collection{"magazines": described{newCollection(0), schema.Description{Key: "papers"}}}, []string{"magazines", "papers"}},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			h, err := NewHandler(test.collections, Options{})
			if !errors.Is(err, ErrInvalidConfig) || h != nil {
				t.Fatalf("NewHandler: error %v, want ErrInvalidConfig", err)
			}
			for _, name := range test.names {
				if !strings.Contains(err.Error(), name) {
					t.Errorf("error %q does not name %s", err, name)
				}
			}
		})
	}
}

func TestNewHandlerCopiesMap(t *testing.T) {
	all := allCollections(nil)
	h, err := NewHandler(all, Options{})
	if err != nil {
		t.Fatal(err)
	}
	clear(all)
	if got := get(h, "/api/books/"); got.Status != 200 {
		t.Errorf("%d after the map was cleared, want 200", got.Status)
	}
}

func TestNotFound(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	want := answer{404, viewHeader("", "", len(notFound)), notFound}
	delete(want.Header, "Vary")
	delete(want.Header, "Allow")
	for _, target := range []string{
		"/", "/api/nope", "/api/nope/", "/api/events/1/", "/api/events/abc", "/api/events/1",
		"/api//events/", "//api/events/", "/api/events//", "/API/events/", "/api/Events/",
		"/api/itemVariants/", "/api/item-variants/", "/api/events/../labels/", "/api/%FF/",
		"/favicon.ico", "/api/nope/?format=xml", "/api/news.json", "/api/news.json/", "/api/.json",
		"/api/events%00/", "/api/events%20/", "/api%2Fevents%2F%2F", "/apis", "/ap", "//",
	} {
		for _, method := range []string{"GET", "DELETE", "OPTIONS", "POST"} {
			if diff := cmp.Diff(want, call{method: method, target: target, header: accept("text/html")}.do(h)); diff != "" {
				t.Errorf("%s %s (-want +got):\n%s", method, target, diff)
			}
		}
	}
	want.Body = ""
	if diff := cmp.Diff(want, call{method: "HEAD", target: "/api/nope/"}.do(h)); diff != "" {
		t.Errorf("HEAD (-want +got):\n%s", diff)
	}
}

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

func TestEscapedPaths(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	for _, target := range []string{"/api/carts%2F", "/api%2Fcarts/", "/%61pi/carts/", "/api/%63arts/"} {
		if got := get(h, target); got.Status != 200 || got.Body != emptyPage {
			t.Errorf("%s: %d %s, want an empty page", target, got.Status, got.Body)
		}
	}
}

func TestTooManyParameters(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	tests := []struct {
		reason, query string
		status        int
	}{
		{"1,000 parameters", strings.Repeat("a=1&", 999) + "b=1", 200},
		{"1,001 parameters", strings.Repeat("a=1&", 1000) + "b=1", 400},
		{"1,001 empty parameters", strings.Repeat("&", 1000), 400},
		{"1,000 empty parameters", strings.Repeat("&", 999), 200},
		{"1,001 parameters and an unknown format", strings.Repeat("&", 1000) + "format=xml", 400},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got := get(h, "/api/news/?"+test.query)
			if got.Status != test.status {
				t.Errorf("%d, want %d", got.Status, test.status)
			}
			if got.Status == 400 && (!strings.Contains(got.Body, "1000") || got.Header["Allow"]+got.Header["Vary"] != "") {
				t.Errorf("%+v does not name the limit, or has Allow or Vary", got)
			}
		})
	}
}

func TestConcurrentRequests(t *testing.T) {
	h := newTestHandler(t, Options{Authorizer: Bearer("s")}, map[string]Collection{"news": newCollection(3)})
	want := get(h, "/api/labels/?ordering=id")
	done := make(chan answer)
	for range 8 {
		go func() { done <- get(h, "/api/labels/?ordering=id") }()
		go func() { done <- (call{method: "OPTIONS", target: "/api/labels/"}).do(h) }()
	}
	same := 0
	for range 16 {
		if cmp.Equal(want, <-done) {
			same++
		}
	}
	if same != 8 {
		t.Errorf("%d of 8 responses are as expected", same)
	}
}

// described is a collection with a description.
type described struct {
	Collection
	description schema.Description
}

func (d described) Description() schema.Description { return d.description }

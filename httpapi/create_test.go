package httpapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/google/go-cmp/cmp"
)

func created(body string) string { return `{"id":1,"body":` + quote(body) + `}` }

func TestCreate(t *testing.T) {
	h := newTestHandler(t, Options{Authorizer: AllowAll}, nil)
	for path, vary := range map[string]string{"/api/events/": authorizedVary, "/api/social-links/": "Accept", "/api/events/?limit=1&x": authorizedVary} {
		body := created(`{"url":"https://x.example/"}`)
		want := answer{201, viewHeader(vary, createMethods, len(body)), body} // and no Location
		got := call{method: "POST", target: path, body: `{"url":"https://x.example/"}`, header: http.Header{"Content-Type": {"application/json"}}}.do(h)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", path, diff)
		}
	}
}

func TestContentType(t *testing.T) {
	h := newTestHandler(t, Options{Authorizer: AllowAll}, nil)
	tests := []struct {
		reason, contentType string
		ok                  bool
	}{
		{"the type itself", "application/json", true},
		{"upper case", "APPLICATION/JSON", true},
		{"UTF-8", "application/json; charset=utf-8", true},
		{"Latin-1", "application/json;charset=latin-1", true},
		{"unknown charset", "application/json; charset=bogus", true},
		{"other parameter", "application/json; indent=4", true},
		{"range of subtypes", "application/*", true},
		{"anything", "*/*", true},
		{"range of types", "*/json", true},
		{"absent", "", false},
		{"text", "text/plain", false},
		{"text/json", "text/json", false},
		{"form", "application/x-www-form-urlencoded", false},
		{"multipart", "multipart/form-data; boundary=x", false},
		{"xml", "application/xml", false},
		{"structured suffix", "application/vnd.api+json", false},
		{"longer", "application/jsonx", false},
		{"type alone", "application", false},
		{"star alone", "*", false},
		{"two types", "application/json, text/plain", false},
		{"quotes", `text/"<x>"`, false},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			c := call{method: "POST", target: "/api/events/", body: "{}", header: http.Header{"Content-Type": {test.contentType}}}
			if test.reason == "absent" {
				c.header = nil
			}
			want := answer{Status: 201, Body: created("{}")}
			if !test.ok {
				want = answer{Status: 415, Body: `{"detail":"Unsupported media type \"` + strings.ReplaceAll(test.contentType, `"`, `\"`) + `\" in request."}`}
			}
			want.Header = viewHeader(authorizedVary, createMethods, len(want.Body))
			if diff := cmp.Diff(want, c.do(h)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			// An empty body requires no type.
			c.body = ""
			if got := c.do(h); got.Status != 201 {
				t.Errorf("without a body: %d %s, want 201", got.Status, got.Body)
			}
		})
	}
}

func TestCharset(t *testing.T) {
	h := newTestHandler(t, Options{Authorizer: AllowAll}, nil)
	tests := []struct{ reason, contentType, body, want string }{
		{"no charset", "application/json", "é", "é"},
		{"UTF-8", "application/json;charset=utf-8", "é", "é"},
		{"Latin-1", "application/json;charset=latin-1", "caf\xe9\xff a", "caféÿ a"},
		{"Latin-1 by another name", "application/json; charset=ISO-8859-1", "\xe9", "é"},
		{"quoted", `application/json; charset="iso_8859-1"`, "\xe9", "é"},
		{"UTF-8 sent as Latin-1", "application/json;charset=latin1", "é", "Ã©"},
		{"unknown charset", "application/json;charset=bogus", "é", "é"},
		{"empty charset", "application/json;charset=", "é", "é"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got := call{method: "POST", target: "/api/events/", body: test.body, header: http.Header{"Content-Type": {test.contentType}}}.do(h)
			if want := created(test.want); got.Body != want {
				t.Errorf("%s, want %s", got.Body, want)
			}
		})
	}
}

func TestBodyLimit(t *testing.T) {
	tests := []struct {
		reason  string
		maxBody int64
		size    int
		known   bool
		status  int
	}{
		{"at the limit", 100, 100, true, 201},
		{"past the limit", 100, 101, true, 413},
		{"at the limit, length unknown", 100, 100, false, 201},
		{"past the limit, length unknown", 100, 101, false, 413},
		{"default", 0, 1 << 20, true, 201},
		{"past the default", 0, 1<<20 + 1, true, 413},
		{"past the default, length unknown", 0, 1<<20 + 1, false, 413},
		{"before content type", 10, 11, false, 413},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			h := newTestHandler(t, Options{Authorizer: AllowAll, Bounds: Bounds{Body: test.maxBody}}, nil)
			r := call{method: "POST", target: "/api/events/", body: strings.Repeat("x", test.size)}.request()
			if test.reason != "before content type" {
				r.Header.Set("Content-Type", "application/json")
			}
			if !test.known {
				r.ContentLength = -1
			}
			got := serve(h, r)
			if got.Status != test.status {
				t.Errorf("%d, want %d", got.Status, test.status)
			}
			limit := test.maxBody
			if limit == 0 {
				limit = 1048576
			}
			if got.Status == 413 && !strings.Contains(got.Body, fmt.Sprintf(" %d bytes", limit)) {
				t.Errorf("%s does not name the limit", got.Body)
			}
		})
	}
}

// If the announced length is past the limit, the body is not read.
func TestAnnouncedLengthPastLimit(t *testing.T) {
	h := newTestHandler(t, Options{Authorizer: AllowAll}, nil)
	r := call{method: "POST", target: "/api/events/"}.request()
	r.Body, r.ContentLength = unreadBody{t}, 1<<20+1
	if got := serve(h, r); got.Status != 413 {
		t.Errorf("%d, want 413", got.Status)
	}
}

// endlessBody is an infinite body. It counts the bytes that are read.
type endlessBody struct{ read int }

func (b *endlessBody) Read(p []byte) (int, error) {
	b.read += len(p)
	clear(p)
	return len(p), nil
}

// A body of unknown length is read up to the limit.
func TestEndlessBody(t *testing.T) {
	h := newTestHandler(t, Options{Authorizer: AllowAll, Bounds: Bounds{Body: 100_000}}, nil)
	body := new(endlessBody)
	r := call{method: "POST", target: "/api/events/"}.request()
	r.Body, r.ContentLength = io.NopCloser(body), -1
	if got := serve(h, r); got.Status != 413 || body.read > 100_001 {
		t.Errorf("%d after %d bytes, want 413 after at most 100001", got.Status, body.read)
	}
}

func TestUnreadableBody(t *testing.T) {
	h := newTestHandler(t, Options{Authorizer: AllowAll}, nil)
	r := call{method: "POST", target: "/api/events/"}.request()
	r.Body = io.NopCloser(iotest.ErrReader(io.ErrUnexpectedEOF))
	if got := serve(h, r); got.Status != 400 {
		t.Errorf("body that fails: %d, want 400", got.Status)
	}
	r.Body = nil
	if got := serve(h, r); got.Status != 201 {
		t.Errorf("nil body: %d, want 201", got.Status)
	}
}

func TestInvalidRecord(t *testing.T) {
	fields := schema.FieldErrors{
		{Field: "name", Messages: []string{"This field is required.", "<&>"}},
		{Field: "startDate", Messages: []string{"Bad."}},
	}
	syntax := &schema.SyntaxError{Reason: "no value", Line: 2, Column: 3}
	tests := []struct {
		reason string
		err    error
		want   string
	}{
		{"fields", fields, `{"name":["This field is required.","<&>"],"startDate":["Bad."]}`},
		{"fields, wrapped", fmt.Errorf("events: %w", fields), `{"name":["This field is required.","<&>"],"startDate":["Bad."]}`},
		{"syntax", syntax, `{"detail":"` + syntax.Detail() + `"}`},
		{"syntax, wrapped", fmt.Errorf("events: %w", syntax), `{"detail":"` + syntax.Detail() + `"}`},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			events := creatableCollection{newCollection(0), func([]byte) ([]byte, error) { return nil, test.err }}
			opts := Options{Authorizer: AllowAll, OnError: func(_ *http.Request, err error) { t.Errorf("OnError: %v", err) }}
			h := newTestHandler(t, opts, map[string]Collection{"events": events})
			want := answer{400, viewHeader(authorizedVary, createMethods, len(test.want)), test.want}
			if diff := cmp.Diff(want, call{method: "POST", target: "/api/events/"}.do(h)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// POST requires a Creator, and a collection that can be posted to.
func TestPostRequiresCreator(t *testing.T) {
	h := newTestHandler(t, Options{Authorizer: AllowAll}, map[string]Collection{
		"labels": creatableCollection{newCollection(0), func([]byte) ([]byte, error) { return nil, errors.New("called") }},
		"events": newCollection(0),
	})
	for _, path := range []string{"/api/labels/", "/api/events/"} {
		got := call{method: "POST", target: path}.do(h)
		if got.Status != 405 || got.Header["Allow"] != readMethods {
			t.Errorf("POST %s: %d, Allow %s, want 405 and no POST", path, got.Status, got.Header["Allow"])
		}
	}
}

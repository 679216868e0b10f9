package httpapi

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Values that middleware sets before the handler are kept. Values that it adds afterwards
// do not appear in other responses.
func TestSharedHeaders(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	middleware := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Add("Vary", "Accept-Encoding")
		h.ServeHTTP(w, r)
		w.Header().Add("Allow", "BREW")
		w.Header().Add("Vary", "Origin")
	})
	for range 2 {
		if got := get(middleware, "/api/news/").Header["Vary"]; got != "Accept-Encoding | Accept | Origin" {
			t.Errorf("Vary = %s, want Accept-Encoding | Accept | Origin", got)
		}
		if got := get(h, "/api/news/"); got.Header["Vary"] != "Accept" || got.Header["Allow"] != readMethods {
			t.Errorf("header changed by another response: %v", got.Header)
		}
	}
}

// indented returns an empty page with n spaces for each level.
func indented(n int) string {
	s := strings.Repeat(" ", n)
	return "{\n" + s + "\"count\": 0,\n" + s + "\"next\": null,\n" + s + "\"previous\": null,\n" + s + "\"results\": []\n}"
}

func TestIndentedErrors(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	indent := accept("application/json; indent=2")
	tests := []struct {
		reason string
		call   call
		want   string
	}{
		{"method", call{method: "PUT", target: "/api/events/"}, "{\n  \"detail\": \"Method \\\"PUT\\\" not allowed.\"\n}"},
		{"credentials", call{method: "POST", target: "/api/events/"}, "{\n  \"detail\": \"Authentication credentials were not provided.\"\n}"},
		{"format", call{target: "/api/events/?format=xml"}, notFound},
		{"no route", call{target: "/api/nope/"}, notFound},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			test.call.header = indent
			if got := test.call.do(h); got.Body != test.want {
				t.Errorf("got %q, want %q", got.Body, test.want)
			}
		})
	}
}

func TestIndentNested(t *testing.T) {
	records := [][]byte{[]byte(`{"id":2,"title":"a, b: {c}","tags":["x",1],"none":{},"deep":{"a":null}}`)}
	h := newTestHandler(t, Options{}, map[string]Collection{"books": &sliceCollection{records: records}})
	want := strings.Join([]string{
		`{`,
		` "count": 1,`,
		` "next": null,`,
		` "previous": null,`,
		` "results": [`,
		`  {`,
		`   "id": 2,`,
		`   "title": "a, b: {c}",`,
		`   "tags": [`,
		`    "x",`,
		`    1`,
		`   ],`,
		`   "none": {},`,
		`   "deep": {`,
		`    "a": null`,
		`   }`,
		`  }`,
		` ]`,
		`}`}, "\n")
	got := call{target: "/api/books/", header: accept("*/*;indent=1")}.do(h)
	if diff := cmp.Diff(want, got.Body); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

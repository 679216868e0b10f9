package main

import (
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/examples/internal/recorded"
)

// different318 is the number of those recorded from version 3.18 with another response: the text
// of a JSON syntax error is not that of Python.
const different318 = 11

// TestVectors replays the requests that were recorded from Django REST framework, in order.
func TestVectors(t *testing.T) {
	for _, test := range []struct {
		file   string
		args   []string
		n      int
		failed int
	}{
		{"testdata/vectors.jsonl", nil, 1258, 0},
		{"testdata/v318.jsonl", []string{"-framework", "3.18"}, 175, different318},
	} {
		t.Run(test.file, func(t *testing.T) {
			args := append(test.args, "-open", "-browse=false", "-data", "testdata/dataset.json", "-now", "2026-01-02T03:04:05.678Z")
			if replayed, failed := replay(t, test.file, args); replayed != test.n || failed != test.failed {
				t.Errorf("replayed %d requests, want %d, and %d have another response, want %d", replayed, test.n, failed, test.failed)
			}
		})
	}
}

// replay sends the requests of a file to a shop with the given flags. It returns their number, and
// that of other responses.
func replay(t *testing.T, name string, args []string) (replayed, failed int) {
	h, err := program.Handler(args...)
	if err != nil {
		t.Fatal(err)
	}
	all, err := recorded.Read(name)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range all {
		if diff := cmp.Diff(r.Want, r.Send(h)); diff != "" {
			failed++
			t.Logf("line %d, %s: %s %s %s (-want +got):\n%s", i+1, r.Tag, r.Request.Method, r.Request.Target, r.Body(), diff)
		}
	}
	return len(all), failed
}

// TestRecords checks what the program serves without the flag -data. Its records are validated.
func TestRecords(t *testing.T) {
	h, err := program.Handler()
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		target, accept string
		status         int
		want           string // in the body or the Location
	}{
		{"/", "text/html", 302, "api/"},
		{"/openapi.json", "*/*", 200, `"/api/products/{slug}/"`},
		{"/api/", "text/html", 200, `href="../openapi.json"`},
		{"/api/products/", "text/html", 200, "<h1><bdi>Products"},
		{"/api/orders/?customer__name=Anna+Rossi", "*/*", 200, `{"count":2,`},
	} {
		r, w := httptest.NewRequest("GET", test.target, nil), httptest.NewRecorder()
		r.Header.Set("Accept", test.accept)
		h.ServeHTTP(w, r)
		if got := w.Header().Get("Location") + w.Body.String(); w.Code != test.status || !strings.Contains(got, test.want) {
			t.Errorf("%s: %d %s, want %d with %s", test.target, w.Code, got, test.status, test.want)
		}
	}
}

package main

import (
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/examples/films/collections"
)

// TestHandler sends requests that README.md does not show. The tests of examples/readme send the
// requests of the README.
func TestHandler(t *testing.T) {
	const browser = "text/html,application/xhtml+xml,*/*;q=0.8"
	tests := []struct {
		reason, token string
		pages         bool
		request       string
		accept        string
		status        int
		want          string // in the body or the Location
	}{
		{"a browser receives a page", "", true, "GET /v1/films/", browser, 200, "<title>Films"},
		{"a browser with -browse=false", "", false, "GET /v1/films/", browser, 200, `{"count":11,`},
		{"another client", "", true, "GET /v1/films/", "*/*", 200, `{"count":11,`},
		{"links have no format", "", true, "GET /v1/", "*/*", 200, `"http://example.com/v1/films/"`},
		{"the document", "", true, "GET /openapi.json", "*/*", 200, `"/v1/screenings/{id}/"`},
		{"the first page", "", true, "GET /", "*/*", 302, "/v1/"},
		{"without -token, the empty token is none", "", true, "DELETE /v1/screenings/1/", "*/*", 401, "credentials"},
		{"with another token", "other", true, "DELETE /v1/screenings/1/", "*/*", 401, "Invalid token."},
		{"with the token", "s3cret", true, "DELETE /v1/screenings/1/", "*/*", 204, ""},
	}
	for _, tt := range tests {
		cat, err := collections.New()
		if err != nil {
			t.Fatal(err)
		}
		if err := load(cat, "", nil); err != nil {
			t.Fatal(err)
		}
		handler, err := newHandler(cat, tt.token, tt.pages)
		if err != nil {
			t.Fatal(err)
		}
		method, target, _ := strings.Cut(tt.request, " ")
		r := httptest.NewRequest(method, target, nil)
		r.Header.Set("Accept", tt.accept)
		if r.Method == http.MethodDelete && tt.status != 401 || tt.token == "other" {
			r.Header.Set("Authorization", "Bearer s3cret")
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if got := w.Header().Get("Location") + w.Body.String(); w.Code != tt.status || !strings.Contains(got, tt.want) {
			t.Errorf("%s: %s: %d %s, want %d with %s", tt.reason, tt.request, w.Code, got, tt.status, tt.want)
		}
	}
}

// TestParse checks which flags are refused, and with which error.
func TestParse(t *testing.T) {
	for _, tt := range []struct {
		args []string
		want string // the error
	}{
		{nil, ""},
		{[]string{"-addr", "127.0.0.1:0", "-file", "films.json", "-token", "s3cret", "-browse=false"}, ""},
		{[]string{"-tokne", "s3cret"}, "unknown flag -tokne: did you mean -token?"},
		{[]string{"films.json"}, `unexpected argument "films.json"`},
		{[]string{"-records", "-1"}, "-records must not be negative"},
		{[]string{"-records", "7", "-file", "films.json"}, "-records and -file cannot be combined"},
	} {
		got := ""
		if _, err := parse(tt.args, nil); err != nil {
			got = err.Error()
		}
		if got != tt.want {
			t.Errorf("%q: error %q, want %q", tt.args, got, tt.want)
		}
	}
	var usage strings.Builder
	if _, err := parse([]string{"-h"}, &usage); !errors.Is(err, flag.ErrHelp) || !strings.HasPrefix(usage.String(), "Usage of films:\n  -addr") {
		t.Errorf("-h: error %v, printed %q", err, usage.String())
	}
}

// TestLoad checks that the first load creates the file, that the next one reads it, and that
// a file that cannot be created is an error at once.
func TestLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "films.json")
	cat, err := collections.New()
	if err != nil {
		t.Fatal(err)
	}
	directors, err := cat.Collection("directors")
	if err != nil {
		t.Fatal(err)
	}
	if err := load(cat, file, nil); err != nil || directors.Count() != 5 {
		t.Errorf("without a file: %d directors, want 5; %v", directors.Count(), err)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), `"Vertigo"`) {
		t.Errorf("the new file has %s, %v", text, err)
	}
	if err := os.WriteFile(file, []byte(`{"directors":[{"id":1,"name":"Agnès Varda","born":null}],"films":[],"screenings":[]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := load(cat, file, nil); err != nil || directors.Count() != 1 {
		t.Errorf("with a file: %d directors, want 1; %v", directors.Count(), err)
	}
	for reason, text := range map[string]string{
		"year":     `{"films":[{"id":1,"name":"Rope","year":1700,"minutes":80,"genre":"thriller","director":1}]}`,
		"director": `{"films":[{"id":1,"name":"Rope","year":1948,"minutes":80,"genre":"thriller","director":7}]}`,
	} {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := load(cat, file, nil); err == nil || !strings.Contains(err.Error(), reason) {
			t.Errorf("%s: error %v, want one with %s", text, err, reason)
		}
	}
	if err := load(cat, filepath.Join(t.TempDir(), "missing", "films.json"), nil); err == nil {
		t.Error("a missing directory is no error")
	}
}

// picture is the page of a million films that README.md shows.
const picture = "/v1/films/?genre__in=crime&year__gte=1930&ordering=-year&limit=6&offset=90000"

// BenchmarkFirstPage measures first requests for the page of README.md among a million films.
//
//	go test -run '^$' -bench FirstPage -benchtime 1x ./examples/films
func BenchmarkFirstPage(b *testing.B) {
	cat, err := collections.New()
	if err != nil {
		b.Fatal(err)
	}
	if err := collections.Generate(cat, 1_000_000, os.Stderr); err != nil {
		b.Fatal(err)
	}
	handler, err := newHandler(cat, "", true)
	if err != nil {
		b.Fatal(err)
	}
	for _, accept := range []string{"application/json", "text/html"} {
		b.Run(accept, func(b *testing.B) {
			r := httptest.NewRequest("GET", picture, nil)
			r.Header.Set("Accept", accept)
			for b.Loop() {
				w := httptest.NewRecorder()
				if handler.ServeHTTP(w, r); w.Code != http.StatusOK {
					b.Fatal(w.Code, w.Body)
				}
			}
		})
	}
}

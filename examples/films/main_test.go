package main

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestHandler sends requests that README.md does not show. The requests there are sent by
// the tests of examples/readme.
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
		cat, err := newCatalogue()
		if err != nil {
			t.Fatal(err)
		}
		if err := load(cat, ""); err != nil {
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

// TestLoad checks that the first load creates the file, that the next one reads it, and that
// a file that cannot be created is an error at once.
func TestLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "films.json")
	cat, err := newCatalogue()
	if err != nil {
		t.Fatal(err)
	}
	directors, err := cat.Collection("directors")
	if err != nil {
		t.Fatal(err)
	}
	if err := load(cat, file); err != nil || directors.Count() != 5 {
		t.Errorf("without a file: %d directors, want 5; %v", directors.Count(), err)
	}
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), `"Vertigo"`) {
		t.Errorf("the new file has %s, %v", text, err)
	}
	if err := os.WriteFile(file, []byte(`{"directors":[{"id":1,"name":"Agnès Varda","born":null}]}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := load(cat, file); err != nil || directors.Count() != 1 {
		t.Errorf("with a file: %d directors, want 1; %v", directors.Count(), err)
	}
	if err := load(cat, filepath.Join(t.TempDir(), "missing", "films.json")); err == nil {
		t.Error("a missing directory is no error")
	}
}

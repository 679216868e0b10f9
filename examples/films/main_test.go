package main

import (
	"bytes"
	"errors"
	"flag"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
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
		cat, err := newCatalogue()
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

// TestBusyPort checks that the error says how to choose another port.
func TestBusyPort(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	const remedy = "-addr 127.0.0.1:0 chooses a free port"
	if err := serve(busy.Addr().String(), nil); err == nil || !strings.Contains(err.Error(), remedy) {
		t.Errorf("error %v, want one with %q", err, remedy)
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

// TestGenerate checks that generated records are those that a request for them expects: they
// are valid, refer to each other, and are the same in each run.
func TestGenerate(t *testing.T) {
	var saved [2]bytes.Buffer
	for i := range saved {
		cat, err := newCatalogue()
		if err != nil {
			t.Fatal(err)
		}
		if err := generate(cat, 2001, nil); err != nil {
			t.Fatal(err)
		}
		if err := cat.Save(&saved[i]); err != nil {
			t.Fatal(err)
		}
		for key, want := range map[string]int{"directors": 21, "films": 2001, "screenings": 201} {
			c, err := cat.Collection(key)
			if err != nil || c.Count() != want {
				t.Fatalf("%d %s, want %d; %v", c.Count(), key, want, err)
			}
			d := c.Description()
			all, err := c.List(t.Context(), catalogue.Query{})
			if err != nil || len(all.Records) != want {
				t.Fatalf("%d %s are listed; %v", len(all.Records), key, err)
			}
			for _, record := range all.Records {
				if _, err := d.Validate(t.Context(), record, schema.Checks{Find: c.Find}); err != nil {
					t.Fatalf("%s: %s: %v", key, record, err)
				}
			}
		}
	}
	if !bytes.Equal(saved[0].Bytes(), saved[1].Bytes()) {
		t.Error("two runs generate different records")
	}
}

// TestDirectorNames checks that a director for each of a hundred thousand has a name of its
// own, as the collection requires.
func TestDirectorNames(t *testing.T) {
	m, names := maker{Rand: rand.New(rand.NewPCG(1, 2))}, make(map[string]bool)
	for id := range 100_000 {
		names[m.director(id+1).Name] = true
	}
	if len(names) != 100_000 {
		t.Errorf("%d names, want 100000", len(names))
	}
}

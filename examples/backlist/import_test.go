package main

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestImport imports the records of another run of the program.
func TestImport(t *testing.T) {
	source := start(t, few("-max-limit", "60")...)
	root := decode[map[string]string](t, ask(t, "GET "+source.base+"/v1/", ""), 200)
	for _, tt := range []struct {
		reason, url string
		stories     int
	}{
		{"its address", source.base, 0},
		{"its address with a slash", source.base + "/", 0},
		{"the documented root listing", source.base + "/api/", 0},
		{"another root listing, with more collections", source.base + "/v1/", 300},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			t.Parallel() // an import waits between its requests
			s := start(t, "-import", tt.url)
			for key, url := range root {
				_, path, _ := strings.Cut(url, "/v1/")
				want := get(t, source.base+"/v1/"+path)
				if key == "stories" || key == "series" {
					if tt.stories == 0 {
						want.Count, want.Results = 0, []map[string]any{}
					}
				}
				got := get(t, s.base+"/v1/"+path)
				if diff := cmp.Diff(want.Results, got.Results[:len(want.Results)]); diff != "" || got.Count != want.Count {
					t.Errorf("%s: %d records, want %d (-want +got):\n%s", key, got.Count, want.Count, diff)
				}
			}
			for _, line := range []string{"imported events: 3\n", "imported labels: 1\n", "imported books: 10\n"} {
				if !strings.Contains(s.stderr.String(), line) {
					t.Errorf("stderr %q, want the line %q", s.stderr.String(), line)
				}
			}
			if has := strings.Contains(s.stderr.String(), "imported stories: 300\n"); has != (tt.stories > 0) {
				t.Errorf("stderr %q", s.stderr.String())
			}
		})
	}
}

// other serves a root listing, and the pages of labels from body.
func other(listing, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		text := body
		if r.URL.Path == "/api/" {
			text = listing
		}
		io.WriteString(w, strings.ReplaceAll(text, "HOST", r.Host))
	}
}

// TestImportFails checks that the program ends with one line that names what is wrong, and
// serves nothing.
func TestImportFails(t *testing.T) {
	source := start(t, few()...)
	failing := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/labels/" {
			http.Error(w, "no disk", http.StatusInternalServerError)
			return
		}
		a := ask(t, "GET "+source.base+r.URL.RequestURI(), "", "Host", r.Host)
		w.Header().Set("Content-Type", "application/json")
		io.WriteString(w, a.body)
	}
	const labels = `{"labels":"http://HOST/api/labels/","shelves":"http://HOST/api/shelves/"}`
	for _, tt := range []struct {
		reason  string
		service http.HandlerFunc
		want    []string // in the message
	}{
		{"an HTML page", func(w http.ResponseWriter, _ *http.Request) { io.WriteString(w, "<h1>Welcome</h1>") }, []string{"/api/", "not JSON", "text/html"}},
		{"no root listing", http.NotFound, []string{"/api/", "404"}},
		{"other JSON", other(`[]`, ``), []string{"/api/", "not the expected JSON"}},
		{"no known collection", other(`{"shelves":"http://HOST/api/shelves/"}`, ``), []string{"no collection of the fake", "shelves"}},
		{"no page", other(labels, `{"detail":"?"}`), []string{"labels", "not a page"}},
		{"a record without an id", other(labels, `{"count":1,"next":null,"previous":null,"results":[{"name":"Onda"}]}`), []string{"labels", "a record without a number as its id"}},
		{"a record of another type", other(labels, `{"count":1,"next":null,"previous":null,"results":[{"id":1,"name":7}]}`), []string{"labels", "name"}},
		{"a count that is wrong", other(labels, `{"count":2,"next":null,"previous":null,"results":[{"id":1,"name":"Onda"}]}`), []string{"labels", "inconsistent pages"}},
		{"a service that fails midway", failing, []string{"labels", "500"}},
		{"a service that stays busy", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "3600")
			w.WriteHeader(http.StatusServiceUnavailable)
		}, []string{"503"}},
		{"a service that is not there", nil, []string{"connection refused"}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			server := httptest.NewServer(tt.service)
			defer server.Close()
			if tt.service == nil {
				server.Close()
			}
			var stdout, stderr strings.Builder
			code := run(t.Context(), []string{"-addr", "127.0.0.1:0", "-import", server.URL}, &stdout, &stderr)
			lines := strings.Split(strings.TrimSpace(stderr.String()), "\n")
			last := lines[len(lines)-1]
			if code != exitFailed || stdout.Len() > 0 || !strings.HasPrefix(last, "backlist: -import: ") {
				t.Errorf("exit code %d, stdout %q, last line %q", code, stdout.String(), last)
			}
			for _, want := range tt.want {
				if !strings.Contains(last, want) {
					t.Errorf("last line %q, want %q in it", last, want)
				}
			}
		})
	}
}

// TestImportSkips checks that collections that the fake does not have are named.
func TestImportSkips(t *testing.T) {
	source := httptest.NewServer(other(`{"labels":"http://HOST/api/labels/","shelves":"http://HOST/api/shelves/"}`,
		`{"count":0,"next":null,"previous":null,"results":[]}`))
	defer source.Close()
	s := start(t, "-import", source.URL)
	if text := s.stderr.String(); text != "imported labels: 0\nnot imported, as the fake has no such collection: shelves\n" {
		t.Errorf("stderr %q", text)
	}
}

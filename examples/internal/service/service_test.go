package service

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
)

type note struct {
	ID        int             `json:"id"`
	Text      string          `json:"text"`
	CreatedAt schema.DateTime `json:"createdAt" backlist:"created"`
}

// TestService checks which arguments are refused, and what the others serve.
func TestService(t *testing.T) {
	s := Service{Title: "Notes", Records: `{"notes":[{"id":1,"text":"a","createdAt":"2026-01-02T03:04:05Z"}]}`,
		New: func(now func() time.Time) (*catalogue.Catalogue, error) {
			return catalogue.New(catalogue.Define[note]("notes", catalogue.Options{Now: now}))
		}}
	file, broken := filepath.Join(t.TempDir(), "notes.json"), filepath.Join(t.TempDir(), "broken.json")
	for name, text := range map[string]string{file: `{"notes":[]}`, broken: `{"notes":[`} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const post = "POST /api/notes/"
	for _, test := range []struct {
		reason  string
		args    []string
		request string
		want    string // in the error or, after the status, in the header or the body
	}{
		{"an argument", []string{"-open", file}, "", "unexpected argument"},
		{"two ways to write", []string{"-open", "-token", "s3cret"}, "", "-open and -token cannot be combined"},
		{"a mistyped flag", []string{"-dta", file}, "", "did you mean -data?"},
		{"no time", []string{"-now", "noon"}, "", "want a time such as"},
		{"no file", []string{"-data", "missing.json"}, "", "missing.json"},
		{"a broken file", []string{"-data", broken}, "", "unexpected end"},
		{"the root", nil, "GET /", "302 api/"},
		{"the document", nil, "GET /openapi.json", `200 application/json`},
		{"its own records", nil, "GET /api/notes/", `200 {"count":1,`},
		{"those of a file", []string{"-data", file}, "GET /api/notes/", `200 {"count":0,`},
		{"a write", nil, post, `403 {"detail"`},
		{"a write without the token", []string{"-token", "s3cret"}, post, `401 {"detail"`},
		{"an open one", []string{"-open", "-now", "2026-05-06T07:08:09Z"}, post, `201 {"id":2,"text":"b","createdAt":"2026-05-06T07:08:09Z"}`},
		{"links", []string{"-base-url", "https://notes.example"}, "GET /api/", `200 {"notes":"https://notes.example/api/notes/"}`},
	} {
		h, err := s.Handler(test.args...)
		if err != nil || test.request == "" {
			if err == nil || test.request != "" || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: error %v, want %s", test.reason, err, test.want)
			}
			continue
		}
		method, target, _ := strings.Cut(test.request, " ")
		r, w := httptest.NewRequest(method, target, strings.NewReader(`{"text":"b"}`)), httptest.NewRecorder()
		r.Header.Set("Content-Type", "application/json")
		h.ServeHTTP(w, r)
		status, want, _ := strings.Cut(test.want, " ")
		got := w.Header().Get("Location") + w.Header().Get("Content-Type") + w.Body.String()
		if w.Result().Status[:3] != status || !strings.Contains(got, want) {
			t.Errorf("%s: %d %.200s, want %s", test.reason, w.Code, got, test.want)
		}
	}
}

// TestOptions has a service that changes the options of its handler and what that serves.
func TestOptions(t *testing.T) {
	var authorizers []bool
	s := Service{Title: "Notes", Records: `{"notes":[{"id":1,"text":"a","createdAt":"2026-01-02T03:04:05Z"},{"id":2,"text":"b","createdAt":"2026-01-02T03:04:05Z"}]}`,
		New: func(func() time.Time) (*catalogue.Catalogue, error) {
			return catalogue.New(catalogue.Define[note]("notes", catalogue.Options{}))
		},
		Options: func(opts *httpapi.Options) {
			authorizers = append(authorizers, opts.Authorizer != nil)
			opts.Root = "/v1/"
		},
		Served: func(all []httpapi.Collection) []httpapi.Collection {
			about := all[0].Description()
			about.Key, about.Segment, about.Ordering = "latest", "latest", []ordering.Term{ordering.Desc("id")}
			return append(all, httpapi.Describe(all[0], about))
		}}
	for _, flags := range [][]string{nil, {"-open"}, {"-token", "s3cret"}} {
		h, err := s.Handler(flags...)
		if err != nil {
			t.Fatal(err)
		}
		for target, want := range map[string]string{
			"/v1/":         `{"notes":"http://example.com/v1/notes/","latest":"http://example.com/v1/latest/"}`,
			"/v1/latest/":  `{"count":2,"next":null,"previous":null,"results":[{"id":2,`,
			"/api/latest/": `{"detail":"Not found."}`,
		} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest("GET", target, nil))
			if !strings.HasPrefix(w.Body.String(), want) {
				t.Errorf("%q %s: %d %s, want %s", flags, target, w.Code, w.Body, want)
			}
		}
	}
	if want := []bool{false, true, true}; !slices.Equal(authorizers, want) {
		t.Errorf("authorizers: %t, want %t", authorizers, want)
	}
}

package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/cataloguetest"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// mirror runs the command and returns its output.
func mirror(t *testing.T, args ...string) (code int, house *catalogue.Catalogue, stderr string) {
	t.Helper()
	var out, log strings.Builder
	code = run(t.Context(), args, &out, &log)
	house = catalogue.New()
	if out.Len() > 0 {
		if err := house.Load(strings.NewReader(out.String())); err != nil {
			t.Fatal(err)
		}
	}
	return code, house, log.String()
}

func TestMirror(t *testing.T) {
	house := cataloguetest.New(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/carts/" && r.Header.Get("Authorization") != "Bearer s3cret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		house.Handler.ServeHTTP(w, r)
	}))
	defer server.Close()

	code, copied, stderr := mirror(t, "-url", server.URL, "-rate", "-1", "-token", "s3cret")
	if diff := cataloguetest.Diff(house.Catalogue, copied); code != exitOK || diff != "" {
		t.Errorf("exit code = %d, want %d\n%s%s", code, exitOK, stderr, diff)
	}
	if n := strings.Count(stderr, "\n"); n != 39 {
		t.Errorf("%d lines of report, want 39:\n%s", n, stderr)
	}
}

// TestMirrorWritesAllOrNothing checks that nothing is written, not even an empty collection, and
// no file is replaced, unless all collections could be read.
func TestMirrorWritesAllOrNothing(t *testing.T) {
	house := cataloguetest.New(t)
	house.Break(cataloguetest.Where{Collection: "carts"}, cataloguetest.Status(401, ""))
	server := httptest.NewServer(house.Handler)
	defer server.Close()
	file := filepath.Join(t.TempDir(), "house.json")
	const old = `{"books":[]}`
	if err := os.WriteFile(file, []byte(old), 0o600); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		reason string
		args   []string
		code   int
		stderr string
	}{
		{"one of all cannot be read", nil, exitFailed, "carts: not loaded: "},
		{"one of two cannot be read", []string{"labels", "carts"}, exitFailed, "carts: not loaded: "},
		{"unknown collection", []string{"lables"}, exitFailed, "did you mean labels?"},
		{"no root listing", []string{"-root", "/v1/"}, exitFailed, "/v1/: status 404"},
		{"all that are named can be read", []string{"labels", "itemVariants"}, exitOK, "itemVariants: "},
	}
	for _, tt := range tests {
		var out, log strings.Builder
		args := append([]string{"-url", server.URL, "-rate", "-1"}, tt.args...)
		code := run(t.Context(), args, &out, &log)
		if code != tt.code || (out.Len() > 0) != (code == exitOK) || !strings.Contains(log.String(), tt.stderr) {
			t.Errorf("%s: exit code = %d with %.60q\n%s", tt.reason, code, out.String(), log.String())
		}
		if code = run(t.Context(), append([]string{"-o", file}, args...), &out, &log); code != tt.code {
			t.Errorf("%s, to a file: exit code = %d\n%s", tt.reason, code, log.String())
		}
		if text, err := os.ReadFile(file); err != nil || (string(text) == old) != (code != exitOK) {
			t.Errorf("%s: the file has %.60q, %v", tt.reason, text, err)
		}
	}
	written := map[string]any{}
	if text, err := os.ReadFile(file); err != nil || json.Unmarshal(text, &written) != nil || len(written) != 2 {
		t.Errorf("the file has %d collections, want 2; %v", len(written), err)
	}
}

// TestMirrorOtherService reads a service with other collections than the documented ones.
func TestMirrorOtherService(t *testing.T) {
	define := func() *catalogue.Catalogue {
		films, err := catalogue.NewOnly(catalogue.Define[schema.Record]("shortFilms", catalogue.Options{
			Description: &schema.Description{Key: "shortFilms", Segment: "short-films", Actions: schema.List},
		}))
		if err != nil {
			t.Fatal(err)
		}
		return films
	}
	films, copied := define(), define()
	if err := films.LoadCollection("shortFilms", strings.NewReader(`[{"id":7,"title":"Onda","minutes":1.50}]`)); err != nil {
		t.Fatal(err)
	}
	house := cataloguetest.NewWith(t, cataloguetest.Options{Catalogue: films, Root: "/v1/", Server: true})
	var out, log strings.Builder
	if code := run(t.Context(), []string{"-url", house.URL, "-root", "/v1/", "-rate", "-1"}, &out, &log); code != exitOK {
		t.Fatalf("exit code = %d\n%s", code, log.String())
	}
	if err := copied.Load(strings.NewReader(out.String())); err != nil {
		t.Fatal(err)
	}
	if diff := cataloguetest.Diff(films, copied); diff != "" {
		t.Error(diff)
	}
}

// TestSegment checks which links of a root listing lead to collections.
func TestSegment(t *testing.T) {
	tests := []struct{ reason, link, root, want string }{
		{"absolute, with a query", "http://a.example/api/item_variants/?format=api", "/api/", "item_variants"},
		{"path before the root", "http://a.example/shop/api/books/", "/api/", "books"},
		{"path", "/books/", "/", "books"},
		{"no slash at the end", "http://a.example/api/books", "/api/", ""},
		{"below another root", "http://a.example/v1/books/", "/api/", ""},
		{"root", "http://a.example/", "/", ""},
		{"no URL", ":", "/api/", ""},
	}
	for _, tt := range tests {
		if got, err := segment(tt.link, tt.root); got != tt.want || (err != nil) != (tt.want == "") {
			t.Errorf("%s: segment(%q, %q) = %q, %v, want %q", tt.reason, tt.link, tt.root, got, err, tt.want)
		}
	}
}

func TestInvalidArguments(t *testing.T) {
	for _, args := range [][]string{{}, {"-url", "shop.example"}, {"-fast"}} {
		if code, _, stderr := mirror(t, args...); code != exitMisused || stderr == "" {
			t.Errorf("run(%q) = %d with stderr %q, want %d", args, code, stderr, exitMisused)
		}
	}
	if code, _, stderr := mirror(t, "-h"); code != exitOK || !strings.Contains(stderr, "-url") {
		t.Errorf("run(-h) = %d with stderr %q, want %d", code, stderr, exitOK)
	}
}

func TestMirrorRoot(t *testing.T) {
	house := cataloguetest.NewWith(t, cataloguetest.Options{Root: "/v1/", Server: true})
	code, copied, stderr := mirror(t, "-url", house.URL, "-root", "/v1/", "-rate", "-1", "labels")
	if n := house.Catalogue.Labels().Count(); code != exitOK || copied.Labels().Count() != n {
		t.Errorf("exit code = %d with %d labels, want %d with %d\n%s", code, copied.Labels().Count(), exitOK, n, stderr)
	}
	if code, _, stderr := mirror(t, "-url", house.URL, "-root", "v1"); code != exitMisused || !strings.Contains(stderr, "v1") {
		t.Errorf("invalid root: exit code = %d, want %d\n%s", code, exitMisused, stderr)
	}
}

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
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/resources"
)

// mirror runs the command and returns its output.
func mirror(t *testing.T, args ...string) (code int, cat *catalogue.Catalogue, stderr string) {
	t.Helper()
	var out, log strings.Builder
	code = run(t.Context(), args, &out, &log)
	cat, err := resources.New()
	if err != nil {
		t.Fatal(err)
	}
	if out.Len() > 0 {
		if err := cat.Load(strings.NewReader(out.String()), catalogue.LoadOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	return code, cat, log.String()
}

func TestMirror(t *testing.T) {
	fake := cataloguetest.New(t)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/carts/" && r.Header.Get("Authorization") != "Bearer s3cret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fake.Handler.ServeHTTP(w, r)
	}))
	defer server.Close()

	code, copied, stderr := mirror(t, "-url", server.URL, "-rate", "-1", "-token", "s3cret")
	if diff := cataloguetest.Diff(fake.Catalogue, copied); code != exitOK || diff != "" {
		t.Errorf("exit code = %d, want %d\n%s%s", code, exitOK, stderr, diff)
	}
	if n := strings.Count(stderr, "\n"); n != 39 {
		t.Errorf("%d lines of report, want 39:\n%s", n, stderr)
	}
}

// TestMirrorWritesAllOrNothing checks that nothing is written, not even an empty collection, and
// no file is replaced, unless all collections could be read.
func TestMirrorWritesAllOrNothing(t *testing.T) {
	fake := cataloguetest.New(t)
	fake.Inject(cataloguetest.Match{Collection: "carts"}, cataloguetest.Status(401, ""))
	server := httptest.NewServer(fake.Handler)
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
		{"no root listing", []string{"-root", "/v1/"}, exitFailed, "/v1/: not a page: status 404"},
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
		films, err := catalogue.New(catalogue.Define[schema.Record]("shortFilms", catalogue.Options{
			Description: &schema.Description{Key: "shortFilms", Segment: "short-films", Actions: schema.List},
		}))
		if err != nil {
			t.Fatal(err)
		}
		return films
	}
	films, copied := define(), define()
	if err := films.Load(strings.NewReader(`{"shortFilms":[{"id":7,"title":"Onda","minutes":1.50}]}`), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	fake := cataloguetest.NewWith(t, cataloguetest.Options{Catalogue: films, Root: "/v1/", Loopback: true})
	var out, log strings.Builder
	if code := run(t.Context(), []string{"-url", fake.URL, "-root", "/v1/", "-rate", "-1"}, &out, &log); code != exitOK {
		t.Fatalf("exit code = %d\n%s", code, log.String())
	}
	if err := copied.Load(strings.NewReader(out.String()), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	if diff := cataloguetest.Diff(films, copied); diff != "" {
		t.Error(diff)
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
	fake := cataloguetest.NewWith(t, cataloguetest.Options{Root: "/v1/", Loopback: true})
	code, copied, stderr := mirror(t, "-url", fake.URL, "-root", "/v1/", "-rate", "-1", "labels")
	labels, err := copied.Collection("labels")
	if err != nil || code != exitOK || labels.Count() != 24 {
		t.Errorf("exit code = %d with %d labels, want %d with 24\n%s%v", code, labels.Count(), exitOK, stderr, err)
	}
	if code, _, stderr := mirror(t, "-url", fake.URL, "-root", "v1"); code != exitMisused || !strings.Contains(stderr, "v1") {
		t.Errorf("invalid root: exit code = %d, want %d\n%s", code, exitMisused, stderr)
	}
}

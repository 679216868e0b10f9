package main

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/cataloguetest"
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
	code, copied, stderr = mirror(t, "-url", server.URL, "-rate", "-1", "carts", "labels")
	if n := copied.Labels().Count(); code != exitFailed || n != house.Catalogue.Labels().Count() || !strings.HasPrefix(stderr, "carts: not loaded: ") {
		t.Errorf("without the token: exit code = %d with %d labels\n%s", code, n, stderr)
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

package main

import (
	"bytes"
	"context"
	"flag"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestHandler checks the responses of the server of static files.
func TestHandler(t *testing.T) {
	h := testFolder(t, "program", "runtime()").handler()
	for _, c := range []struct {
		method, path string
		status       int
		contentType  string
		want         string // part of the body or the Location
	}{
		{"GET", "/playground/", 200, "text/html; charset=utf-8", "<h1>Backlist playground</h1>"},
		{"GET", "/playground/index.html", 200, "text/html; charset=utf-8", "<h1>Backlist playground</h1>"},
		{"GET", "/playground/sw.js", 200, "text/javascript; charset=utf-8", "runtime()"},
		{"GET", "/playground/page.js", 200, "text/javascript; charset=utf-8", "serviceWorker"},
		{"GET", "/playground/page.css", 200, "text/css; charset=utf-8", "color-scheme"},
		{"GET", "/playground/icon.svg", 200, "image/svg+xml", "<svg"},
		{"GET", "/playground/records.json", 200, "application/json", `"events"`},
		{"GET", "/playground/records.json", 200, "application/json", "Vertigo"},
		{"GET", "/playground/films.json", 404, "text/html; charset=utf-8", "has no file at this address"},
		{"GET", "/playground/backlist.wasm.gz", 200, "application/gzip", "\x1f\x8b"},
		{"HEAD", "/playground/", 200, "text/html; charset=utf-8", ""},
		{"POST", "/playground/", 405, "text/plain; charset=utf-8", "Only GET and HEAD"},
		{"GET", "/", 302, "text/html; charset=utf-8", "/playground/"},
		{"GET", "/playground", 302, "text/html; charset=utf-8", "/playground/"},
		{"GET", "/playground/api/events/", 404, "text/html; charset=utf-8", `<a id="start" href="./">Start page</a>`},
		{"GET", "/playground/../main.go", 404, "text/html; charset=utf-8", ""},
		{"GET", "/sw.js", 404, "text/html; charset=utf-8", ""},
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(c.method, c.path, nil))
		if w.Code != c.status || w.Header().Get("Content-Type") != c.contentType || !strings.Contains(w.Body.String()+w.Header().Get("Location"), c.want) {
			t.Errorf("%s %s: %d, %s, %.100s, want %d, %s with %s", c.method, c.path, w.Code, w.Header(), w.Body, c.status, c.contentType, c.want)
		}
		policy := contentPolicy
		if c.status == 404 { // TestMissing has the rest
			policy = "frame-ancestors 'none'"
		}
		for name, want := range map[string]string{
			"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Cache-Control": "no-cache", "Content-Encoding": "",
		} {
			if got := w.Header().Get(name); got != want {
				t.Errorf("%s %s: %s is %q, want %q", c.method, c.path, name, got, want)
			}
		}
	}
}

// TestRevalidation checks that a file that has not changed is not sent again.
func TestRevalidation(t *testing.T) {
	h := testFolder(t, "program", "runtime()").handler()
	first, second := httptest.NewRecorder(), httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/playground/backlist.wasm.gz", nil)
	h.ServeHTTP(first, r)
	r.Header.Set("If-None-Match", first.Header().Get("Etag"))
	h.ServeHTTP(second, r)
	if second.Code != http.StatusNotModified || second.Body.Len() > 0 {
		t.Errorf("response = %d with %d bytes, want 304", second.Code, second.Body.Len())
	}
}

func TestFlags(t *testing.T) {
	for args, want := range map[string]string{
		"":                               "",
		"-addr localhost:0":              "",
		"-addr [::1]:9000":               "",
		"-write site -addr x":            "",
		"-addr 0.0.0.0:80":               "is not a loopback address",
		"-addr :8081":                    "is not a loopback address",
		"-addr 192.168.1.2:80":           "is not a loopback address",
		"-addr 127.0.0.1":                "-addr: address 127.0.0.1: missing port in address",
		"-addr 127.0.0.1.example.org:80": "is not a loopback address",
		"site":                           `unexpected argument "site"`,
		"-open":                          "unknown flag -open: want one of -addr, -write",
	} {
		_, err := parse(strings.Fields(args), io.Discard)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%q: %v, want %q", args, err, want)
		}
	}
	var usage bytes.Buffer
	if _, err := parse([]string{"-h"}, &usage); err != flag.ErrHelp || !strings.Contains(usage.String(), "-write directory") {
		t.Errorf("-h: %v, %s", err, &usage)
	}
}

// TestRunFails checks the exit codes, without a build.
func TestRunFails(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	done, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range []struct {
		ctx    context.Context
		args   []string
		code   int
		stderr string
	}{
		{t.Context(), []string{"-x"}, 2, "playground: unknown flag -x: want one of -addr, -write\n"},
		{t.Context(), []string{"-addr", taken.Addr().String()}, 1, "address already in use"},
		{done, []string{"-write", t.TempDir()}, 1, "playground: go env: context canceled"},
		{t.Context(), []string{"-h"}, 0, ""},
	} {
		var stderr strings.Builder
		if code := run(c.ctx, c.args, io.Discard, &stderr); code != c.code || !strings.Contains(stderr.String(), c.stderr) {
			t.Errorf("%q: %d and %q, want %d and %q", c.args, code, &stderr, c.code, c.stderr)
		}
	}
}

package main

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// writeOpenAPI runs the program with -openapi and returns its output.
func writeOpenAPI(t *testing.T, file string, args ...string) (stdout string) {
	t.Helper()
	var out, stderr strings.Builder
	args = append([]string{"-addr", "127.0.0.1:99999", "-openapi", file}, args...) // an invalid port
	if code := run(t.Context(), args, &out, &stderr); code != 0 || stderr.Len() > 0 {
		t.Fatalf("exit code %d, stderr %q", code, stderr.String())
	}
	return out.String()
}

func TestOpenAPI(t *testing.T) {
	file := filepath.Join(t.TempDir(), "openapi.json")
	args := []string{"-token", "s3cret", "-max-limit", "50", "-base-url", "https://books.example/shop"}
	if stdout := writeOpenAPI(t, file, args...); stdout != "" {
		t.Errorf("stdout = %q, want nothing", stdout)
	}
	inFile, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(inFile), writeOpenAPI(t, "-", args...)); diff != "" {
		t.Errorf("standard output (-file +stdout):\n%s", diff)
	}
	served := ask(t, "GET "+start(t, args...).base+"/openapi.json", "").body
	if diff := cmp.Diff(string(inFile), served); diff != "" {
		t.Errorf("served (-file +served):\n%s", diff)
	}
	var document struct {
		OpenAPI    string
		Servers    []map[string]string
		Paths      map[string]any
		Components struct{ SecuritySchemes map[string]any }
	}
	if err := json.Unmarshal(inFile, &document); err != nil {
		t.Fatal(err)
	}
	if document.OpenAPI != "3.1.0" || len(document.Paths) != 40 || len(document.Components.SecuritySchemes) != 1 ||
		!cmp.Equal(document.Servers, []map[string]string{{"url": "https://books.example/shop"}}) ||
		!strings.Contains(string(inFile), `"maximum": 50`) {
		t.Errorf("%s, %d paths, servers %v, security %v", document.OpenAPI, len(document.Paths), document.Servers, document.Components.SecuritySchemes)
	}
	if strings.Contains(string(inFile), "s3cret") {
		t.Error("the document contains the token")
	}
}

func TestOpenAPIVersion(t *testing.T) {
	for version, want := range map[string]string{"3.0": `"openapi": "3.0.3"`, "3.1": `"openapi": "3.1.0"`} {
		if document := writeOpenAPI(t, "-", "-openapi-version", version); !strings.Contains(document, want) {
			t.Errorf("version %s: no %s in %.100s", version, want, document)
		}
	}
	var stdout, stderr strings.Builder
	if code := run(t.Context(), []string{"-openapi", "-", "-openapi-version", "2.0"}, &stdout, &stderr); code != 2 || !strings.Contains(stderr.String(), `"3.1"`) {
		t.Errorf("version 2.0: exit code %d, stderr %q", code, stderr.String())
	}
}

// TestUnknownPath checks that the 404 is that of the API, not that of http.ServeMux.
func TestUnknownPath(t *testing.T) {
	s := start(t, few()...)
	for _, path := range []string{"/unknown", "/houses/", "//api/", "/api/../api/"} {
		if a := ask(t, "GET "+s.base+path, ""); a.status != http.StatusNotFound || a.body != `{"detail":"Not found."}` {
			t.Errorf("%s: %d %s", path, a.status, a.body)
		}
	}
}

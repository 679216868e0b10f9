package main

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOpenAPI(t *testing.T) {
	s := start(t, few("-token", "s3cret", "-max-limit", "50", "-base-url", "https://books.example/shop")...)
	served := ask(t, "GET "+s.base+"/openapi.json", "").body
	var document struct {
		OpenAPI    string
		Servers    []map[string]string
		Paths      map[string]any
		Components struct{ SecuritySchemes map[string]any }
	}
	if err := json.Unmarshal([]byte(served), &document); err != nil {
		t.Fatal(err)
	}
	if document.OpenAPI != "3.1.0" || len(document.Paths) != 40 || len(document.Components.SecuritySchemes) != 1 ||
		!cmp.Equal(document.Servers, []map[string]string{{"url": "https://books.example/shop"}}) ||
		!strings.Contains(served, `"maximum": 50`) {
		t.Errorf("%s, %d paths, servers %v, security %v", document.OpenAPI, len(document.Paths), document.Servers, document.Components.SecuritySchemes)
	}
	if document.Paths["/api/events/"] == nil {
		t.Error("the document lacks /api/events/")
	}
	if strings.Contains(served, "s3cret") {
		t.Error("the document contains the token")
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

// TestPageStyles checks that each style of -pages is served and described, and that faults of pages
// apply to it.
func TestPageStyles(t *testing.T) {
	for _, row := range []struct{ args, target, want string }{
		{"-pages=numbers", "/api/books/?page=2&page_size=4", `"next":"{base}/api/books/?page=3&page_size=4","previous":"{base}/api/books/?page_size=4"`},
		{"-pages=numbers", "/v1/stories/?page=x", `{"detail":"Invalid page."}`},
		{"-pages=numbers", "/openapi.json", `"name": "page_size"`},
		{"-pages=cursors", "/api/books/?page_size=4", `{"next":"{base}/api/books/?cursor=`},
		{"-pages=cursors", "/v1/stories/?cursor=x", `{"detail":"Invalid cursor"}`},
		{"-pages=cursors", "/openapi.json", `"name": "cursor"`},
		{"-pages=numbers -fail=next-is-self", "/api/books/?page=2&page_size=4", `"next":"{base}/api/books/?page=2&page_size=4"`},
		{"-pages=cursors -fail=next-is-self", "/api/books/?page_size=4", `{"next":"{base}/api/books/?page_size=4"`},
	} {
		s := start(t, few(strings.Fields(row.args)...)...)
		if a := ask(t, "GET "+s.base+row.target, ""); !strings.Contains(a.body, strings.ReplaceAll(row.want, "{base}", s.base)) {
			t.Errorf("%s: %s: %d %.300s, want %s", row.args, row.target, a.status, a.body, row.want)
		}
	}
}

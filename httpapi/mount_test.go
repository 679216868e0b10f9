package httpapi

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

func TestMount(t *testing.T) {
	h := newTestHandler(t, Options{}, map[string]Collection{"books": newCollection(2)})
	for _, prefix := range []string{"", "/shop", "/a/b", "/größe"} {
		mux := http.NewServeMux()
		if err := Mount(mux, prefix, h); err != nil {
			t.Fatalf("%q: %v", prefix, err)
		}
		escaped := (&url.URL{Path: prefix}).EscapedPath()
		if got := get(mux, escaped+"/api"); got.Status != 301 || got.Header["Location"] != escaped+"/api/" {
			t.Errorf("%q: %d to %q, want 301 to the slash", prefix, got.Status, got.Header["Location"])
		}
		if got := (call{method: "POST", target: escaped + "/api?x"}).do(mux); got.Status != 308 || got.Header["Location"] != escaped+"/api/?x" {
			t.Errorf("%q: POST: %d to %q, want 308 to the slash", prefix, got.Status, got.Header["Location"])
		}
		if got := get(mux, escaped+"/api/"); got.Status != 200 || !strings.Contains(got.Body, `"http://host.example`+escaped+`/api/books/?format=api"`) {
			t.Errorf("%q: the root is %d %s", prefix, got.Status, got.Body)
		}
		if got, want := next(get(mux, escaped+"/api/books/?limit=1")), "http://host.example"+escaped+"/api/books/?limit=1&offset=1"; got != want {
			t.Errorf("%q: next %q, want %q", prefix, got, want)
		}
		if got := get(mux, escaped+"/api/nope/"); got.Status != 404 || got.Body != notFound {
			t.Errorf("%q: unknown path: %d %s, want 404", prefix, got.Status, got.Body)
		}
		if got := get(mux, "/elsewhere/"); got.Body == notFound {
			t.Errorf("%q: the handler is registered outside the prefix", prefix)
		}
		// The mux redirects to clean paths itself.
		if got := get(mux, escaped+"//api/books/"); got.Status/100 != 3 {
			t.Errorf("%q: two slashes: %d, want a redirect", prefix, got.Status)
		}
	}
}

func TestMountErrors(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	taken := http.NewServeMux()
	taken.Handle("/api/", h)
	tests := []struct {
		reason  string
		mux     *http.ServeMux
		prefix  string
		handler http.Handler
	}{
		{"nil mux", nil, "", h},
		{"nil handler", http.NewServeMux(), "", nil},
		{"pattern taken", taken, "", h},
		{"no slash", http.NewServeMux(), "shop", h},
		{"only a slash", http.NewServeMux(), "/", h},
		{"slash at the end", http.NewServeMux(), "/shop/", h},
		{"two slashes", http.NewServeMux(), "/a//b", h},
		{"dots", http.NewServeMux(), "/a/../b", h},
		{"host", http.NewServeMux(), "x.example/shop", h},
		{"method", http.NewServeMux(), "GET /shop", h},
		{"wildcard", http.NewServeMux(), "/{shop}", h},
		{"escape", http.NewServeMux(), "/%73hop", h},
		{"space", http.NewServeMux(), "/my shop", h},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			if err := Mount(test.mux, test.prefix, test.handler); !errors.Is(err, ErrInvalidConfig) {
				t.Errorf("Mount returns %v, want ErrInvalidConfig", err)
			}
		})
	}
}

func TestServer(t *testing.T) {
	mux := http.NewServeMux()
	if err := Mount(mux, "/shop", newTestHandler(t, Options{}, map[string]Collection{"books": newCollection(50)})); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(mux)
	defer server.Close()
	res, err := http.Head(server.URL + "/shop/api/books")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	want := len(get(http.StripPrefix("/shop", newTestHandler(t, Options{BaseURL: server.URL + "/shop"}, map[string]Collection{"books": newCollection(50)})), "/shop/api/books/").Body)
	if res.StatusCode != 200 || res.ContentLength != int64(want) {
		t.Errorf("HEAD after the redirect: %d with length %d, want 200 with %d", res.StatusCode, res.ContentLength, want)
	}
}

package httpapi

import (
	"crypto/tls"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

// next returns the link to the next page in a response.
func next(a answer) string {
	_, rest, _ := strings.Cut(a.Body, `"next":"`)
	link, _, _ := strings.Cut(rest, `"`)
	return link
}

func TestLinks(t *testing.T) {
	books := map[string]Collection{"books": newCollection(2)}
	h := newTestHandler(t, Options{}, books)
	tests := []struct {
		reason        string
		handler       http.Handler
		target, links string
	}{
		{"no prefix", h, "/api/books/?limit=1", "http://host.example/api/books/"},
		{"unnecessary escapes", h, "/api/%62ooks/?limit=1", "http://host.example/api/books/"},
		{"escaped slash", h, "/api/books%2F?limit=1", "http://host.example/api/books/"},
		{"absolute form", h, "http://ignored.example/api/books/?limit=1", "http://host.example/api/books/"},
		{"prefix", http.StripPrefix("/shop", h), "/shop/api/books/?limit=1", "http://host.example/shop/api/books/"},
		{"two prefixes", http.StripPrefix("/a", http.StripPrefix("/b", h)), "/a/b/api/books/?limit=1", "http://host.example/a/b/api/books/"},
		{"prefix in absolute form", http.StripPrefix("/shop", h), "http://ignored.example/shop/api/books/?limit=1", "http://host.example/shop/api/books/"},
		{"prefix and escapes", http.StripPrefix("/shop", h), "/shop/api/%62ooks/?limit=1", "http://host.example/shop/api/books/"},
		{"prefix and escaped slash", http.StripPrefix("/shop", h), "/shop/api/books%2f?limit=1", "http://host.example/shop/api/books/"},
		{"escaped prefix", http.StripPrefix("/größe", h), "/gr%C3%B6%C3%9Fe/api/books/?limit=1", "http://host.example/gr%C3%B6%C3%9Fe/api/books/"},
		{"prefix that looks like the path", http.StripPrefix("/api/books", h), "/api/books/api/books/?limit=1", "http://host.example/api/books/api/books/"},
		{"slashes in the query", http.StripPrefix("/shop", h), "/shop/api/books/?limit=1&z=/api/books/", "http://host.example/shop/api/books/"},
		{"base URL", newTestHandler(t, Options{BaseURL: "https://x.example:444"}, books), "/api/books/?limit=1", "https://x.example:444/api/books/"},
		{"base URL with path", newTestHandler(t, Options{BaseURL: "https://x.example/shop"}, books), "/api/books/?limit=1", "https://x.example/shop/api/books/"},
		{"base URL wins over the prefix", http.StripPrefix("/in", newTestHandler(t, Options{BaseURL: "https://x.example/out/"}, books)), "/in/api/books/?limit=1", "https://x.example/out/api/books/"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got := get(test.handler, test.target)
			link := next(got)
			if path, query, _ := strings.Cut(link, "?"); path != test.links || !strings.HasPrefix(query, "limit=1&offset=1") {
				t.Errorf("%s: next %q, want %s?limit=1&offset=1...", test.target, link, test.links)
			}
			slashless := strings.Replace(strings.Replace(test.target, "/?", "?", 1), "%2F?", "?", 1)
			slashless = strings.Replace(slashless, "%2f?", "?", 1)
			wantLocation := strings.TrimPrefix(test.links, "http://host.example") + slashless[strings.IndexByte(slashless, '?'):]
			if got := get(test.handler, slashless); got.Status != 301 || got.Header["Location"] != wantLocation {
				t.Errorf("%s: %d to %q, want 301 to %q", slashless, got.Status, got.Header["Location"], wantLocation)
			}
		})
	}
}

func TestLinksOfTLS(t *testing.T) {
	h := newTestHandler(t, Options{}, map[string]Collection{"books": newCollection(2)})
	r := call{target: "/api/books/?limit=1"}.request()
	r.TLS = new(tls.ConnectionState)
	if got, want := next(serve(h, r)), "https://host.example/api/books/?limit=1&offset=1"; got != want {
		t.Errorf("next %q, want %q", got, want)
	}
}

func TestLinksIgnoreForwardedHeaders(t *testing.T) {
	h := newTestHandler(t, Options{}, map[string]Collection{"books": newCollection(2)})
	forwarded := http.Header{
		"Forwarded":          {"host=evil.example;proto=https"},
		"X-Forwarded-Host":   {"evil.example"},
		"X-Forwarded-Proto":  {"https"},
		"X-Forwarded-Prefix": {"/evil"},
	}
	got := next(call{target: "/api/books/?limit=1", header: forwarded}.do(h))
	if want := "http://host.example/api/books/?limit=1&offset=1"; got != want {
		t.Errorf("next %q, want %q", got, want)
	}
}

// With wildcard patterns, the client chooses the prefix.
func TestPrefixIsEscaped(t *testing.T) {
	h := newTestHandler(t, Options{}, map[string]Collection{"books": newCollection(2)})
	tests := []struct{ reason, uri, link, location string }{
		{"no target", "", "http://host.example/api/books/", "/api/books/"},
		{"unrelated target", "/other/", "http://host.example/api/books/", "/api/books/"},
		{"shorter target", "/books/", "http://host.example/api/books/", "/api/books/"},
		{"star", "*", "http://host.example/api/books/", "/api/books/"},
		{"authority", "evil.example:80", "http://host.example/api/books/", "/api/books/"},
		{"no path in absolute form", "http://evil.example", "http://host.example/api/books/", "/api/books/"},
		{"quotes", `/"<é>\/api/books/`, "http://host.example/%22%3C%C3%A9%3E%5C/api/books/", "/%22%3C%C3%A9%3E%5C/api/books/"},
		{"two slashes and a host", "//evil.example/api/books/", "http://host.example//evil.example/api/books/", "/%2Fevil.example/api/books/"},
		{"invalid escape", "/%zz/api/books/", "http://host.example/%zz/api/books/", "/%zz/api/books/"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			r := &http.Request{Method: "GET", Host: "host.example", RequestURI: test.uri, URL: &url.URL{Path: "/api/books/", RawQuery: "limit=1"}}
			if got, want := next(serve(h, r)), test.link+"?limit=1&offset=1"; got != want {
				t.Errorf("next %q, want %q", got, want)
			}
			r = &http.Request{Method: "GET", Host: "host.example", RequestURI: strings.TrimSuffix(test.uri, "/"), URL: &url.URL{Path: "/api/books"}}
			if got := serve(h, r).Header["Location"]; got != test.location {
				t.Errorf("location %q, want %q", got, test.location)
			}
		})
	}
}

// The rules of hosts are tested in package origin.
func TestHost(t *testing.T) {
	tests := []struct {
		reason, host string
		ok           bool
	}{
		{"name", "host.example", true},
		{"name with port", "host.example:8080", true},
		{"punycode", "xn--r8jz45g.jp", true},
		{"IPv6 with port", "[2001:db8::1]:65535", true},
		{"empty", "", false},
		{"port 0", "host:0", false},
		{"user", "user@host", false},
		{"path", "host/path", false},
		{"line end", "host\r\nX: y", false},
		{"not ASCII", "höst.example", false},
		{"markup", `host"><script>`, false},
		{"list", "a.example, b.example", false},
	}
	h := newTestHandler(t, Options{}, map[string]Collection{"books": newCollection(2)})
	based := newTestHandler(t, Options{BaseURL: "https://x.example"}, map[string]Collection{"books": newCollection(2)})
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			r := call{target: "/api/books/?limit=1"}.request()
			r.Host = test.host
			got := serve(h, r)
			if !test.ok {
				if got.Status != 400 || got.Body != `{"detail":"Invalid Host header."}` {
					t.Errorf("Host %q: %d %s, want 400", test.host, got.Status, got.Body)
				}
			} else if want := `"next":"http://` + test.host + `/api/books/?limit=1&offset=1"`; got.Status != 200 || !strings.Contains(got.Body, want) {
				t.Errorf("Host %q: %d %s, want %s", test.host, got.Status, got.Body, want)
			}
			if got := serve(based, r); got.Status != 200 {
				t.Errorf("Host %q with a base URL: %d, want 200", test.host, got.Status)
			}
		})
	}
}

func TestInvalidHostOnEveryPath(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	for _, target := range []string{"/api/", "/api", "/api/nope/", "/api/events/"} {
		if got := (call{target: target, host: "a b"}).do(h); got.Status != 400 {
			t.Errorf("%s: %d, want 400", target, got.Status)
		}
	}
}

package httpapi

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
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

// trusted returns the proxies of these tests.
func trusted() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8"), netip.MustParsePrefix("192.0.2.7/32")}
}

// through returns a request for one of two records that comes from an address.
func through(remote string, header http.Header) call {
	return call{target: "/api/books/?limit=1", header: header, remote: remote}
}

// The rules of addresses and of forwarded headers are tested in package origin.
func TestTrustedProxies(t *testing.T) {
	const (
		direct  = "http://host.example/api/books/?limit=1&offset=1"
		through = "https://a.example/api/books/?limit=1&offset=1"
	)
	xForwarded := http.Header{"X-Forwarded-Host": {"a.example"}, "X-Forwarded-Proto": {"https"}}
	standard := http.Header{"Forwarded": {"for=192.0.2.1;host=a.example;proto=https"}}
	garbage := http.Header{"X-Forwarded-Host": {"a b"}, "X-Forwarded-Proto": {"gopher"}, "Forwarded": {`"`}}
	tests := []struct {
		reason, remote string
		header         http.Header
		want           string // the next link, or the detail
	}{
		{"X-Forwarded", "10.1.2.3:40000", xForwarded, through},
		{"Forwarded", "10.1.2.3:40000", standard, through},
		{"IPv6", "[fd00::1]:40000", standard, through},
		{"IPv4 in IPv6", "[::ffff:10.1.2.3]:40000", xForwarded, through},
		{"no headers", "10.1.2.3:40000", nil, direct},
		{"not trusted", "198.51.100.1:40000", xForwarded, direct},
		{"not trusted, standard", "198.51.100.1:40000", standard, direct},
		{"not trusted, invalid", "198.51.100.1:40000", garbage, direct},
		{"no address", "@", xForwarded, direct},
		{"invalid scheme", "10.1.2.3:40000", http.Header{"X-Forwarded-Proto": {"ftp"}}, "Invalid X-Forwarded-Proto header."},
		{"invalid host", "10.1.2.3:40000", http.Header{"X-Forwarded-Host": {"a b"}}, "Invalid X-Forwarded-Host header."},
		{"invalid standard header", "10.1.2.3:40000", http.Header{"Forwarded": {`"`}}, "Invalid Forwarded header."},
		{"headers that differ", "10.1.2.3:40000", http.Header{"X-Forwarded-Host": {"a.example"}, "Forwarded": {"host=b.example"}}, "The headers Forwarded and X-Forwarded differ."},
	}
	h := newTestHandler(t, Options{TrustedProxies: trusted()}, map[string]Collection{"books": newCollection(2)})
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got := call{target: "/api/books/?limit=1", header: test.header, remote: test.remote}.do(h)
			if strings.HasPrefix(test.want, "http") {
				if got.Status != 200 || next(got) != test.want {
					t.Errorf("%d %s, want %s", got.Status, got.Body, test.want)
				}
			} else if want := `{"detail":"` + test.want + `"}`; got.Status != 400 || got.Body != want {
				t.Errorf("%d %s, want 400 %s", got.Status, got.Body, want)
			}
		})
	}
	based := newTestHandler(t, Options{TrustedProxies: trusted(), BaseURL: "https://x.example"}, map[string]Collection{"books": newCollection(2)})
	for _, header := range []http.Header{xForwarded, garbage} {
		got := call{target: "/api/books/?limit=1", header: header, remote: "10.0.0.1:1"}.do(based)
		if next(got) != "https://x.example/api/books/?limit=1&offset=1" {
			t.Errorf("with a base URL: %d %s, want links with it", got.Status, got.Body)
		}
	}
}

func TestTrustedProxiesAreCopied(t *testing.T) {
	list := trusted()
	h := newTestHandler(t, Options{TrustedProxies: list}, map[string]Collection{"books": newCollection(2)})
	list[0] = netip.MustParsePrefix("0.0.0.0/0")
	header := http.Header{"X-Forwarded-Host": {"evil.example"}}
	if got := next(through("198.51.100.1:1", header).do(h)); strings.Contains(got, "evil") {
		t.Errorf("next is %q after the slice was modified", got)
	}
}

func TestForwardedHostReplacesInvalidHost(t *testing.T) {
	h := newTestHandler(t, Options{TrustedProxies: trusted()}, map[string]Collection{"books": newCollection(2)})
	c := through("10.0.0.1:1", http.Header{"X-Forwarded-Host": {"a.example"}})
	c.host = "no host"
	if got := c.do(h); next(got) != "http://a.example/api/books/?limit=1&offset=1" {
		t.Errorf("%d %s, want links with the forwarded host", got.Status, got.Body)
	}
	c.header = http.Header{"X-Forwarded-Proto": {"https"}}
	if got := c.do(h); got.Status != 400 || got.Body != `{"detail":"Invalid Host header."}` {
		t.Errorf("without a forwarded host: %d %s, want 400", got.Status, got.Body)
	}
}

// A handler keeps no state between requests of several proxies. Requests whose links differ
// have different tags.
func TestRequestsOfSeveralProxies(t *testing.T) {
	calls := []call{
		through("10.0.0.1:1", nil),
		through("10.0.0.1:1", http.Header{"X-Forwarded-Host": {"a.example"}}),
		through("10.0.0.2:2", http.Header{"X-Forwarded-Host": {"a.example"}, "X-Forwarded-Proto": {"https"}}),
		through("10.0.0.1:1", http.Header{"Forwarded": {"host=b.example"}}),
		through("10.0.0.1:1", http.Header{"X-Forwarded-Proto": {"https"}}),
		through("198.51.100.1:1", http.Header{"X-Forwarded-Host": {"evil.example"}, "X-Forwarded-Proto": {"https"}}),
		through("10.0.0.1:1", http.Header{"X-Forwarded-Host": {"a b"}}),
	}
	collections := func() map[string]Collection {
		return map[string]Collection{"books": &revisionedCollection{fake: newCollection(2)}}
	}
	h := newTestHandler(t, Options{TrustedProxies: trusted(), ETags: true}, collections())
	tags := map[string]string{} // by the link
	for range 4 {
		for _, c := range calls {
			want := c.do(newTestHandler(t, Options{TrustedProxies: trusted()}, collections()))
			got := c.do(h)
			if tag := tags[next(want)]; tag != "" && tag != got.Header["Etag"] {
				t.Errorf("%v: tag %s, want %s as before", c.header, got.Header["Etag"], tag)
			}
			tags[next(want)] = got.Header["Etag"]
			delete(got.Header, "Etag")
			delete(got.Header, "Cache-Control")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%v (-want +got):\n%s", c.header, diff)
			}
		}
	}
	if len(tags) != 6 { // the untrusted request has the link of the first; the last has none
		t.Errorf("got tags %v, want 6", tags)
	}
	seen := map[string]bool{}
	for link, tag := range tags {
		if seen[tag] {
			t.Errorf("%s has tag %s, as another link", link, tag)
		}
		seen[tag] = true
	}
}

func TestForwardedHostInRoot(t *testing.T) {
	h := newTestHandler(t, Options{TrustedProxies: trusted()}, nil)
	c := call{target: "/api/", remote: "10.0.0.1:1", header: http.Header{"X-Forwarded-Host": {"a.example:81"}, "X-Forwarded-Proto": {"https"}}}
	if got := c.do(h); strings.Count(got.Body, `"https://a.example:81/api/`) != 39 {
		t.Errorf("the root is %s", got.Body)
	}
	c.header = http.Header{"X-Forwarded-Host": {strings.Repeat("a", 254)}}
	if got := c.do(h); got.Status != 400 {
		t.Errorf("long host: %d, want 400", got.Status)
	}
}

// A redirect has no host, so forwarded headers do not change it.
func TestForwardedHostNotInRedirect(t *testing.T) {
	h := newTestHandler(t, Options{TrustedProxies: trusted()}, nil)
	c := call{target: "/api/books?x=1", remote: "10.0.0.1:1", header: http.Header{"X-Forwarded-Host": {"a.example"}}}
	if got := c.do(h); got.Status != 301 || got.Header["Location"] != "/api/books/?x=1" {
		t.Errorf("%d to %q, want 301 to /api/books/?x=1", got.Status, got.Header["Location"])
	}
}

// TestNoHost sends requests of HTTP/1.0 without a Host, as some health checks do. They work
// if links do not depend on it, also below a ServeMux.
func TestNoHost(t *testing.T) {
	based := newTestHandler(t, Options{BaseURL: "https://x.example/y"}, map[string]Collection{"books": newCollection(2)})
	mux := http.NewServeMux()
	if err := Mount(mux, "/shop", based); err != nil {
		t.Fatal(err)
	}
	const page, slash = "GET %s/api/books/?limit=1 HTTP/1.0\r\n\r\n", "GET %s/api/books?limit=1 HTTP/1.0\r\n\r\n"
	for prefix, h := range map[string]http.Handler{"": based, "/shop": mux} {
		address := listen(t, h)
		got := ask(t, address, fmt.Sprintf(page, prefix), true)
		if len(got) != 1 || got[0].StatusCode != 200 || !strings.Contains(got[0].body, `"next":"https://x.example/y/api/books/?limit=1&offset=1"`) {
			t.Errorf("page below %q: %+v, want links with the base URL", prefix, got)
		}
		got = ask(t, address, fmt.Sprintf(slash, prefix), true)
		if len(got) != 1 || got[0].StatusCode != 301 || got[0].Header.Get("Location") != "https://x.example/y/api/books/?limit=1" {
			t.Errorf("redirect below %q: %+v", prefix, got)
		}
	}
	proxied := newTestHandler(t, Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}}, map[string]Collection{"books": newCollection(2)})
	got := ask(t, listen(t, proxied), "GET /api/books/?limit=1 HTTP/1.0\r\nX-Forwarded-Host: a.example\r\n\r\n", true)
	if len(got) != 1 || got[0].StatusCode != 200 || !strings.Contains(got[0].body, `"next":"http://a.example/api/books/`) {
		t.Errorf("with a forwarded host: %+v", got)
	}
}

package origin

import (
	"crypto/tls"
	"encoding/json"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// newRequest returns a request to host.example for a target. The handler receives path.
func newRequest(target, path string) *http.Request {
	return &http.Request{Method: "GET", Host: "host.example", RequestURI: target, URL: &url.URL{Path: path}}
}

func TestNewResolver(t *testing.T) {
	tests := []struct{ reason, baseURL, want string }{
		{"none", "", ""},
		{"host", "https://x.example", "https://x.example"},
		{"port", "http://x.example:8080", "http://x.example:8080"},
		{"path", "https://x.example/shop", "https://x.example/shop"},
		{"slashes at the end", "https://x.example/shop//", "https://x.example/shop"},
		{"scheme in upper case", "HTTPS://x.example", "https://x.example"},
		{"path that needs escapes", `https://x.example/größe/"`, "https://x.example/gr%C3%B6%C3%9Fe/%22"},
		{"path with escapes", "https://x.example/a%2Fb", "https://x.example/a%2Fb"},
		{"IPv6", "http://[::1]:8080", "http://[::1]:8080"},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			r, err := NewResolver(test.baseURL, nil, false)
			if err != nil || r.BaseURL() != test.want {
				t.Fatalf("NewResolver(%q, nil) = %+v, %v, want base URL %q", test.baseURL, r, err, test.want)
			}
			if test.want == "" {
				return
			}
			req := newRequest("/in/api/", "/api/")
			req.Host = "no host"
			o, fault := r.Resolve(req)
			if got, want := string(o.AppendURL(nil, "/api/")), test.want+"/api/"; got != want || fault != "" {
				t.Errorf("Resolve returns %s, %q, want %s", got, fault, want)
			}
			if got, want := r.Location(o, "/api/", ""), test.want+"/api/"; got != want {
				t.Errorf("Location = %s, want %s", got, want)
			}
		})
	}
}

func TestNewResolverErrors(t *testing.T) {
	tests := []struct{ reason, baseURL, want string }{
		{"no scheme", "x.example", "absolute"},
		{"relative", "/shop", "absolute"},
		{"other scheme", "ftp://x.example", "absolute"},
		{"opaque", "http:x.example", "host"},
		{"no host", "http://", "host"},
		{"path without host", "http:///shop", "host"},
		{"invalid port", "http://x.example:99999", "host"},
		{"user", "http://user@x.example", "user"},
		{"query", "http://x.example/?a=1", "query"},
		{"empty query", "http://x.example/?", "query"},
		{"fragment", "http://x.example/#a", "fragment"},
		{"empty fragment", "http://x.example/#", "fragment"},
		{"space", "http://x example", "character"},
		{"not ASCII", "http://höst.example", "host"},
		{"invalid escape", "http://x.example/%zz", "escape"},
	}
	for _, test := range tests {
		r, err := NewResolver(test.baseURL, nil, false)
		if err == nil || r != nil || !strings.Contains(err.Error(), "BaseURL") || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: NewResolver(%q, nil) = %v, %v, want an error with %q", test.reason, test.baseURL, r, err, test.want)
		}
	}
	for reason, p := range map[string]netip.Prefix{
		"zero":          {},
		"too many bits": netip.PrefixFrom(netip.MustParseAddr("10.0.0.0"), 33),
		"IPv4 in IPv6":  netip.MustParsePrefix("::ffff:10.0.0.0/104"),
	} {
		r, err := NewResolver("", []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), p}, false)
		if err == nil || r != nil || !strings.Contains(err.Error(), "TrustedProxies") {
			t.Errorf("%s: NewResolver = %v, %v, want an error about TrustedProxies", reason, r, err)
		}
	}
}

func TestResolveTLS(t *testing.T) {
	r, err := NewResolver("", nil, false)
	if err != nil {
		t.Fatal(err)
	}
	req := newRequest("/shop/api/", "/api/")
	req.TLS = new(tls.ConnectionState)
	want := Origin{"https", "host.example", "/shop"}
	if got, fault := r.Resolve(req); got != want || fault != "" {
		t.Errorf("Resolve = %+v, %q, want %+v", got, fault, want)
	}
}

func TestPrefix(t *testing.T) {
	tests := []struct{ reason, target, path, want string }{
		{"none", "/api/books/", "/api/books/", ""},
		{"query", "/api/books/?a=/api/books/", "/api/books/", ""},
		{"one segment", "/shop/api/books/", "/api/books/", "/shop"},
		{"two segments", "/a/b/api/?x", "/api/", "/a/b"},
		{"like the path", "/api/books/api/books/", "/api/books/", "/api/books"},
		{"absolute form", "http://ignored.example/shop/api/books/", "/api/books/", "/shop"},
		{"escapes in the path", "/shop/api/%62ooks%2f", "/api/books/", "/shop"},
		{"escapes in the prefix", "/gr%C3%B6%C3%9Fe/api/", "/api/", "/gr%C3%B6%C3%9Fe"},
		{"no target", "", "/api/", ""},
		{"unrelated target", "/other/", "/api/", ""},
		{"shorter target", "/books/", "/api/books/", ""},
		{"star", "*", "/api/", ""},
		{"authority", "evil.example:80", "/api/", ""},
		{"absolute form without a path", "http://evil.example", "/api/", ""},
		{"bytes that need escapes", `/"<é>\/api/`, "/api/", "/%22%3C%C3%A9%3E%5C"},
		{"two slashes", "//evil.example/api/", "/api/", "//evil.example"},
		{"invalid escape", "/%zz/api/", "/api/", "/%zz"},
	}
	for _, test := range tests {
		if got := prefix(newRequest(test.target, test.path)); got != test.want {
			t.Errorf("%s: prefix = %q, want %q", test.reason, got, test.want)
		}
	}
}

func TestLocation(t *testing.T) {
	r, err := NewResolver("", nil, false)
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ reason, prefix, query, want string }{
		{"path", "", "", "/api/"},
		{"prefix", "/shop", "", "/shop/api/"},
		{"query", "", "a=%20b&c=d%zz", "/api/?a=%20b&c=d%zz"},
		{"query with bytes that need escapes", "", "a[0]=\"<é>\\^`{|}#?/\r\n", "/api/?a[0]=%22%3C%C3%A9%3E%5C%5E%60%7B%7C%7D%23?/%0D%0A"},
		{"prefix with two slashes", "//evil.example", "", "/%2Fevil.example/api/"},
	}
	for _, test := range tests {
		if got := r.Location(Origin{"http", "host.example", test.prefix}, "/api/", test.query); got != test.want {
			t.Errorf("%s: Location = %q, want %q", test.reason, got, test.want)
		}
	}
}

func TestValidHost(t *testing.T) {
	long := strings.Repeat("a", 253)
	tests := []struct {
		reason, host string
		ok           bool
	}{
		{"a name", "host.example", true},
		{"one label", "localhost", true},
		{"with port", "host.example:8080", true},
		{"name with a nine", "web9.example", true},
		{"address with nines", "192.0.2.9", true},
		{"port of nines", "host.example:9999", true},
		{"port that ends in a nine", "host.example:8089", true},
		{"port with the character after nine", "host.example:80:", false},
		{"port with the character before zero", "host.example:808/", false},
		{"IPv6 with a port with nines", "[::1]:9090", true},
		{"upper case", "HOST.Example", true},
		{"dot at the end", "host.example.", true},
		{"underscore", "web_1:80", true},
		{"punycode", "xn--r8jz45g.jp", true},
		{"IPv4", "127.0.0.1", true},
		{"IPv4 with port", "127.0.0.1:1", true},
		{"IPv6", "[::1]", true},
		{"IPv6 with port", "[2001:db8::1]:65535", true},
		{"IPv4 in IPv6", "[::ffff:1.2.3.4]", true},
		{"the longest name", long, true},
		{"name too long", long + "a", false},
		{"empty", "", false},
		{"only a port", ":80", false},
		{"empty port", "host:", false},
		{"port 0", "host:0", false},
		{"port too large", "host:65536", false},
		{"port with too many digits", "host:000080", false},
		{"port with a sign", "host:+80", false},
		{"port in letters", "host:http", false},
		{"two ports", "host:80:80", false},
		{"IPv6 without brackets", "::1", false},
		{"bracket not closed", "[::1", false},
		{"bracket not opened", "::1]", false},
		{"bracket closed twice", "[::1]]", false},
		{"text after a bracket", "[::1]x", false},
		{"empty port after a bracket", "[::1]:", false},
		{"IPv4 in brackets", "[127.0.0.1]", false},
		{"name in brackets", "[host]", false},
		{"zone", "[fe80::1%25eth0]", false},
		{"zone not escaped", "[fe80::1%eth0]", false},
		{"space", "host example", false},
		{"leading space", " host", false},
		{"tab", "host\t", false},
		{"line end", "host\r\nX: y", false},
		{"NUL", "host\x00", false},
		{"user", "user@host", false},
		{"user and password", "user:pw@host", false},
		{"path", "host/path", false},
		{"query", "host?x", false},
		{"fragment", "host#x", false},
		{"backslash", `host\x`, false},
		{"scheme", "http://host", false},
		{"not ASCII", "höst.example", false},
		{"escape", "h%6Fst", false},
		{"quote", `host"`, false},
		{"angle bracket", "host<x>", false},
		{"list of hosts", "a.example, b.example", false},
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			if ok := validHost(test.host); ok != test.ok {
				t.Errorf("validHost(%q) = %t, want %t", test.host, ok, test.ok)
			}
		})
	}
}

func FuzzHost(f *testing.F) {
	for _, seed := range []string{"host.example", "host:80", "[::1]:80", "", "a_b", "[::ffff:1.2.3.4]", "h:0", "[1::%x]", "u@h"} {
		f.Add(seed)
	}
	plain := regexp.MustCompile(`^([A-Za-z0-9._-]{1,253})(:0{0,4}[1-9][0-9]{0,3})?$`)
	f.Fuzz(func(t *testing.T, host string) {
		if plain.MatchString(host) && portDigits(host) <= 5 && !validHost(host) {
			t.Errorf("validHost(%q) = false, want true", host)
		}
		if !validHost(host) {
			return
		}
		u, err := url.Parse("http://" + host + "/x")
		if err != nil || u.Host != host || u.User != nil || u.Path != "/x" {
			t.Errorf("validHost(%q) = true, but url.Parse returns %#v, %v", host, u, err)
		}
		if text, err := json.Marshal(host); err != nil || string(text) != `"`+host+`"` {
			t.Errorf("validHost(%q) = true, but in JSON it is %s", host, text)
		}
	})
}

func portDigits(host string) int {
	_, port, _ := strings.Cut(host, ":")
	return len(port)
}

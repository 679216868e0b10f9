package origin

import (
	"net/http"
	"strings"
	"testing"
)

func TestForwardedPrefix(t *testing.T) {
	const invalid = "Invalid X-Forwarded-Prefix header."
	for _, test := range []struct {
		reason string
		values []string
		want   string // the prefix, or the fault
	}{
		{"absent", nil, ""},
		{"blank counts as absent", []string{" "}, ""},
		{"one segment", []string{"/shop"}, "/shop"},
		{"two segments", []string{"/shop/v2"}, "/shop/v2"},
		{"a slash at the end", []string{"/shop/"}, "/shop"},
		{"the root", []string{"/"}, ""},
		{"characters of a segment", []string{"/~a.b-c_d;e=@1"}, "/~a.b-c_d;e=@1"},
		{"the last value, which the proxy added", []string{"//evil, /shop"}, "/shop"},
		{"in a second header", []string{"/evil", "/shop"}, "/shop"},
		{"longest", []string{"/" + strings.Repeat("x", 254)}, "/" + strings.Repeat("x", 254)},

		{"no value after a comma", []string{"/shop,"}, invalid},
		{"too long", []string{"/" + strings.Repeat("x", 255)}, invalid},
		{"relative", []string{"shop"}, invalid},
		{"a host", []string{"//evil"}, invalid},
		{"a host with a slash at the end", []string{"//evil/"}, invalid},
		{"two slashes", []string{"//"}, invalid},
		{"two slashes within", []string{"/a//b"}, invalid},
		{"two slashes at the end", []string{"/a//"}, invalid},
		{"a URL", []string{"https://evil/"}, invalid},
		{"dot segments", []string{"/a/../b"}, invalid},
		{"dot segments at the end", []string{"/a/.."}, invalid},
		{"dot segments and a slash", []string{"/../"}, invalid},
		{"a dot", []string{"/."}, invalid},
		{"escaped dots", []string{"/a/%2e%2e/b"}, invalid},
		{"an escaped slash", []string{"/%2Fevil"}, invalid},
		{"a percent sign", []string{"/100%"}, invalid},
		{"backslashes", []string{`/\\evil`}, invalid},
		{"a query", []string{"/a?b"}, invalid},
		{"a fragment", []string{"/a#b"}, invalid},
		{"a space", []string{"/a b"}, invalid},
		{"a quote", []string{`/a"b`}, invalid},
		{"markup", []string{"/<script>"}, invalid},
		{"a line end", []string{"/a\r\nX-Evil: y"}, invalid},
		{"NUL", []string{"/a\x00"}, invalid},
		{"DEL", []string{"/a\x7f"}, invalid},
		{"other script", []string{"/größe"}, invalid},
		{"invalid UTF-8", []string{"/\xff"}, invalid},
	} {
		got, fault := readPrefix(http.Header{"X-Forwarded-Prefix": test.values})
		if got+fault != test.want || got != "" && fault != "" {
			t.Errorf("%s: %q, fault %q, want %q", test.reason, got, fault, test.want)
		}
	}
}

// TestResolvePrefix checks where a forwarded prefix counts and that it comes before that of
// the request.
func TestResolvePrefix(t *testing.T) {
	for _, test := range []struct {
		reason, base, remote, target string
		option                       bool
		want                         string
	}{
		{"a proxy", "", "10.0.0.1:1", "/api/", true, "http://host.example/shop/api/"},
		{"a proxy, and a prefix of the request", "", "10.0.0.1:1", "/v2/api/", true, "http://host.example/shop/v2/api/"},
		{"no option", "", "10.0.0.1:1", "/api/", false, "http://host.example/api/"},
		{"not a proxy", "", "198.51.100.1:1", "/api/", true, "http://host.example/api/"},
		{"a base URL", "https://x.example/y", "10.0.0.1:1", "/api/", true, "https://x.example/y/api/"},
	} {
		r, err := NewResolver(test.base, trusted(), test.option)
		if err != nil {
			t.Fatal(err)
		}
		req := newRequest(test.target, "/api/")
		req.RemoteAddr = test.remote
		req.Header = http.Header{"X-Forwarded-Prefix": {"/shop"}}
		o, fault := r.Resolve(req)
		if got := string(o.AppendURL(nil, "/api/")); got != test.want || fault != "" {
			t.Errorf("%s: %s, fault %q, want %s", test.reason, got, fault, test.want)
		}
		req.Header = http.Header{"X-Forwarded-Prefix": {"//evil"}}
		counts := strings.Contains(test.want, "/shop")
		if _, fault := r.Resolve(req); (fault != "") != counts {
			t.Errorf("%s: fault %q of an invalid prefix, want one: %t", test.reason, fault, counts)
		}
	}
}

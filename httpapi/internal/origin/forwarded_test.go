package origin

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/httpapi/internal/rows"
)

// newResolver returns a Resolver that trusts some proxies.
func newResolver(t *testing.T, base string, prefix bool) *Resolver {
	t.Helper()
	var trusted []netip.Prefix
	for _, text := range []string{"10.0.0.0/8", "fd00::/8", "192.0.2.7/32"} {
		trusted = append(trusted, netip.MustParsePrefix(text))
	}
	r, err := NewResolver(base, trusted, prefix)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestTrust(t *testing.T) {
	r := newResolver(t, "", false)
	for _, row := range rows.Read(t, "origin.txtar")["trusted"] {
		if got := fmt.Sprint(r.trusts(row.Value)); got != row.Want {
			t.Errorf("%s: trusts(%q) = %s, want %s", row.Reason, row.Value, got, row.Want)
		}
	}
}

func TestForwarded(t *testing.T) {
	resolver := newResolver(t, "", false)
	for _, row := range rows.Read(t, "origin.txtar")["forwarded"] {
		r := newRequest("/api/", "/api/")
		r.RemoteAddr, r.Header = "10.0.0.1:1", http.Header{}
		for line := range strings.SplitSeq(row.Value, " | ") {
			name, value, _ := strings.Cut(line, ": ")
			r.Header[name] = append(r.Header[name], value)
		}
		o, fault := resolver.Resolve(r)
		got := fault
		if fault == "" {
			got = string(o.AppendURL(nil, ""))
		}
		if got != row.Want {
			t.Errorf("%s: %s: got %q, want %q", row.Reason, row.Value, got, row.Want)
		}
	}
}

func TestForwardedPrefix(t *testing.T) {
	for _, row := range rows.Read(t, "origin.txtar")["forwarded prefix"] {
		header := http.Header{"X-Forwarded-Prefix": strings.Split(row.Value, " | ")}
		if row.Value == "" {
			header = nil
		}
		if got, fault := readPrefix(header); got+fault != row.Want || got != "" && fault != "" {
			t.Errorf("%s: %q, fault %q, want %q", row.Reason, got, fault, row.Want)
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
		r := newResolver(t, test.base, test.option)
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

package origin

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/httpapi/internal/rows"
)

// newRequest returns a request to host.example for a target. The handler receives path.
func newRequest(target, path string) *http.Request {
	return &http.Request{Method: "GET", Host: "host.example", RequestURI: target, URL: &url.URL{Path: path}}
}

func TestNewResolver(t *testing.T) {
	for _, row := range rows.Read(t, "origin.txtar")["base URLs"] {
		r, err := NewResolver(row.Value, nil, false)
		if part, ok := strings.CutPrefix(row.Want, "error: "); ok {
			if r != nil || err == nil || !strings.Contains(err.Error(), "BaseURL") || !strings.Contains(err.Error(), part) {
				t.Errorf("%s: NewResolver(%q) = %v, %v, want an error with %q", row.Reason, row.Value, r, err, part)
			}
			continue
		}
		if err != nil || r.BaseURL() != row.Want {
			t.Errorf("%s: NewResolver(%q) = %+v, %v, want base URL %q", row.Reason, row.Value, r, err, row.Want)
			continue
		}
		if row.Want == "" {
			continue
		}
		req := newRequest("/in/api/", "/api/")
		req.Host = "no host"
		o, fault := r.Resolve(req)
		if got, want := string(o.AppendURL(nil, "/api/")), row.Want+"/api/"; got != want || fault != "" {
			t.Errorf("%s: Resolve returns %s, %q, want %s", row.Reason, got, fault, want)
		}
		if got, want := r.Location(o, "/api/", ""), row.Want+"/api/"; got != want {
			t.Errorf("%s: Location = %s, want %s", row.Reason, got, want)
		}
	}
}

func TestInvalidProxies(t *testing.T) {
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
	r := new(Resolver)
	req := newRequest("/shop/api/", "/api/")
	req.TLS = new(tls.ConnectionState)
	want := Origin{"https", "host.example", "/shop"}
	if got, fault := r.Resolve(req); got != want || fault != "" {
		t.Errorf("Resolve = %+v, %q, want %+v", got, fault, want)
	}
}

func TestPrefix(t *testing.T) {
	for _, row := range rows.Read(t, "origin.txtar")["prefixes"] {
		target, path, _ := strings.Cut(row.Value, " | ")
		if got := prefix(newRequest(target, path)); got != row.Want {
			t.Errorf("%s: prefix = %q, want %q", row.Reason, got, row.Want)
		}
	}
}

func TestLocation(t *testing.T) {
	r := new(Resolver)
	for _, row := range rows.Read(t, "origin.txtar")["locations"] {
		prefix, query, _ := strings.Cut(row.Value, "?")
		if got := r.Location(Origin{"http", "host.example", prefix}, "/api/", query); got != row.Want {
			t.Errorf("%s: Location = %q, want %q", row.Reason, got, row.Want)
		}
	}
}

func TestValidHost(t *testing.T) {
	for _, row := range rows.Read(t, "origin.txtar")["hosts"] {
		if ok := fmt.Sprint(validHost(row.Value)); ok != row.Want {
			t.Errorf("%s: validHost(%q) = %s, want %s", row.Reason, row.Value, ok, row.Want)
		}
	}
}

// A request of HTTP/1.0 need not have a Host. That of its links is then the server's address.
func TestHTTP10(t *testing.T) {
	r := new(Resolver)
	for _, row := range []struct {
		reason, host string
		minor        int
		address      net.Addr
		want         string // "" if the request is rejected
	}{
		{"its address", "", 0, &net.TCPAddr{IP: net.IPv4(10, 0, 0, 1), Port: 8000}, "10.0.0.1:8000"},
		{"default port", "", 0, &net.TCPAddr{IP: net.IPv6loopback, Port: 80}, "[::1]"},
		{"socket", "", 0, &net.UnixAddr{Name: "/run/x", Net: "unix"}, "localhost"},
		{"no server", "", 0, nil, "localhost"},
		{"Host", "shop.example", 0, nil, "shop.example"},
		{"invalid Host", "a b", 0, nil, ""},
		{"HTTP/1.1", "", 1, nil, ""},
	} {
		req := httptest.NewRequest("GET", "/", nil)
		req.Host, req.ProtoMinor = row.host, row.minor
		if row.address != nil {
			req = req.WithContext(context.WithValue(req.Context(), http.LocalAddrContextKey, row.address))
		}
		if got, fault := r.Resolve(req); got.Host != row.want || (fault == "") != (row.want != "") {
			t.Errorf("%s: %q, %q, want %q", row.reason, got.Host, fault, row.want)
		}
	}
}

package httpapi

import (
	"fmt"
	"net/http"
	"net/netip"
	"strings"
	"testing"
)

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

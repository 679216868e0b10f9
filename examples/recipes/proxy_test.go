package recipes

import (
	"maps"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/browse"
)

// behind returns a handler whose links are those of a proxy on this machine.
func behind(t *testing.T) *httpapi.Handler {
	return newHandler(t, httpapi.Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}, ForwardedPrefix: true})
}

func target(t *testing.T, server *httptest.Server) *url.URL {
	t.Helper()
	t.Cleanup(server.Close)
	u, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestProxy(t *testing.T) {
	at := target(t, httptest.NewServer(behind(t)))
	check(t, Proxy(at, "/shop"), "/shop")
}

// TestProxyReplacesPrefix checks that clients cannot choose the prefix.
func TestProxyReplacesPrefix(t *testing.T) {
	at := target(t, httptest.NewServer(behind(t)))
	s := serve(t, Proxy(at, "/shop"), "/shop")
	got := s.do("GET", "", "", "X-Forwarded-Prefix", "/evil", "X-Forwarded-Host", "evil.example", "Forwarded", "host=evil.example")
	if want := `{"films":"` + s.url + `films/"}`; got.body != want {
		t.Errorf("%s, want %s", got.body, want)
	}
}

// TestPagesBehindProxy follows the links of the pages for browsers.
func TestPagesBehindProxy(t *testing.T) {
	pages, err := browse.New(behind(t), browse.Options{})
	if err != nil {
		t.Fatal(err)
	}
	at := target(t, httptest.NewServer(pages))
	s := serve(t, Proxy(at, "/shop"), "/shop")
	seen, todo := map[string]bool{}, []string{s.url}
	for len(todo) > 0 && len(seen) < 60 {
		page := todo[0]
		todo = todo[1:]
		if seen[page] {
			continue
		}
		seen[page] = true
		got := s.do("GET", page, "", "Accept", "text/html,*/*;q=0.8")
		if got.StatusCode != 200 || !strings.HasPrefix(page, s.url) {
			t.Errorf("%s: %d", page, got.StatusCode)
		}
		base, err := url.Parse(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range regexp.MustCompile(`href="([^"#][^"]*)"`).FindAllStringSubmatch(got.body, -1) {
			to, err := base.Parse(strings.ReplaceAll(link[1], "&amp;", "&"))
			if err != nil {
				t.Fatal(err)
			}
			to.Fragment = ""
			if to.Scheme != "data" { // of the icon
				todo = append(todo, to.String())
			}
		}
	}
	isRecord := func(page string) bool { return strings.HasPrefix(page, s.url+"films/7/") }
	if !slices.ContainsFunc(slices.Collect(maps.Keys(seen)), isRecord) {
		t.Errorf("no link to a record among %d pages", len(seen))
	}
}

package httpapi

import (
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

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
		return map[string]Collection{"books": &revisionedCollection{Collection: newCollection(2)}}
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

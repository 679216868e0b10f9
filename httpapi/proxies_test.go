package httpapi

import (
	"errors"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// trusted is the proxies of these tests.
func trusted() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8"), netip.MustParsePrefix("192.0.2.7/32")}
}

// through has one page of two asked for, by somebody at an address.
func through(remote string, header http.Header) call {
	return call{target: "/api/books/?limit=1", header: header, remote: remote}
}

func TestTrustedProxies(t *testing.T) {
	tests := []struct {
		reason, remote string
		trusted        bool
	}{
		{"in a prefix", "10.1.2.3:40000", true},
		{"the one address", "192.0.2.7:1", true},
		{"the address beside it", "192.0.2.8:1", false},
		{"another", "198.51.100.1:40000", false},
		{"IPv6", "[fd00::1]:40000", true},
		{"another of IPv6", "[2001:db8::1]:40000", false},
		{"IPv4 in IPv6, as a dual socket has it", "[::ffff:10.1.2.3]:40000", true},
		{"with a zone", "[fd00::1%eth0]:40000", true},
		{"no port", "10.1.2.3", false},
		{"Unix socket", "@", false},
		{"none", "", false},
		{"a name", "proxy.example:80", false},
		{"what looks like one", "10.1.2.3.evil.example:80", false},
	}
	h := newTestHandler(t, Options{TrustedProxies: trusted()}, map[string]Collection{"books": newShelf(2)})
	for _, test := range tests {
		for _, header := range []http.Header{
			{"X-Forwarded-Host": {"shop.example"}, "X-Forwarded-Proto": {"https"}},
			{"Forwarded": {"for=192.0.2.1;host=shop.example;proto=https"}},
		} {
			want := "http://host.example/api/books/?limit=1&offset=1"
			if test.trusted {
				want = "https://shop.example/api/books/?limit=1&offset=1"
			}
			if got := next(through(test.remote, header).do(h)); got != want {
				t.Errorf("%s, %v: next %q, want %q", test.reason, header, got, want)
			}
		}
	}
}

// Of those who are not trusted nothing is read, so nothing can be wrong with it.
func TestGarbageOfStrangers(t *testing.T) {
	h := newTestHandler(t, Options{TrustedProxies: trusted()}, map[string]Collection{"books": newShelf(2)})
	garbage := http.Header{"X-Forwarded-Host": {"a b"}, "X-Forwarded-Proto": {"gopher"}, "Forwarded": {`"`}}
	if got := through("198.51.100.1:1", garbage).do(h); next(got) != "http://host.example/api/books/?limit=1&offset=1" {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	based := newTestHandler(t, Options{TrustedProxies: trusted(), BaseURL: "https://x.example"}, map[string]Collection{"books": newShelf(2)})
	if got := through("10.0.0.1:1", garbage).do(based); next(got) != "https://x.example/api/books/?limit=1&offset=1" {
		t.Errorf("with a base URL: %d %s", got.Status, got.Body)
	}
}

func TestBadTrustedProxies(t *testing.T) {
	for reason, p := range map[string]netip.Prefix{
		"zero":                     {},
		"too many bits":            netip.PrefixFrom(netip.MustParseAddr("10.0.0.0"), 33),
		"IPv4 in IPv6, never seen": netip.MustParsePrefix("::ffff:10.0.0.0/104"),
	} {
		h, err := NewHandler(house(nil), Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), p}})
		if !errors.Is(err, ErrInvalidConfig) || h != nil {
			t.Errorf("%s: %v, %v; want ErrInvalidConfig", reason, h, err)
		}
	}
}

func TestTrustedProxiesAreCopied(t *testing.T) {
	list := trusted()
	h := newTestHandler(t, Options{TrustedProxies: list}, map[string]Collection{"books": newShelf(2)})
	list[0] = netip.MustParsePrefix("0.0.0.0/0")
	header := http.Header{"X-Forwarded-Host": {"evil.example"}}
	if got := next(through("198.51.100.1:1", header).do(h)); strings.Contains(got, "evil") {
		t.Errorf("next %q", got)
	}
}

// TestProxiesInTurn asks one handler many times and compares its answers, tags aside,
// with those of handlers that have answered nobody else. Requests that differ in
// their links differ in their tags.
func TestProxiesInTurn(t *testing.T) {
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
		return map[string]Collection{"books": &journal{Collection: newShelf(2)}}
	}
	h := newTestHandler(t, Options{TrustedProxies: trusted(), ETags: true}, collections())
	tags := map[string]string{} // by the link
	for range 4 {
		for _, c := range calls {
			want := c.do(newTestHandler(t, Options{TrustedProxies: trusted()}, collections()))
			got := c.do(h)
			if tag := tags[next(want)]; tag != "" && tag != got.Header["Etag"] {
				t.Errorf("%v: the tag %s, before %s", c.header, got.Header["Etag"], tag)
			}
			tags[next(want)] = got.Header["Etag"]
			delete(got.Header, "Etag")
			delete(got.Header, "Cache-Control")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%v (-want +got):\n%s", c.header, diff)
			}
		}
	}
	if len(tags) != 6 { // the first and the stranger's are the same, the last has none
		t.Errorf("tags by link: %v", tags)
	}
	seen := map[string]bool{}
	for link, tag := range tags {
		if seen[tag] {
			t.Errorf("%s has the tag %s of another link", link, tag)
		}
		seen[tag] = true
	}
}

// The root's links, and the length of a host, are those of any host.
func TestForwardedHostOfTheRoot(t *testing.T) {
	h := newTestHandler(t, Options{TrustedProxies: trusted()}, nil)
	c := call{target: "/api/", remote: "10.0.0.1:1", header: http.Header{"X-Forwarded-Host": {"a.example:81"}, "X-Forwarded-Proto": {"https"}}}
	if got := c.do(h); strings.Count(got.Body, `"https://a.example:81/api/`) != 39 {
		t.Errorf("%s", got.Body)
	}
	c.header = http.Header{"X-Forwarded-Host": {strings.Repeat("a", 254)}}
	if got := c.do(h); got.Status != 400 {
		t.Errorf("a long host: %d", got.Status)
	}
}

// The redirect has no host in it, whoever says what.
func TestForwardedRedirect(t *testing.T) {
	h := newTestHandler(t, Options{TrustedProxies: trusted()}, nil)
	c := call{target: "/api/books?x=1", remote: "10.0.0.1:1", header: http.Header{"X-Forwarded-Host": {"a.example"}}}
	if got := c.do(h); got.Status != 301 || got.Header["Location"] != "/api/books/?x=1" {
		t.Errorf("%d %s", got.Status, got.Header["Location"])
	}
}

// lenient reads the elements of a Forwarded header in which no value has a comma,
// a semicolon, an equals sign or a quote: by splitting.
func lenient(text string) (scheme, host string) {
	elements := strings.Split(text, ",")
	for pair := range strings.SplitSeq(elements[len(elements)-1], ";") {
		name, value, _ := strings.Cut(strings.TrimSpace(pair), "=")
		switch strings.ToLower(name) {
		case "proto":
			scheme = strings.ToLower(strings.Trim(value, `"`))
		case "host":
			host = strings.Trim(value, `"`)
		}
	}
	return scheme, host
}

// All elements of three parameters, one after the other, read as splitting does.
func TestForwardedAgainstSplitting(t *testing.T) {
	parts := []string{"", "proto=http", `Proto="https"`, "host=a.example", `HOST="[::1]:80"`, "for=192.0.2.1", `by="_x"`}
	var elements []string
	for _, a := range parts {
		for _, b := range parts {
			names := []string{strings.ToLower(strings.SplitN(a, "=", 2)[0]), strings.ToLower(strings.SplitN(b, "=", 2)[0])}
			if a != "" && b != "" && names[0] != names[1] {
				elements = append(elements, a+";"+b, a+" ; "+b)
			}
		}
		if a != "" {
			elements = append(elements, a, a+";")
		}
	}
	read := 0
	for _, first := range append(slices.Clone(elements), "") {
		for _, last := range elements {
			text := last
			if first != "" {
				text = first + ", " + last
			}
			scheme, host := lenient(text)
			got, ok := parseForwarded(text)
			if want := (forwarded{scheme, host}); !ok || got != want {
				t.Fatalf("%s: %+v, %t, want %+v", text, got, ok, want)
			}
			read++
		}
	}
	if read < 1000 {
		t.Errorf("only %d were read", read)
	}
}

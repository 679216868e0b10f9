package httpapi

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

func TestHost(t *testing.T) {
	long := strings.Repeat("a", 253)
	tests := []struct {
		reason, host string
		ok           bool
	}{
		{"a name", "host.example", true},
		{"one label", "localhost", true},
		{"with port", "host.example:8080", true},
		{"nines in a name", "web9.example", true},
		{"nines in an address", "192.0.2.9", true},
		{"port of nines", "host.example:9999", true},
		{"port that ends in a nine", "host.example:8089", true},
		{"port with the character after nine", "host.example:80:", false},
		{"port with the character before zero", "host.example:808/", false},
		{"port after an IPv6 address, with a nine", "[::1]:9090", true},
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
		{"too long", long + "a", false},
		{"empty", "", false},
		{"port alone", ":80", false},
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
		{"text behind bracket", "[::1]x", false},
		{"empty port behind bracket", "[::1]:", false},
		{"IPv4 in brackets", "[127.0.0.1]", false},
		{"name in brackets", "[host]", false},
		{"zone", "[fe80::1%25eth0]", false},
		{"bare zone", "[fe80::1%eth0]", false},
		{"space", "host example", false},
		{"space in front", " host", false},
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
		{"several", "a.example, b.example", false},
	}
	h := newTestHandler(t, Options{}, map[string]Collection{"books": newShelf(2)})
	based := newTestHandler(t, Options{BaseURL: "https://x.example"}, map[string]Collection{"books": newShelf(2)})
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			r := call{target: "/api/books/?limit=1"}.request()
			r.Host = test.host
			got := serve(h, r)
			if !test.ok {
				if got.Status != 400 || got.Body != `{"detail":"Invalid Host header."}` {
					t.Errorf("Host %q: %d %s", test.host, got.Status, got.Body)
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

func TestBadHostAnywhere(t *testing.T) {
	h := newTestHandler(t, Options{}, nil)
	for _, target := range []string{"/api/", "/api", "/api/nope/", "/api/events/"} {
		if got := (call{target: target, host: "a b"}).do(h); got.Status != 400 {
			t.Errorf("%s: %d, want 400", target, got.Status)
		}
	}
}

func FuzzHost(f *testing.F) {
	for _, seed := range []string{"host.example", "host:80", "[::1]:80", "", "a_b", "[::ffff:1.2.3.4]", "h:0", "[1::%x]", "u@h"} {
		f.Add(seed)
	}
	plain := regexp.MustCompile(`^([A-Za-z0-9._-]{1,253})(:0{0,4}[1-9][0-9]{0,3})?$`)
	f.Fuzz(func(t *testing.T, host string) {
		if plain.MatchString(host) && portDigits(host) <= 5 && !validHost(host) {
			t.Errorf("%q refused", host)
		}
		if !validHost(host) {
			return
		}
		u, err := url.Parse("http://" + host + "/x")
		if err != nil || u.Host != host || u.User != nil || u.Path != "/x" {
			t.Errorf("%q accepted, and parsed as %#v, %v", host, u, err)
		}
		if text, err := json.Marshal(host); err != nil || string(text) != `"`+host+`"` {
			t.Errorf("%q accepted, in JSON it is %s", host, text)
		}
	})
}

func portDigits(host string) int {
	_, port, _ := strings.Cut(host, ":")
	return len(port)
}

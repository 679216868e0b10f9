package origin

import (
	"encoding/json"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

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

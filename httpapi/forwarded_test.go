package httpapi

import (
	"net/http"
	"strings"
	"testing"
)

// TestForwarded: what a trusted proxy's headers make of links, or the answer's
// detail that begins with the text.
func TestForwarded(t *testing.T) {
	x := func(proto, host string) http.Header {
		header := http.Header{}
		if proto != "" {
			header["X-Forwarded-Proto"] = strings.Split(proto, "|")
		}
		if host != "" {
			header["X-Forwarded-Host"] = strings.Split(host, "|")
		}
		return header
	}
	f := func(lines ...string) http.Header { return http.Header{"Forwarded": lines} }
	both := func(proto, host, standard string) http.Header {
		header := x(proto, host)
		header["Forwarded"] = []string{standard}
		return header
	}
	const (
		itself   = "http://host.example"
		badProto = "Invalid X-Forwarded-Proto header."
		badHost  = "Invalid X-Forwarded-Host header."
		bad      = "Invalid Forwarded header."
		differ   = "The headers Forwarded and X-Forwarded differ."
	)
	tests := []struct {
		reason string
		header http.Header
		want   string // what the link begins with, or the detail
	}{
		{"nothing told", nil, itself},
		{"scheme and host", x("https", "a.example"), "https://a.example"},
		{"scheme alone", x("https", ""), "https://host.example"},
		{"host alone", x("", "a.example:81"), "http://a.example:81"},
		{"case", x("HTTPS", "A.Example"), "https://A.Example"},
		{"IPv6", x("", "[2001:db8::1]:81"), "http://[2001:db8::1]:81"},
		{"white space around", x(" https\t", " a.example "), "https://a.example"},
		{"blank is none", x(" ", " "), itself},
		{"the last of a list", x("gopher, https", "evil.example , a.example"), "https://a.example"},
		{"the last of several headers", x("gopher|https", "evil.example|a.example"), "https://a.example"},
		{"the last is no scheme", x("https, gopher", ""), badProto},
		{"the last is nothing", x("https,", ""), badProto},
		{"no host is last", x("", "a.example, "), badHost},
		{"other scheme", x("ftp", ""), badProto},
		{"scheme with more", x("https://", ""), badProto},
		{"quoted scheme", x(`"https"`, ""), badProto},
		{"host with a path", x("", "a.example/x"), badHost},
		{"host with a user", x("", "u@a.example"), badHost},
		{"host with a space", x("", "a example"), badHost},
		{"host with a line end", x("", "a.example\r\nX: y"), badHost},
		{"host with markup", x("", `a.example"><script>`), badHost},
		{"host in another script", x("", "пример.example"), badHost},
		{"port 0", x("", "a.example:0"), badHost},
		{"other headers do not count", http.Header{"X-Forwarded-Prefix": {"/x"}, "X-Forwarded-Port": {"81"}, "X-Forwarded-Server": {"a"}, "X-Original-Host": {"a"}, "X-Forwarded-For": {"192.0.2.1"}}, itself},

		{"standard", f("for=192.0.2.1;proto=https;host=a.example;by=10.0.0.1"), "https://a.example"},
		{"standard, quoted", f(`host="a.example:81";proto="https"`), "https://a.example:81"},
		{"standard, a port not quoted as it should be", f("host=a.example:81"), "http://a.example:81"},
		{"standard, IPv6", f(`for="[2001:db8::2]:5";host="[2001:db8::1]"`), "http://[2001:db8::1]"},
		{"standard, case", f("PROTO=HTTPS;Host=a.example"), "https://a.example"},
		{"standard, nothing of use", f("for=192.0.2.1"), itself},
		{"standard, blank", f(""), itself},
		{"standard, the last element", f("host=evil.example;proto=http, host=a.example"), "http://a.example"},
		{"standard, the last tells nothing", f("host=evil.example;proto=https, for=192.0.2.1"), itself},
		{"standard, the last of several headers", f("host=evil.example", "host=a.example"), "http://a.example"},
		{"standard, empty elements do not count", f(",, host=a.example , ,"), "http://a.example"},
		{"standard, empty parameters do not count", f(";host=a.example;;"), "http://a.example"},
		{"standard, an unknown parameter", f("secret=x;host=a.example"), "http://a.example"},
		{"standard, a comma in quotes", f(`for="a,host=b.example";host=a.example`), "http://a.example"},
		{"standard, an escaped quote", f(`for="a\",host=b.example,\"";host=a.example`), "http://a.example"},
		{"standard, an open quote swallows nothing", f(`for="x`, `for=192.0.2.1;host="a.example"`), bad},
		{"standard, nor one behind a backslash", f(`for="x\`, `host=a.example`), bad},
		{"standard, an empty value", f("host="), bad},
		{"standard, an empty value in quotes", f(`host=""`), bad},
		{"standard, other scheme", f("proto=wss"), bad},
		{"standard, host that is none", f(`host="a b"`), bad},
		{"standard, host with escape", f(`host="a\.example"`), bad},
		{"standard, a parameter twice", f("host=a.example;host=b.example"), bad},
		{"standard, a scheme twice", f("proto=http;proto=http"), bad},
		{"standard, wrong before the last", f("host=a b, host=a.example"), bad},
		{"standard, no value", f("host"), bad},
		{"standard, no name", f("=a.example"), bad},
		{"standard, space before the equals sign", f("host =a.example"), bad},
		{"standard, text behind a quote", f(`host="a.example"x`), bad},
		{"standard, a quote behind text", f(`host=a.example"x"`), bad},
		{"standard, two values", f("host=a.example b.example"), bad},

		{"both, alike", both("https", "a.example", "host=a.example;proto=https"), "https://a.example"},
		{"both, another host", both("https", "a.example", "host=b.example;proto=https"), differ},
		{"both, another scheme", both("https", "a.example", "host=a.example;proto=http"), differ},
		{"a client's host beside a proxy's scheme", both("https", "", "host=evil.example;proto=https"), differ},
		{"a client's scheme beside a proxy's host", both("", "a.example", "proto=https"), differ},
		{"a client's host beside a proxy's Forwarded", both("", "evil.example", "host=a.example"), differ},
		{"the standard one tells nothing of it", both("https", "a.example", "for=192.0.2.1"), "https://a.example"},
		{"the standard one is broken", both("https", "a.example", `for="`), bad},
	}
	h := newTestHandler(t, Options{TrustedProxies: trusted()}, map[string]Collection{"books": newShelf(2)})
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			got := through("10.0.0.1:1", test.header).do(h)
			if strings.HasPrefix(test.want, "http") {
				if want := test.want + "/api/books/?limit=1&offset=1"; got.Status != 200 || next(got) != want {
					t.Errorf("%v: %d %s, want %s", test.header, got.Status, got.Body, want)
				}
			} else if want := `{"detail":"` + test.want + `"}`; got.Status != 400 || got.Body != want {
				t.Errorf("%v: %d %s, want %s", test.header, got.Status, got.Body, want)
			}
		})
	}
}

// A proxy may tell a host where the request has none that is valid.
func TestForwardedInPlaceOfHost(t *testing.T) {
	h := newTestHandler(t, Options{TrustedProxies: trusted()}, map[string]Collection{"books": newShelf(2)})
	c := through("10.0.0.1:1", http.Header{"X-Forwarded-Host": {"a.example"}})
	c.host = "no host"
	if got := c.do(h); next(got) != "http://a.example/api/books/?limit=1&offset=1" {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	c.header = http.Header{"X-Forwarded-Proto": {"https"}}
	if got := c.do(h); got.Status != 400 || got.Body != `{"detail":"Invalid Host header."}` {
		t.Errorf("no host told: %d %s", got.Status, got.Body)
	}
}

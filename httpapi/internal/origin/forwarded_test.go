package origin

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
)

// trusted returns the proxies of these tests.
func trusted() []netip.Prefix {
	return []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8"), netip.MustParsePrefix("192.0.2.7/32")}
}

func TestTrust(t *testing.T) {
	tests := []struct {
		reason, remote string
		trusted        bool
	}{
		{"in a prefix", "10.1.2.3:40000", true},
		{"single address", "192.0.2.7:1", true},
		{"next address", "192.0.2.8:1", false},
		{"other address", "198.51.100.1:40000", false},
		{"IPv6 in a prefix", "[fd00::1]:40000", true},
		{"other IPv6 address", "[2001:db8::1]:40000", false},
		{"IPv4 in IPv6, as on a dual-stack socket", "[::ffff:10.1.2.3]:40000", true},
		{"with a zone", "[fd00::1%eth0]:40000", true},
		{"no port", "10.1.2.3", false},
		{"Unix socket", "@", false},
		{"empty", "", false},
		{"name", "proxy.example:80", false},
		{"name that begins like an address", "10.1.2.3.evil.example:80", false},
	}
	ps, err := newProxies(trusted())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		if got := ps.trust(test.remote); got != test.trusted {
			t.Errorf("%s: trust(%q) = %t, want %t", test.reason, test.remote, got, test.trusted)
		}
		if proxies(nil).trust(test.remote) {
			t.Errorf("%s: trust(%q) = true without proxies", test.reason, test.remote)
		}
	}
}

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
		want   string // scheme and host, or the fault
	}{
		{"no headers", nil, itself},
		{"scheme and host", x("https", "a.example"), "https://a.example"},
		{"scheme alone", x("https", ""), "https://host.example"},
		{"host alone", x("", "a.example:81"), "http://a.example:81"},
		{"upper case", x("HTTPS", "A.Example"), "https://A.Example"},
		{"IPv6", x("", "[2001:db8::1]:81"), "http://[2001:db8::1]:81"},
		{"white space around", x(" https\t", " a.example "), "https://a.example"},
		{"blank headers count as absent", x(" ", " "), itself},
		{"last value of a list", x("gopher, https", "evil.example , a.example"), "https://a.example"},
		{"last of several headers", x("gopher|https", "evil.example|a.example"), "https://a.example"},
		{"last value is not a scheme", x("https, gopher", ""), badProto},
		{"last scheme is empty", x("https,", ""), badProto},
		{"last host is empty", x("", "a.example, "), badHost},
		{"other scheme", x("ftp", ""), badProto},
		{"scheme with slashes", x("https://", ""), badProto},
		{"quoted scheme", x(`"https"`, ""), badProto},
		{"host with a path", x("", "a.example/x"), badHost},
		{"host with a user", x("", "u@a.example"), badHost},
		{"host with a space", x("", "a example"), badHost},
		{"host with a line end", x("", "a.example\r\nX: y"), badHost},
		{"host with markup", x("", `a.example"><script>`), badHost},
		{"host in another script", x("", "пример.example"), badHost},
		{"port 0", x("", "a.example:0"), badHost},
		{"other headers are ignored", http.Header{"X-Forwarded-Prefix": {"/x"}, "X-Forwarded-Port": {"81"}, "X-Forwarded-Server": {"a"}, "X-Original-Host": {"a"}, "X-Forwarded-For": {"192.0.2.1"}}, itself},

		{"standard", f("for=192.0.2.1;proto=https;host=a.example;by=10.0.0.1"), "https://a.example"},
		{"standard, quoted", f(`host="a.example:81";proto="https"`), "https://a.example:81"},
		{"standard, port without quotes", f("host=a.example:81"), "http://a.example:81"},
		{"standard, IPv6", f(`for="[2001:db8::2]:5";host="[2001:db8::1]"`), "http://[2001:db8::1]"},
		{"standard, upper case", f("PROTO=HTTPS;Host=a.example"), "https://a.example"},
		{"standard, neither scheme nor host", f("for=192.0.2.1"), itself},
		{"standard, blank", f(""), itself},
		{"standard, last element", f("host=evil.example;proto=http, host=a.example"), "http://a.example"},
		{"standard, last element has neither", f("host=evil.example;proto=https, for=192.0.2.1"), itself},
		{"standard, last of several headers", f("host=evil.example", "host=a.example"), "http://a.example"},
		{"standard, empty elements", f(",, host=a.example , ,"), "http://a.example"},
		{"standard, empty parameters", f(";host=a.example;;"), "http://a.example"},
		{"standard, unknown parameter", f("secret=x;host=a.example"), "http://a.example"},
		{"standard, comma in quotes", f(`for="a,host=b.example";host=a.example`), "http://a.example"},
		{"standard, escaped quote", f(`for="a\",host=b.example,\"";host=a.example`), "http://a.example"},
		{"standard, open quote", f(`for="x`, `for=192.0.2.1;host="a.example"`), bad},
		{"standard, open quote ending in a backslash", f(`for="x\`, `host=a.example`), bad},
		{"standard, empty value", f("host="), bad},
		{"standard, empty value in quotes", f(`host=""`), bad},
		{"standard, other scheme", f("proto=wss"), bad},
		{"standard, invalid host", f(`host="a b"`), bad},
		{"standard, host with an escape", f(`host="a\.example"`), bad},
		{"standard, two hosts", f("host=a.example;host=b.example"), bad},
		{"standard, two schemes", f("proto=http;proto=http"), bad},
		{"standard, invalid before the last element", f("host=a b, host=a.example"), bad},
		{"standard, no value", f("host"), bad},
		{"standard, no name", f("=a.example"), bad},
		{"standard, space before the equals sign", f("host =a.example"), bad},
		{"standard, text after a quote", f(`host="a.example"x`), bad},
		{"standard, quote after text", f(`host=a.example"x"`), bad},
		{"standard, two values", f("host=a.example b.example"), bad},

		{"both, equal", both("https", "a.example", "host=a.example;proto=https"), "https://a.example"},
		{"both, other host", both("https", "a.example", "host=b.example;proto=https"), differ},
		{"both, other scheme", both("https", "a.example", "host=a.example;proto=http"), differ},
		{"host of a client, scheme of the proxy", both("https", "", "host=evil.example;proto=https"), differ},
		{"scheme of a client, host of the proxy", both("", "a.example", "proto=https"), differ},
		{"host of a client, Forwarded of the proxy", both("", "evil.example", "host=a.example"), differ},
		{"both, Forwarded has neither", both("https", "a.example", "for=192.0.2.1"), "https://a.example"},
		{"both, Forwarded is invalid", both("https", "a.example", `for="`), bad},
	}
	resolver, err := NewResolver("", trusted(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range tests {
		t.Run(test.reason, func(t *testing.T) {
			r := newRequest("/api/", "/api/")
			r.RemoteAddr = "10.0.0.1:1"
			r.Header = test.header
			o, fault := resolver.Resolve(r)
			got := fault
			if fault == "" {
				got = string(o.AppendURL(nil, ""))
			}
			if got != test.want {
				t.Errorf("%v: got %q, want %q", test.header, got, test.want)
			}
		})
	}
}

// splitForwarded reads the last element of a Forwarded header in which no value has a
// comma, a semicolon, an equals sign or a quote.
func splitForwarded(text string) (scheme, host string) {
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

func TestParseForwardedAgainstSplitting(t *testing.T) {
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
	for _, first := range append(slices.Clone(elements), "") {
		for _, last := range elements {
			text := last
			if first != "" {
				text = first + ", " + last
			}
			scheme, host := splitForwarded(text)
			got, ok := parseForwarded(text)
			if want := (forwarded{scheme, host}); !ok || got != want {
				t.Fatalf("parseForwarded(%q) = %+v, %t, want %+v", text, got, ok, want)
			}
		}
	}
}

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

package schema

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestURL(t *testing.T) {
	var rows []row
	for _, u := range []string{
		"https://x.example/a?b=c#d", "HTTP://X.EXAMPLE/", "ftp://x.example/", "ftps://x.example",
		"https://localhost", "https://x.example.", "https://x.xn--p1ai", "https://127.0.0.1:80/",
		"https://0.0.0.0/", "https://[::1]/", "https://[::ffff:1.2.3.4]:8080", "https://x.example:99999/",
		"https://user:pw@x.example/", "https://user@x.example", "https://x.example/?q=<>",
		"https://x.example/%zz", "https://x.example?q", "https://x.example#f", "https://x.example/é",
		"https://é.example/", "https://例え.jp/", "https://x.example/🙂",
		"https://x.example/" + strings.Repeat("a", 483),
		"https://" + strings.Repeat("a", 63) + ".com",
		"https://x.example/" + strings.Repeat("a", 2048-18),
		"https://" + strings.Repeat("a.", 123) + "example",
		"https://" + strings.Repeat("a.", 123) + "example:8080/x",
		"https://" + strings.Repeat("u", 300) + ":" + strings.Repeat("p", 300) + "@x.example/",
	} {
		rows = append(rows, ok(`"`+u+`"`, `"`+u+`"`, "valid"))
	}
	for u, reason := range map[string]string{
		"git+ssh://x.example": "scheme", "//x.example": "no scheme", "x.example": "no scheme",
		"javascript:alert(1)": "scheme", "mailto:a@b.c": "scheme", "httpſ://x.example": "scheme",
		"https://": "no host", "https:///x": "no host", "https://x": "one label",
		"http://a.b": "short top level", "https://x.e": "short top level",
		"https://x..example": "empty label", "https://-x.example": "leading hyphen",
		"https://x-.example": "trailing hyphen", "https://x_.example": "underscore",
		"https://x.123": "top level of digits", "https://1.2.3": "too few numbers",
		"https://256.1.1.1": "number out of range", "https://1.1.1.01/": "leading zero",
		"https://[::g]/": "invalid IPv6", "https://[": "invalid IPv6", "https://[1.2.3.4]": "IPv4 in brackets",
		"https://[fe80::1%25a]": "zone", "https://[::1]x": "text after the address",
		"https://[[::1]": "brackets", "https://x.example:123456": "long port",
		"https://x.example:/": "empty port", "https://x.example:8/": "short port",
		"https://x.example:8a/": "port", "https://@x.example/": "empty user",
		"https://a:b:c@x.example/": "two colons", "https://x.example/ a": "space",
		`https://x.example/a\tb`: "tab", `https://x.example/a\u0085b`: "white space",
		"https://例え.🙂🙂":                                           "above U+FFFF in the host",
		"https://x.example／a.com":                                 "compatibility form of a slash",
		"https://" + strings.Repeat("a", 64) + ".com":             "long label",
		"https://" + strings.Repeat("a.", 123) + "examples":       "long host",
		"https://u:p@" + strings.Repeat("a.", 123) + "example.":   "long host with its last point, after a user",
		"https://x.example/" + strings.Repeat("a", 2048-18+1):     "long",
		"https://x.example/" + strings.Repeat("a", 2048) + "?q=1": "long",
	} {
		rows = append(rows, bad(`"`+u+`"`, reason, badURL))
	}
	run(t, "social-links", "url", append(rows,
		ok(`" https://x.example/a "`, `"https://x.example/a"`, "trimmed"),
		bad(`"https://x.example/\u0000"`, "null character", "Null characters are not allowed."),
		bad(`"x\u0000\ud800"`, "all errors at once", "Null characters are not allowed.",
			"Surrogate characters are not allowed: U+D800.", badURL),
		bad(`""`, "empty", notBlank),
		bad(`"  "`, "trimmed", notBlank),
		bad(`null`, "null", notNull),
		bad(`5`, "number", badURL),
		bad(`true`, "boolean", badURL),
		bad(`[]`, "list", badURL),
	))
	run(t, "social-links", "logo", []row{
		ok(`null`, `null`, "null"),
		ok(`""`, `""`, "empty"),
		bad(`"x"`, "not a URL", badURL),
		bad(`5`, "not a URL", badURL),
	})
}

// FuzzURL checks that plain URLs are accepted, and that accepted texts have one of the
// four schemes and a host, and neither tabs nor newlines.
func FuzzURL(f *testing.F) {
	for _, text := range []string{
		"https://x.example/a?b=c#d", "ftp://user:pw@127.0.0.1:80/", "https://[::1]:8080", "http://a?b@x.example/",
		"https://例え.jp/", "https://x..example", "https://[::1]x", "://", "https://x.example:8/", "http://localhost#",
	} {
		f.Add(text)
	}
	plain := regexp.MustCompile(`^(?i:https?|ftps?)://((?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}(?::[0-9]{2,5})?)(?:[/?#][!-~]*)?$`)
	f.Fuzz(func(t *testing.T, text string) {
		if !validURL(text) {
			if m := plain.FindStringSubmatch(text); m != nil && len(m[1]) <= 253 && len(text) <= 2048 {
				t.Fatalf("rejected %q", text)
			}
			return
		}
		if strings.ContainsAny(text, "\t\r\n") || utf8.RuneCountInString(text) > 2048 {
			t.Fatalf("accepted %q", text)
		}
		u, err := url.Parse(text)
		if err != nil || strings.ContainsAny(text, "?#") {
			return
		}
		switch u.Scheme {
		case "http", "https", "ftp", "ftps":
		default:
			t.Fatalf("accepted %q with scheme %q", text, u.Scheme)
		}
		if u.Hostname() == "" {
			t.Fatalf("accepted %q without a host", text)
		}
	})
}

package schema

import (
	"net/url"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"
)

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

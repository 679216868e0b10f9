package origin

import (
	"net/http"
	"strings"
)

// prefix returns the part of the request target before the path that the handler
// receives, escaped: "/shop" under StripPrefix("/shop", h). It returns "" if the target
// does not end in that path.
func prefix(r *http.Request) string {
	target := r.RequestURI
	if rest, ok := strings.CutPrefix(target, r.URL.Path); ok && (rest == "" || rest[0] == '?') {
		return "" // the most common case
	}
	before, ok := cutPathSuffix(targetPath(target), r.URL.Path)
	if !ok || before != "" && before[0] != '/' {
		return ""
	}
	return EscapePath(before)
}

// targetPath returns the path of a request target, escaped as it was sent. The
// target may be in absolute form.
func targetPath(target string) string {
	target, _, _ = strings.Cut(target, "?")
	if strings.HasPrefix(target, "/") {
		return target
	}
	_, rest, ok := strings.Cut(target, "://")
	if !ok {
		return ""
	}
	if slash := strings.IndexByte(rest, '/'); slash >= 0 {
		return rest[slash:]
	}
	return ""
}

// cutPathSuffix cuts the decoded path suffix off the escaped path. It compares from the
// end. Escapes can be recognized from there, since '%' is not a hex digit.
func cutPathSuffix(escaped, suffix string) (before string, ok bool) {
	end := len(escaped)
	for i := len(suffix) - 1; i >= 0; i-- {
		if end == 0 {
			return "", false
		}
		c, size := escaped[end-1], 1
		if end >= 3 && escaped[end-3] == '%' {
			if high, low := hexValue(escaped[end-2]), hexValue(escaped[end-1]); high >= 0 && low >= 0 {
				c, size = byte(high<<4|low), 3
			}
		}
		if c != suffix[i] {
			return "", false
		}
		end -= size
	}
	return escaped[:end], true
}

// hexValue returns the value of a hex digit, or -1.
func hexValue(c byte) int {
	switch {
	case '0' <= c && c <= '9':
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

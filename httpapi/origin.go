package httpapi

import (
	"net/http"
	"strings"
)

// origin is what the links of an answer begin with, where it comes from the
// request: zero with a base URL.
type origin struct {
	host   string // valid
	secure bool   // https
}

// originOf finds out whom a client took itself to be asking. A fault, "" for none,
// says which header is to blame.
func (h *Handler) originOf(r *http.Request) (o origin, fault string) {
	if h.base != "" {
		return origin{}, ""
	}
	o = origin{r.Host, r.TLS != nil}
	if h.proxies.trust(r.RemoteAddr) {
		told, fault := readForwarded(r.Header)
		if fault != "" {
			return origin{}, fault
		}
		if told.host != "" {
			o.host = told.host
		}
		if told.scheme != "" {
			o.secure = told.scheme == "https"
		}
	}
	if !validHost(o.host) {
		return origin{}, "Invalid Host header."
	}
	return o, ""
}

// appendLink appends the absolute URL of a path that begins with /api/.
func (v *view) appendLink(dst []byte, path string) []byte {
	if base := v.handler.base; base != "" {
		dst = append(dst, base...)
		return append(dst, path...)
	}
	scheme := "http://"
	if v.origin.secure {
		scheme = "https://"
	}
	dst = append(dst, scheme...)
	dst = append(dst, v.origin.host...)
	dst = append(dst, prefix(v.r)...)
	return append(dst, path...)
}

// prefix returns what precedes the path that the handler sees in the path that
// the client asked for, escaped: "/shop" behind StripPrefix("/shop", h), mostly
// "". A target that does not end in the handler's path has none.
func prefix(r *http.Request) string {
	target := r.RequestURI
	if rest, ok := strings.CutPrefix(target, r.URL.Path); ok && (rest == "" || rest[0] == '?') {
		return "" // by far the most common case
	}
	before, ok := cutPathSuffix(targetPath(target), r.URL.Path)
	if !ok || before != "" && before[0] != '/' {
		return ""
	}
	return escapePath(before)
}

// targetPath returns the path of a request target, escaped as it was sent:
// without query, and without scheme and host if it is in absolute form.
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

// cutPathSuffix cuts the decoded path suffix off the escaped path, comparing
// from the end: a '%' is never a hex digit, so an escape can be told from
// behind too.
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

// escapePath escapes what must not stand in a URL's path, and with it all that
// would have to be escaped in JSON or in a header. Escapes stay as they are.
func escapePath(path string) string { return escape(path, isPathByte) }

// escapeQuery does the same to a query, byte by byte.
func escapeQuery(query string) string { return escape(query, isQueryByte) }

func escape(text string, isClean func(byte) bool) string {
	clean := 0
	for clean < len(text) && isClean(text[clean]) {
		clean++
	}
	if clean == len(text) {
		return text
	}
	const hex = "0123456789ABCDEF"
	out := make([]byte, 0, len(text)+16)
	out = append(out, text[:clean]...)
	for _, c := range []byte(text[clean:]) {
		if isClean(c) {
			out = append(out, c)
		} else {
			out = append(out, '%', hex[c>>4], hex[c&15])
		}
	}
	return string(out)
}

// isPathByte reports whether a byte may stand bare in a path (RFC 3986, 3.3).
func isPathByte(c byte) bool {
	return isAlphanumeric(c) || strings.IndexByte("-._~!$&'()*+,;=:@/%", c) >= 0
}

// isQueryByte does so for a query, brackets included, as browsers send them.
func isQueryByte(c byte) bool {
	return isPathByte(c) || c == '?' || c == '[' || c == ']'
}

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

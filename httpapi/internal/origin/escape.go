package origin

import "strings"

// EscapePath escapes each byte that is not allowed in the path of a URL. The result needs
// no escaping in JSON or in a header. Existing escapes are kept.
func EscapePath(path string) string { return escape(path, isPathByte) }

// escapeQuery is like EscapePath, but for a query.
func escapeQuery(query string) string { return escape(query, isQueryByte) }

// quotePath escapes a path without escapes as Django does: also ';' and '=', but none of
// ! ' ( ) *, which [net/url.URL.EscapedPath] escapes.
func quotePath(path string) string { return escape(path, isQuotedPathByte) }

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

// isPathByte reports whether c is allowed unescaped in a path (RFC 3986, section 3.3) or
// begins an escape.
func isPathByte(c byte) bool {
	return isAlphanumeric(c) || strings.IndexByte("-._~!$&'()*+,;=:@/%", c) >= 0
}

// isQuotedPathByte is like isPathByte, but for a path without escapes.
func isQuotedPathByte(c byte) bool {
	return isPathByte(c) && c != ';' && c != '=' && c != '%'
}

// isQueryByte is like isPathByte, but for a query. It allows brackets, since browsers send
// them.
func isQueryByte(c byte) bool {
	return isPathByte(c) || c == '?' || c == '[' || c == ']'
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

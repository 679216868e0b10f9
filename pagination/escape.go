package pagination

import "unicode/utf8"

// encoding is the encoding of unescaped bytes above 0x7F. Escaped bytes are always
// UTF-8.
type encoding bool

const (
	asUTF8   encoding = false
	asLatin1 encoding = true
)

// unescape decodes a name or a value of a raw query. The result is valid UTF-8.
func unescape(s string, high encoding) string {
	if isPlain(s) {
		return s
	}
	buf := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '+':
			buf = append(buf, ' ')
		case c == '%' && i+2 < len(s) && isHex(s[i+1]) && isHex(s[i+2]):
			buf = append(buf, unhex(s[i+1])<<4|unhex(s[i+2]))
			i += 2
		case c >= utf8.RuneSelf && high == asLatin1:
			buf = utf8.AppendRune(buf, rune(c)) // Latin-1 is the start of Unicode
		default:
			buf = append(buf, c)
		}
	}
	return toValid(buf)
}

// toValid replaces each maximal ill-formed subpart of b with U+FFFD, as browsers and
// Python do. bytes.ToValidUTF8 replaces runs of invalid bytes instead, and a
// conversion to runes each byte.
func toValid(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	valid := make([]byte, 0, len(b)+2*utf8.UTFMax)
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		if r == utf8.RuneError && size == 1 {
			size = illFormed(b)
		}
		valid = utf8.AppendRune(valid, r)
		b = b[size:]
	}
	return string(valid)
}

// illFormed returns the length of the maximal subpart at the start of b, which does not
// start with a rune: the longest prefix of a rune, or one byte.
func illFormed(b []byte) int {
	n := 1
	for n < len(b) && !utf8.FullRune(b[:n+1]) {
		n++
	}
	return n
}

// appendPairs appends "name=value&" for each pair, escaped.
func appendPairs(dst []byte, pairs []pair) []byte {
	for _, p := range pairs {
		dst = appendEscaped(dst, p.name)
		dst = append(dst, '=')
		dst = appendEscaped(dst, p.value)
		dst = append(dst, '&')
	}
	return dst
}

// appendEscaped appends s, escaped as in links.
func appendEscaped(dst []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	for _, c := range []byte(s) {
		switch {
		case isUnreserved(c):
			dst = append(dst, c)
		case c == ' ':
			dst = append(dst, '+')
		default:
			dst = append(dst, '%', hex[c>>4], hex[c&15])
		}
	}
	return dst
}

// isPlain reports whether s needs no decoding.
func isPlain(s string) bool {
	for _, c := range []byte(s) {
		if c == '%' || c == '+' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isASCII(s string) bool {
	for _, c := range []byte(s) {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isUnreserved(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return c == '_' || c == '.' || c == '-' || c == '~'
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// unhex returns the value of a hexadecimal digit.
func unhex(c byte) byte {
	if c <= '9' {
		return c - '0'
	}
	return c&^0x20 - 'A' + 10 // clearing 0x20 converts a letter to upper case
}

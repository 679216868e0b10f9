package schema

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// unquote returns the value of a JSON string with quotes. An unpaired surrogate is
// encoded as in WTF-8: as three bytes that do not occur in valid UTF-8.
func unquote(quoted string) string {
	text := quoted[1 : len(quoted)-1]
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	b := make([]byte, 0, len(text))
	for text != "" {
		if text[0] != '\\' {
			b = append(b, text[0])
			text = text[1:]
			continue
		}
		var r rune
		r, text = escape(text)
		b = appendRune(b, r)
	}
	return string(b)
}

// escape decodes the escape at the start of text, or two escapes if they are a
// surrogate pair.
func escape(text string) (r rune, rest string) {
	if i := strings.IndexByte(`bfnrt`, text[1]); i >= 0 {
		return rune("\b\f\n\r\t"[i]), text[2:]
	}
	if text[1] != 'u' {
		return rune(text[1]), text[2:]
	}
	r, rest = hex(text[2:6]), text[6:]
	if strings.HasPrefix(rest, `\u`) {
		if pair := utf16.DecodeRune(r, hex(rest[2:6])); pair != utf8.RuneError {
			return pair, rest[6:]
		}
	}
	return r, rest
}

// hex returns the value of four hexadecimal digits.
func hex(digits string) rune {
	n, _ := strconv.ParseUint(digits, 16, 16) // the syntax has been checked
	return rune(n)
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// appendRune is like utf8.AppendRune, but also encodes unpaired surrogates.
func appendRune(b []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(b, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
	}
	return utf8.AppendRune(b, r)
}

// firstSurrogate returns the first unpaired surrogate in a result of unquote.
func firstSurrogate(text string) (r rune, found bool) {
	for i := 0; i+2 < len(text); i++ {
		if text[i] == 0xed && text[i+1] >= 0xa0 {
			return 0xd000 | rune(text[i+1]&0x3f)<<6 | rune(text[i+2]&0x3f), true
		}
	}
	return 0, false
}

// appendQuoted appends text as a JSON string. Like the service, it escapes quotes,
// backslashes, control characters and the separators U+2028 and U+2029. Invalid UTF-8
// becomes U+FFFD.
func appendQuoted(dst []byte, text string) []byte {
	dst = append(dst, '"')
	for _, r := range text {
		switch {
		case r == '"' || r == '\\':
			dst = append(dst, '\\', byte(r))
		case r < ' ':
			dst = appendControl(dst, byte(r))
		case r == '\u2028' || r == '\u2029':
			dst = append(dst, `\u202`...)
			dst = append(dst, "89"[r-'\u2028'])
		default:
			dst = utf8.AppendRune(dst, r)
		}
	}
	return append(dst, '"')
}

// appendControl appends the escape of a control character.
func appendControl(dst []byte, c byte) []byte {
	if i := strings.IndexByte("\b\f\n\r\t", c); i >= 0 {
		return append(dst, '\\', "bfnrt"[i])
	}
	return append(dst, '\\', 'u', '0', '0', '0'+c>>4, "0123456789abcdef"[c&0xf])
}

// Package jsontext reads and writes JSON text: a scanner, and strings, numbers and date-times in the
// form in which Django REST framework writes them.
package jsontext

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// AppendString appends text as a JSON string. Quotes, backslashes, control characters and the
// separators U+2028 and U+2029 are escaped, as by encoding/json without HTML escapes. Invalid
// UTF-8 becomes U+FFFD.
func AppendString(dst []byte, text string) []byte {
	dst = append(append(dst, '"'), text...)
	start := len(dst) - len(text)
	plain := PlainPrefix(dst[start:])
	if plain == len(text) {
		return append(dst, '"')
	}
	room := len(text) - plain
	for _, c := range []byte(text[plain:]) {
		if c < ' ' {
			room += len(`u0000`)
		}
	}
	dst = slices.Grow(dst[:start+plain], room)
	from := plain // the beginning of what is not in dst
	for i, r := range text[plain:] {
		if r >= ' ' && r != '"' && r != '\\' && r != '\u2028' && r != '\u2029' && r != utf8.RuneError {
			continue
		}
		i += plain
		_, size := utf8.DecodeRuneInString(text[i:])
		dst = appendEscaped(append(dst, text[from:i]...), r)
		from = i + size
	}
	return append(append(dst, text[from:]...), '"')
}

// appendEscaped appends the escape of a character. U+FFFD has none.
func appendEscaped(dst []byte, r rune) []byte {
	switch i := strings.IndexRune("\b\f\n\r\t", r); {
	case i >= 0:
		return append(dst, '\\', "bfnrt"[i])
	case r == '"' || r == '\\':
		return append(dst, '\\', byte(r))
	case r < ' ':
		return append(dst, '\\', 'u', '0', '0', '0'+byte(r>>4), "0123456789abcdef"[r&0xf])
	case r == utf8.RuneError:
		return utf8.AppendRune(dst, r)
	}
	return append(append(dst, `\u202`...), "89"[r-'\u2028'])
}

// PlainPrefix returns the length of the longest prefix of text that consists of ASCII
// characters without a special meaning in strings. It checks eight bytes at a time.
func PlainPrefix(text []byte) (n int) {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; len(text) >= n+8; n += 8 {
		// The subtractions set the highest bit of each matching byte. A borrow can
		// set it in a byte above a match too, so only the lowest one is reliable.
		w := binary.LittleEndian.Uint64(text[n:])
		found := (w | (w - ones*' ') | ((w ^ ones*'"') - ones) | ((w ^ ones*'\\') - ones)) & highs
		if found != 0 {
			return n + bits.TrailingZeros64(found)/8
		}
	}
	for n < len(text) && ' ' <= text[n] && text[n] < utf8.RuneSelf && text[n] != '"' && text[n] != '\\' {
		n++
	}
	return n
}

// Unquote returns the value of a JSON string with quotes. An unpaired surrogate is
// encoded as in WTF-8: as three bytes that do not occur in valid UTF-8.
func Unquote(quoted string) string {
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
	r, rest = hexRune(text[2:6]), text[6:]
	if strings.HasPrefix(rest, `\u`) {
		if pair := utf16.DecodeRune(r, hexRune(rest[2:6])); pair != utf8.RuneError {
			return pair, rest[6:]
		}
	}
	return r, rest
}

// hexRune returns the value of four hexadecimal digits.
func hexRune(digits string) rune {
	n, _ := strconv.ParseUint(digits, 16, 16) // the syntax has been checked
	return rune(n)
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// appendRune appends the UTF-8 encoding of a rune, which can be an unpaired surrogate.
func appendRune(b []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(b, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
	}
	return utf8.AppendRune(b, r)
}

// FirstSurrogate returns the first unpaired surrogate in a result of Unquote.
func FirstSurrogate(text string) (r rune, found bool) {
	for i := 0; i+2 < len(text); i++ {
		if text[i] == 0xed && text[i+1] >= 0xa0 {
			return 0xd000 | rune(text[i+1]&0x3f)<<6 | rune(text[i+2]&0x3f), true
		}
	}
	return 0, false
}

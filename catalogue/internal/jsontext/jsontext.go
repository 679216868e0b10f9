// Package jsontext appends strings, numbers and date-times as JSON, in the form in which
// Django REST framework writes them.
package jsontext

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// AppendString appends text as a JSON string. Quotes, backslashes, control characters and the
// separators U+2028 and U+2029 are escaped, as by encoding/json without HTML escapes. Invalid
// UTF-8 becomes U+FFFD.
func AppendString(dst []byte, text string) []byte {
	dst = append(append(dst, '"'), text...)
	start := len(dst) - len(text)
	plain := PlainPrefix(dst[start:])
	dst = dst[:start+plain]
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

// AppendFloat appends the shortest text for a finite number of 32 or 64 bits, as Python does:
// with a point or an exponent.
func AppendFloat(dst []byte, n float64, bitSize int) []byte {
	abs := math.Abs(n)
	large, small := abs >= 1e16, abs < 1e-4 && abs > 0
	if bitSize == 32 {
		large, small = float32(abs) >= 1e16, float32(abs) < 1e-4 && abs > 0
	}
	if large || small {
		return strconv.AppendFloat(dst, n, 'e', -1, bitSize)
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, n, 'f', -1, bitSize)
	if bytes.IndexByte(dst[start:], '.') < 0 {
		dst = append(dst, ".0"...)
	}
	return dst
}

// AppendTime appends a date-time in the format of RFC 3339, with Z for offset zero. A fraction
// has six digits, as in Python, or nine if there are nanoseconds. It returns an error if the
// format has no such year or offset.
func AppendTime(dst []byte, t time.Time) ([]byte, error) {
	const seconds = "2006-01-02T15:04:05"
	start := len(dst)
	dst, err := t.AppendText(dst)
	if nanos := t.Nanosecond(); nanos != 0 && err == nil {
		end := start + len(seconds) + bytes.IndexAny(dst[start+len(seconds):], "Z+-")
		want := start + len(seconds+".000000")
		if nanos%1000 != 0 {
			want += len("000")
		}
		dst = slices.Insert(dst, end, []byte("000000000")[:want-end]...)
	}
	return dst, err
}

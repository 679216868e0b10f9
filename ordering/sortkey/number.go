package sortkey

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"strconv"
	"strings"
)

// Numbers of any size are encoded as bytes that compare as their values. A positive
// number is its exponent in one or nine bytes, then its digits, two to a byte, then a
// zero byte. A negative number is its absolute value, inverted. Zero is 0x80 alone.
const (
	zero     = 0x80
	smallExp = 0xc0 // exponent 0; exponents from -31 to 31 take one byte
	bigExp   = 0xf0 // larger exponents
	tinyExp  = 0x90 // smaller exponents

	nan, negativeInfinity, positiveInfinity = "\x00\x00", "\x00\x01", "\xff" // before and after all others
)

// Float returns the key of a floating-point number. Its value is the shortest decimal that
// identifies it, as encoding/json writes it. NaN equals itself and comes before all other
// numbers. Negative infinity comes before and positive infinity after all finite numbers.
func Float(f float64) Key {
	switch {
	case math.IsNaN(f):
		return Key{kind: number, text: nan}
	case math.IsInf(f, 1):
		return Key{kind: number, text: positiveInfinity}
	case math.IsInf(f, -1):
		return Key{kind: number, text: negativeInfinity}
	}
	return numberOf(strconv.FormatFloat(f, 'e', -1, 64))
}

// numberOf returns the key of a JSON number. It is exact for any number of digits: "1.0", "1"
// and "10e-1" are equal. An exponent out of range for an int64 counts as the nearest int64,
// as it is written and in scientific notation (5 for "0.1e6"). If json is not a JSON number,
// the key is unspecified. O(len).
func numberOf(json string) Key {
	if i, err := strconv.ParseInt(json, 10, 64); err == nil {
		return Int(i)
	}
	d := parseDecimal(json)
	if i, ok := d.whole(); ok {
		return Int(i)
	}
	return Key{kind: number, text: string(d.append(nil))}
}

// Decimal returns the key of a number that is kept as text, such as "12.00" or "-0.5",
// as Django REST framework writes decimals. The text is a JSON number, but may have
// leading zeros, a leading plus sign, and white space around it. Any other text, such as
// "" or "12,00", compares as text. O(len).
func Decimal(s string) Key {
	digits, sign := strings.TrimSpace(s), ""
	if rest, negative := strings.CutPrefix(digits, "-"); negative {
		sign, digits = "-", rest
	} else {
		digits = strings.TrimPrefix(digits, "+")
	}
	if zeros := strings.TrimLeft(digits, "0"); len(zeros) < len(digits) {
		if zeros == "" || !digit(zeros[0]) {
			zeros = "0" + zeros
		}
		digits = zeros
	}
	if digits == "" || !digit(digits[0]) || !json.Valid([]byte(digits)) {
		return Text(s)
	}
	return numberOf(sign + digits)
}

// outside returns a negative number if a number comes before all finite numbers, a positive
// number if it comes after them, and zero if it is finite. Each of these numbers has its own.
func (k Key) outside() int {
	switch k.text {
	case nan:
		return -2
	case negativeInfinity:
		return -1
	case positiveInfinity:
		return 1
	}
	return 0
}

func (k Key) appendNumber(dst []byte) []byte {
	if k.text != "" {
		return append(dst, k.text...)
	}
	if k.num == 0 {
		return append(dst, zero)
	}
	var buf [20]byte
	return parseDecimal(string(strconv.AppendInt(buf[:0], k.num, 10))).append(dst)
}

// A decimal is the number ±d.igits × 10^exp, with one digit before the point. The digits
// neither begin nor end with 0.
type decimal struct {
	negative bool
	digits   string
	exp      int64
}

func parseDecimal(json string) decimal {
	var d decimal
	json, d.negative = strings.CutPrefix(json, "-")
	if i := strings.IndexAny(json, "eE"); i >= 0 {
		// ParseInt returns the nearest int64 if the exponent is out of range.
		d.exp, _ = strconv.ParseInt(json[i+1:], 10, 64)
		json = json[:i]
	}
	whole, fraction, _ := strings.Cut(json, ".")
	d.digits = whole + fraction
	trimmed := strings.TrimLeft(d.digits, "0")
	d.exp = addExp(d.exp, len(whole)-1-(len(d.digits)-len(trimmed)))
	d.digits = strings.TrimRight(trimmed, "0")
	return d
}

// addExp returns exp + n, or the nearest int64.
func addExp(exp int64, n int) int64 {
	if n > 0 {
		return min(exp, math.MaxInt64-int64(n)) + int64(n)
	}
	return max(exp, math.MinInt64-int64(n)) + int64(n)
}

// whole returns the number as an int64 and reports whether it is one.
func (d decimal) whole() (int64, bool) {
	if d.digits == "" {
		return 0, true
	}
	if d.exp < int64(len(d.digits)-1) || d.exp > 18 {
		return 0, false
	}
	s := d.digits + strings.Repeat("0", int(d.exp)+1-len(d.digits))
	if d.negative {
		s = "-" + s
	}
	i, err := strconv.ParseInt(s, 10, 64)
	return i, err == nil
}

func (d decimal) append(dst []byte) []byte {
	if d.digits == "" {
		return append(dst, zero)
	}
	start := len(dst)
	switch exp := uint64(d.exp) + 1; { // that of 0.digits, which can be 1<<63
	case d.exp > 30:
		dst = binary.BigEndian.AppendUint64(append(dst, bigExp), exp)
	case d.exp < -32:
		dst = binary.BigEndian.AppendUint64(append(dst, tinyExp), exp^1<<63)
	default:
		dst = append(dst, smallExp+byte(exp))
	}
	for i := 0; i < len(d.digits); i += 2 {
		pair := 10 * (d.digits[i] - '0')
		if i+1 < len(d.digits) {
			pair += d.digits[i+1] - '0'
		}
		dst = append(dst, pair+1) // never 0, which ends the digits
	}
	dst = append(dst, 0)
	if d.negative {
		for i := start; i < len(dst); i++ {
			dst[i] = ^dst[i]
		}
	}
	return dst
}

func digit(c byte) bool { return '0' <= c && c <= '9' }

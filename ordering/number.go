package ordering

import (
	"encoding/binary"
	"math"
	"strconv"
	"strings"
)

// Numbers are written so that their bytes compare as their values, whatever
// their size: for a number above zero a byte or nine for its exponent, then
// its digits two at a time, then a zero; for one below zero the same of its
// absolute value, inverted. 0x80 alone is zero.
const (
	zero     = 0x80
	smallExp = 0xc0 // the exponent 0; one byte serves from -31 to 31
	bigExp   = 0xf0 // larger exponents: nine bytes
	tinyExp  = 0x90 // smaller ones
)

// Float is the key of a floating-point number. NaN comes before all numbers and
// equals itself; infinities stand at the two ends.
func Float(f float64) Key {
	switch {
	case math.IsNaN(f):
		return Key{kind: number, text: "\x00\x00"}
	case math.IsInf(f, 1):
		return Key{kind: number, text: "\xff"}
	case math.IsInf(f, -1):
		return Key{kind: number, text: "\x00\x01"}
	}
	return Number(strconv.FormatFloat(f, 'e', -1, 64))
}

// Uint is the key of an unsigned number.
func Uint(u uint64) Key {
	if u <= math.MaxInt64 {
		return Int(int64(u))
	}
	return Number(strconv.FormatUint(u, 10))
}

// Number is the key of a JSON number, exact however many digits it has: "1.0",
// "1" and "10e-1" are equal. An exponent beyond an int64 counts as the largest.
// Text that is no JSON number gives a key without meaning. O(len).
func Number(json string) Key {
	if i, err := strconv.ParseInt(json, 10, 64); err == nil {
		return Int(i)
	}
	d := parseDecimal(json)
	if i, ok := d.whole(); ok {
		return Int(i)
	}
	return Key{kind: number, text: string(d.append(nil))}
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

// decimal is ±0.digits × 10^exp, without zeros at either end of digits.
type decimal struct {
	negative bool
	digits   string
	exp      int64
}

func parseDecimal(json string) decimal {
	var d decimal
	json, d.negative = strings.CutPrefix(json, "-")
	if i := strings.IndexAny(json, "eE"); i >= 0 {
		// Out of range gives the nearest int64, which is what is wanted; halved,
		// since the point moves it a little further.
		exp, _ := strconv.ParseInt(json[i+1:], 10, 64)
		d.exp, json = min(max(exp, math.MinInt64/2), math.MaxInt64/2), json[:i]
	}
	whole, fraction, _ := strings.Cut(json, ".")
	d.exp += int64(len(whole))
	d.digits = whole + fraction
	trimmed := strings.TrimLeft(d.digits, "0")
	d.exp -= int64(len(d.digits) - len(trimmed))
	d.digits = strings.TrimRight(trimmed, "0")
	return d
}

// whole gives the number as an int64 if it is one.
func (d decimal) whole() (int64, bool) {
	if d.digits == "" {
		return 0, true
	}
	if d.exp < int64(len(d.digits)) || d.exp > 19 {
		return 0, false
	}
	s := d.digits + strings.Repeat("0", int(d.exp)-len(d.digits))
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
	switch {
	case d.exp > 31:
		dst = binary.BigEndian.AppendUint64(append(dst, bigExp), uint64(d.exp))
	case d.exp < -31:
		dst = binary.BigEndian.AppendUint64(append(dst, tinyExp), uint64(d.exp)^1<<63)
	default:
		dst = append(dst, byte(smallExp+d.exp))
	}
	for i := 0; i < len(d.digits); i += 2 {
		pair := 10 * (d.digits[i] - '0')
		if i+1 < len(d.digits) {
			pair += d.digits[i+1] - '0'
		}
		dst = append(dst, pair+1) // never zero, which ends the digits
	}
	dst = append(dst, 0)
	if d.negative {
		for i := start; i < len(dst); i++ {
			dst[i] = ^dst[i]
		}
	}
	return dst
}

// Package sortkey implements sort keys: values of any kind that can be compared, in memory or
// as bytes.
//
//	less := sortkey.Text("a").Compare(sortkey.Text("b")) < 0
//	stored := sortkey.List(sortkey.Decimal("12.50"), sortkey.Int(7)).Append(nil)
//
// Numbers compare by value, strings by their bytes, false before true, times by
// instant, and lists element by element. Of values of several kinds, booleans come first,
// then numbers, times, strings, lists, objects, and null, as in PostgreSQL.
//
// [Key.Append] encodes a key as bytes that compare as the value does, for use in a B-tree
// or a key-value store. The encoding does not change between versions of the package.
package sortkey

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"errors"
	"math"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// A Key is the sort key of one field of one record: null, a boolean, a number, an
// instant, text, a list or an object. The zero Key is null. Keys are immutable and
// safe for concurrent use. [Key.Compare] orders them. Keys that it calls equal are ==, so a Key
// can be the key of a map.
type Key struct {
	kind  kind
	nanos uint32 // nanoseconds within the second, of an instant
	num   int64  // boolean as 0 or 1, number that is an int64, or Unix seconds
	text  string // text, any other number, elements of a list, or JSON of an object
}

// kind is the kind of value that a key holds. Except for null, it is the first byte
// that [Key.Append] writes. Programs store these bytes, so they must not change.
type kind uint8

const (
	null    kind = 0
	boolean kind = 0x01
	number  kind = 0x11
	instant kind = 0x19
	text    kind = 0x21
	list    kind = 0x31
	object  kind = 0x41
)

// lead returns the first byte of an encoded key. It sorts keys by kind, null last.
func (k kind) lead() byte {
	if k == null {
		return 0xf1
	}
	return byte(k)
}

// Null returns the key of a value that is null or absent. It is the largest key.
func Null() Key { return Key{} }

// Bool returns the key of a boolean. False comes before true.
func Bool(b bool) Key {
	if b {
		return Key{kind: boolean, num: 1}
	}
	return Key{kind: boolean}
}

// Int returns the key of an integer.
func Int(i int64) Key { return Key{kind: number, num: i} }

// Text returns the key of a string. Strings compare by their bytes.
func Text(s string) Key { return Key{kind: text, text: s} }

// Fold returns the key of a string that is compared without regard to case: keys are equal if
// and only if [strings.EqualFold] reports true. O(len).
func Fold(s string) Key {
	return Text(strings.Map(func(r rune) rune {
		least := r
		if r >= utf8.RuneSelf || 'a' <= r && r <= 'z' {
			for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
				least = min(least, next)
			}
		}
		if 'A' <= least && least <= 'Z' {
			least += 'a' - 'A'
		}
		return least
	}, s))
}

// Time returns the key of an instant, exact to the nanosecond. The offset of t is
// ignored. Instants come after all numbers and before text.
func Time(t time.Time) Key {
	return Key{kind: instant, num: t.Unix(), nanos: uint32(t.Nanosecond())}
}

// Object returns the key of a JSON object. Objects compare by the bytes of their JSON.
func Object(json string) Key { return Key{kind: object, text: json} }

// List returns the key of a list. Lists compare element by element; if one list is
// a prefix of the other, the shorter list comes first. O(bytes of the elements).
func List(elements ...Key) Key {
	var b []byte
	for _, e := range elements {
		b = e.Append(b)
	}
	return Key{kind: list, text: string(b)}
}

// AsInt returns the value of a number that is an int64, or 0 or 1 for a boolean. It
// does not matter how the key was made: [Int](2), [Float](2) and [Decimal]("2.0") are
// equal. ok is false for all other keys.
func (k Key) AsInt() (i int64, ok bool) {
	return k.num, k.kind == boolean || k.kind == number && k.text == ""
}

// AsTime returns the instant of a key made by [Time], in UTC. ok is false for all other keys.
func (k Key) AsTime() (t time.Time, ok bool) {
	if k.kind != instant {
		return time.Time{}, false
	}
	return time.Unix(k.num, int64(k.nanos)).UTC(), true
}

// AsText returns the string of a key for text. ok is false for all other keys.
func (k Key) AsText() (s string, ok bool) {
	return k.text, k.kind == text
}

// Compare returns a negative number if k comes before other, a positive number if k
// comes after other, and zero if they are equal. O(len) for text, lists, objects, and
// numbers that are not an int64; O(1) for all others.
func (k Key) Compare(other Key) int {
	if c := cmp.Compare(k.kind.lead(), other.kind.lead()); c != 0 {
		return c
	}
	switch {
	case k.kind == number && (k.text != "" || other.text != ""):
		if a, b := k.outside(), other.outside(); a != 0 || b != 0 { // one end of most ranges of integers
			return cmp.Compare(a, b)
		}
		var a, b [32]byte
		return strings.Compare(string(k.appendNumber(a[:0])), string(other.appendNumber(b[:0])))
	case k.kind == boolean, k.kind == number:
		return cmp.Compare(k.num, other.num)
	case k.kind == instant:
		return cmp.Or(cmp.Compare(k.num, other.num), cmp.Compare(k.nanos, other.nanos))
	}
	return strings.Compare(k.text, other.text)
}

// Append appends an encoding of the key to dst and returns the extended slice.
// [bytes.Compare] orders encodings as [Key.Compare] orders the keys. No encoding is a
// prefix of another, so the concatenation of several encodings compares as the keys
// do, one after the other. O(len).
func (k Key) Append(dst []byte) []byte {
	dst = append(dst, k.kind.lead())
	switch k.kind {
	case boolean:
		dst = append(dst, byte(k.num))
	case number:
		dst = k.appendNumber(dst)
	case instant:
		dst = binary.BigEndian.AppendUint64(dst, uint64(k.num)^1<<63)
		dst = binary.BigEndian.AppendUint32(dst, k.nanos)
	case text, object:
		dst = appendText(dst, k.text)
	case list:
		dst = append(append(dst, k.text...), 0)
	}
	return dst
}

// AppendDesc appends the bytes of [Key.Append] inverted, which compare in descending
// order. O(len).
func (k Key) AppendDesc(dst []byte) []byte {
	start := len(dst)
	dst = k.Append(dst)
	for i := start; i < len(dst); i++ {
		dst[i] = ^dst[i]
	}
	return dst
}

// AppendBinary appends a form of the key that [Key.UnmarshalBinary] reads. It is not ordered.
// The error is always nil. O(len).
func (k Key) AppendBinary(dst []byte) ([]byte, error) {
	dst = binary.AppendUvarint(append(dst, byte(k.kind)), uint64(k.nanos))
	return append(binary.AppendVarint(dst, k.num), k.text...), nil
}

// UnmarshalBinary makes k the key that [Key.AppendBinary] appended to an empty slice. It returns
// an error if data is too short. Other data that AppendBinary did not append results in an
// unspecified key. O(len).
func (k *Key) UnmarshalBinary(data []byte) error {
	nanos, n := binary.Uvarint(data[min(1, len(data)):])
	num, m := binary.Varint(data[min(1+max(n, 0), len(data)):])
	if n <= 0 || m <= 0 {
		return errors.New("sortkey: incomplete key")
	}
	*k = Key{kind(data[0]), uint32(nanos), num, string(data[1+n+m:])}
	return nil
}

// appendText appends a string that ends with 0x00 0x01. A zero byte inside it becomes 0x00
// 0xff, so that a prefix of a string comes before it.
func appendText(dst []byte, s string) []byte {
	for {
		i := strings.IndexByte(s, 0)
		if i < 0 {
			break
		}
		dst = append(append(dst, s[:i]...), 0, 0xff)
		s = s[i+1:]
	}
	return append(append(dst, s...), 0, 1)
}

// JSON returns the key of a JSON value. White space around the value is ignored. An
// object compares by its text without white space. Empty text, which stands for an
// absent value, is null. Text that is not valid JSON is a string. O(len(text)) for each
// level of nested lists.
func JSON(text string) Key {
	if text == "" {
		return Null()
	}
	if k, ok := jsonValue(strings.Trim(text, " \t\r\n")); ok {
		return k
	}
	return Text(text)
}

// jsonValue returns the key of a JSON value without white space around it. ok is false if
// the text is not valid JSON.
func jsonValue(text string) (k Key, ok bool) {
	if text == "" {
		return Key{}, false
	}
	switch c := text[0]; {
	case isPlain(text):
		return Text(text[1 : len(text)-1]), true
	case c == '"':
		var s string
		ok = json.Unmarshal([]byte(text), &s) == nil
		return Text(s), ok
	case c == '-' || digit(c):
		if json.Valid([]byte(text)) {
			return numberOf(text), true
		}
	case text == "null":
		return Null(), true
	case text == "true" || text == "false":
		return Bool(c == 't'), true
	case c == '[':
		return jsonList(text)
	case c == '{':
		var b bytes.Buffer
		ok = json.Compact(&b, []byte(text)) == nil
		return Object(b.String()), ok
	}
	return Key{}, false
}

// isPlain reports whether a JSON text is a string of printable ASCII without escapes, as most are.
func isPlain(text string) bool {
	end := len(text) - 1
	if end < 1 || text[0] != '"' || text[end] != '"' {
		return false
	}
	for i := 1; i < end; i++ {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c > '~' {
			return false
		}
	}
	return true
}

func jsonList(text string) (k Key, ok bool) {
	var elements []json.RawMessage
	if json.Unmarshal([]byte(text), &elements) != nil {
		return Key{}, false
	}
	keys := make([]Key, len(elements))
	for i, e := range elements {
		keys[i] = JSON(string(e))
	}
	return List(keys...), true
}

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
	digits := strings.TrimPrefix(string(strconv.AppendInt(buf[:0], k.num, 10)), "-")
	return decimal{k.num < 0, strings.TrimRight(digits, "0"), int64(len(digits) - 1)}.append(dst)
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

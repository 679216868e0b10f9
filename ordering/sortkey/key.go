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

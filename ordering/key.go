package ordering

import (
	"cmp"
	"encoding/binary"
	"strings"
	"time"
)

// A Key is the sort key of one field of one record: null, a boolean, a number, an
// instant, text, a list or an object. The zero Key is null. Keys are values: they
// may be copied, shared between goroutines and compared with [Key.Compare] (not
// with ==, since one number can have two forms).
type Key struct {
	kind  kind
	nanos uint32 // of an instant, within its second
	num   int64  // boolean as 0 or 1, a number that is a whole int64, or Unix seconds
	text  string // text; any other number, a list's elements, an object's JSON
}

// kind is what a key holds. The value of a kind is the byte that [Key.Append]
// begins with. Programs keep these bytes: they must not change.
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

// lead returns the byte that sorts keys by their kinds, null last.
func (k kind) lead() byte {
	if k == null {
		return 0xf1
	}
	return byte(k)
}

// Null is the key of a value that is null or absent: the largest.
func Null() Key { return Key{} }

// Bool is the key of a boolean: false before true.
func Bool(b bool) Key {
	if b {
		return Key{kind: boolean, num: 1}
	}
	return Key{kind: boolean}
}

// Int is the key of a whole number.
func Int(i int64) Key { return Key{kind: number, num: i} }

// Text is the key of a string, compared by its bytes.
func Text(s string) Key { return Key{kind: text, text: s} }

// Time is the key of an instant, exact to the nanosecond. The offset does not
// count. Instants come after all numbers and before text.
func Time(t time.Time) Key {
	return Key{kind: instant, num: t.Unix(), nanos: uint32(t.Nanosecond())}
}

// Object is the key of a JSON object, compared by the bytes of its JSON.
func Object(json string) Key { return Key{kind: object, text: json} }

// List is the key of a list: compared element by element, and of two lists of
// which one begins the other the shorter comes first. O(bytes of the elements).
func List(elements ...Key) Key {
	var b []byte
	for _, e := range elements {
		b = e.Append(b)
	}
	return Key{kind: list, text: string(b)}
}

// AsInt returns the number of a key made by [Int], or 0 or 1 for one made by
// [Bool]. ok is false for all other keys.
func (k Key) AsInt() (i int64, ok bool) {
	return k.num, k.kind == boolean || k.kind == number && k.text == ""
}

// AsText gives the string of a key made by [Text]. ok is false for all others.
func (k Key) AsText() (s string, ok bool) {
	return k.text, k.kind == text
}

// Compare returns a negative number if k comes before other, a positive one if it
// comes after, and zero if they are equal. O(len) for text, lists and objects.
func (k Key) Compare(other Key) int {
	if c := cmp.Compare(k.kind.lead(), other.kind.lead()); c != 0 {
		return c
	}
	switch {
	case k.kind == number && (k.text != "" || other.text != ""):
		var a, b [32]byte
		return strings.Compare(string(k.appendNumber(a[:0])), string(other.appendNumber(b[:0])))
	case k.kind == boolean, k.kind == number:
		return cmp.Compare(k.num, other.num)
	case k.kind == instant:
		return cmp.Or(cmp.Compare(k.num, other.num), cmp.Compare(k.nanos, other.nanos))
	}
	return strings.Compare(k.text, other.text)
}

// Append appends bytes that compare as the keys do: bytes.Compare of what two
// keys append is their Compare. Each key ends itself, so what several keys in a
// row append compares as the keys one after the other. O(len).
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

// AppendDesc is Append for descending order: the same bytes inverted.
func (k Key) AppendDesc(dst []byte) []byte {
	start := len(dst)
	dst = k.Append(dst)
	for i := start; i < len(dst); i++ {
		dst[i] = ^dst[i]
	}
	return dst
}

// appendText ends a string with 0x00 0x01 and writes a zero byte inside it as
// 0x00 0xff, so that a string that begins another comes before it whatever
// follows.
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

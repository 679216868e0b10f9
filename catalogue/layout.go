package catalogue

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// A layout describes where the JSON members of a struct are in memory. It is made once
// for a type. Loading by layout is faster than by reflection. A layout reads only the
// common forms of JSON and leaves the others to the type's decoder, which reads all forms
// with the same result.
type layout struct {
	members []place
	whole   bool // records without all members are left to the decoder
	trusted bool // records need no check and no copy: the type has no methods for JSON or copies
}

// A place is the location of one member. kind and elem are Invalid if only the decoder
// can read the value, and Struct for a DateTime.
type place struct {
	key     string // the name in quotes, and a colon
	typ     reflect.Type
	kind    reflect.Kind
	elem    reflect.Kind  // of the elements of a pointer or a slice
	null    bool          // null leaves the field unchanged
	decoder value.Decoder // of the type
	offset  uintptr
}

// layoutOf returns the layout of a struct with the given members, or nil if all records
// must be left to the decoder.
func layoutOf(t reflect.Type, of []jsonmember.Member) *layout {
	if value.ReadsJSON(t) {
		return nil
	}
	c := value.Of(t)
	copied := c.NoCopy == nil && c.NoJSON == nil && !value.HasClone(t) && !value.WritesJSON(t)
	l := &layout{trusted: copied}
	for _, f := range of {
		if f.Indirect {
			return nil
		}
		m := place{key: `"` + f.Name + `":`, typ: f.Field.Type, offset: value.OffsetOf(t, f.Field.Index)}
		m.kind = kindOf(m.typ)
		if m.kind == reflect.Pointer || m.kind == reflect.Slice {
			m.elem = kindOf(m.typ.Elem())
		}
		m.null = m.kind == reflect.Pointer || m.kind == reflect.Slice
		m.decoder = value.DecoderOf(m.typ)
		l.members = append(l.members, m)
	}
	return l
}

// kindOf returns the kind of a type, or Invalid if methods read, write or copy its
// values. It returns Struct only for DateTime.
func kindOf(t reflect.Type) reflect.Kind {
	switch {
	case t == reflect.TypeFor[schema.DateTime]():
		return reflect.Struct
	case t.Kind() == reflect.Struct, value.ReadsJSON(t), value.WritesJSON(t), value.HasClone(t), t == reflect.TypeFor[json.Number]():
		return reflect.Invalid
	}
	return t.Kind()
}

// readPlain reads a record by the layout into a zero one and reports whether it did. If plain,
// the record needs no check and no copy.
func (s *recordType) readPlain(in *scanner, to *record) (plain, ok bool) {
	if s.layout == nil {
		return false, false
	}
	plain, ok = s.layout.read(in, unsafe.Pointer(to))
	ok = ok && *s.id(to) > 0
	return ok && plain && s.layout.trusted, ok
}

// read reads an object into a zero record and reports whether it did. plain reports
// whether all values that it left to decode are strings or contain only strings.
func (l *layout) read(in *scanner, record unsafe.Pointer) (plain, ok bool) {
	if !in.take("{") {
		return false, false
	}
	in.seen = append(in.seen[:0], make([]bool, len(l.members))...)
	plain = true
	count, next := 0, 0
	for !in.take("}") {
		if count > 0 && !in.take(",") {
			return false, false
		}
		i := l.next(in, next)
		if i < 0 || in.seen[i] {
			return false, false
		}
		in.seen[i] = true
		count, next = count+1, i+1
		m := &l.members[i]
		start, p := in.at, unsafe.Add(record, m.offset)
		if m.null && in.take("null") || m.read(in, p) {
			continue
		}
		in.at = start
		if (m.kind == reflect.Pointer || m.kind == reflect.Slice) && !m.null || !m.decode(reflect.NewAt(m.typ, p).Elem(), in.value()) {
			return false, false
		}
		plain = plain && (m.kind == reflect.String || m.elem == reflect.String)
	}
	return plain, count == len(l.members) || !l.whole
}

// next reads the name of a member and the colon. It returns the index of the member, or
// -1. It tries expected first, because members are usually in the order of the struct.
func (l *layout) next(in *scanner, expected int) int {
	for i := range l.members {
		if i = (expected + i) % len(l.members); in.take(l.members[i].key) {
			return i
		}
	}
	return -1
}

// read reads a value in its common form into the field at p and reports whether it did.
func (m *place) read(in *scanner, p unsafe.Pointer) (ok bool) {
	kind := m.kind
	if kind == reflect.Pointer {
		elem := reflect.New(m.typ.Elem()).UnsafePointer()
		*(*unsafe.Pointer)(p) = elem
		kind, p = m.elem, elem
	}
	switch kind {
	case reflect.String:
		*(*string)(p), ok = in.text()
	case reflect.Int:
		*(*int)(p), ok = in.integer()
	case reflect.Bool:
		*(*bool)(p) = in.take("true")
		ok = *(*bool)(p) || in.take("false")
	case reflect.Struct:
		ok = (*schema.DateTime)(p).UnmarshalJSON(in.value()) == nil
	case reflect.Slice:
		switch m.elem {
		case reflect.String:
			*(*[]string)(p), ok = readList(in, (*scanner).text)
		case reflect.Int:
			*(*[]int)(p), ok = readList(in, (*scanner).integer)
		}
	}
	return ok
}

// readList reads an array.
func readList[V any](in *scanner, read func(*scanner) (V, bool)) (list []V, ok bool) {
	var room [16]V
	values := room[:0]
	for ok = in.take("["); ok && !in.take("]"); {
		if len(values) > 0 && !in.take(",") {
			return nil, false
		}
		var v V
		v, ok = read(in)
		values = append(values, v)
	}
	return append(make([]V, 0, len(values)), values...), ok
}

// decode decodes the value of a member as decoder does, from the canonical text that
// ParseRecord returns. It reports whether the value is valid.
func (m *place) decode(v reflect.Value, data []byte) bool {
	text := string(data)
	if text != "null" {
		record, err := schema.ParseRecord(slices.Concat([]byte(`{"value":`), data, []byte("}")))
		if err != nil {
			return false
		}
		text, _ = record.Get("value")
	}
	return m.decoder.Decode(v, text) == nil
}

// A scanner reads JSON sequentially. It checks what it reads, except the values that the
// method value returns.
type scanner struct {
	data []byte
	at   int
	opts LoadOptions

	memory []byte // reused by text
	seen   []bool // reused by layout.read
}

var (
	errNoObject = errors.New("want a JSON object")
	errBroken   = errors.New("invalid JSON") // schema.CheckSyntax finds the place
)

func (s *scanner) skipSpace() {
	for s.at < len(s.data) && (s.data[s.at] == ' ' || s.data[s.at] == '\n' || s.data[s.at] == '\r' || s.data[s.at] == '\t') {
		s.at++
	}
}

// take skips white space and a token, and reports whether the token was there.
func (s *scanner) take(token string) bool {
	s.skipSpace()
	if len(s.data)-s.at < len(token) || string(s.data[s.at:s.at+len(token)]) != token {
		return false
	}
	s.at += len(token)
	return true
}

// text reads a string. It reports false for other values, and for a string with a \u
// escape, which may be half of a surrogate pair.
func (s *scanner) text() (text string, ok bool) {
	if !s.take(`"`) {
		return "", false
	}
	start, read := s.at, s.memory[:0]
	for ; s.at < len(s.data); s.at++ {
		switch c := s.data[s.at]; {
		case c == '"':
			s.memory = append(read, s.data[start:s.at]...)
			s.at++
			return string(s.memory), utf8.Valid(s.memory)
		case c == '\\' && s.at+1 < len(s.data):
			i := strings.IndexByte(`"\/bfnrt`, s.data[s.at+1])
			if i < 0 {
				return "", false
			}
			read = append(append(read, s.data[start:s.at]...), "\"\\/\b\f\n\r\t"[i])
			s.at++
			start = s.at + 1
		case c < ' ':
			return "", false
		}
	}
	return "", false
}

// integer reads a number without fraction and exponent. It reports false for other
// values.
func (s *scanner) integer() (n int, ok bool) {
	value := string(s.value())
	n, err := strconv.Atoi(value)
	digits := strings.TrimPrefix(value, "-")
	return n, err == nil && digits[0] != '+' && (digits[0] != '0' || digits == "0")
}

// value skips the next value and returns its bytes. It looks only for the end that a
// valid value would have: the caller must check that the bytes are one valid value.
func (s *scanner) value() []byte {
	s.skipSpace()
	start, depth, quoted := s.at, 0, false
	for ; s.at < len(s.data); s.at++ {
		switch c := s.data[s.at]; {
		case quoted:
			if c == '\\' {
				s.at++
			}
			quoted = c != '"'
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			depth++
		case depth == 0 && strings.IndexByte(",:]} \n\r\t", c) >= 0:
			return s.data[start:s.at]
		case c == '}' || c == ']':
			depth--
		}
	}
	s.at = len(s.data)
	return s.data[start:]
}

// skip skips a value. It returns an error if the value is invalid.
func (s *scanner) skip() error {
	if !json.Valid(s.value()) {
		return errBroken
	}
	return nil
}

// object reads an object. It calls f with the name of each member; f must read the value.
// A repeated name is an error.
func (s *scanner) object(f func(name string) error) error {
	if !s.take("{") {
		return errNoObject
	}
	seen := map[string]bool{}
	for !s.take("}") {
		var name string
		if len(seen) > 0 && !s.take(",") || json.Unmarshal(s.value(), &name) != nil || !s.take(":") {
			return errBroken
		}
		if seen[name] {
			return fmt.Errorf("key %q is repeated", name)
		}
		seen[name] = true
		if err := f(name); err != nil {
			return err
		}
	}
	return nil
}

package catalogue

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// A member is a member of a struct. Reading it by its layout, the place in memory, is faster
// than by reflection. This reads only the common forms of JSON and leaves the others to
// the decoder, which reads all forms with the same result.
type member struct {
	jsonmember.Member
	decoder value.Decoder

	// The layout. kind and elem are Invalid if only the decoder can read the value, and
	// Struct for a time.
	key    string // the name in quotes, and a colon
	kind   reflect.Kind
	elem   reflect.Kind // of the elements of a pointer or a slice
	null   bool         // null leaves the field unchanged
	strict bool         // null is an error
	offset uintptr      // unless the member is Indirect
}

// membersOf returns the members of a struct.
func membersOf(t reflect.Type, list []jsonmember.Member) []member {
	members := make([]member, len(list))
	for i, m := range list {
		typ := m.Field.Type
		of := member{Member: m, decoder: value.DecoderOf(typ), key: `"` + m.Name + `":`, kind: kindOf(typ)}
		if of.null = of.kind == reflect.Pointer || of.kind == reflect.Slice; of.null {
			of.elem = kindOf(typ.Elem())
		}
		if !m.Indirect {
			of.offset = value.OffsetOf(t, m.Field.Index)
		}
		members[i] = of
	}
	return members
}

// member returns the member with a name, or nil.
func (s *recordType) member(name string) *member {
	if i := slices.IndexFunc(s.members, func(m member) bool { return m.Name == name }); i >= 0 {
		return &s.members[i]
	}
	return nil
}

// kindOf returns the kind of a type, or Invalid if methods read, write or copy its
// values. It returns Struct only for a time.
func kindOf(t reflect.Type) reflect.Kind {
	switch {
	case value.IsTime(t):
		return reflect.Struct
	case t.Kind() == reflect.Struct, value.ReadsJSON(t), value.WritesJSON(t), value.HasClone(t), t == reflect.TypeFor[json.Number]():
		return reflect.Invalid
	}
	return t.Kind()
}

// readLayout reads an object into a zero record by the layout and reports whether it did.
func (s *recordType) readLayout(in *scanner, to *record) bool {
	if !s.fast || !in.take("{") {
		return false
	}
	in.seen = append(in.seen[:0], make([]bool, len(s.members))...)
	count, next := 0, 0
	for !in.take("}") {
		if count > 0 && !in.take(",") {
			return false
		}
		i := s.next(in, next)
		if i < 0 || in.seen[i] {
			return false
		}
		in.seen[i] = true
		count, next = count+1, i+1
		if !s.members[i].read(in, unsafe.Pointer(to)) {
			return false
		}
	}
	return (count == len(s.members) || s.strict == nil) && *s.id(to) > 0
}

// next reads the name of a member and the colon. It returns the index of the member, or
// -1. It tries expected first, because members are usually in the order of the struct.
func (s *recordType) next(in *scanner, expected int) int {
	for i := range s.members {
		if i = (expected + i) % len(s.members); in.take(s.members[i].key) {
			return i
		}
	}
	return -1
}

// read reads the value of the member of a record and reports whether it did.
func (m *member) read(in *scanner, record unsafe.Pointer) bool {
	start, p := in.at, unsafe.Add(record, m.offset)
	if m.null && in.take("null") || m.readCommon(in, p) {
		return true
	}
	in.at = start
	canonical, err := schema.ParseRecord(slices.Concat([]byte(`{"value":`), in.value(), []byte("}")))
	if err != nil {
		return false
	}
	text, _ := canonical.Get("value")
	return !(m.strict && text == "null") && m.decoder.Decode(reflect.NewAt(m.Field.Type, p).Elem(), text) == nil
}

// readCommon reads a value in its common form to p and reports whether it did.
func (m *member) readCommon(in *scanner, p unsafe.Pointer) (ok bool) {
	kind, typ := m.kind, m.Field.Type
	if kind == reflect.Pointer {
		kind, typ = m.elem, typ.Elem()
		elem := reflect.New(typ).UnsafePointer()
		*(*unsafe.Pointer)(p) = elem
		p = elem
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
		text := in.value()
		if typ == reflect.TypeFor[time.Time]() {
			ok = string(text) != "null" && (*time.Time)(p).UnmarshalJSON(text) == nil
		} else {
			ok = (*schema.DateTime)(p).UnmarshalJSON(text) == nil
		}
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

// A scanner reads JSON sequentially. It checks what it reads, except the values that the
// method value returns.
type scanner struct {
	data []byte
	at   int
	opts LoadOptions

	memory []byte // reused by text
	seen   []bool // reused by readLayout
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

package catalogue

import (
	"encoding/json"
	"reflect"
	"slices"
	"unsafe"

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
	key    string // the name in quotes, and a colon
	typ    reflect.Type
	kind   reflect.Kind
	elem   reflect.Kind // of the elements of a pointer or a slice
	null   bool         // null leaves the field unchanged
	arrays bool         // the type contains arrays
	offset uintptr
}

// layoutOf returns the layout of a struct with the given members, or nil if all records
// must be left to the decoder.
func layoutOf[T any](of []jsonmember.Member) *layout {
	t := reflect.TypeFor[T]()
	if readsJSON(t) && !documented[T]() {
		return nil
	}
	pl := planOf(t)
	copied := pl.noCopy == nil && pl.noJSON == nil && !hasClone(t) && !writesJSON(t)
	l := &layout{whole: documented[T](), trusted: copied || documented[T]()}
	for _, f := range of {
		if f.Indirect {
			return nil
		}
		m := place{key: `"` + f.Name + `":`, typ: f.Field.Type, offset: offsetOf(t, f.Field.Index)}
		m.kind = kindOf(m.typ)
		if m.kind == reflect.Pointer || m.kind == reflect.Slice {
			m.elem = kindOf(m.typ.Elem())
		}
		m.null = m.kind == reflect.Pointer || m.kind == reflect.Slice && !documented[T]()
		m.arrays = hasArray(m.typ)
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
	case t.Kind() == reflect.Struct, readsJSON(t), writesJSON(t), hasClone(t), t == reflect.TypeFor[json.Number]():
		return reflect.Invalid
	}
	return t.Kind()
}

// readPlain reads a record by the layout and reports whether it did. If plain, the record
// needs no check and no copy.
func (s *recordType[T]) readPlain(in *scanner, record *T) (plain, ok bool) {
	if s.layout == nil {
		return false, false
	}
	*record = *new(T)
	plain, ok = s.layout.read(in, unsafe.Pointer(record))
	ok = ok && s.id(record) > 0
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
		if m.kind == reflect.Slice && !m.null || !m.decode(reflect.NewAt(m.typ, p).Elem(), in.value()) {
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
	return decodeField(v, text, m.arrays) == nil
}

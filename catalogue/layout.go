package catalogue

import (
	"encoding/json"
	"reflect"
	"slices"
	"unsafe"

	"github.com/gobacklist/backlist/resources"
)

// A layout describes where the members of a struct's JSON are in memory. It is made
// once for a type and used to load records, because setting a field by reflection takes
// longer than reading its value. The type's decoder reads everything that a layout
// reads, with the same result. The layout leaves the rest to the decoder.
type layout struct {
	members []place
	whole   bool // records that lack a member are left to the decoder
	trusted bool // records can be stored as they are read: the type has no methods that take part
}

// A place is the location of one member. Its kind and elem are Invalid if only the
// decoder can read the value. Struct means a DateTime.
type place struct {
	key    string // as it is written: the name in quotes, and a colon
	typ    reflect.Type
	kind   reflect.Kind
	elem   reflect.Kind // of a pointer or a list
	null   bool         // null leaves the field as it is
	offset uintptr
}

// layoutOf returns the layout of a struct with these members. It returns nil if
// records must be left to the decoder.
func layoutOf[T any](of []member) *layout {
	t := reflect.TypeFor[T]()
	if readsJSON(t) && !documented[T]() {
		return nil
	}
	pl := planOf(t)
	copied := pl.noCopy == nil && pl.noJSON == nil && !hasClone(t) && !writesJSON(t)
	l := &layout{whole: documented[T](), trusted: copied || documented[T]()}
	for _, f := range of {
		m := place{key: `"` + f.name + `":`, typ: t}
		for _, i := range f.index {
			if m.typ.Kind() != reflect.Struct { // a pointer, which may be nil
				return nil
			}
			field := m.typ.Field(i)
			m.typ, m.offset = field.Type, m.offset+field.Offset
		}
		m.kind = kindOf(m.typ)
		if m.kind == reflect.Pointer || m.kind == reflect.Slice {
			m.elem = kindOf(m.typ.Elem())
		}
		m.null = m.kind == reflect.Pointer || m.kind == reflect.Slice && !documented[T]()
		l.members = append(l.members, m)
	}
	return l
}

// kindOf returns the kind of a type, or Invalid if methods take part in reading,
// checking or copying its values. DateTime is the only Struct.
func kindOf(t reflect.Type) reflect.Kind {
	switch {
	case t == reflect.TypeFor[resources.DateTime]():
		return reflect.Struct
	case t.Kind() == reflect.Struct, readsJSON(t), writesJSON(t), hasClone(t), t == reflect.TypeFor[json.Number]():
		return reflect.Invalid
	}
	return t.Kind()
}

// readPlain reads a record by the layout, if there is one, and reports whether
// it did. If it reports plain, the record needs neither check nor copy.
func (s *schema[T]) readPlain(in *scanner, record *T) (plain, ok bool) {
	if s.layout == nil {
		return false, false
	}
	*record = *new(T)
	plain, ok = s.layout.read(in, unsafe.Pointer(record))
	ok = ok && s.id(record) > 0
	return ok && plain && s.layout.trusted, ok
}

// read reads an object into a record, which is zero, and reports whether it did.
// It reports plain if no method took part.
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
		if m.kind == reflect.Slice && !m.null || !decodeValue(reflect.NewAt(m.typ, p).Elem(), in.value()) {
			return false, false
		}
		plain = plain && (m.kind == reflect.String || m.elem == reflect.String)
	}
	return plain, count == len(l.members) || !l.whole
}

// next reads a member's name and the colon, and returns the member's index, or
// -1. Members mostly come in the order of the struct.
func (l *layout) next(in *scanner, expected int) int {
	for i := range l.members {
		if i = (expected + i) % len(l.members); in.take(l.members[i].key) {
			return i
		}
	}
	return -1
}

// read reads a value in its plain form into the field at p, and reports whether
// it did.
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
		ok = (*resources.DateTime)(p).UnmarshalJSON(in.value()) == nil
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

// readList reads a list of values.
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

// decodeValue decodes the value of a member as decoder does: from its canonical
// text, which ParseRecord checks.
func decodeValue(v reflect.Value, data []byte) bool {
	text := string(data)
	if text != "null" {
		member, err := resources.ParseRecord(slices.Concat([]byte(`{"value":`), data, []byte("}")))
		if err != nil {
			return false
		}
		text, _ = member.Get("value")
	}
	return decodeField(v, text) == nil
}

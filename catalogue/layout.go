package catalogue

import (
	"encoding"
	"encoding/json"
	"reflect"
	"slices"
	"unsafe"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// A layout says where the members of a struct's JSON are in its memory. It is
// made once per type, and loading writes through it: setting a field by
// reflection takes longer than reading its value. It takes a record only if
// the decoder of the type takes it too, with the same result.
type layout struct {
	members []place

	// trusted is set if what is read can be stored as it is: no method of the
	// type takes part.
	trusted bool
}

// A place is where one member is kept.
type place struct {
	key     string       // as it stands in JSON: the name in quotes, and a colon
	typ     reflect.Type // of the field, or what it points to
	kind    valueKind
	pointer bool
	null    bool // null leaves the field as it is
	offset  uintptr
}

// A valueKind is a way to read a value.
type valueKind uint8

const (
	otherValue valueKind = iota // by the decoder
	textValue
	intValue
	boolValue
	dateValue
	textList
	intList
)

// layoutOf returns the layout of a struct with these fields, or nil if its
// values must be left to the decoder.
func layoutOf[T any](fields *ordering.Fields[T]) *layout {
	t := reflect.TypeFor[T]()
	if unmarshals(t) && !documented[T]() {
		return nil
	}
	_, err := planOf(t)
	l := &layout{trusted: documented[T]() || err == nil && !hasClone(t) && !marshals(t)}
	for _, name := range fields.Names() {
		f, _ := fields.Lookup(name)
		p := place{key: `"` + f.Wire + `":`, typ: t}
		for _, i := range f.Index {
			if p.typ.Kind() != reflect.Struct { // behind a pointer
				return nil
			}
			field := p.typ.Field(i)
			p.typ, p.offset = field.Type, p.offset+field.Offset
		}
		p.kind = valueKindOf(p.typ)
		if p.typ.Kind() == reflect.Pointer && valueKindOf(p.typ.Elem()) != otherValue {
			p.typ, p.pointer, p.null = p.typ.Elem(), true, true
			p.kind = valueKindOf(p.typ)
		}
		if p.kind >= textList && !documented[T]() {
			p.null = true
		}
		l.members = append(l.members, p)
	}
	return l
}

func valueKindOf(t reflect.Type) valueKind {
	switch {
	case isDateTime(t):
		return dateValue
	case unmarshals(t), marshals(t), hasClone(t), t == reflect.TypeFor[json.Number]():
		return otherValue
	}
	switch t.Kind() {
	case reflect.String:
		return textValue
	case reflect.Int:
		return intValue
	case reflect.Bool:
		return boolValue
	case reflect.Slice:
		switch valueKindOf(t.Elem()) {
		case textValue:
			return textList
		case intValue:
			return intList
		}
	}
	return otherValue
}

// unmarshals reports whether a type reads its own JSON.
func unmarshals(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}

// readPlain reads a record by the layout, if there is one. If it reports plain,
// the record needs neither check nor copy.
func (s *schema[T]) readPlain(in *scanner, record *T) (plain, ok bool) {
	if s.layout == nil {
		return false, false
	}
	*record = *new(T)
	plain, ok = s.layout.read(in, unsafe.Pointer(record), s.required)
	ok = ok && s.id(record) > 0
	return ok && plain && s.layout.trusted, ok
}

// read reads the object that comes next into a record, which is zero. If it
// reports ok, in.at is after the object, otherwise the decoder must read the
// record or say what is wrong with it. If plain, every member is there and was
// read without the decoder.
func (l *layout) read(in *scanner, record unsafe.Pointer, required []string) (plain, ok bool) {
	if !in.take('{') {
		return false, false
	}
	in.seen = append(in.seen[:0], make([]bool, len(l.members))...)
	plain = true
	count, next := 0, 0
	for !in.take('}') {
		if count > 0 && !in.take(',') {
			return false, false
		}
		i := l.name(in, next)
		if i < 0 || in.seen[i] {
			return false, false
		}
		in.seen[i] = true
		count, next = count+1, i+1
		m := &l.members[i]
		byKind, ok := m.read(in, unsafe.Add(record, m.offset))
		if !ok {
			return false, false
		}
		plain = plain && byKind
	}
	if count == len(l.members) {
		return plain, true
	}
	for i, m := range l.members {
		if !in.seen[i] && slices.Contains(required, m.key[1:len(m.key)-2]) {
			return false, false
		}
	}
	return false, true
}

// name reads a member's name and the colon, and returns its index, or -1. Members
// mostly come in the order of the struct: next is tried first.
func (l *layout) name(in *scanner, next int) int {
	if next < len(l.members) && in.takeWord(l.members[next].key) {
		return next
	}
	name, ok := in.text()
	if !ok || !in.take(':') {
		return -1
	}
	return slices.IndexFunc(l.members, func(m place) bool { return m.key[1:len(m.key)-2] == string(name) })
}

// read reads a value into the field at p, and reports whether it did without the
// decoder, and whether it did at all.
func (m *place) read(in *scanner, p unsafe.Pointer) (byKind, ok bool) {
	if m.null && in.takeWord("null") {
		return true, true
	}
	if m.pointer {
		elem := reflect.New(m.typ).UnsafePointer()
		*(*unsafe.Pointer)(p) = elem
		p = elem
	}
	start := in.at
	switch m.kind {
	case textValue:
		text, ok := in.text()
		if ok {
			*(*string)(p) = string(text)
			return true, true
		}
	case intValue:
		n, ok := in.integer()
		if ok {
			*(*int)(p) = n
			return true, true
		}
	case boolValue:
		*(*bool)(p) = in.takeWord("true")
		if *(*bool)(p) || in.takeWord("false") {
			return true, true
		}
	case dateValue:
		ok := (*resources.DateTime)(p).UnmarshalJSON(in.value()) == nil
		return ok, ok
	case textList:
		*(*[]string)(p), ok = readList(in, func(in *scanner) (string, bool) { text, ok := in.text(); return string(text), ok })
		return ok, ok
	case intList:
		*(*[]int)(p), ok = readList(in, (*scanner).integer)
		return ok, ok
	}
	in.at = start
	return false, decodeValue(reflect.NewAt(m.typ, p).Elem(), in.value())
}

// readList reads a list of values.
func readList[V any](in *scanner, read func(*scanner) (V, bool)) (list []V, ok bool) {
	if !in.take('[') {
		return nil, false
	}
	var room [16]V
	values := room[:0]
	for !in.take(']') {
		if len(values) > 0 && !in.take(',') {
			return nil, false
		}
		v, ok := read(in)
		if !ok {
			return nil, false
		}
		values = append(values, v)
	}
	return append(make([]V, 0, len(values)), values...), true
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

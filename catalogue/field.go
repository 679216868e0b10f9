package catalogue

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A field is a row of the field table of a record type: what is known of a field of the records,
// at any depth. Whatever compares its values compares the keys that it returns.
type field struct {
	schema.Field              // only the name if the field is not described
	name         string       // in snake_case, or a path such as address__city
	path         *path        // of name
	typ          reflect.Type // of the Go field; nil if there is none
	kind         reflect.Kind // of the keys if order is nil; see [ordering.Field]
	described    bool
	inside       bool // another field
	indexed      bool // the engine has the field, so that conditions can use its index
	ordered      bool // the type has a method OrderingKey
	decodes      bool // a value of a request must be decoded, because methods read or order it

	// value returns the key of the value in the JSON of an entry. Lookups of text within text
	// compare it.
	value func(*store.Entry) sortkey.Key
	// order returns the sort key for one that value returns. If nil, both are equal. That of a
	// reference By a text is set when all collections are known.
	order func(sortkey.Key) sortkey.Key
	// key returns the sort key of an entry.
	key func(*store.Entry) sortkey.Key
	// keyOf returns the sort key of a value of a condition.
	keyOf func(value any) (sortkey.Key, error)
	// refers reports whether the value, a reference or a list of references, has one for which the
	// function returns true. It is called with the key of the value and its sort key: an id, or the
	// key of a text if the field refers By it.
	refers func(e *store.Entry, is func(value, key sortkey.Key) bool) bool
}

// describeTable makes the field table: rows for the described fields, for those inside them, and for
// the members of a struct, at any depth.
func (s *builder) describeTable() error {
	s.byName = map[string]*field{}
	for _, d := range slices.Concat(s.described, schema.Nested(s.described)) {
		f := s.newField(d)
		f.described, f.inside = true, len(s.fields) >= len(s.described)
		s.fields, s.byName[f.name] = append(s.fields, f), f
	}
	if s.open() {
		return nil
	}
	derived, err := ordering.ValueFields(s.reflect)
	if err != nil {
		return err
	}
	for _, d := range derived {
		f := s.byName[d.Name]
		if f == nil {
			f = s.newField(schema.Field{Name: d.Name})
			s.byName[d.Name] = f
		}
		if err := s.derive(f, d); err != nil {
			return err
		}
		s.engine.Names = append(s.engine.Names, d.Name)
	}
	for _, m := range s.members {
		if f := s.byName[ordering.Snake(m.Name)]; !f.described {
			f.Name = m.Name
		}
	}
	return nil
}

// row returns the row of the field with a name in snake_case, or nil if none exists. Open records
// have any.
func (s *layout) row(name string) *field {
	f := s.byName[name]
	if f == nil && s.open() {
		f = s.newField(schema.Field{Name: ordering.Camel(name)})
		f.name, f.path = name, pathOf(name)
	}
	return f
}

// engineField returns the field of the engine that has a name.
func (s *layout) engineField(name string) (store.Field, bool) {
	f := s.row(name)
	if f == nil || !f.indexed {
		return store.Field{}, false
	}
	kind := f.kind
	if f.order != nil && kind != reflect.Struct {
		kind = reflect.Invalid
	}
	return store.Field{Name: name, Key: f.key, Kind: kind, KeyOf: f.keyOf}, true
}

// newField returns a row for a field that is read from the JSON of records.
func (s *layout) newField(d schema.Field) *field {
	f := &field{Field: d, name: ordering.Snake(d.Name), order: d.Order(), indexed: s.open()}
	f.path = pathOf(f.name)
	f.value = func(e *store.Entry) sortkey.Key { return sortkey.JSON(s.valueIn(e, f)) }
	f.key = func(e *store.Entry) sortkey.Key { return f.sorted(f.value(e)) }
	f.keyOf = func(value any) (sortkey.Key, error) {
		k, err := ordering.KeyOf(value)
		if _, isTime := k.AsTime(); isTime {
			return k, fmt.Errorf("open records have times as text: want a string, not %T", value)
		}
		return f.sorted(k), err
	}
	f.refers = s.references(f)
	return f
}

// derive sets what the Go type of a field decides.
func (s *builder) derive(f *field, d ordering.ValueField) error {
	f.typ, f.indexed, f.ordered = s.reflect.FieldByIndex(d.Index).Type, true, d.Ordered
	base, key := f.typ, s.keyIn(d)
	if base.Kind() == reflect.Pointer {
		base = base.Elem()
	}
	f.decodes = d.Ordered || jsontext.Reads(base)
	if f.value = key; d.Ordered || jsontext.Writes(base) {
		f.value = s.jsonOf(d.Index)
	}
	if !d.Nullable {
		f.kind = d.Kind
	}
	switch {
	case d.Ordered && f.Fold:
		return fmt.Errorf("field %s: %v has a method OrderingKey, so that it cannot compare without regard to case", f.Name, f.typ)
	case f.Refers != "" && (f.kind != reflect.Int || d.Ordered): // it compares as what it refers to
		if f.kind != reflect.String {
			f.kind = reflect.Invalid
		}
		f.keyOf = func(value any) (sortkey.Key, error) {
			k, err := d.KeyOf(value)
			if err == nil && d.Ordered {
				k = jsonKey(value)
			}
			return f.sorted(k), err
		}
		return nil
	case d.Ordered:
		f.order = nil
	}
	f.key, f.keyOf = key, d.KeyOf
	if f.order != nil {
		f.key = func(e *store.Entry) sortkey.Key { return f.order(key(e)) }
		f.keyOf = func(value any) (sortkey.Key, error) {
			k, err := d.KeyOf(value)
			return f.order(k), err
		}
	}
	return nil
}

// jsonOf returns a function that returns the key of the JSON of a member.
func (s *builder) jsonOf(index []int) func(*store.Entry) sortkey.Key {
	return func(e *store.Entry) sortkey.Key {
		v, err := s.value(recordOf(e)).FieldByIndexErr(index)
		if err != nil {
			return sortkey.Null()
		}
		return jsonKey(v.Addr().Interface())
	}
}

// jsonKey returns the key of the JSON of a value, or null if it has none.
func jsonKey(value any) sortkey.Key {
	text, err := json.Marshal(value)
	if err != nil {
		return sortkey.Null()
	}
	return sortkey.JSON(string(text))
}

// sorted returns the sort key for a key of a value in JSON.
func (f *field) sorted(k sortkey.Key) sortkey.Key {
	if f.order == nil {
		return k
	}
	return f.order(k)
}

// keyOfText returns the sort key of a value of a [schema.Test], or of a text by which a record is
// found.
func (f *field) keyOfText(text string) sortkey.Key {
	if f.decodes && f.Refers == "" {
		v, quoted := reflect.New(f.typ), text
		if f.Kind != schema.Integer && f.Kind != schema.Float && f.Kind != schema.Boolean {
			quoted = string(jsontext.AppendString(nil, text))
		}
		if json.Unmarshal([]byte(quoted), v.Interface()) == nil {
			if k, err := f.keyOf(v.Elem().Interface()); err == nil {
				return k
			}
		}
	}
	if f.By != "" {
		return f.sorted(sortkey.Text(text))
	}
	return f.SortKey(text)
}

// hasText reports whether the values are text.
func (f *field) hasText() bool {
	t := f.typ
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t == nil || t.Kind() == reflect.String || jsontext.Writes(t)
}

// column returns the row of a described field, which may be inside another one, or nil if none
// exists.
func (s *layout) column(name string) *field {
	if f := s.byName[name]; f != nil && f.described {
		return f
	}
	return nil
}

// comparesAs sets the order of a field that refers to records By another one, which is text.
func (f *field) comparesAs(by *field) {
	f.order = by.order
	if by.ordered {
		f.order = func(k sortkey.Key) sortkey.Key {
			if text, ok := k.AsText(); ok {
				return by.keyOfText(text)
			}
			return k
		}
	}
}

// references returns the function refers of a field.
func (s *layout) references(f *field) func(*store.Entry, func(value, key sortkey.Key) bool) bool {
	if f.Kind != schema.References {
		return func(e *store.Entry, is func(value, key sortkey.Key) bool) bool {
			v := f.value(e)
			return v.Compare(sortkey.Null()) != 0 && is(v, f.sorted(v))
		}
	}
	if m := s.member(f.Name); m != nil && m.Field.Type == reflect.TypeFor[[]int]() {
		return anyOf(s, f, m, func(id int) sortkey.Key { return sortkey.Int(int64(id)) })
	} else if m != nil && m.Field.Type == reflect.TypeFor[[]string]() {
		return anyOf(s, f, m, sortkey.Text)
	}
	return func(e *store.Entry, is func(value, key sortkey.Key) bool) bool {
		for item := range jsontext.Elements(s.valueIn(e, f)) {
			if v := sortkey.JSON(item); is(v, f.sorted(v)) {
				return true
			}
		}
		return false
	}
}

// anyOf returns the function refers of a member that is a list.
func anyOf[E any](s *layout, f *field, m *member, key func(E) sortkey.Key) func(*store.Entry, func(value, key sortkey.Key) bool) bool {
	return func(e *store.Entry, is func(value, key sortkey.Key) bool) bool {
		list, err := s.value(recordOf(e)).FieldByIndexErr(m.Field.Index)
		return err == nil && slices.ContainsFunc(*list.Addr().Interface().(*[]E), func(item E) bool {
			v := key(item)
			return is(v, f.sorted(v))
		})
	}
}

// offsetsOf returns the offset of a field in a struct. If structs on the way are pointers, it
// returns the offset of the first pointer, that of the next one in the struct that it points
// to, and so on, and last that of the field.
func offsetsOf(t reflect.Type, index []int) []uintptr {
	offsets := []uintptr{0}
	for _, i := range index {
		if t.Kind() == reflect.Pointer {
			t, offsets = t.Elem(), append(offsets, 0)
		}
		f := t.Field(i)
		offsets[len(offsets)-1] += f.Offset
		t = f.Type
	}
	return offsets
}

// keyThrough returns a function that returns the key of a field of an entry, or null if a
// pointer on the way is nil.
func keyThrough[V any](offsets []uintptr, key func(V) sortkey.Key) func(*store.Entry) sortkey.Key {
	last := len(offsets) - 1
	return func(e *store.Entry) sortkey.Key {
		p := unsafe.Pointer(recordOf(e))
		for _, at := range offsets[:last] {
			if p = *(*unsafe.Pointer)(unsafe.Add(p, at)); p == nil {
				return sortkey.Null()
			}
		}
		return key(*(*V)(unsafe.Add(p, offsets[last])))
	}
}

// keyIn returns the function that returns the key of a field of an entry. The most frequent
// types are read at their offset: a filter that reads all records does little else.
func (s *builder) keyIn(f ordering.ValueField) func(*store.Entry) sortkey.Key {
	if f.Kind != reflect.Invalid {
		offsets := offsetsOf(s.reflect, f.Index)
		at := offsets[0]
		switch t := s.reflect.FieldByIndex(f.Index).Type; {
		case t == reflect.TypeFor[int]() && f.Nullable:
			return keyThrough(offsets, func(i int) sortkey.Key { return sortkey.Int(int64(i)) })
		case t == reflect.TypeFor[string]() && f.Nullable:
			return keyThrough(offsets, sortkey.Text)
		case t == reflect.TypeFor[time.Time]() && !f.Nullable:
			return func(e *store.Entry) sortkey.Key {
				return sortkey.Time(*(*time.Time)(unsafe.Add(unsafe.Pointer(recordOf(e)), at)))
			}
		case t == reflect.TypeFor[int]():
			return func(e *store.Entry) sortkey.Key {
				return sortkey.Int(int64(*(*int)(unsafe.Add(unsafe.Pointer(recordOf(e)), at))))
			}
		case t == reflect.TypeFor[string]():
			return func(e *store.Entry) sortkey.Key {
				return sortkey.Text(*(*string)(unsafe.Add(unsafe.Pointer(recordOf(e)), at)))
			}
		}
	}
	return func(e *store.Entry) sortkey.Key { return f.Key(s.value(recordOf(e))) }
}

// referenceOf returns the id that a stored value refers to. Only a whole number is a reference,
// so filters by the id find exactly the records that refer to it. The service refuses
// booleans, and converts text that it accepts before it stores it.
func referenceOf(k sortkey.Key) (id int, ok bool) {
	n, ok := k.AsInt()
	return int(n), ok && int64(int(n)) == n && k.Compare(sortkey.Int(n)) == 0 // a boolean is not a number
}

// valueIn returns the value of a field in the JSON of an entry, or "" if it is absent.
func (s *layout) valueIn(e *store.Entry, f *field) string {
	r, err := s.parsed(e)
	if err != nil {
		return ""
	}
	return f.path.value(r)
}

// parsed returns the members of the JSON of an entry.
func (s *layout) parsed(e *store.Entry) (schema.Record, error) {
	if s.open() {
		return *typed[schema.Record](recordOf(e)), nil
	}
	b, err := s.stored(e)
	if err != nil {
		return schema.Record{}, err
	}
	r, err := s.parse(b)
	if err != nil {
		return r, s.invalid(e, err)
	}
	return r, nil
}

// memberOf returns the name and the JSON of the member of a record that is the field. Inside another
// member, the name is that of the field.
func (f *field) memberOf(r schema.Record) (name, value string) {
	if name, value = memberOf(r, f.path.wire, f.name); name == "" {
		return f.name, f.path.value(r)
	}
	return name, value
}

// memberOf returns the name and the JSON of the member that is the field with a name in
// snake_case, or "" if none exists.
// wire is the camelCase form of the name, which takes precedence.
func memberOf(r schema.Record, wire, field string) (name, value string) {
	if value, ok := r.Get(wire); ok {
		return wire, value
	}
	for name, value := range r.All() {
		if isNamed(name, field) {
			return name, value
		}
	}
	return "", ""
}

// memberIn returns the value that memberOf returns for an object inside a record. Other JSON
// has no members.
func memberIn(object, wire, field string) (value string) {
	for name, text := range jsontext.Members(object) {
		switch {
		case name == wire:
			return text
		case value == "" && isNamed(name, field):
			value = text
		}
	}
	return value
}

// isNamed reports whether a member is the field with a name in snake_case.
func isNamed(member, field string) bool {
	if strings.Contains(field, "__") && !strings.Contains(member, "_") {
		return false // one underscore can precede a word; Snake may allocate
	}
	return ordering.Snake(member) == field
}

// A path finds a field in the JSON of a record. It is the member with its name or, if there is
// none, a field in the object that is the member with the name up to the first two underscores.
type path struct {
	field, wire           string // the name, and its camelCase form
	outerField, outerWire string // the part before two underscores
	inner                 *path  // after them; nil if there are none
}

func pathOf(field string) *path {
	p := &path{field: field, wire: ordering.Camel(field)}
	if outer, inner, ok := strings.Cut(field, "__"); ok {
		p.outerField, p.outerWire, p.inner = outer, ordering.Camel(outer), pathOf(inner)
	}
	return p
}

// value returns the JSON of the field in a record, or "" if it is absent.
func (p *path) value(r schema.Record) string {
	_, value := memberOf(r, p.wire, p.field)
	if value == "" && p.inner != nil {
		_, object := memberOf(r, p.outerWire, p.outerField)
		return p.inner.in(object)
	}
	return value
}

// in returns the JSON of the field in an object, or "" if it is absent.
func (p *path) in(object string) string {
	value := memberIn(object, p.wire, p.field)
	if value == "" && p.inner != nil {
		return p.inner.in(memberIn(object, p.outerWire, p.outerField))
	}
	return value
}

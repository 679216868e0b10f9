package layout

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// in returns the address of the Go field in a record, or nil if a pointer on the way is nil.
func (f *Field) in(r *Record) unsafe.Pointer { return f.at.At(unsafe.Pointer(r)) }

// member returns the name of the member of a struct.
func (f *Field) member() string { return f.Go.Member.Name }

// Fault returns the reason why the member of a struct cannot have a value, in the words of Django REST
// framework, or "". A value that it can have is only decoded, which takes less memory.
func (f *Field) Fault(text string) string {
	if f.decoder.Decode(reflect.New(f.Go.Field.Type).Elem(), text) == nil {
		return ""
	}
	return value.FaultIn(f.Go.Member, text)
}

// describeTable makes the field table: rows for the members of a struct, at any depth, for the
// described fields, for those inside them, and for Options.Members.
func (s *builder) describeTable() error {
	s.byName = map[string]*Field{}
	all, described := slices.Concat(s.described, schema.Nested(s.described)), map[string]schema.Field{}
	for _, d := range all {
		described[ordering.Snake(d.Name)] = d
	}
	var members []ordering.ValueField
	if !s.Open() {
		var err error
		if members, err = ordering.ValueFields(s.Reflect); err != nil {
			return err
		}
	}
	for _, m := range members {
		d, known := described[m.Name]
		if d.Name = cmp.Or(d.Name, m.Name); !known && !m.Inside {
			d.Name = m.JSON
		}
		f, err := s.memberField(d, m)
		if err != nil {
			return err
		}
		s.byName[m.Name], s.byName[m.JSON] = f, f
		s.Engine.Names = append(s.Engine.Names, m.Name)
		if !m.Inside {
			s.members = append(s.members, f)
		}
	}
	for i, d := range slices.Concat(all, s.opts.Members, schema.Nested(s.opts.Members)) {
		f := s.byName[ordering.Snake(d.Name)]
		if f == nil {
			f = s.newField(d)
			s.byName[f.Snake] = f
		}
		if i < len(all) {
			f.described, f.Inside = true, i >= len(s.described)
			s.Fields = append(s.Fields, f)
		}
	}
	return nil
}

// Row returns the row of the field with a name, in snake_case or as in JSON, or nil if none exists.
// Open records have any.
func (s *Type) Row(name string) *Field {
	name = s.FieldOf(name)
	f := s.byName[name]
	if f == nil && s.Open() && name != "" {
		path := pathOf(name)
		f = s.newField(schema.Field{Name: path.wire})
		f.Snake, f.Engine.Name, f.path = name, name, path
	}
	return f
}

// FieldOf returns the name in snake_case of a field whose name may be that in JSON. A member of open
// records whose name would be empty, or that of the id or the key, such as _id, has only its name
// in JSON.
func (s *Type) FieldOf(name string) string {
	if f := s.byName[name]; f != nil {
		return f.Snake
	}
	field := snakePath(name)
	if !s.Open() || field == "" || name != s.Identity.Wire && (field == s.Identity.Number || field == s.Engine.Key) {
		return name
	}
	return field
}

// Member returns the row of the member of a struct with a name, or nil.
func (s *Type) Member(name string) *Field {
	if i := slices.IndexFunc(s.members, func(m *Field) bool { return m.member() == name }); i >= 0 {
		return s.members[i]
	}
	return nil
}

// Common reports whether the member with a name has a common type, such as string, whose values
// have one JSON each.
func (s *Type) Common(name string) bool {
	m := s.Member(name)
	return m != nil && m.decoder.Common != nil
}

// Terms returns terms with the names of fields in snake_case. Unknown names remain.
func (s *Type) Terms(terms []ordering.Term) []ordering.Term { return Rename(terms, s.FieldOf) }

// Rename returns terms with other names of their fields. It does not change terms.
func Rename(terms []ordering.Term, rename func(name string) string) []ordering.Term {
	for i, t := range terms {
		if name := rename(t.Field); name != t.Field {
			terms = slices.Clone(terms)
			terms[i].Field = name
		}
	}
	return terms
}

// engineField returns the field of the engine that has a name.
func (s *Type) engineField(name string) (store.Field, bool) {
	f := s.Row(name)
	if f == nil || !f.Indexed {
		return store.Field{}, false
	}
	return f.Engine, true
}

// Field returns the field with a name, in snake_case or as in JSON.
func (s *Type) Field(name string) (store.Field, error) {
	f, ok := s.Engine.Field(name)
	if !ok {
		return f, fmt.Errorf("%w: %q: %s", ordering.ErrUnknownField, name, ordering.Suggest(name, s.Engine.Names))
	}
	return f, nil
}

// Text returns the unique field of text with a name, in snake_case or as in JSON, or nil.
func (s *Type) Text(name string) *Field {
	if i := slices.IndexFunc(s.Texts, func(f *Field) bool { return f.Snake == name || f.Name == name }); i >= 0 {
		return s.Texts[i]
	}
	return nil
}

// newField returns a row for a field that is read from the JSON of records.
func (s *Type) newField(d schema.Field) *Field {
	f := &Field{Field: d, Snake: ordering.Snake(d.Name), order: d.Order(), Indexed: s.Open()}
	f.Engine.Name, f.path = f.Snake, pathOf(f.Snake)
	f.JSONKey = func(e *store.Entry) sortkey.Key { return sortkey.JSON(s.ValueIn(e, f)) }
	f.compareBy(f.JSONKey, func(value any) (sortkey.Key, error) {
		k, err := ordering.KeyOf(value)
		if _, isTime := k.AsTime(); isTime {
			return k, fmt.Errorf("open records have times as text: want a string, not %T", value)
		}
		return k, err
	})
	f.AnyReference = s.references(f)
	return f
}

// compareBy sets the keys of entries and of values of conditions, from keys that are not yet in order.
func (f *Field) compareBy(key func(*store.Entry) sortkey.Key, keyOf func(value any) (sortkey.Key, error)) {
	f.Engine.Key = func(e *store.Entry) sortkey.Key { return f.Sorted(key(e)) }
	f.Engine.KeyOf = func(value any) (sortkey.Key, error) {
		k, err := keyOf(value)
		return f.Sorted(k), err
	}
}

// memberField returns the row for a field of a struct.
func (s *builder) memberField(d schema.Field, m ordering.ValueField) (*Field, error) {
	f := s.newField(d)
	f.Go, f.Indexed, f.at, f.Engine.Kind = m, true, value.PathTo(s.Reflect, m.Field.Index), m.Kind
	if !m.Inside {
		f.codec = codec{decoder: value.DecoderOf(m.Member), key: `"` + m.Member.Name + `":`}
	}
	base := jsontext.Elem(m.Field.Type)
	f.decodes = m.Ordered || jsontext.Reads(base)
	own := m.Ordered || jsontext.Writes(base)
	if f.JSONKey = s.goKey(f); own {
		f.JSONKey = f.ownKey
	}
	if f.Refers != "" && !m.Inside && m.Omits() { // what JSON omits refers to nothing
		given := f.JSONKey
		f.Engine.Kind, f.JSONKey = reflect.Invalid, func(e *store.Entry) sortkey.Key {
			if k := given(e); k != sortkey.Int(0) && k != sortkey.Text("") {
				return k
			}
			return sortkey.Null()
		}
	}
	f.AnyReference = s.references(f)
	switch {
	case m.Ordered && f.Fold:
		return nil, fmt.Errorf("field %s: %v has a method OrderingKey, so that it cannot compare without regard to case", f.Name, m.Field.Type)
	case f.Refers != "" && (f.Engine.Kind != reflect.Int || own): // it compares as what it refers to
		if f.Engine.Kind != reflect.String || own {
			f.Engine.Kind = reflect.Invalid
		}
		f.compareBy(f.JSONKey, func(value any) (sortkey.Key, error) {
			k, err := m.KeyOf(value)
			if err == nil && own && value != nil {
				p := reflect.New(reflect.TypeOf(value)) // methods may have pointers as receivers
				p.Elem().Set(reflect.ValueOf(value))
				k = jsonKey(p.Interface())
			}
			return k, err
		})
		return f, nil
	case m.Ordered:
		f.order = nil
	}
	if f.Engine.Key, f.Engine.KeyOf = s.goKey(f), m.KeyOf; f.order != nil {
		f.compareBy(f.Engine.Key, m.KeyOf)
	}
	f.setKind()
	return f, nil
}

// setKind makes the kind of the keys unknown unless the order leaves it as it is. That of times is by
// the microsecond.
func (f *Field) setKind() {
	if (f.order != nil) != (f.Engine.Kind == reflect.Struct) {
		f.Engine.Kind = reflect.Invalid
	}
}

// ownKey returns the key of the JSON that the type of the Go field writes.
func (f *Field) ownKey(e *store.Entry) sortkey.Key {
	if p := f.in(RecordOf(e)); p != nil {
		return jsonKey(reflect.NewAt(f.Go.Field.Type, p).Interface())
	}
	return sortkey.Null()
}

// jsonKey returns the key of the JSON of a value, or null if it has none.
func jsonKey(value any) sortkey.Key {
	text, err := json.Marshal(value)
	if err != nil {
		return sortkey.Null()
	}
	return sortkey.JSON(string(text))
}

// Sorted returns the sort key for a key of a value in JSON.
func (f *Field) Sorted(k sortkey.Key) sortkey.Key {
	if f.order == nil {
		return k
	}
	return f.order(k)
}

// TextKey returns the sort key of a value of a [schema.Test], or of a text by which a record is
// found.
func (f *Field) TextKey(text string) sortkey.Key {
	if f.decodes && f.Refers == "" {
		v, quoted := reflect.New(f.Go.Field.Type), text
		if f.Kind != schema.Integer && f.Kind != schema.Float && f.Kind != schema.Boolean {
			quoted = string(jsontext.AppendString(nil, text))
		}
		if json.Unmarshal([]byte(quoted), v.Interface()) == nil {
			if k, err := f.Engine.KeyOf(v.Elem().Interface()); err == nil {
				return k
			}
		}
	}
	if f.By != "" {
		return f.Sorted(sortkey.Text(text))
	}
	return f.SortKey(text)
}

// hasText reports whether the values are text.
func (f *Field) hasText() bool {
	t := jsontext.Elem(f.Go.Field.Type)
	return t == nil || t.Kind() == reflect.String || jsontext.Writes(t)
}

// Column returns the row of a described field, which may be inside another one, or nil if none
// exists. Its name is in snake_case or as in JSON.
func (s *Type) Column(name string) *Field {
	if f := s.byName[s.FieldOf(name)]; f != nil && f.described {
		return f
	}
	return nil
}

// Compare sets the order of a field that refers to records By another one. If that one is a number, or
// its Go type is another than text, such as an array, its keys are not those of the text.
func (s *Type) Compare(f, by *Field) {
	if f.order = by.order; by.decodes || by.Kind == schema.Integer {
		f.order = func(k sortkey.Key) sortkey.Key {
			if text, ok := k.AsText(); ok {
				return by.TextKey(text)
			}
			return k
		}
		if f.Go.Key != nil && by.order == nil && jsontext.Elem(f.Go.Field.Type) == jsontext.Elem(by.Go.Field.Type) {
			f.Engine.Key = s.goKey(f)
		}
	}
	f.setKind()
}

// references returns the function AnyReference of a field.
func (s *Type) references(f *Field) func(*store.Entry, func(value, key sortkey.Key) bool) bool {
	if f.Kind != schema.References {
		return func(e *store.Entry, is func(value, key sortkey.Key) bool) bool {
			v := f.JSONKey(e)
			return v.Compare(sortkey.Null()) != 0 && is(v, f.Sorted(v))
		}
	}
	switch f.Go.Field.Type {
	case reflect.TypeFor[[]int]():
		return anyOf(f, func(id int) sortkey.Key { return sortkey.Int(int64(id)) })
	case reflect.TypeFor[[]string]():
		return anyOf(f, sortkey.Text)
	}
	return func(e *store.Entry, is func(value, key sortkey.Key) bool) bool {
		for item := range jsontext.Elements(s.ValueIn(e, f)) {
			if v := sortkey.JSON(item); is(v, f.Sorted(v)) {
				return true
			}
		}
		return false
	}
}

// anyOf returns the function AnyReference of a Go field that is a list.
func anyOf[E any](f *Field, key func(E) sortkey.Key) func(*store.Entry, func(value, key sortkey.Key) bool) bool {
	return func(e *store.Entry, is func(value, key sortkey.Key) bool) bool {
		list := (*[]E)(f.in(RecordOf(e)))
		return list != nil && slices.ContainsFunc(*list, func(item E) bool {
			v := key(item)
			return is(v, f.Sorted(v))
		})
	}
}

// goKey returns the function that returns the key of the Go field of an entry, or null if a pointer on
// the way is nil. The most frequent types are read at their address: a filter that reads all records
// does little else.
func (s *Type) goKey(f *Field) func(*store.Entry) sortkey.Key {
	switch f.Go.Field.Type {
	case reflect.TypeFor[int]():
		return keyAt(f.at, func(n int) sortkey.Key { return sortkey.Int(int64(n)) })
	case reflect.TypeFor[string]():
		return keyAt(f.at, sortkey.Text)
	case reflect.TypeFor[time.Time]():
		return keyAt(f.at, sortkey.Time)
	case reflect.TypeFor[schema.DateTime]():
		return keyAt(f.at, func(d schema.DateTime) sortkey.Key { return sortkey.Time(d.Time) })
	}
	return func(e *store.Entry) sortkey.Key { return f.Go.Key(s.value(RecordOf(e))) }
}

// keyAt returns the function of the key of the value at a path.
func keyAt[V any](path value.Path, key func(V) sortkey.Key) func(*store.Entry) sortkey.Key {
	return func(e *store.Entry) sortkey.Key {
		if p := path.At(unsafe.Pointer(RecordOf(e))); p != nil {
			return key(*(*V)(p))
		}
		return sortkey.Null()
	}
}

// ReferenceOf returns the id that a stored value refers to. Only a whole number is a reference,
// so filters by the id find exactly the records that refer to it. The service refuses
// booleans, and converts text that it accepts before it stores it.
func ReferenceOf(k sortkey.Key) (id int, ok bool) {
	n, ok := k.AsInt()
	return int(n), ok && int64(int(n)) == n && k.Compare(sortkey.Int(n)) == 0 // a boolean is not a number
}

// ValueIn returns the value of a field in the JSON of an entry, or "" if it is absent.
func (s *Type) ValueIn(e *store.Entry, f *Field) string {
	r, err := s.Parsed(e)
	if err != nil {
		return ""
	}
	return f.path.value(r)
}

// MemberOf returns the name and the JSON of the member of a record that is the field. Inside another
// member, the name is that of the field.
func (f *Field) MemberOf(r schema.Record) (name, value string) {
	if name, value = f.path.member(r); name == "" {
		return f.Snake, f.path.value(r)
	}
	return name, value
}

// Usual returns the usual spelling of a UUID or a key that is a number, or "" if the text is neither,
// and otherwise the text.
func (f *Field) Usual(text string) string {
	if f.Kind != schema.UUID && f.Kind != schema.Integer && f.Kind != schema.Decimal {
		return text
	}
	return schema.Description{Lookup: f.Snake, Fields: []schema.Field{f.Field}}.LookupText(text)
}

// Suggest returns the part of an error about an unknown name that lists the known names.
func Suggest[E any](name string, known []E, nameOf func(E) string) string {
	names := make([]string, len(known))
	for i, e := range known {
		names[i] = nameOf(e)
	}
	return ordering.Suggest(name, names)
}

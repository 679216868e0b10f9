package layout

import (
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

// A Field is a row of the field table of a record type: what is known of a field of the records,
// at any depth. Whatever compares its values compares the keys that it returns.
type Field struct {
	schema.Field              // only the name if the field is not described
	Snake        string       // in snake_case, or a path such as address__city
	path         *path        // of Snake
	GoType       reflect.Type // of the Go field; nil if it has no Go field
	kind         reflect.Kind // of the keys if order is nil; see [store.Field]
	described    bool
	Inside       bool // another field
	Indexed      bool // the engine has the field, so that conditions can use its index
	Ordered      bool // the type has a method OrderingKey
	decodes      bool // a value of a request must be decoded, because methods read or order it

	// JSONKey returns the key of the value in the JSON of an entry. Lookups of text within text
	// compare it.
	JSONKey func(*store.Entry) sortkey.Key
	// order returns the sort key for one that JSONKey returns. If nil, both are equal. That of a
	// reference By a text is set when all collections are known.
	order func(sortkey.Key) sortkey.Key
	// EntryKey returns the sort key of an entry.
	EntryKey func(*store.Entry) sortkey.Key
	// goKey returns the key that the Go type of a reference alone would have.
	goKey func(*store.Entry) sortkey.Key
	// keyOf returns the sort key of a value of a condition.
	keyOf func(value any) (sortkey.Key, error)
	// AnyReference reports whether the value, a reference or a list of references, has one for which the
	// function returns true. It is called with the key of the value and its sort key: an id, or the
	// key of a text if the field refers By it.
	AnyReference func(e *store.Entry, is func(value, key sortkey.Key) bool) bool
}

// describeTable makes the field table: rows for the described fields, for those inside them, and for
// the members of a struct, at any depth.
func (s *builder) describeTable() error {
	s.byName = map[string]*Field{}
	for _, d := range slices.Concat(s.described, schema.Nested(s.described)) {
		f := s.newField(d)
		f.described, f.Inside = true, len(s.Fields) >= len(s.described)
		s.Fields, s.byName[f.Snake] = append(s.Fields, f), f
	}
	if s.Open() {
		return nil
	}
	derived, err := ordering.ValueFields(s.Reflect)
	if err != nil {
		return err
	}
	for _, d := range derived {
		f := s.byName[d.Name]
		if f == nil {
			f = s.newField(schema.Field{Name: d.Name})
			s.byName[d.Name] = f
		}
		s.byName[d.JSON] = f
		if err := s.derive(f, d); err != nil {
			return err
		}
		s.Engine.Names = append(s.Engine.Names, d.Name)
	}
	for _, m := range s.members {
		if f := s.byName[ordering.Snake(m.Name)]; !f.described {
			f.Name = m.Name
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
		f.Snake, f.path = name, path
	}
	return f
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
	kind := f.kind
	if (f.order != nil) != (kind == reflect.Struct) { // the order of times is by the microsecond
		kind = reflect.Invalid
	}
	return store.Field{Name: f.Snake, Key: f.EntryKey, Kind: kind, KeyOf: f.keyOf}, true
}

// Field returns the field with a name, in snake_case or as in JSON.
func (s *Type) Field(name string) (store.Field, error) {
	f, ok := s.Engine.Field(name)
	if !ok {
		return f, UnknownField(name, s.Engine.Names)
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
	f.path = pathOf(f.Snake)
	f.JSONKey = func(e *store.Entry) sortkey.Key { return sortkey.JSON(s.ValueIn(e, f)) }
	f.EntryKey = func(e *store.Entry) sortkey.Key { return f.Sorted(f.JSONKey(e)) }
	f.keyOf = func(value any) (sortkey.Key, error) {
		k, err := ordering.KeyOf(value)
		if _, isTime := k.AsTime(); isTime {
			return k, fmt.Errorf("open records have times as text: want a string, not %T", value)
		}
		return f.Sorted(k), err
	}
	f.AnyReference = s.references(f)
	return f
}

// derive sets what the Go type of a field decides.
func (s *builder) derive(f *Field, d ordering.ValueField) error {
	f.GoType, f.Indexed, f.Ordered = s.Reflect.FieldByIndex(d.Index).Type, true, d.Ordered
	base, key := baseOf(f.GoType), s.keyIn(d, f.GoType)
	f.decodes = d.Ordered || jsontext.Reads(base)
	own := d.Ordered || jsontext.Writes(base)
	if f.JSONKey = key; own {
		f.JSONKey = s.jsonOf(d, f.GoType)
	}
	f.kind = d.Kind
	if m := s.Member(f.Name); f.Refers != "" && m != nil && m.Omits() { // what JSON omits refers to nothing
		given := f.JSONKey
		f.kind, f.JSONKey = reflect.Invalid, func(e *store.Entry) sortkey.Key {
			if k := given(e); k != sortkey.Int(0) && k != sortkey.Text("") {
				return k
			}
			return sortkey.Null()
		}
	}
	switch {
	case d.Ordered && f.Fold:
		return fmt.Errorf("field %s: %v has a method OrderingKey, so that it cannot compare without regard to case", f.Name, f.GoType)
	case f.Refers != "" && (f.kind != reflect.Int || own): // it compares as what it refers to
		if f.kind != reflect.String || own {
			f.kind = reflect.Invalid
		}
		f.keyOf = func(value any) (sortkey.Key, error) {
			k, err := d.KeyOf(value)
			if err == nil && own && value != nil {
				p := reflect.New(reflect.TypeOf(value)) // methods may have pointers as receivers
				p.Elem().Set(reflect.ValueOf(value))
				k = jsonKey(p.Interface())
			}
			return f.Sorted(k), err
		}
		f.goKey = key
		return nil
	case d.Ordered:
		f.order = nil
	}
	f.EntryKey, f.keyOf = key, d.KeyOf
	if f.order != nil {
		f.EntryKey = func(e *store.Entry) sortkey.Key { return f.order(key(e)) }
		f.keyOf = func(value any) (sortkey.Key, error) {
			k, err := d.KeyOf(value)
			return f.order(k), err
		}
	}
	return nil
}

// jsonOf returns the function that returns the key of the JSON of a field of an entry.
func (s *builder) jsonOf(f ordering.ValueField, t reflect.Type) func(*store.Entry) sortkey.Key {
	path := value.PathTo(s.Reflect, f.Index)
	return func(e *store.Entry) sortkey.Key {
		if p := path.At(unsafe.Pointer(RecordOf(e))); p != nil {
			return jsonKey(reflect.NewAt(t, p).Interface())
		}
		return sortkey.Null()
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
		v, quoted := reflect.New(f.GoType), text
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
		return f.Sorted(sortkey.Text(text))
	}
	return f.SortKey(text)
}

// baseOf returns a type or, if it is a pointer, the type to which it points.
func baseOf(t reflect.Type) reflect.Type {
	if t != nil && t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

// hasText reports whether the values are text.
func (f *Field) hasText() bool {
	t := baseOf(f.GoType)
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

// ComparesAs sets the order of a field that refers to records By another one, which is text in JSON.
// If the Go type of that one is another, such as an array, its keys are not those of the text.
func (f *Field) ComparesAs(by *Field) {
	f.order = by.order
	if !by.decodes {
		return
	}
	f.order = func(k sortkey.Key) sortkey.Key {
		if text, ok := k.AsText(); ok {
			return by.TextKey(text)
		}
		return k
	}
	if f.goKey != nil && by.order == nil && baseOf(f.GoType) == baseOf(by.GoType) {
		f.EntryKey = f.goKey
	}
}

// references returns the function refers of a field.
func (s *Type) references(f *Field) func(*store.Entry, func(value, key sortkey.Key) bool) bool {
	if f.Kind != schema.References {
		return func(e *store.Entry, is func(value, key sortkey.Key) bool) bool {
			v := f.JSONKey(e)
			return v.Compare(sortkey.Null()) != 0 && is(v, f.Sorted(v))
		}
	}
	if m := s.Member(f.Name); m != nil && m.Field.Type == reflect.TypeFor[[]int]() {
		return anyOf(f, m, func(id int) sortkey.Key { return sortkey.Int(int64(id)) })
	} else if m != nil && m.Field.Type == reflect.TypeFor[[]string]() {
		return anyOf(f, m, sortkey.Text)
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

// anyOf returns the function refers of a member that is a list.
func anyOf[E any](f *Field, m *member, key func(E) sortkey.Key) func(*store.Entry, func(value, key sortkey.Key) bool) bool {
	return func(e *store.Entry, is func(value, key sortkey.Key) bool) bool {
		list := (*[]E)(m.at(RecordOf(e)))
		return list != nil && slices.ContainsFunc(*list, func(item E) bool {
			v := key(item)
			return is(v, f.Sorted(v))
		})
	}
}

// keyIn returns the function that returns the key of a field of an entry, or null if a pointer on
// the way is nil. The most frequent types are read at their address: a filter that reads all records
// does little else.
func (s *builder) keyIn(f ordering.ValueField, t reflect.Type) func(*store.Entry) sortkey.Key {
	path := value.PathTo(s.Reflect, f.Index)
	switch t {
	case reflect.TypeFor[int]():
		return keyAt(path, func(n int) sortkey.Key { return sortkey.Int(int64(n)) })
	case reflect.TypeFor[string]():
		return keyAt(path, sortkey.Text)
	case reflect.TypeFor[time.Time]():
		return keyAt(path, sortkey.Time)
	case reflect.TypeFor[schema.DateTime]():
		return keyAt(path, func(d schema.DateTime) sortkey.Key { return sortkey.Time(d.Time) })
	}
	return func(e *store.Entry) sortkey.Key { return f.Key(s.value(RecordOf(e))) }
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

// Usual returns the usual spelling of a UUID, or "" if the text is not a UUID. If the field is
// not a UUID, it returns the text.
func (f *Field) Usual(text string) string {
	if f.Kind != schema.UUID {
		return text
	}
	return schema.Description{Lookup: f.Snake, Fields: []schema.Field{f.Field}}.LookupText(text)
}

// Suggest returns the part of an error about an unknown name that says which names are known.
func Suggest[E any](name string, known []E, nameOf func(E) string) string {
	names := make([]string, len(known))
	for i, e := range known {
		names[i] = nameOf(e)
	}
	return ordering.Suggest(name, names)
}

// UnknownField returns the error for a field that no record has.
func UnknownField(name string, known []string) error {
	return fmt.Errorf("%w: %q: %s", ordering.ErrUnknownField, name, ordering.Suggest(name, known))
}

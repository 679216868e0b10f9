package catalogue

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// A column reads the values of a described field from entries.
type column struct {
	schema.Field
	name    string // in snake_case
	wire    string // the camelCase form of name
	indexed bool   // key is that of the engine, so conditions can use its index

	// key returns the value. Decimals are numbers, even if they are text in JSON.
	key func(*store.Entry) ordering.Key
	// keyOf returns the key of a value of a [schema.Test].
	keyOf func(value string) ordering.Key
	// refers reports whether the value, a reference or a list of references, has an id
	// for which the function returns true.
	refers func(*store.Entry, func(id int) bool) bool
}

// column returns the column of a field, or nil if there is none.
func (e *encoded[T]) column(name string) *column {
	if i := slices.IndexFunc(e.columns, func(c column) bool { return c.name == name }); i >= 0 {
		return &e.columns[i]
	}
	return nil
}

// columns returns the columns of described fields. own are the functions of Options.Keys:
// orderings use them, but filters compare values.
func (s *recordType[T]) columns(fields []schema.Field, own []ordering.KeyFunc) []column {
	var plain *ordering.Fields[T]
	if !isOpen[T]() {
		plain, _ = ordering.FieldsOf[T](valueKeys[T](fields)...) // without own there is no error
	}
	columns := make([]column, len(fields))
	for i, f := range fields {
		c := &columns[i]
		c.Field, c.name = f, ordering.Snake(f.Name)
		c.wire = ordering.Camel(c.name)
		c.keyOf = func(value string) ordering.Key { return testKey(f.Kind, value) }
		c.indexed = !slices.ContainsFunc(own, func(k ordering.KeyFunc) bool {
			name, _, _ := k.ForText()
			return name == c.name || name == "" // of a type, which may be that of the field
		})
		switch {
		case isOpen[T]():
			c.key = openField(c.name, textKey(f.Kind)).Key
		case plain != nil && hasValue(f.Kind, s.typeOf(f.Name)):
			p, _ := plain.Lookup(c.name)
			c.key = func(e *store.Entry) ordering.Key { return p.Key(recordOf[T](e)) }
			if f.Kind == schema.Timestamp {
				c.keyOf = func(value string) ordering.Key { return timeKey(p, value) }
			}
		default:
			c.indexed = false
			c.key = func(e *store.Entry) ordering.Key { return s.jsonKey(c, e) }
		}
		c.refers = s.references(c)
	}
	return columns
}

// jsonKey returns the value of a column in the JSON of an entry.
func (s *recordType[T]) jsonKey(c *column, e *store.Entry) ordering.Key {
	_, value := s.valueIn(e, c)
	k := ordering.JSON(value)
	if text, ok := k.AsText(); ok {
		if special := textKey(c.Kind); special != nil {
			return special(text)
		}
	}
	return k
}

// checkFields returns an error if a described field is not a member of T.
func (s *recordType[T]) checkFields(about schema.Description) error {
	if s.anyMember || documented[T]() {
		return nil
	}
	var known []string
	for _, m := range s.members {
		known = append(known, m.Name)
	}
	for _, f := range about.Fields {
		if !slices.Contains(known, f.Name) {
			return fmt.Errorf("the JSON of %v has no field %q: %s", reflect.TypeFor[T](), f.Name, ordering.Suggest(f.Name, known))
		}
	}
	return nil
}

// typeOf returns the type of a member, or nil if there is no such member.
func (s *recordType[T]) typeOf(name string) reflect.Type {
	if i := slices.IndexFunc(s.members, func(m jsonmember.Member) bool { return m.Name == name }); i >= 0 {
		return s.members[i].Field.Type
	}
	return nil
}

// hasValue reports whether the key that package ordering derives from a type is that of
// the JSON of its values. Otherwise methods of the type decide how it is sorted or
// written.
func hasValue(kind schema.Kind, t reflect.Type) bool {
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t == nil:
		return false
	case isTime(t):
		return kind == schema.Timestamp
	case writesJSON(t) || readsJSON(t):
		return false
	}
	if _, keyed := t.MethodByName("OrderingKey"); keyed {
		return false
	}
	number := reflect.Int <= t.Kind() && t.Kind() <= reflect.Uintptr
	switch kind {
	case schema.Integer, schema.Reference:
		return number
	case schema.Float:
		return number || t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64
	case schema.Boolean:
		return t.Kind() == reflect.Bool
	case schema.Decimal, schema.Timestamp:
		return t == reflect.TypeFor[string]()
	}
	return t.Kind() == reflect.String
}

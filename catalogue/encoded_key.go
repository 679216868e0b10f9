package catalogue

import (
	"reflect"
	"slices"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// textKey returns the function for the keys of values that are text in JSON, or nil if
// they compare as text.
func textKey(kind schema.Kind) func(string) ordering.Key {
	switch kind {
	case schema.Decimal:
		return ordering.Decimal
	case schema.Timestamp:
		return instantKey
	}
	return nil
}

// instantKey returns the key of a date-time. Other text remains text.
func instantKey(text string) ordering.Key {
	d, err := schema.ParseDateTime(text)
	if err != nil {
		return ordering.Text(text)
	}
	return ordering.Time(d.Time)
}

// testKey returns the key of a value of a [schema.Test].
func testKey(kind schema.Kind, value string) ordering.Key {
	switch kind {
	case schema.Integer, schema.Float, schema.Decimal, schema.Reference, schema.References:
		return ordering.Decimal(value)
	case schema.Boolean:
		return ordering.Bool(value == "true")
	case schema.Timestamp:
		return instantKey(value)
	}
	return ordering.Text(value)
}

// timeKey returns the key of a date-time for a field of a struct, whose type decides how
// date-times compare.
func timeKey[T any](f ordering.Field[T], value string) ordering.Key {
	if d, err := schema.ParseDateTime(value); err == nil && f.KeyOf != nil {
		if k, err := f.KeyOf(d.Time); err == nil {
			return k
		}
	}
	return instantKey(value)
}

// valueKeys returns the key functions of the fields that are text in JSON but compare by
// another value.
func valueKeys[T any](fields []schema.Field) (keys []ordering.KeyFunc) {
	members, _ := jsonmember.Of(reflect.TypeFor[T]()) // newRecordType reports conflicts
	for _, f := range fields {
		key := textKey(f.Kind)
		i := slices.IndexFunc(members, func(m jsonmember.Member) bool { return m.Name == f.Name })
		if key == nil || i < 0 && !isOpen[T]() {
			continue
		}
		if isOpen[T]() || isString(members[i].Field.Type) {
			keys = append(keys, ordering.FieldKey(ordering.Snake(f.Name), key))
		}
	}
	return keys
}

func isString(t reflect.Type) bool {
	return t == reflect.TypeFor[string]() || t == reflect.TypeFor[*string]()
}

// allKeys returns the key functions of a collection: those for its fields, and those of
// Options.Keys, which take precedence.
func allKeys[T any](fields []schema.Field, own []ordering.KeyFunc) []ordering.KeyFunc {
	for _, k := range own {
		if name, text, _ := k.ForText(); name == "" && text != nil { // of all strings
			return own
		}
	}
	return slices.Concat(valueKeys[T](fields), own)
}

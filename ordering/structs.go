package ordering

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// FieldsOf returns the fields of a struct type, derived from its json tags. Each member
// of the JSON of T is a field, named by the snake_case form of the member's name.
// Embedded structs are flattened as in encoding/json.
//
// Records compare by a field according to its type:
//
//   - A type with a method OrderingKey() int64 or OrderingKey() Key compares by the
//     result of the method, which must be the same for equal values. An int64 is the
//     cheapest key to index.
//   - [time.Time] and structs that embed it compare by instant.
//   - Numbers, strings and booleans compare by value, slices and arrays element by
//     element. The value of a float is the number in its JSON, such as 0.1 for
//     float32(0.1). A nil slice is null, as in encoding/json.
//   - Pointers compare as the values they point to. A nil pointer is null.
//   - All other types compare by their JSON. Among them are maps, structs, types with a
//     method MarshalJSON, and []byte, whose JSON is text in base64. A value that
//     cannot be marshalled is null.
//
// The given functions replace these keys: a [FieldKey] that of one field, a [TypeKey]
// that of all fields of a type. A FieldKey takes precedence over a TypeKey, and a later
// function over an earlier one for the same field or type.
//
// FieldsOf returns an error wrapping [ErrInvalidFields] if T is not a struct, if two
// fields have the same name in snake_case, if that name is empty, or if a function is
// nil or takes another type than its field has. The error wraps [ErrUnknownField] if a
// function is for a field that T does not have. FieldsOf inspects the type once; the
// fields do not repeat that work for each record.
func FieldsOf[T any](keys ...KeyFunc) (*Fields[T], error) {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%w: %v is not a struct", ErrInvalidFields, t)
	}
	types, special, err := split(keys)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", t, err)
	}
	var fields []Field[T]
	members, _ := jsonmember.Of(t)
	for _, m := range members {
		name := Snake(m.Name)
		f := types.field(m)
		if k, ok := special[name]; ok {
			if f.key, err = k.of(m.Field.Type); err != nil {
				return nil, fmt.Errorf("%v: %w", t, err)
			}
			f.kind, f.own = AnyKey, true
		}
		fields = append(fields, Field[T]{name, keyAt[T](m.Field, f.key), f.kind, valueKey(m.Field.Type, f.key, f.own)})
	}
	fs, err := NewFields(fields...)
	for name := range special {
		if err == nil && !fs.Has(name) {
			err = fs.unknown(name)
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%v: %w", t, err)
	}
	return fs, nil
}

// A memberKey is the key of a member of a struct.
type memberKey struct {
	key  func(reflect.Value) Key
	kind Kind
	own  bool // the type decides how its values compare
}

// field returns the key of a member.
func (k keyer) field(m jsonmember.Member) memberKey {
	t := m.Field.Type
	base := t
	if base.Kind() == reflect.Pointer {
		base = base.Elem()
	}
	own := k.ownKey(base) != nil || k[t] != nil || t.Implements(reflect.TypeFor[json.Marshaler]()) ||
		t == reflect.TypeFor[json.Number]()
	f := memberKey{k.keyOf(t), AnyKey, own}
	switch {
	case m.Indirect, t.Kind() == reflect.Pointer, k[t] != nil: // the key can be null, or of any kind
	case hasMethod[integerKeyed](t):
		f.kind = IntegerKey
	case !own:
		f.kind = basicKind(t)
	}
	return f
}

// basicKind returns the kind of the keys of basicKey.
func basicKind(t reflect.Type) Kind {
	switch t.Kind() {
	case reflect.Bool:
		return BoolKey
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return IntegerKey
	case reflect.String:
		return TextKey
	}
	return AnyKey
}

// keyAt returns a function that returns the key of a field. The key is null if an
// embedded pointer on the way is nil.
func keyAt[T any](f reflect.StructField, key func(reflect.Value) Key) func(*T) Key {
	if !f.IsExported() {
		key = readable(key)
	}
	if len(f.Index) == 1 {
		i := f.Index[0]
		return func(record *T) Key { return key(reflect.ValueOf(record).Elem().Field(i)) }
	}
	return func(record *T) Key {
		v, err := reflect.ValueOf(record).Elem().FieldByIndexErr(f.Index)
		if err != nil {
			return Null()
		}
		return key(v)
	}
}

// readable adapts key to an unexported field, whose value can be read only through its
// address. Such a field is a member if it is an embedded struct with a name in its tag.
func readable(key func(reflect.Value) Key) func(reflect.Value) Key {
	return func(v reflect.Value) Key {
		return key(reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem())
	}
}

package ordering

import (
	"fmt"
	"reflect"
)

// FieldsOf returns the fields of a struct type, derived from its json tags. Each member
// of the JSON of T is a field, named by the snake_case form of the member's name.
// Embedded structs are flattened as in encoding/json.
//
// Records compare by a field according to its type:
//
//   - A type with a method OrderingKey() int64 compares by the result of the method,
//     which must be the same for equal values. This is the cheapest key to index.
//   - [time.Time] and structs that embed it compare by instant.
//   - Numbers, strings and booleans compare by value, slices and arrays element by
//     element. A nil slice is null, as in encoding/json.
//   - Pointers compare as the values they point to. A nil pointer is null.
//   - All other types compare by their JSON. Among them are maps, structs, types with a
//     method MarshalJSON, and []byte, whose JSON is text in base64. A value that
//     cannot be marshalled is null.
//
// FieldsOf returns an error wrapping [ErrInvalidFields] if T is not a struct, if two
// fields have the same name in snake_case, or if that name is empty. It inspects the
// type once; the fields do not repeat that work for each record.
func FieldsOf[T any]() (*Fields[T], error) {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%w: %v is not a struct", ErrInvalidFields, t)
	}
	var fields []Field[T]
	for _, m := range membersOf(t) {
		fields = append(fields, Field[T]{Snake(m.name), keyAt[T](m.index, keyOf(m.typ))})
	}
	fs, err := NewFields(fields...)
	if err != nil {
		return nil, fmt.Errorf("%v: %w", t, err)
	}
	return fs, nil
}

// keyAt returns a function that returns the key of the field at index. The key is null
// if an embedded pointer on the way is nil.
func keyAt[T any](index []int, key func(reflect.Value) Key) func(*T) Key {
	if !reflect.TypeFor[T]().FieldByIndex(index).IsExported() {
		key = readable(key)
	}
	if len(index) == 1 {
		i := index[0]
		return func(record *T) Key { return key(reflect.ValueOf(record).Elem().Field(i)) }
	}
	return func(record *T) Key {
		v, err := reflect.ValueOf(record).Elem().FieldByIndexErr(index)
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

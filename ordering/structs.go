package ordering

import (
	"fmt"
	"reflect"
)

// FieldsOf derives the fields of a struct from its json tags. Each member of its
// JSON is a field, named by the snake_case form of the member's name; embedded
// structs are flattened as encoding/json flattens them.
//
// The type of a field decides how records compare by it:
//
//   - A type with a method OrderingKey() int64 compares by what the method
//     returns, which is the cheapest key to index. The method must return the same
//     number for the same value.
//   - [time.Time], and a struct that embeds it, compare by instant.
//   - Numbers, strings and booleans compare by value, lists and arrays element by
//     element. A nil list is null, as encoding/json writes it.
//   - Pointers compare as what they point to. A nil pointer is null.
//   - All else compares as the JSON that it marshals to, in particular maps,
//     structs, types with a method MarshalJSON, and []byte, which is text in
//     base64. A value that cannot be marshalled is null.
//
// The error matches [ErrFields] if T is not a struct, or if the names of two
// fields are the same in snake_case. Reflection over the type happens here, once.
func FieldsOf[T any]() (*Fields[T], error) {
	t := reflect.TypeFor[T]()
	if t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%w: %v is not a struct", ErrFields, t)
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

// keyAt returns a function that returns the key of the field at index, null
// behind a nil embedded pointer.
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

// readable makes key take the value of a field that is not exported. Such a field
// is a member if it is an embedded struct with a name in its tag. Its value can
// only be read by way of its address.
func readable(key func(reflect.Value) Key) func(reflect.Value) Key {
	return func(v reflect.Value) Key {
		return key(reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem())
	}
}

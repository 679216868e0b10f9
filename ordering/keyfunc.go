package ordering

import (
	"fmt"
	"reflect"
)

// A KeyFunc supplies the sort key of a field, or of all fields of a type, in place of the
// one that [FieldsOf] derives. [FieldKey] and [TypeKey] return one.
type KeyFunc struct {
	field  string // if single is set
	single bool   // of one field, not of all fields of the type
	typ    reflect.Type
	key    func(reflect.Value) Key // of an addressable value of typ
	text   func(string) Key        // if typ is string
}

// FieldKey returns the KeyFunc of the field with the given name in snake_case. The field
// must have type V or *V. A nil pointer is null; key is not called for it. Records compare
// by the key, so it can fold case, apply a collation or read a number from text:
//
//	ordering.FieldKey("name", func(s string) ordering.Key { return ordering.Text(strings.ToLower(s)) })
//	ordering.FieldKey("price", ordering.Decimal)
//
// The values of conditions on the field are of type V, and are compared by their keys
// too. key must be safe for concurrent use and must not modify its argument. [FieldsOf]
// reports a nil key.
func FieldKey[V any](field string, key func(V) Key) KeyFunc {
	k := TypeKey(key)
	k.field, k.single = field, true
	return k
}

// TypeKey returns the KeyFunc of all fields of type V, *V, or a slice or array of these.
// It is for types of other packages, such as [net/netip.Addr]. A type of the program can
// have a method OrderingKey instead. Null, conditions and the requirements for key are
// those of [FieldKey]. The KeyFunc has no effect if there is no such field, and none on
// values inside maps and structs, which compare by their JSON.
func TypeKey[V any](key func(V) Key) KeyFunc {
	text, _ := any(key).(func(string) Key)
	k := KeyFunc{typ: reflect.TypeFor[V](), text: text}
	if key != nil {
		pointer := k.typ.Kind() == reflect.Pointer
		k.key = func(v reflect.Value) Key {
			if pointer && v.IsNil() {
				return Null()
			}
			return key(*v.Addr().Interface().(*V))
		}
	}
	return k
}

// ForText returns the key function of a field of text, such as a member of a JSON object,
// and the name of the field. ok is false if the KeyFunc is not of one field, or its
// function does not take a string.
func (k KeyFunc) ForText() (field string, key func(string) Key, ok bool) {
	return k.field, k.text, k.field != "" && k.text != nil
}

// A keyer derives keys from types. Its functions replace those of their types.
type keyer map[reflect.Type]func(reflect.Value) Key

// split returns the keyer of the functions for types, and the functions for fields.
func split(funcs []KeyFunc) (keyer, map[string]KeyFunc, error) {
	types, fields := keyer{}, map[string]KeyFunc{}
	for i, k := range funcs {
		if k.key == nil {
			return nil, nil, fmt.Errorf("%w: key function %d is nil", ErrInvalidFields, i)
		}
		if k.single {
			fields[k.field] = k
		} else {
			types[k.typ] = k.key
		}
	}
	return types, fields, nil
}

// of returns the key of a field of type t.
func (k KeyFunc) of(t reflect.Type) (func(reflect.Value) Key, error) {
	switch {
	case t == k.typ:
		return k.key, nil
	case t.Kind() == reflect.Pointer && t.Elem() == k.typ:
		return pointerKey(k.key), nil
	}
	return nil, fmt.Errorf("%w: %s: its key function takes %v, the field is %v", ErrInvalidFields, k.field, k.typ, t)
}

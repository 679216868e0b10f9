package ordering

import (
	"bytes"
	"encoding/json"
	"reflect"
)

// keyOf gives the function that reads the key of a value of type t, and what is
// promised of its keys. It is asked once a type.
func keyOf(t reflect.Type) (func(reflect.Value) Key, Kind) {
	switch {
	case t.Kind() == reflect.Pointer && t.Elem().Implements(reflect.TypeFor[instant]()):
		return pointerKey(t), Mixed // before Marshaler, which it is too
	case t.Implements(reflect.TypeFor[instant]()) && t.Kind() != reflect.Pointer:
		return func(v reflect.Value) Key {
			if v.CanAddr() { // an interface of the value itself would be a copy on the heap
				v = v.Addr()
			}
			return Int(v.Interface().(instant).UnixMicro())
		}, Integer
	case t.Implements(reflect.TypeFor[json.Marshaler]()), t == reflect.TypeFor[json.Number](), endless(t):
		return jsonKey, Mixed
	case t.Kind() == reflect.Pointer:
		return pointerKey(t), Mixed
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8, t.Kind() == reflect.Array:
		return listKey(t), Mixed
	}
	return basicKey(t)
}

// endless says that a type is a list of itself, or a pointer to itself.
func endless(t reflect.Type) bool {
	for outer := map[reflect.Type]bool{}; !outer[t]; t = t.Elem() {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			outer[t] = true
		default:
			return false
		}
	}
	return true
}

// instant is time.Time, and every type that embeds it.
type instant interface{ UnixMicro() int64 }

func basicKey(t reflect.Type) (func(reflect.Value) Key, Kind) {
	switch t.Kind() {
	case reflect.Bool:
		return func(v reflect.Value) Key { return Bool(v.Bool()) }, Integer
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(v reflect.Value) Key { return Int(v.Int()) }, Integer
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return func(v reflect.Value) Key { return Uint(v.Uint()) }, Integer
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return func(v reflect.Value) Key { return Uint(v.Uint()) }, Mixed
	case reflect.Float32, reflect.Float64:
		return func(v reflect.Value) Key { return Float(v.Float()) }, Mixed
	case reflect.String:
		return func(v reflect.Value) Key { return Text(v.String()) }, Textual
	}
	return jsonKey, Mixed
}

func pointerKey(t reflect.Type) func(reflect.Value) Key {
	key, _ := keyOf(t.Elem())
	return func(v reflect.Value) Key {
		if v.IsNil() {
			return Null()
		}
		return key(v.Elem())
	}
}

func listKey(t reflect.Type) func(reflect.Value) Key {
	key, _ := keyOf(t.Elem())
	return func(v reflect.Value) Key {
		if v.Kind() == reflect.Slice && v.IsNil() {
			return Null()
		}
		var b []byte
		for i := range v.Len() {
			b = key(v.Index(i)).Append(b)
		}
		return Key{kind: list, text: string(b)}
	}
}

// jsonKey takes the key from the JSON of a value; what cannot be marshalled is
// null.
func jsonKey(v reflect.Value) Key {
	if v.CanAddr() {
		v = v.Addr()
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v.Interface()) != nil {
		return Null()
	}
	return JSON(string(bytes.TrimSpace(b.Bytes())))
}

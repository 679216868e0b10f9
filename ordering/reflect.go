package ordering

import (
	"bytes"
	"encoding/json"
	"reflect"
	"time"
)

// Types can implement one of these interfaces to supply their own keys.
type (
	integerKeyed interface{ OrderingKey() int64 }
	keyed        interface{ OrderingKey() Key }
)

// hasMethod reports whether a pointer to a type has the methods of I.
func hasMethod[I any](t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[I]())
}

// keyOf returns a function that returns the key of an addressable value of type t.
func (k keyer) keyOf(t reflect.Type) func(reflect.Value) Key {
	if key := k[t]; key != nil { // before the key of the type that t points to
		return key
	}
	if t.Kind() == reflect.Pointer { // before Marshaler, which t implements too
		if key := k.ownKey(t.Elem()); key != nil {
			return pointerKey(key)
		}
	}
	if key := k.ownKey(t); key != nil {
		return key
	}
	switch {
	case t.Implements(reflect.TypeFor[json.Marshaler]()), t == reflect.TypeFor[json.Number](), recursive(t):
		return jsonKey
	case t.Kind() == reflect.Pointer:
		key := k.keyOf(t.Elem())
		return pointerKey(key)
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8, t.Kind() == reflect.Array:
		return k.listKey(t)
	}
	return basicKey(t)
}

// ownKey is like keyOf for times, for types with a method OrderingKey and for those of
// the keyer. It returns nil for all other types.
func (k keyer) ownKey(t reflect.Type) func(reflect.Value) Key {
	if key := k[t]; key != nil {
		return key
	}
	// Addr avoids a copy of the value on the heap.
	switch {
	case hasMethod[integerKeyed](t):
		return func(v reflect.Value) Key { return Int(v.Addr().Interface().(integerKeyed).OrderingKey()) }
	case hasMethod[keyed](t):
		return func(v reflect.Value) Key { return v.Addr().Interface().(keyed).OrderingKey() }
	}
	if t == reflect.TypeFor[time.Time]() {
		return func(v reflect.Value) Key { return Time(*v.Addr().Interface().(*time.Time)) }
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	f, found := t.FieldByName("Time")
	if !found || !f.Anonymous || f.Type != reflect.TypeFor[time.Time]() && f.Type != reflect.TypeFor[*time.Time]() {
		return nil
	}
	key := k.keyOf(f.Type)
	return func(v reflect.Value) Key {
		v, err := v.FieldByIndexErr(f.Index)
		if err != nil {
			return Null()
		}
		return key(v)
	}
}

// recursive reports whether a type is a list of itself or a pointer to itself.
func recursive(t reflect.Type) bool {
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

func basicKey(t reflect.Type) func(reflect.Value) Key {
	switch t.Kind() {
	case reflect.Bool:
		return func(v reflect.Value) Key { return Bool(v.Bool()) }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(v reflect.Value) Key { return Int(v.Int()) }
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return func(v reflect.Value) Key { return Uint(v.Uint()) }
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return func(v reflect.Value) Key { return Uint(v.Uint()) }
	case reflect.Float32, reflect.Float64:
		bits := t.Bits()
		return func(v reflect.Value) Key { return floatKey(v.Float(), bits) }
	case reflect.String:
		return func(v reflect.Value) Key { return Text(v.String()) }
	}
	return jsonKey
}

func pointerKey(key func(reflect.Value) Key) func(reflect.Value) Key {
	return func(v reflect.Value) Key {
		if v.IsNil() {
			return Null()
		}
		return key(v.Elem())
	}
}

func (k keyer) listKey(t reflect.Type) func(reflect.Value) Key {
	key := k.keyOf(t.Elem())
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

// jsonKey returns the key of the JSON of a value, or null if it cannot be marshalled.
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

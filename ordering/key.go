package ordering

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"

	"github.com/gobacklist/backlist/ordering/sortkey"
)

// KeyOf returns the key of a Go value, which compares as [FieldsOf] specifies for the fields of its
// type: a boolean, a number, a string, a [time.Time], a value with a method OrderingKey, a slice,
// or any other value by its JSON. Nil is null. KeyOf returns an error for a value that cannot be
// marshaled. O(length of the JSON), or O(1) for booleans, integers and strings.
func KeyOf(value any) (sortkey.Key, error) {
	switch v := value.(type) {
	case nil:
		return sortkey.Null(), nil
	case string:
		return sortkey.Text(v), nil
	case int:
		return sortkey.Int(int64(v)), nil
	case bool:
		return sortkey.Bool(v), nil
	case time.Time:
		return sortkey.Time(v), nil
	case json.Number:
		return sortkey.JSON(v.String()), nil
	}
	t := reflect.TypeOf(value)
	k := keyOf(t).of(addressable(reflect.ValueOf(value), t))
	if k.Compare(sortkey.List()) >= 0 { // null, or a list with an element, may be a value without JSON
		if _, err := json.Marshal(value); err != nil {
			return sortkey.Key{}, err
		}
	}
	return k, nil
}

// A typeKey is the key of the values of a type.
type typeKey struct {
	of   func(reflect.Value) sortkey.Key // of an addressable value
	kind reflect.Kind                    // see [ValueField]
}

// readable adapts key to an unexported field, whose value can be read only through its
// address. Such a field is a member if it is an embedded struct with a name in its tag.
func readable(key func(reflect.Value) sortkey.Key) func(reflect.Value) sortkey.Key {
	return func(v reflect.Value) sortkey.Key {
		return key(reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem())
	}
}

// Types can implement one of these interfaces to supply their own keys.
type (
	integerKeyed interface{ OrderingKey() int64 }
	keyed        interface{ OrderingKey() sortkey.Key }
)

// hasMethod reports whether a pointer to a type has the methods of I.
func hasMethod[I any](t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[I]())
}

// hasOrder reports whether a type has a method OrderingKey.
func hasOrder(t reflect.Type) bool { return hasMethod[integerKeyed](t) || hasMethod[keyed](t) }

// marshals reports whether values of a type, which are addressable, have a method MarshalJSON.
func marshals(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[json.Marshaler]()) || hasMethod[json.Marshaler](t)
}

// keyOf returns the key of type t.
func keyOf(t reflect.Type) typeKey {
	if t.Kind() == reflect.Pointer { // before Marshaler, which t implements too
		if key, own := ownKey(t.Elem()); own {
			return pointerKey(key)
		}
	}
	if key, own := ownKey(t); own {
		return key
	}
	switch {
	case marshals(t), t == reflect.TypeFor[json.Number](), recursive(t):
		return typeKey{of: jsonKey}
	case t.Kind() == reflect.Pointer:
		return pointerKey(keyOf(t.Elem()))
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8, t.Kind() == reflect.Array:
		return listKey(t)
	}
	return basicKey(t)
}

// ownKey returns the key of a time or of a type with a method OrderingKey, and reports whether t is one.
func ownKey(t reflect.Type) (key typeKey, own bool) {
	// Addr avoids a copy of the value on the heap.
	switch {
	case hasMethod[integerKeyed](t):
		return typeKey{func(v reflect.Value) sortkey.Key {
			return sortkey.Int(v.Addr().Interface().(integerKeyed).OrderingKey())
		}, reflect.Int}, true
	case hasMethod[keyed](t):
		return typeKey{of: func(v reflect.Value) sortkey.Key { return v.Addr().Interface().(keyed).OrderingKey() }}, true
	}
	if t == reflect.TypeFor[time.Time]() {
		return typeKey{func(v reflect.Value) sortkey.Key { return sortkey.Time(*v.Addr().Interface().(*time.Time)) }, reflect.Struct}, true
	}
	if t.Kind() != reflect.Struct {
		return key, false
	}
	f, found := t.FieldByName("Time")
	if !found || !f.Anonymous || f.Type != reflect.TypeFor[time.Time]() && f.Type != reflect.TypeFor[*time.Time]() {
		return key, false
	}
	inner := keyOf(f.Type)
	if len(f.Index) > 1 { // a pointer on the way may be nil
		inner.kind = reflect.Invalid
	}
	return typeKey{func(v reflect.Value) sortkey.Key {
		v, err := v.FieldByIndexErr(f.Index)
		if err != nil {
			return sortkey.Null()
		}
		return inner.of(v)
	}, inner.kind}, true
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

func basicKey(t reflect.Type) typeKey {
	switch t.Kind() {
	case reflect.Bool:
		return typeKey{func(v reflect.Value) sortkey.Key { return sortkey.Bool(v.Bool()) }, reflect.Bool}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return typeKey{func(v reflect.Value) sortkey.Key { return sortkey.Int(v.Int()) }, reflect.Int}
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return typeKey{func(v reflect.Value) sortkey.Key { return sortkey.Int(int64(v.Uint())) }, reflect.Int}
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		return typeKey{of: func(v reflect.Value) sortkey.Key { return unsignedKey(v.Uint()) }}
	case reflect.Float32, reflect.Float64:
		bits := t.Bits()
		return typeKey{of: func(v reflect.Value) sortkey.Key { return floatKey(v.Float(), bits) }}
	case reflect.String:
		return typeKey{func(v reflect.Value) sortkey.Key { return sortkey.Text(v.String()) }, reflect.String}
	}
	return typeKey{of: jsonKey}
}

// floatKey returns the key of the shortest decimal that identifies f among the floats with
// the given number of bits. It is 0.1 for float32(0.1), whose value as a float64 is
// 0.10000000149011612.
func floatKey(f float64, bits int) sortkey.Key {
	if bits == 64 || f-f != 0 { // infinite or NaN
		return sortkey.Float(f)
	}
	return sortkey.Decimal(strconv.FormatFloat(f, 'e', -1, bits))
}

func pointerKey(to typeKey) typeKey {
	return typeKey{of: func(v reflect.Value) sortkey.Key {
		if v.IsNil() {
			return sortkey.Null()
		}
		return to.of(v.Elem())
	}}
}

func listKey(t reflect.Type) typeKey {
	key := keyOf(t.Elem())
	return typeKey{of: func(v reflect.Value) sortkey.Key {
		if v.Kind() == reflect.Slice && v.IsNil() {
			return sortkey.Null()
		}
		var room [8]sortkey.Key
		elements := room[:0]
		for i := range v.Len() {
			elements = append(elements, key.of(v.Index(i)))
		}
		return sortkey.List(elements...)
	}}
}

// jsonKey returns the key of the JSON of a value, or null if it cannot be marshalled.
func jsonKey(v reflect.Value) sortkey.Key {
	if v.CanAddr() {
		v = v.Addr()
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v.Interface()) != nil {
		return sortkey.Null()
	}
	return sortkey.JSON(string(bytes.TrimSpace(b.Bytes())))
}

func unsignedKey(u uint64) sortkey.Key {
	if u <= math.MaxInt64 {
		return sortkey.Int(int64(u))
	}
	return sortkey.Decimal(strconv.FormatUint(u, 10))
}

// valueKey returns the function that computes the key of a condition's value for a field of
// type t, whose key is that of its addressable values.
func valueKey(t reflect.Type, key func(reflect.Value) sortkey.Key) func(any) (sortkey.Key, error) {
	base := t
	if t.Kind() == reflect.Pointer {
		base = t.Elem()
	}
	_, own := ownKey(base) // no other type can stand for one that decides how its values compare
	own = own || marshals(t) || t == reflect.TypeFor[json.Number]()
	return func(value any) (sortkey.Key, error) {
		switch x := value.(type) { // without reflection
		case string:
			if !own && base.Kind() == reflect.String {
				return sortkey.Text(x), nil
			}
		case int:
			if !own && isInteger(base) {
				return sortkey.Int(int64(x)), nil
			}
		}
		v := reflect.ValueOf(value)
		switch {
		case value == nil:
			return sortkey.Null(), nil
		case v.Type() == t, t.Kind() == reflect.Interface && v.Type().Implements(t):
			return key(addressable(v, t)), nil
		case v.Kind() == reflect.Pointer && v.IsNil():
			return sortkey.Null(), nil
		case v.Kind() == reflect.Pointer && v.Type() != base:
			v = v.Elem()
		}
		if !own && isAlike(v.Type(), base) {
			return basicKey(v.Type()).of(v), nil
		}
		if w, ok := as(v, base); ok && base != t {
			p := reflect.New(base)
			p.Elem().Set(w)
			return key(addressable(p, t)), nil
		} else if ok {
			return key(addressable(w, t)), nil
		}
		return sortkey.Key{}, fmt.Errorf("want %v, not %T", base, value)
	}
}

// isAlike reports whether a value of a type can stand for one of type t, which does not decide how its
// values compare.
func isAlike(v, t reflect.Type) bool {
	switch {
	case isInteger(v):
		return isInteger(t) || isFloat(t)
	case isFloat(v):
		return isFloat(t)
	}
	return v.Kind() == t.Kind() && (t.Kind() == reflect.String || t.Kind() == reflect.Bool)
}

// as returns a value as one of type t and reports whether it can stand for one.
func as(v reflect.Value, t reflect.Type) (reflect.Value, bool) {
	switch {
	case v.Type() == t, t.Kind() == reflect.Interface && v.Type().Implements(t):
		return v, true
	case v.Kind() == reflect.String && t.Kind() == reflect.String && hasOrder(t) && !marshals(t):
		return v.Convert(t), true
	case t.Kind() == reflect.Struct && v.Type() == reflect.TypeFor[time.Time]():
		if f, ok := t.FieldByName("Time"); ok && f.Anonymous && f.Type == v.Type() && len(f.Index) == 1 {
			box := reflect.New(t).Elem()
			box.FieldByIndex(f.Index).Set(v)
			return box, true
		}
	}
	return reflect.Value{}, false
}

func isInteger(t reflect.Type) bool { return reflect.Int <= t.Kind() && t.Kind() <= reflect.Uintptr }

func isFloat(t reflect.Type) bool {
	return t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64
}

// addressable returns an addressable copy of a value of type t.
func addressable(v reflect.Value, t reflect.Type) reflect.Value {
	box := reflect.New(t).Elem()
	box.Set(v)
	return box
}

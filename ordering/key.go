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

// KeyOf returns the key of a Go value, which compares as [FieldsOf] specifies for the fields
// of its type: a boolean, a number, a string, a [time.Time], a value with a method
// OrderingKey, a slice, or any other value by its JSON. Nil is null. KeyOf returns an error
// for a value that cannot be marshaled. It is for collections. O(length of the JSON), or O(1) for booleans, integers
// and strings.
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
	key, t := keyOf(reflect.TypeOf(value)), reflect.TypeOf(value)
	k := key(addressable(reflect.ValueOf(value), t))
	if k.Compare(sortkey.List()) >= 0 { // null, or a list with an element, may be a value without JSON
		if _, err := json.Marshal(value); err != nil {
			return sortkey.Key{}, err
		}
	}
	return k, nil
}

// A memberKey is the key of a member of a struct.
type memberKey struct {
	key     func(reflect.Value) sortkey.Key
	kind    reflect.Kind // see [ValueField]
	ordered bool         // the type has a method OrderingKey
	own     bool         // the type decides how its values compare
}

// fieldKey returns the key of a member of type t.
func fieldKey(t reflect.Type) memberKey {
	base := t
	if base.Kind() == reflect.Pointer {
		base = base.Elem()
	}
	ordered := hasOrder(base)
	own := ownKey(base) != nil || marshals(t) || t == reflect.TypeFor[json.Number]()
	f := memberKey{keyOf(t), reflect.Invalid, ordered, own}
	switch {
	case t.Kind() == reflect.Pointer: // the key can be null
	case hasMethod[integerKeyed](t):
		f.kind = reflect.Int
	case isTime(t):
		f.kind = reflect.Struct
	case !own:
		f.kind = basicKind(t)
	}
	return f
}

// isTime reports whether the keys of all values of a type are those of times.
func isTime(t reflect.Type) bool {
	of := reflect.TypeFor[time.Time]()
	if t.Kind() == reflect.Struct && t != of && !hasMethod[keyed](t) {
		if f, ok := t.FieldByName("Time"); ok && f.Anonymous && len(f.Index) == 1 {
			t = f.Type
		}
	}
	return t == of
}

// basicKind returns the kind of the keys of basicKey.
func basicKind(t reflect.Type) reflect.Kind {
	switch t.Kind() {
	case reflect.Bool:
		return reflect.Bool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return reflect.Int
	case reflect.String:
		return reflect.String
	}
	return reflect.Invalid
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

// keyOf returns the function that computes the key of an addressable value of type t.
func keyOf(t reflect.Type) func(reflect.Value) sortkey.Key {
	if t.Kind() == reflect.Pointer { // before Marshaler, which t implements too
		if key := ownKey(t.Elem()); key != nil {
			return pointerKey(key)
		}
	}
	if key := ownKey(t); key != nil {
		return key
	}
	switch {
	case marshals(t), t == reflect.TypeFor[json.Number](), recursive(t):
		return jsonKey
	case t.Kind() == reflect.Pointer:
		return pointerKey(keyOf(t.Elem()))
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8, t.Kind() == reflect.Array:
		return listKey(t)
	}
	return basicKey(t)
}

// ownKey returns the key function of a time or of a type with a method OrderingKey. It returns
// nil for all other types.
func ownKey(t reflect.Type) func(reflect.Value) sortkey.Key {
	// Addr avoids a copy of the value on the heap.
	switch {
	case hasMethod[integerKeyed](t):
		return func(v reflect.Value) sortkey.Key {
			return sortkey.Int(v.Addr().Interface().(integerKeyed).OrderingKey())
		}
	case hasMethod[keyed](t):
		return func(v reflect.Value) sortkey.Key { return v.Addr().Interface().(keyed).OrderingKey() }
	}
	if t == reflect.TypeFor[time.Time]() {
		return func(v reflect.Value) sortkey.Key { return sortkey.Time(*v.Addr().Interface().(*time.Time)) }
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	f, found := t.FieldByName("Time")
	if !found || !f.Anonymous || f.Type != reflect.TypeFor[time.Time]() && f.Type != reflect.TypeFor[*time.Time]() {
		return nil
	}
	key := keyOf(f.Type)
	return func(v reflect.Value) sortkey.Key {
		v, err := v.FieldByIndexErr(f.Index)
		if err != nil {
			return sortkey.Null()
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

func basicKey(t reflect.Type) func(reflect.Value) sortkey.Key {
	switch t.Kind() {
	case reflect.Bool:
		return func(v reflect.Value) sortkey.Key { return sortkey.Bool(v.Bool()) }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(v reflect.Value) sortkey.Key { return sortkey.Int(v.Int()) }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return func(v reflect.Value) sortkey.Key { return unsignedKey(v.Uint()) }
	case reflect.Float32, reflect.Float64:
		bits := t.Bits()
		return func(v reflect.Value) sortkey.Key { return floatKey(v.Float(), bits) }
	case reflect.String:
		return func(v reflect.Value) sortkey.Key { return sortkey.Text(v.String()) }
	}
	return jsonKey
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

func pointerKey(key func(reflect.Value) sortkey.Key) func(reflect.Value) sortkey.Key {
	return func(v reflect.Value) sortkey.Key {
		if v.IsNil() {
			return sortkey.Null()
		}
		return key(v.Elem())
	}
}

func listKey(t reflect.Type) func(reflect.Value) sortkey.Key {
	key := keyOf(t.Elem())
	return func(v reflect.Value) sortkey.Key {
		if v.Kind() == reflect.Slice && v.IsNil() {
			return sortkey.Null()
		}
		var room [8]sortkey.Key
		elements := room[:0]
		for i := range v.Len() {
			elements = append(elements, key(v.Index(i)))
		}
		return sortkey.List(elements...)
	}
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
// type t. key returns the key of an addressable value of that type. If own is true, the
// type decides how its values compare, so no other type can stand for it.
func valueKey(t reflect.Type, key func(reflect.Value) sortkey.Key, own bool) func(any) (sortkey.Key, error) {
	base := t
	if t.Kind() == reflect.Pointer {
		base = t.Elem()
	}
	plain := !own && base.Kind() != reflect.Struct
	return func(value any) (sortkey.Key, error) {
		switch x := value.(type) { // without reflection
		case string:
			if plain && base.Kind() == reflect.String {
				return sortkey.Text(x), nil
			}
		case int:
			if plain && isInteger(base) {
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
		if w, ok := as(v, base, own); ok && base != t {
			p := reflect.New(base)
			p.Elem().Set(w)
			return key(addressable(p, t)), nil
		} else if ok {
			return key(addressable(w, t)), nil
		}
		if k, ok := integerKey(v, base, own); ok {
			return k, nil
		}
		return sortkey.Key{}, fmt.Errorf("want %v, not %T", base, value)
	}
}

// as returns a value as one of type t and reports whether it can stand for one.
func as(v reflect.Value, t reflect.Type, own bool) (reflect.Value, bool) {
	if v.Type() == t {
		return v, true
	}
	if t.Kind() == reflect.Struct && v.Type() == reflect.TypeFor[time.Time]() {
		if f, ok := t.FieldByName("Time"); ok && f.Anonymous && f.Type == v.Type() && len(f.Index) == 1 {
			box := reflect.New(t).Elem()
			box.FieldByIndex(f.Index).Set(v)
			return box, true
		}
	}
	if t.Kind() == reflect.Interface && v.Type().Implements(t) {
		return v, true
	}
	if v.Kind() != t.Kind() || own && (t.Kind() != reflect.String || !hasOrder(t) || marshals(t)) {
		return reflect.Value{}, false
	}
	switch t.Kind() {
	case reflect.String, reflect.Bool:
		return v.Convert(t), true
	}
	return reflect.Value{}, false
}

// integerKey returns the key of a number for a field of numbers of another type.
func integerKey(v reflect.Value, t reflect.Type, own bool) (sortkey.Key, bool) {
	switch {
	case own || !isInteger(t) && !isFloat(t):
	case isInteger(v.Type()), isFloat(v.Type()) && isFloat(t):
		return basicKey(v.Type())(v), true
	}
	return sortkey.Key{}, false
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

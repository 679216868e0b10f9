package ordering

import (
	"encoding/json"
	"fmt"
	"reflect"
	"time"
)

// KeyOf returns the key of a Go value, which compares as [FieldsOf] specifies for the
// fields of its type: a boolean, a number, a string, a [time.Time], a value with a method
// OrderingKey, a slice, or any other value by its JSON. Nil is null. KeyOf returns an
// error for a value that cannot be marshaled. The cost is that of the JSON, or O(1) for
// booleans, integers and strings.
func KeyOf(value any) (Key, error) {
	switch v := value.(type) {
	case nil:
		return Null(), nil
	case string:
		return Text(v), nil
	case int:
		return Int(int64(v)), nil
	case bool:
		return Bool(v), nil
	case time.Time:
		return Time(v), nil
	case json.Number:
		return JSON(v.String()), nil
	}
	key, t := keyer{}.keyOf(reflect.TypeOf(value)), reflect.TypeOf(value)
	k := key(addressable(reflect.ValueOf(value), t))
	if k.kind == null || k.kind == list { // which may have elements that cannot be marshaled
		if _, err := json.Marshal(value); err != nil {
			return Key{}, err
		}
	}
	return k, nil
}

// valueKey returns a function that returns the key of a condition's value for a field of
// type t. key returns the key of an addressable value of that type. If own is true, the
// type decides how its values compare, so no other type can stand for it.
func valueKey(t reflect.Type, key func(reflect.Value) Key, own bool) func(any) (Key, error) {
	base := t
	if t.Kind() == reflect.Pointer {
		base = t.Elem()
	}
	plain := !own && base.Kind() != reflect.Struct
	return func(value any) (Key, error) {
		switch x := value.(type) { // without reflection
		case string:
			if plain && base.Kind() == reflect.String {
				return Text(x), nil
			}
		case int:
			if plain && isInteger(base) {
				return Int(int64(x)), nil
			}
		}
		v := reflect.ValueOf(value)
		switch {
		case value == nil:
			return Null(), nil
		case v.Type() == t, t.Kind() == reflect.Interface && v.Type().Implements(t):
			return key(addressable(v, t)), nil
		case v.Kind() == reflect.Pointer && v.IsNil():
			return Null(), nil
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
		return Key{}, fmt.Errorf("want %v, not %T", base, value)
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
	if own || v.Kind() != t.Kind() {
		return reflect.Value{}, false
	}
	switch t.Kind() {
	case reflect.String, reflect.Bool:
		return v.Convert(t), true
	}
	return reflect.Value{}, false
}

// integerKey returns the key of a number for a field of numbers of another type.
func integerKey(v reflect.Value, t reflect.Type, own bool) (Key, bool) {
	switch {
	case own || !isInteger(t) && !isFloat(t):
	case isInteger(v.Type()), isFloat(v.Type()) && isFloat(t):
		return basicKey(v.Type())(v), true
	}
	return Key{}, false
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

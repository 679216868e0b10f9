package jsontext

import (
	"encoding"
	"encoding/json"
	"reflect"
)

// Implements reports whether a pointer to a type has the methods of I.
func Implements[I any](t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[I]())
}

// Writes reports whether a method of a type, or of a pointer to it, writes its JSON or the text of
// its JSON.
func Writes(t reflect.Type) bool {
	return Implements[json.Marshaler](t) || Implements[encoding.TextMarshaler](t)
}

// Reads reports whether such a method reads its JSON or the text of it.
func Reads(t reflect.Type) bool {
	return Implements[json.Unmarshaler](t) || Implements[encoding.TextUnmarshaler](t)
}

// IsBytes reports whether the JSON of a type is a text in base64.
func IsBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && !Writes(t.Elem())
}

// IsIntegral reports whether the values of a type are integers.
func IsIntegral(t reflect.Type) bool { return reflect.Int <= t.Kind() && t.Kind() <= reflect.Uintptr }

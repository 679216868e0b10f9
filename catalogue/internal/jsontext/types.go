package jsontext

import (
	"cmp"
	"encoding"
	"encoding/json"
	"reflect"
	"time"
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

// Invalid is the message for a value of which nothing else is known.
const Invalid = "Enter a valid value."

// Reason returns the message for an error of a method that unmarshals a value: its text,
// unless it is an error of the standard library.
func Reason(err error) string {
	switch err.(type) {
	case *json.UnmarshalTypeError, *json.SyntaxError, *time.ParseError:
		return Invalid
	}
	return cmp.Or(err.Error(), Invalid)
}

// IsBytes reports whether the JSON of a type is a text in base64.
func IsBytes(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8 && !Writes(t.Elem())
}

// IsIntegral reports whether the values of a type are integers.
func IsIntegral(t reflect.Type) bool { return reflect.Int <= t.Kind() && t.Kind() <= reflect.Uintptr }

// Elem returns the type to which t points, or t if it is nil or not a pointer.
func Elem(t reflect.Type) reflect.Type {
	if t != nil && t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

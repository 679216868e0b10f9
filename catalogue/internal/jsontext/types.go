package jsontext

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"math"
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

// Bounds returns the least and the greatest number that a type of integers or floats can hold.
func Bounds(t reflect.Type) (least, greatest string) {
	var low, high any
	switch unused := 64 - t.Bits(); t.Kind() {
	case reflect.Float32:
		low, high = -math.MaxFloat32, math.MaxFloat32
	case reflect.Float64:
		low, high = -math.MaxFloat64, math.MaxFloat64
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		low, high = int64(math.MinInt64)>>unused, int64(math.MaxInt64)>>unused
	default:
		low, high = 0, uint64(math.MaxUint64)>>unused
	}
	return fmt.Sprint(low), fmt.Sprint(high)
}

// Elem returns the type to which t points, or t if it is nil or not a pointer.
func Elem(t reflect.Type) reflect.Type {
	if t != nil && t.Kind() == reflect.Pointer {
		return t.Elem()
	}
	return t
}

package value

import (
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// ErrNull is the error of a value that is null although its type cannot hold that.
var ErrNull = errors.New("must not be null")

// A Decoder decodes values of one type.
type Decoder struct{ arrays, interfaces bool } // what values of the type contain

// DecoderOf returns the decoder of a type.
func DecoderOf(t reflect.Type) Decoder {
	return Decoder{contains(t, reflect.Array), contains(t, reflect.Interface)}
}

// Decode decodes a value. A number in an interface becomes a [json.Number], which keeps its
// digits. Arrays are checked for their length.
func (d Decoder) Decode(v reflect.Value, text string) error {
	if text == "null" && !nullable(v.Type()) {
		return ErrNull
	}
	if err := json.Unmarshal([]byte(text), v.Addr().Interface()); err != nil {
		return errorIn(v.Type(), text, err)
	}
	if d.interfaces { // a second time: this does not refuse numbers beyond a float64
		v.SetZero()
		in := json.NewDecoder(strings.NewReader(text))
		in.UseNumber()
		if err := in.Decode(v.Addr().Interface()); err != nil {
			return err
		}
	}
	if composite := text[0] == '[' || text[0] == '{'; composite && (d.arrays || strings.Contains(text, "null")) {
		return errorIn(v.Type(), text, nil)
	}
	return nil
}

// nullable reports whether null can be decoded into a type, by its kind or by its method
// UnmarshalJSON.
func nullable(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Pointer, reflect.Interface, reflect.Slice, reflect.Map:
		return true
	}
	return t != reflect.TypeFor[time.Time]() && reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]())
}

// Settable returns the field at index. It allocates embedded structs for nil pointers.
func Settable(v reflect.Value, index []int) reflect.Value {
	for _, i := range index {
		if v.Kind() == reflect.Pointer {
			if v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v
}

// errorIn returns the error for a value that is not one of type t. err is the error of
// encoding/json, which accepts some such values: an array with more or fewer elements than t
// has, and null for an element that cannot be null. It returns err if nothing is wrong.
func errorIn(t reflect.Type, text string, err error) error {
	path, message := fault(t, []byte(text), wanted)
	switch {
	case message == "":
		return err
	case err == nil || message != err.Error(): // otherwise it is the error of a method
		err = errors.New(message)
	}
	if len(path) > 0 {
		err = fmt.Errorf("%s: %w", strings.Join(path, "."), err)
	}
	return err
}

// wanted returns what a type takes instead of a value. err is the error of encoding/json.
func wanted(t reflect.Type, text string, err error) string {
	want := "an object"
	switch kind := t.Kind(); {
	case text == "null":
		return ErrNull.Error()
	case t == reflect.TypeFor[time.Time]():
		want = `a date-time such as "2006-01-02T15:04:05Z"`
	case !PointsTo[json.Unmarshaler](t) && PointsTo[encoding.TextUnmarshaler](t) && text[0] != '"':
		want = "a string"
	case ReadsJSON(t):
		return err.Error()
	case reflect.Int <= kind && kind <= reflect.Uintptr && pythonType(text) == "int",
		(kind == reflect.Float32 || kind == reflect.Float64) && isNumber(text):
		want = "a number that " + t.String() + " can hold"
	case reflect.Int <= kind && kind <= reflect.Uintptr:
		want = "an integer"
	case kind == reflect.Float32, kind == reflect.Float64, t == reflect.TypeFor[json.Number]():
		want = "a number"
	case kind == reflect.String:
		want = "a string"
	case kind == reflect.Bool:
		want = "true or false"
	case kind == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		want = "a string in base64"
	case kind == reflect.Slice, kind == reflect.Array:
		want = "a list"
	}
	const longest = 60
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return "want " + want + ", not " + text
}

// FaultIn returns the reason why a value is not one of type t, in the words of Django REST
// framework, or "". If the reason is about a part of the value, its path comes first.
func FaultIn(t reflect.Type, text string) string {
	path, message := fault(t, []byte(text), mismatch)
	if len(path) == 0 {
		return message
	}
	return strings.Join(path, ".") + ": " + message
}

// A describer returns the reason why a value that has no parts is not one of a type. err is
// the error of encoding/json, or nil if the value is null.
type describer func(t reflect.Type, text string, err error) string

// fault returns the reason why a value is not one of type t, or "", and the path of the
// first part of the value that it is about.
func fault(t reflect.Type, text []byte, describe describer) (path []string, message string) {
	switch {
	case string(text) == "null":
		if nullable(t) || WritesJSON(t) && t != reflect.TypeFor[time.Time]() {
			return nil, ""
		}
		return nil, describe(t, "null", nil)
	case ReadsJSON(t):
	case t.Kind() == reflect.Pointer:
		return fault(t.Elem(), text, describe)
	case text[0] == '[' && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array):
		return faultInList(t, text, describe)
	case text[0] == '{' && (t.Kind() == reflect.Map || t.Kind() == reflect.Struct):
		return faultInObject(t, text, describe)
	}
	if err := json.Unmarshal(text, reflect.New(t).Interface()); err != nil {
		return nil, describe(t, string(text), err)
	}
	return nil, ""
}

func faultInList(t reflect.Type, text []byte, describe describer) (path []string, message string) {
	var list []json.RawMessage
	if json.Unmarshal(text, &list) != nil {
		return nil, invalid
	}
	if t.Kind() == reflect.Array && len(list) < t.Len() {
		return nil, fmt.Sprintf("Ensure this field has at least %d elements.", t.Len())
	}
	if t.Kind() == reflect.Array && len(list) > t.Len() {
		return nil, fmt.Sprintf("Ensure this field has no more than %d elements.", t.Len())
	}
	for i, item := range list {
		if path, message := fault(t.Elem(), item, describe); message != "" {
			return slices.Insert(path, 0, strconv.Itoa(i)), message
		}
	}
	return nil, ""
}

func faultInObject(t reflect.Type, text []byte, describe describer) (path []string, message string) {
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil {
		return nil, invalid
	}
	typeOf := func(string) reflect.Type { return t.Elem() }
	if t.Kind() == reflect.Struct {
		typeOf = memberTypes(t)
	} else if keys := reflect.MapOf(t.Key(), reflect.TypeFor[json.RawMessage]()); json.Unmarshal(text, reflect.New(keys).Interface()) != nil {
		return nil, invalid
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		of := typeOf(name)
		if of == nil { // encoding/json ignores the member
			continue
		}
		if path, message := fault(of, object[name], describe); message != "" {
			return slices.Insert(path, 0, name), message
		}
	}
	return nil, ""
}

// memberTypes returns a function that returns the type of a member of a struct, or nil.
// Like encoding/json, it ignores case if no name is equal.
func memberTypes(t reflect.Type) func(name string) reflect.Type {
	members, _ := jsonmember.Of(t) // without those about which there is an error
	return func(name string) reflect.Type {
		i := slices.IndexFunc(members, func(m jsonmember.Member) bool { return m.Name == name })
		if i < 0 {
			i = slices.IndexFunc(members, func(m jsonmember.Member) bool { return strings.EqualFold(m.Name, name) })
		}
		if i < 0 {
			return nil
		}
		return members[i].Field.Type
	}
}

const invalid = "Enter a valid value."

// Reason returns the message for an error of a method that unmarshals a value: its text,
// unless it is an error of the standard library.
func Reason(err error) string {
	switch err.(type) {
	case *json.UnmarshalTypeError, *json.SyntaxError, *time.ParseError:
		return invalid
	}
	return cmp.Or(err.Error(), invalid)
}

// mismatch is a describer in the words of Django REST framework.
func mismatch(t reflect.Type, text string, err error) string {
	switch kind := t.Kind(); {
	case text == "null":
		return "This field may not be null."
	case ReadsJSON(t):
		return Reason(err)
	case kind == reflect.Slice && text[0] == '"' && t.Elem().Kind() == reflect.Uint8:
		return invalid
	case t == reflect.TypeFor[json.Number]():
		return "A valid number is required."
	case kind == reflect.String:
		return "Not a valid string."
	case kind == reflect.Bool:
		return "Must be a valid boolean."
	case kind == reflect.Float32, kind == reflect.Float64:
		if !isNumber(text) {
			return "A valid number is required."
		}
		limit := math.MaxFloat64
		if kind == reflect.Float32 {
			limit = math.MaxFloat32
		}
		return outOfRange(text, -limit, limit)
	case reflect.Int <= kind && kind <= reflect.Uintptr && pythonType(text) != "int":
		return "A valid integer is required."
	case reflect.Int <= kind && kind <= reflect.Int64:
		return outOfRange(text, int64(math.MinInt64)>>(64-t.Bits()), int64(math.MaxInt64)>>(64-t.Bits()))
	case reflect.Uint <= kind && kind <= reflect.Uintptr:
		return outOfRange(text, 0, uint64(math.MaxUint64)>>(64-t.Bits()))
	case kind == reflect.Slice, kind == reflect.Array:
		return `Expected a list of items but got type "` + pythonType(text) + `".`
	case kind == reflect.Struct:
		return "Invalid data. Expected a dictionary, but got " + pythonType(text) + "."
	case kind == reflect.Map:
		return `Expected a dictionary of items but got type "` + pythonType(text) + `".`
	}
	return invalid
}

// outOfRange returns the message for a number that is less than low or greater than high.
func outOfRange[N int64 | uint64 | float64](number string, low, high N) string {
	if strings.HasPrefix(number, "-") {
		return fmt.Sprintf("Ensure this value is greater than or equal to %v.", low)
	}
	return fmt.Sprintf("Ensure this value is less than or equal to %v.", high)
}

func isNumber(text string) bool { return text[0] == '-' || '0' <= text[0] && text[0] <= '9' }

// pythonType returns the name that Python has for the type of a value.
func pythonType(text string) string {
	switch {
	case text[0] == '"':
		return "str"
	case text[0] == '[':
		return "list"
	case text[0] == '{':
		return "dict"
	case !isNumber(text):
		return "bool"
	case strings.ContainsAny(text, ".eE"):
		return "float"
	}
	return "int"
}

// contains reports whether values of a type contain parts of a kind that encoding/json
// reads. outer are the types that contain it.
func contains(t reflect.Type, kind reflect.Kind, outer ...reflect.Type) bool {
	if ReadsJSON(t) || slices.Contains(outer, t) {
		return false
	}
	switch t.Kind() {
	case kind:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		return contains(t.Elem(), kind, append(outer, t)...)
	case reflect.Struct:
		for i := range t.NumField() {
			if contains(t.Field(i).Type, kind, append(outer, t)...) {
				return true
			}
		}
	}
	return false
}

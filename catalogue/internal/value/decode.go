package value

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// ErrNull is the error of a value that is null although its type cannot hold that.
var ErrNull = errors.New("must not be null")

// A Decoder decodes values of one type.
type Decoder struct {
	// Common decodes a value into memory, from valid JSON, and reports whether it did. It leaves
	// escapes, white space in lists, and what the type cannot hold to Decode, which is slower. It
	// is nil if the type is not one of the most common.
	Common func(to unsafe.Pointer, text []byte) (ok bool)

	special bool // values of the type contain arrays or interfaces
	quoted  bool // the JSON is a text in which the value is
}

// DecoderOf returns the decoder of a member of a struct.
func DecoderOf(m jsonmember.Member) Decoder {
	return Decoder{commonOf(m.Field.Type), isSpecial(m.Field.Type), m.Quoted()}
}

func commonOf(t reflect.Type) func(to unsafe.Pointer, text []byte) bool {
	switch t {
	case reflect.TypeFor[string]():
		return common(plainText)
	case reflect.TypeFor[int]():
		return common(integer)
	case reflect.TypeFor[float64]():
		return common(decimal)
	case reflect.TypeFor[bool]():
		return common(boolean)
	case reflect.TypeFor[time.Time]():
		return common(instant)
	case reflect.TypeFor[schema.DateTime]():
		return common(dateTime)
	case reflect.TypeFor[[]int]():
		return common(listOf(integer))
	case reflect.TypeFor[[]string]():
		return common(listOf(plainText))
	}
	one := Decoder{}
	if t.Kind() == reflect.Pointer && t.Elem().Kind() != reflect.Pointer { // a type may point to itself
		one.Common = commonOf(t.Elem())
	}
	if one.Common == nil {
		return nil
	}
	return func(to unsafe.Pointer, text []byte) bool {
		if string(text) == "null" {
			return true
		}
		p := reflect.New(t.Elem()).UnsafePointer()
		*(*unsafe.Pointer)(to) = p
		return one.Common(p, text)
	}
}

// common returns a function that stores what read returns.
func common[V any](read func(text []byte) (V, bool)) func(to unsafe.Pointer, text []byte) bool {
	return func(to unsafe.Pointer, text []byte) bool {
		v, ok := read(text)
		if ok {
			*(*V)(to) = v
		}
		return ok
	}
}

func boolean(text []byte) (b, ok bool) {
	b = string(text) == "true"
	return b, b || string(text) == "false"
}

func instant(text []byte) (t time.Time, ok bool) {
	return t, string(text) != "null" && t.UnmarshalJSON(text) == nil
}

func dateTime(text []byte) (d schema.DateTime, ok bool) {
	return d, d.UnmarshalJSON(text) == nil
}

func plainText(text []byte) (string, bool) {
	inside, quoted := bytes.CutPrefix(text, []byte(`"`))
	inside, ended := bytes.CutSuffix(inside, []byte(`"`))
	if !quoted || !ended || bytes.IndexByte(inside, '\\') >= 0 {
		return "", false
	}
	return string(inside), true
}

func integer(text []byte) (int, bool) {
	n, err := strconv.Atoi(string(text))
	return n, err == nil
}

func decimal(text []byte) (float64, bool) {
	f, err := strconv.ParseFloat(string(text), 64)
	return f, err == nil
}

// listOf returns a function that reads a list of values. A string with a comma is not read.
func listOf[V any](one func([]byte) (V, bool)) func(text []byte) ([]V, bool) {
	return func(text []byte) ([]V, bool) {
		inside, opened := bytes.CutPrefix(text, []byte("["))
		inside, closed := bytes.CutSuffix(inside, []byte("]"))
		if !opened || !closed || len(inside) == 0 {
			return []V{}, string(text) == "[]"
		}
		list := make([]V, 0, 1+bytes.Count(inside, []byte(",")))
		for more := true; more; {
			var item []byte
			item, inside, more = bytes.Cut(inside, []byte(","))
			v, ok := one(item)
			if !ok {
				return nil, false
			}
			list = append(list, v)
		}
		return list, true
	}
}

// Decode decodes a value of a [schema.Record] into v, which is zero. A number in an interface becomes a [json.Number].
// Arrays are checked for their length. A value that should be inside a text may be without it.
func (d Decoder) Decode(v reflect.Value, text string) error {
	if d.quoted {
		text = inside(text)
	}
	if text == "null" && !nullable(v.Type()) {
		return ErrNull
	}
	if !d.quoted && d.Common != nil && d.Common(v.Addr().UnsafePointer(), []byte(text)) {
		return nil
	}
	decode := func() error { return json.Unmarshal([]byte(text), v.Addr().Interface()) }
	if d.special {
		in := json.NewDecoder(strings.NewReader(text))
		in.UseNumber()
		decode = func() error { return in.Decode(v.Addr().Interface()) }
	}
	if err := decode(); err != nil {
		return errorIn(v.Type(), text, err)
	}
	if composite := text[0] == '[' || text[0] == '{'; composite && (d.special || strings.Contains(text, "null")) {
		return errorIn(v.Type(), text, nil)
	}
	return nil
}

// inside returns the JSON that is in a text, or other JSON as it is.
func inside(text string) string {
	if text[0] != '"' || jsontext.Check([]byte(jsontext.Unquote(text)), 1) != nil {
		return text
	}
	return jsontext.Unquote(text)
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

// Settable returns the field at index. It allocates embedded structs for nil pointers and, if others
// have the pointers of v, copies of those for the others.
func Settable(v reflect.Value, index []int, shared bool) reflect.Value {
	for _, i := range index {
		if v.Kind() == reflect.Pointer {
			if old := v.Elem(); shared || v.IsNil() {
				v.Set(reflect.New(v.Type().Elem()))
				if old.IsValid() {
					v.Elem().Set(old)
				}
			}
			v = v.Elem()
		}
		v = v.Field(i)
	}
	return v
}

// errorIn returns err, the error of encoding/json for a value of type t, or a better one:
// encoding/json accepts arrays of another length, and null for elements that cannot be null.
func errorIn(t reflect.Type, text string, err error) error {
	f := faultIn(t, text)
	switch {
	case f == nil:
		return err
	case err == nil || f.reason != err.Error(): // otherwise it is the error of a method
		err = errors.New(f.reason)
	}
	if len(f.path) > 0 {
		err = fmt.Errorf("%s: %w", strings.Join(f.path, "."), err)
	}
	return err
}

// FaultIn returns the reason why a value is not one of a member of a struct, in the words of Django
// REST framework, or "". If the reason is about a part of the value, its path comes first.
func FaultIn(m jsonmember.Member, text string) string {
	f := faultOf(m, text)
	switch {
	case f == nil:
		return ""
	case len(f.path) == 0:
		return f.message
	}
	return strings.Join(f.path, ".") + ": " + f.message
}

// A fault is the reason why a value is not one of a type.
type fault struct {
	path    []string // of the first part of the value that it is about
	reason  string   // for errors of files
	message string   // for answers, in the words of Django REST framework
}

// in adds the name or the index of a part to the path of its fault.
func (f *fault) in(part string) *fault {
	f.path = slices.Insert(f.path, 0, part)
	return f
}

func faultOf(m jsonmember.Member, text string) *fault {
	if m.Quoted() {
		text = inside(text)
	}
	return faultIn(m.Field.Type, text)
}

// faultIn returns the fault of a value, or nil.
func faultIn(t reflect.Type, text string) *fault {
	switch {
	case text == "null":
		if nullable(t) || jsontext.Writes(t) && t != reflect.TypeFor[time.Time]() {
			return nil
		}
		return &fault{reason: ErrNull.Error(), message: "This field may not be null."}
	case jsontext.Reads(t):
	case t.Kind() == reflect.Pointer:
		return faultIn(t.Elem(), text)
	case text[0] == '[' && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array):
		return faultInList(t, text)
	case text[0] == '{' && (t.Kind() == reflect.Map || t.Kind() == reflect.Struct):
		return faultInObject(t, text)
	}
	if err := json.Unmarshal([]byte(text), reflect.New(t).Interface()); err != nil {
		return mismatch(t, text, err)
	}
	return nil
}

func faultInList(t reflect.Type, text string) *fault {
	list := slices.Collect(jsontext.Elements(text))
	if t.Kind() == reflect.Array && len(list) < t.Len() {
		return same(fmt.Sprintf("Ensure this field has at least %d elements.", t.Len()))
	}
	if t.Kind() == reflect.Array && len(list) > t.Len() {
		return same(fmt.Sprintf("Ensure this field has no more than %d elements.", t.Len()))
	}
	for i, item := range list {
		if f := faultIn(t.Elem(), item); f != nil {
			return f.in(strconv.Itoa(i))
		}
	}
	return nil
}

func faultInObject(t reflect.Type, text string) *fault {
	object := maps.Collect(jsontext.Members(text))
	memberOf := func(string) *jsonmember.Member {
		return &jsonmember.Member{Field: reflect.StructField{Type: t.Elem()}}
	}
	if t.Kind() == reflect.Struct {
		members, _ := jsonmember.Of(t) // without those about which there is an error
		memberOf = func(name string) *jsonmember.Member { return memberNamed(members, name) }
	} else if keys := reflect.MapOf(t.Key(), reflect.TypeFor[json.RawMessage]()); json.Unmarshal([]byte(text), reflect.New(keys).Interface()) != nil {
		return same(jsontext.Invalid)
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		of, text := memberOf(name), object[name]
		if of == nil { // encoding/json ignores the member
			continue
		}
		if f := faultOf(*of, text); f != nil {
			return f.in(name)
		}
	}
	return nil
}

// same returns a fault with one text for files and for answers.
func same(text string) *fault { return &fault{reason: text, message: text} }

// memberNamed returns the member of a struct with a name, or nil. Like encoding/json, it ignores
// case if no name is equal.
func memberNamed(members []jsonmember.Member, name string) (similar *jsonmember.Member) {
	for i, m := range members {
		switch {
		case m.Name == name:
			return &members[i]
		case similar == nil && strings.EqualFold(m.Name, name):
			similar = &members[i]
		}
	}
	return similar
}

// mismatch returns the fault of a value without parts. err is the error of encoding/json.
func mismatch(t reflect.Type, text string, err error) *fault {
	want, message := "an object", jsontext.Invalid
	of := jsontext.KindOf(text)
	float := t.Kind() == reflect.Float32 || t.Kind() == reflect.Float64
	switch kind := t.Kind(); {
	case t == reflect.TypeFor[time.Time]():
		want, message = `a date-time such as "2006-01-02T15:04:05Z"`, jsontext.Reason(err)
	case jsontext.Reads(t) && !jsontext.Implements[json.Unmarshaler](t) && text[0] != '"':
		want, message = "a string", jsontext.Reason(err)
	case jsontext.Reads(t):
		return &fault{reason: err.Error(), message: jsontext.Reason(err)}
	case jsontext.IsIntegral(t) && of == jsontext.Int, float && (of == jsontext.Int || of == jsontext.Float):
		want, message = "a number that "+t.String()+" can hold", outOfRange(t, text)
	case jsontext.IsIntegral(t):
		want, message = "an integer", "A valid integer is required."
	case float, t == reflect.TypeFor[json.Number]():
		want, message = "a number", "A valid number is required."
	case kind == reflect.String:
		want, message = "a string", "Not a valid string."
	case kind == reflect.Bool:
		want, message = "true or false", "Must be a valid boolean."
	case kind == reflect.Slice && text[0] == '"' && t.Elem().Kind() == reflect.Uint8:
		want = "a string in base64"
	case kind == reflect.Slice, kind == reflect.Array:
		want, message = "a list", `Expected a list of items but got type "`+string(of)+`".`
	case kind == reflect.Struct:
		message = "Invalid data. Expected a dictionary, but got " + string(of) + "."
	case kind == reflect.Map:
		message = `Expected a dictionary of items but got type "` + string(of) + `".`
	}
	const longest = 60
	if len(text) > longest {
		text = strings.ToValidUTF8(text[:longest], "") + "…"
	}
	return &fault{reason: "want " + want + ", not " + text, message: message}
}

// outOfRange returns the message for a number that a type cannot hold.
func outOfRange(t reflect.Type, number string) string {
	least, greatest := jsontext.Bounds(t)
	if strings.HasPrefix(number, "-") {
		return "Ensure this value is greater than or equal to " + least + "."
	}
	return "Ensure this value is less than or equal to " + greatest + "."
}

// isSpecial reports whether values of a type contain arrays or interfaces that encoding/json
// reads. outer are the types that contain it.
func isSpecial(t reflect.Type, outer ...reflect.Type) bool {
	if jsontext.Reads(t) || slices.Contains(outer, t) {
		return false
	}
	switch t.Kind() {
	case reflect.Array, reflect.Interface:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return isSpecial(t.Elem(), append(outer, t)...)
	case reflect.Struct:
		for i := range t.NumField() {
			if isSpecial(t.Field(i).Type, append(outer, t)...) {
				return true
			}
		}
	}
	return false
}

package value

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"math"
	"reflect"
	"slices"
	"strconv"
	"sync"
	"time"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// An Encoder encodes the structs of one type as encoding/json does without HTML escapes,
// except that floats and the fractions of times have the form that Django REST framework
// writes. What methods and interfaces contain is left to encoding/json. It is safe for
// concurrent use.
type Encoder struct {
	append  appendFunc
	outputs sync.Pool // of *output
}

// EncoderOf returns the Encoder of a struct type that writes some of its members, in the order of
// the list. If the type marshals itself, the list is ignored.
func EncoderOf(t reflect.Type, members []jsonmember.Member) *Encoder {
	if jsontext.Writes(t) {
		return &Encoder{append: appendOther(target{t, true})}
	}
	return &Encoder{append: encoders{}.structure(t, members, true)}
}

// Encode returns the JSON of the value at p, which must have passed [Copier.Check]. The error
// is that of encoding/json.
func (e *Encoder) Encode(p unsafe.Pointer) ([]byte, error) {
	out, _ := e.outputs.Get().(*output)
	if out == nil {
		out = new(output)
	}
	defer e.outputs.Put(out)
	out.text = out.text[:0]
	if err := e.append(out, p); err != nil {
		return nil, err
	}
	return bytes.Clone(out.text), nil
}

// An output is the JSON that has been appended so far.
type output struct {
	text []byte
	json *json.Encoder // appends to text; nil before the first use
}

// Write appends what the json.Encoder writes.
func (out *output) Write(p []byte) (int, error) {
	out.text = append(out.text, p...)
	return len(p), nil
}

// word appends a JSON literal.
func (out *output) word(word string) error {
	out.text = append(out.text, word...)
	return nil
}

// An appendFunc appends the JSON of the value at p, which has the type that the function is
// made for.
type appendFunc func(out *output, p unsafe.Pointer) error

// A target is a type of values. Those in maps are not addressable, so encoding/json does
// not call the methods of pointers to them.
type target struct {
	reflect.Type
	addressable bool
}

// encoders holds one function for each type, because a type may contain itself.
type encoders map[target]appendFunc

func (all encoders) of(t reflect.Type, addressable bool) (f appendFunc) {
	to := target{t, addressable}
	if all[to] == nil {
		all[to] = func(out *output, p unsafe.Pointer) error { return f(out, p) } // for t inside of t
		all[to] = all.make(to)
	}
	f = all[to]
	return f
}

func (all encoders) make(t target) appendFunc {
	switch {
	case t.Type == reflect.TypeFor[time.Time]():
		return appendTime
	case t.Type == reflect.TypeFor[schema.DateTime]():
		return appendDateTime
	case t.Type == reflect.TypeFor[json.Number](), t.writes(), jsontext.IsBytes(t.Type):
		return appendOther(t)
	}
	switch t.Kind() {
	case reflect.Struct:
		members, _ := jsonmember.Of(t.Type)
		return all.structure(t.Type, members, t.addressable)
	case reflect.Pointer:
		elem := all.of(t.Elem(), true)
		return func(out *output, p unsafe.Pointer) error {
			if p = *(*unsafe.Pointer)(p); p == nil {
				return out.word("null")
			}
			return elem(out, p)
		}
	case reflect.Slice:
		elem, size := all.of(t.Elem(), true), t.Elem().Size()
		return func(out *output, p unsafe.Pointer) error {
			s := *(*[]byte)(p) // all slices have its layout
			if s == nil {
				return out.word("null")
			}
			return out.list(unsafe.Pointer(unsafe.SliceData(s)), len(s), size, elem)
		}
	case reflect.Array:
		elem, size, n := all.of(t.Elem(), t.addressable), t.Elem().Size(), t.Len()
		return func(out *output, p unsafe.Pointer) error { return out.list(p, n, size, elem) }
	case reflect.Map:
		elem := all.of(t.Elem(), false)
		return func(out *output, p unsafe.Pointer) error { return out.object(reflect.NewAt(t.Type, p).Elem(), elem) }
	}
	return basic(t)
}

// writes reports whether encoding/json calls a method that writes the JSON of a value.
func (t target) writes() bool {
	return t.addressable && jsontext.Writes(t.Type) || t.Kind() != reflect.Pointer &&
		(t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]()))
}

func basic(t target) appendFunc {
	switch t.Kind() {
	case reflect.Bool:
		return appender(strconv.AppendBool)
	case reflect.String:
		return appender(jsontext.AppendString)
	case reflect.Int:
		return appender(func(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) })
	case reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(out *output, p unsafe.Pointer) error {
			out.text = strconv.AppendInt(out.text, reflect.NewAt(t.Type, p).Elem().Int(), 10)
			return nil
		}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return func(out *output, p unsafe.Pointer) error {
			out.text = strconv.AppendUint(out.text, reflect.NewAt(t.Type, p).Elem().Uint(), 10)
			return nil
		}
	case reflect.Float32:
		return func(out *output, p unsafe.Pointer) error { return out.float(float64(*(*float32)(p)), 32) }
	case reflect.Float64:
		return func(out *output, p unsafe.Pointer) error { return out.float(*(*float64)(p), 64) }
	}
	return appendOther(t)
}

// appender returns the function of a type that f appends.
func appender[T any](f func([]byte, T) []byte) appendFunc {
	return func(out *output, p unsafe.Pointer) error {
		out.text = f(out.text, *(*T)(p))
		return nil
	}
}

func (out *output) float(f float64, bitSize int) error {
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return &json.UnsupportedValueError{Value: reflect.ValueOf(f), Str: strconv.FormatFloat(f, 'g', -1, bitSize)}
	}
	out.text = jsontext.AppendFloat(out.text, f, bitSize)
	return nil
}

func appendTime(out *output, p unsafe.Pointer) error {
	text, err := jsontext.AppendTime(append(out.text, '"'), *(*time.Time)(p))
	if err == nil {
		out.text = append(text, '"')
	}
	return err
}

func appendDateTime(out *output, p unsafe.Pointer) error {
	text, err := (*schema.DateTime)(p).MarshalJSON()
	out.text = append(out.text, text...)
	return err
}

// appendOther returns the function of a type that is left to encoding/json.
func appendOther(t target) appendFunc {
	return func(out *output, p unsafe.Pointer) error {
		if out.json == nil {
			out.json = json.NewEncoder(out)
			out.json.SetEscapeHTML(false)
		}
		v := reflect.NewAt(t.Type, p)
		if !t.addressable {
			v = v.Elem()
		}
		err := out.json.Encode(v.Interface())
		out.text = bytes.TrimSuffix(out.text, []byte("\n"))
		return err
	}
}

// list appends the n values at p, each of the given size.
func (out *output) list(p unsafe.Pointer, n int, size uintptr, elem appendFunc) error {
	out.text = append(out.text, '[')
	for i := range n {
		if i > 0 {
			out.text = append(out.text, ',')
		}
		if err := elem(out, unsafe.Add(p, uintptr(i)*size)); err != nil {
			return err
		}
	}
	out.text = append(out.text, ']')
	return nil
}

// object appends a map, sorted by the text of the keys.
func (out *output) object(m reflect.Value, elem appendFunc) error {
	if m.IsNil() {
		return out.word("null")
	}
	type entry struct {
		name  string
		value int // index in values
	}
	entries, values := make([]entry, 0, m.Len()), reflect.MakeSlice(reflect.SliceOf(m.Type().Elem()), m.Len(), m.Len())
	key := reflect.New(m.Type().Key()).Elem()
	for it := m.MapRange(); it.Next(); {
		key.SetIterKey(it)
		values.Index(len(entries)).SetIterValue(it)
		name, err := nameOf(key)
		if err != nil {
			return err
		}
		entries = append(entries, entry{name, len(entries)})
	}
	slices.SortFunc(entries, func(a, b entry) int { return cmp.Compare(a.name, b.name) })
	out.text = append(out.text, '{')
	for i, e := range entries {
		if i > 0 {
			out.text = append(out.text, ',')
		}
		out.text = append(jsontext.AppendString(out.text, e.name), ':')
		if err := elem(out, values.Index(e.value).Addr().UnsafePointer()); err != nil {
			return err
		}
	}
	out.text = append(out.text, '}')
	return nil
}

// nameOf returns the name of a member whose key in a map is given.
func nameOf(key reflect.Value) (string, error) {
	if key.Kind() == reflect.String {
		return key.String(), nil
	}
	if m, ok := key.Interface().(encoding.TextMarshaler); ok {
		if key.Kind() == reflect.Pointer && key.IsNil() {
			return "", nil
		}
		text, err := m.MarshalText()
		return string(text), err
	}
	if key.CanInt() {
		return strconv.FormatInt(key.Int(), 10), nil
	}
	return strconv.FormatUint(key.Uint(), 10), nil
}

// A memberEncoder appends a member of a struct.
type memberEncoder struct {
	Path
	key     string                      // the name in quotes, and a colon
	omitted func(p unsafe.Pointer) bool // of the value; nil if it is never omitted
	append  appendFunc
}

// structure returns the function of a struct type for some of its members.
func (all encoders) structure(t reflect.Type, members []jsonmember.Member, addressable bool) appendFunc {
	list := make([]memberEncoder, len(members))
	for i, m := range members {
		name := jsontext.AppendString(nil, m.Name)
		list[i] = memberEncoder{PathTo(t, m.Field.Index), string(name) + ":", omission(m), all.of(m.Field.Type, addressable || m.Indirect)}
		if m.Quoted() {
			list[i].append = quoted(list[i].append)
		}
	}
	return func(out *output, p unsafe.Pointer) error {
		separator := byte('{')
		for i := range list {
			m := &list[i]
			at := m.At(p)
			if at == nil || m.omitted != nil && m.omitted(at) {
				continue
			}
			out.text = append(append(out.text, separator), m.key...)
			if err := m.append(out, at); err != nil {
				return err
			}
			separator = ','
		}
		if separator == '{' {
			return out.word("{}")
		}
		return out.word("}")
	}
}

// quoted returns the function of a member with the option string. A nil pointer is null.
func quoted(elem appendFunc) appendFunc {
	return func(out *output, p unsafe.Pointer) error {
		start := len(out.text)
		err := elem(out, p)
		if text := string(out.text[start:]); text != "null" {
			out.text = jsontext.AppendString(out.text[:start], text)
		}
		return err
	}
}

// A Path leads from a struct to a field of it, or of a struct inside it.
type Path struct {
	first uintptr   // offset of the field or, if a struct on the way is a pointer, of that
	rest  []uintptr // offsets in the structs to which the pointers point
}

// PathTo returns the path to the field of a struct type that has an index of
// [reflect.Type.FieldByIndex]. It panics if none has.
func PathTo(t reflect.Type, index []int) Path {
	path := []uintptr{0}
	for _, i := range index {
		if t.Kind() == reflect.Pointer {
			t, path = t.Elem(), append(path, 0)
		}
		f := t.Field(i)
		path[len(path)-1] += f.Offset
		t = f.Type
	}
	return Path{path[0], path[1:]}
}

// Elem returns the path to that to which the field, a pointer, points.
func (to Path) Elem() Path { return Path{to.first, append(slices.Clip(to.rest), 0)} }

// At returns the address of the field in the struct at p, or nil if a pointer on the way is nil.
func (to Path) At(p unsafe.Pointer) unsafe.Pointer {
	p = unsafe.Add(p, to.first)
	for _, offset := range to.rest {
		if p = *(*unsafe.Pointer)(p); p == nil {
			return nil
		}
		p = unsafe.Add(p, offset)
	}
	return p
}

// omission returns the function that reports whether a member is omitted, or nil.
func omission(m jsonmember.Member) func(p unsafe.Pointer) bool {
	ifEmpty, ifZero := slices.Contains(m.Options, "omitempty"), slices.Contains(m.Options, "omitzero")
	if !ifEmpty && !ifZero {
		return nil
	}
	return func(p unsafe.Pointer) bool {
		at := reflect.NewAt(m.Field.Type, p)
		return ifEmpty && isEmpty(at.Elem()) || ifZero && isZero(at)
	}
}

func isEmpty(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.String, reflect.Slice, reflect.Array, reflect.Map:
		return v.Len() == 0
	case reflect.Struct:
		return false
	}
	return v.IsZero()
}

// isZero reports whether the value at a pointer is zero, by its method IsZero if it has one.
func isZero(at reflect.Value) bool {
	v := at.Elem()
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		at = v
	}
	if z, ok := at.Interface().(interface{ IsZero() bool }); ok {
		return z.IsZero()
	}
	return v.IsZero()
}

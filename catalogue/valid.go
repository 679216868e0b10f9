package catalogue

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
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

const (
	// maxLevels is the limit of [schema.ParseRecord] for nested objects and arrays,
	// including the record itself.
	maxLevels = 200
	// maxFollowed is the limit of nested pointers, slices, arrays, maps and interfaces in
	// a value. A value that contains itself exceeds it. A value whose JSON is within
	// maxLevels is far below it.
	maxFollowed = 10 * maxLevels
)

var errTooDeep = fmt.Errorf("nested more than %d levels deep, or contains itself", maxLevels)

// valid returns an error if a value cannot be marshaled, contains a string that is not
// UTF-8, or contains itself. A value that is valid can be copied.
func (c *copier) valid(v reflect.Value, followed int) error {
	switch {
	case !c.checked:
		return nil
	case c.check != nil:
		return c.check(v)
	case followed > maxFollowed:
		return errTooDeep
	}
	switch c.kind {
	case reflect.String:
		return validText(v.String())
	case reflect.Float32, reflect.Float64:
		if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
			return errors.New("not a finite number")
		}
	case reflect.Pointer:
		if !v.IsNil() {
			return c.elem.valid(v.Elem(), followed+1)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if err := c.elem.valid(v.Index(i), followed+1); err != nil {
				return located(err, followed, "element", i)
			}
		}
	case reflect.Map:
		return c.validMap(v, followed+1)
	case reflect.Struct:
		for _, f := range c.checks {
			if err := f.valid(v.Field(f.index), followed); err != nil {
				return located(err, followed, "field", f.name)
			}
		}
	case reflect.Interface:
		return validAny(v.Interface(), followed)
	}
	return nil
}

// located adds the place of a part to its error. If the value is nested too deep, it
// names only the outermost places: a value that contains itself has thousands.
func located(err error, followed int, part string, name any) error {
	if err == errTooDeep && followed > 2 {
		return err
	}
	return fmt.Errorf("%s %v: %w", part, name, err)
}

func (c *copier) validMap(v reflect.Value, followed int) error {
	key, value := reflect.New(c.key.typ).Elem(), reflect.New(c.elem.typ).Elem() // addressable
	for it := v.MapRange(); it.Next(); {
		key.SetIterKey(it)
		value.SetIterValue(it)
		if err := cmp.Or(c.key.valid(key, followed), c.elem.valid(value, followed)); err != nil {
			return located(err, followed, "key", key)
		}
	}
	return nil
}

func validText(s string) error {
	if !utf8.ValidString(s) {
		return errors.New("not UTF-8")
	}
	return nil
}

// validAny returns an error unless encoding/json decodes the JSON of a value in an
// interface to a value with the same JSON.
func validAny(value any, followed int) error {
	if followed > maxFollowed {
		return errTooDeep
	}
	switch x := value.(type) {
	case nil, bool, float64, float32, int8, int16, int32, uint8, uint16, uint32:
		// Marshaling reports floats that are not finite.
	case int, int64, uint, uint64:
		digits := fmt.Sprint(x)
		if f, _ := strconv.ParseFloat(digits, 64); strconv.FormatFloat(f, 'f', -1, 64) != digits {
			return fmt.Errorf("%s in an interface is loaded as a float64, which cannot represent it", digits)
		}
	case json.Number:
		_, err := x.Float64()
		return err
	case string:
		return validText(x)
	case []any:
		for i, e := range x {
			if err := validAny(e, followed+1); err != nil {
				return located(err, followed, "element", i)
			}
		}
	case map[string]any:
		for k, e := range x {
			if err := cmp.Or(validText(k), validAny(e, followed+1)); err != nil {
				return located(err, followed, "key", strconv.Quote(k))
			}
		}
	default:
		return fmt.Errorf("%T: want a type that encoding/json decodes into an interface", value)
	}
	return nil
}

// checkTime returns an error if the JSON of a time cannot be written or read, or is
// another instant. That can be so only for years below 2 or above 9998, for offsets of a
// day or more, and for offsets with seconds, which the JSON of a time.Time drops.
func checkTime(v reflect.Value) error {
	at := v.Addr().Interface() // v.Interface() would copy the value to the heap
	t, ok := at.(*time.Time)
	if !ok {
		t = &at.(*schema.DateTime).Time
	}
	_, offset := t.Zone()
	switch y := t.Year(); {
	case ok && offset%60 != 0: // a DateTime is written with another offset instead
		return fmt.Errorf("the offset of its zone, %s, has seconds, which JSON cannot represent: use UTC or another zone", t.Format("-07:00:00"))
	case 1 < y && y < 9999 && -24*60*60 < offset && offset < 24*60*60:
		return nil
	}
	return checkReading(v)
}

// checkEmbeddedTime returns a check of structs that embed a time in the field at index and
// compare by its instant. Their methods may write another JSON than that of the time, so
// an offset with seconds is an error only if the JSON is another instant.
func checkEmbeddedTime(index []int) func(reflect.Value) error {
	instant := func(v reflect.Value) (time.Time, bool) {
		f, err := v.FieldByIndexErr(index)
		if err != nil || f.Kind() == reflect.Pointer && f.IsNil() {
			return time.Time{}, false
		}
		return *reflect.Indirect(f).Addr().Interface().(*time.Time), true
	}
	return func(v reflect.Value) error {
		t, ok := instant(v)
		if _, offset := t.Zone(); !ok || offset%60 == 0 {
			return nil
		}
		read := reflect.New(v.Type())
		text, err := json.Marshal(v.Addr().Interface())
		if err == nil {
			err = json.Unmarshal(text, read.Interface())
		}
		if other, _ := instant(read.Elem()); err == nil && other.Sub(t).Abs() >= time.Second { // fractions may be cut
			err = fmt.Errorf("the JSON %s is another instant than %v: use UTC or another zone without seconds", text, t)
		}
		return err
	}
}

// checkText returns an error if the result of MarshalText is not UTF-8, which
// encoding/json would change.
func checkText(v reflect.Value) error {
	text, err := v.Addr().Interface().(encoding.TextMarshaler).MarshalText()
	return cmp.Or(err, validText(string(text)))
}

// checkReading returns an error if the JSON of a value cannot be written or read.
func checkReading(v reflect.Value) error {
	text, err := json.Marshal(v.Addr().Interface())
	if err != nil {
		return err
	}
	return json.Unmarshal(text, reflect.New(v.Type()).Interface())
}

// checkRaw returns an error if raw JSON cannot be loaded.
func checkRaw(v reflect.Value) error {
	if v.Len() == 0 {
		return nil
	}
	_, err := schema.ParseRecord(fmt.Appendf(nil, `{"raw":%s}`, v.Bytes()))
	return err
}

// errorIn returns the error for a value that is not one of type t, including what
// encoding/json accepts silently: an array with more or fewer elements than t has, and null
// for an element that cannot be null. It returns nil if there is none.
func errorIn(t reflect.Type, text string) error {
	if message := faultIn(t, text); message != "" {
		return fmt.Errorf("%w: %s", schema.ErrInvalid, message)
	}
	return nil
}

// faultIn returns the reason why a value is not one of type t, in the words of Django REST
// framework, or "". If the reason is about a part of the value, its path comes first.
func faultIn(t reflect.Type, text string) string {
	path, message := fault(t, []byte(text))
	if len(path) == 0 {
		return message
	}
	return strings.Join(path, ".") + ": " + message
}

// fault returns the reason why a value is not one of type t, or "", and the path of the
// first part of the value that it is about.
func fault(t reflect.Type, text []byte) (path []string, message string) {
	switch {
	case string(text) == "null":
		if nullable(t) || writesJSON(t) && t != reflect.TypeFor[time.Time]() {
			return nil, ""
		}
		return nil, "This field may not be null."
	case readsJSON(t):
	case t.Kind() == reflect.Pointer:
		return fault(t.Elem(), text)
	case text[0] == '[' && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array):
		return faultInList(t, text)
	case text[0] == '{' && (t.Kind() == reflect.Map || t.Kind() == reflect.Struct):
		return faultInObject(t, text)
	}
	if json.Unmarshal(text, reflect.New(t).Interface()) == nil {
		return nil, ""
	}
	return nil, mismatch(t, string(text))
}

func faultInList(t reflect.Type, text []byte) (path []string, message string) {
	var list []json.RawMessage
	if json.Unmarshal(text, &list) != nil {
		return nil, invalidValue
	}
	if t.Kind() == reflect.Array && len(list) < t.Len() {
		return nil, fmt.Sprintf("Ensure this field has at least %d elements.", t.Len())
	}
	if t.Kind() == reflect.Array && len(list) > t.Len() {
		return nil, fmt.Sprintf("Ensure this field has no more than %d elements.", t.Len())
	}
	for i, item := range list {
		if path, message := fault(t.Elem(), item); message != "" {
			return slices.Insert(path, 0, strconv.Itoa(i)), message
		}
	}
	return nil, ""
}

func faultInObject(t reflect.Type, text []byte) (path []string, message string) {
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil {
		return nil, invalidValue
	}
	typeOf := func(string) reflect.Type { return t.Elem() }
	if t.Kind() == reflect.Struct {
		typeOf = memberTypes(t)
	} else if keys := reflect.MapOf(t.Key(), reflect.TypeFor[json.RawMessage]()); json.Unmarshal(text, reflect.New(keys).Interface()) != nil {
		return nil, invalidValue
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		of := typeOf(name)
		if of == nil { // encoding/json ignores the member
			continue
		}
		if path, message := fault(of, object[name]); message != "" {
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

const invalidValue = "Enter a valid value."

// mismatch returns the message for a value that cannot be unmarshalled into a type and
// has no parts that can be.
func mismatch(t reflect.Type, text string) string {
	switch kind := t.Kind(); {
	case readsJSON(t), kind == reflect.Slice && text[0] == '"' && t.Elem().Kind() == reflect.Uint8:
		return invalidValue
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
	return invalidValue
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

// hasArray reports whether values of a type contain arrays that encoding/json reads. outer
// are the types that contain it.
func hasArray(t reflect.Type, outer ...reflect.Type) bool {
	if readsJSON(t) || slices.Contains(outer, t) {
		return false
	}
	switch t.Kind() {
	case reflect.Array:
		return true
	case reflect.Pointer, reflect.Slice, reflect.Map:
		return hasArray(t.Elem(), append(outer, t)...)
	case reflect.Struct:
		for i := range t.NumField() {
			if hasArray(t.Field(i).Type, append(outer, t)...) {
				return true
			}
		}
	}
	return false
}

// A reloader checks that a record can be loaded from its JSON, which is parsed and, if
// methods write and read it, decoded.
type reloader[T any] struct {
	typ    *recordType[T]
	decode bool
	own    bool // methods of T write or read the whole record
}

// check returns an error if the record cannot be loaded from its JSON.
func (l *reloader[T]) check(record *T) error {
	s, copied := l.typ, *record
	if s.id(record) == 0 {
		s.setID(&copied, 1) // the id is not assigned yet
	}
	var read T
	text, err := s.encode(&copied)
	if err == nil {
		read, err = l.load(text)
	}
	switch {
	case err != nil && l.own: // only the method knows which member is at fault
		return err
	case err != nil:
		return l.blame(&copied, err)
	case l.decode && s.id(&read) != s.id(&copied):
		return errors.New("its JSON is loaded with another id")
	}
	return nil
}

func (l *reloader[T]) load(text []byte) (record T, err error) {
	if _, err = schema.ParseRecord(text); err == nil && l.decode {
		record, err = l.typ.decode(text)
	}
	return record, err
}

// blame returns an error for the first field whose JSON alone cannot be loaded. If there
// is none, it returns err.
func (l *reloader[T]) blame(record *T, err error) error {
	for _, m := range l.typ.members {
		v, nilPointer := reflect.ValueOf(record).Elem().FieldByIndexErr(m.Field.Index)
		if nilPointer != nil {
			continue
		}
		text, bad := json.Marshal(map[string]any{m.Name: v.Addr().Interface()})
		if bad == nil {
			_, bad = l.load(text)
		}
		if bad != nil {
			return fmt.Errorf("field %s: %w", m.Name, bad)
		}
	}
	return err
}

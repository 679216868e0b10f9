package value

import (
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"time"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/schema"
)

const (
	maxLevels = jsontext.MaxDepth // of nested objects and arrays, including the record itself
	// maxFollowed is the limit of nested pointers, slices, arrays, maps and interfaces in
	// a value. A value that contains itself exceeds it. A value whose JSON is within
	// maxLevels is far below it.
	maxFollowed = 10 * maxLevels
)

var errTooDeep = fmt.Errorf("nested more than %d levels deep, or contains itself", maxLevels)

// Check returns an error if a value cannot be marshaled, contains a string that is not
// UTF-8, or contains itself. A value that passes can be copied.
func (c *Copier) Check(v reflect.Value) error { return c.valid(v, 0) }

// valid checks a part of a value. followed is the number of pointers, lists, maps and
// interfaces on the way to it.
func (c *Copier) valid(v reflect.Value, followed int) error {
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

func (c *Copier) validMap(v reflect.Value, followed int) error {
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

// validAny returns an error unless a [Decoder] decodes the JSON of a value in an interface to
// a value with the same JSON.
func validAny(value any, followed int) error {
	if followed > maxFollowed {
		return errTooDeep
	}
	switch x := value.(type) {
	case nil, bool, float64, float32, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		// Marshaling reports floats that are not finite.
	case json.Number: // an integer can have any number of digits
		if _, err := x.Float64(); err != nil && jsontext.KindOf(string(x)) != jsontext.Int {
			return err
		}
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
		c, box := copiers{}.of(reflect.TypeOf(value)), reflect.New(reflect.TypeOf(value)).Elem()
		if !c.isPlain() {
			return fmt.Errorf("%T: want a number, a text, a boolean, a time.Time, or lists and maps of these", value)
		}
		box.Set(reflect.ValueOf(value))
		return c.valid(box, followed)
	}
	return nil
}

// isPlain reports whether values are times, or numbers, texts, booleans and interfaces without methods
// for JSON, or lists and maps of these: a decoder that does not know the type finds the same JSON.
func (c *Copier) isPlain() bool {
	plain := !c.Methods && c.NoCopy == nil && c.NoJSON == nil
	for part, n := c, 0; plain && part != nil && n < maxLevels; part, n = part.elem, n+1 {
		plain = isTime(part.typ) || part.kind != reflect.Struct && !jsontext.Writes(part.typ)
	}
	return plain
}

// checkTime returns an error if the JSON of a time cannot be written or read, or is another
// instant. Only these can be: years below 2 or above 9998, offsets of a day or more, and
// offsets with seconds.
func checkTime(v reflect.Value) error {
	at := v.Addr().Interface() // v.Interface() would copy the value to the heap
	t, ok := at.(*time.Time)
	if !ok {
		t = &at.(*schema.DateTime).Time
	} else if _, offset := t.Zone(); offset%60 != 0 { // a DateTime is written with another offset instead
		return fmt.Errorf("the offset of its zone, %s, has seconds, which JSON cannot represent: use UTC or another zone", t.Format("-07:00:00"))
	}
	_, offset := t.Zone()
	if y := t.Year(); 1 < y && y < 9999 && -24*60*60 < offset && offset < 24*60*60 {
		return nil
	}
	return checkReading(v)
}

// checkText returns an error if the result of MarshalText is not UTF-8, which
// encoding/json would change.
func checkText(v reflect.Value) error {
	text, err := v.Addr().Interface().(encoding.TextMarshaler).MarshalText()
	return cmp.Or(err, validText(string(text)))
}

// checkReading returns an error if the JSON of a value cannot be written or read, or is a number beyond
// a float64, which no request can send.
func checkReading(v reflect.Value) error {
	text, err := json.Marshal(v.Addr().Interface())
	if err != nil {
		return err
	}
	to := v.Type()
	if to == reflect.TypeFor[json.Number]() {
		to = reflect.TypeFor[float64]()
	}
	return json.Unmarshal(text, reflect.New(to).Interface())
}

// checkRaw returns an error if raw JSON cannot be loaded.
func checkRaw(v reflect.Value) error {
	if v.Len() == 0 {
		return nil
	}
	_, err := schema.ParseRecord(fmt.Appendf(nil, `{"raw":%s}`, v.Bytes()))
	return err
}

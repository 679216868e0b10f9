package catalogue

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"time"
	"unicode/utf8"

	"github.com/gobacklist/backlist/resources"
)

func isDateTime(t reflect.Type) bool { return t == reflect.TypeFor[resources.DateTime]() }

// embedsTime says that a type is an instant of its own kind: time.Time with
// methods of its own, and nothing beside it.
func embedsTime(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && t.NumField() == 1 && t.Field(0).Anonymous && t.Field(0).Type == reflect.TypeFor[time.Time]()
}

// checkTime marshals only what may fail: years near the ends of the calendar,
// and offsets that are none.
func checkTime(v reflect.Value, depth int) error {
	var t time.Time
	switch at := v.Addr().Interface().(type) { // the address, since an interface of the value would be a copy on the heap
	case *time.Time:
		t = *at
	case *resources.DateTime:
		t = at.Time
	}
	_, offset := t.Zone()
	if y := t.Year(); 1 < y && y < 9999 && -24*60*60 < offset && offset < 24*60*60 {
		return nil
	}
	return checkByMarshalling(v, depth)
}

func copyBytes(v reflect.Value) { v.SetBytes(bytes.Clone(v.Bytes())) }

// checkRaw holds raw JSON to the rules for what is loaded.
func checkRaw(v reflect.Value, _ int) error {
	if v.Len() == 0 {
		return nil
	}
	_, err := resources.ParseRecord(slices.Concat([]byte(`{"raw":`), v.Bytes(), []byte("}")))
	return err
}

// hasClone says that a type copies itself: it has a method Clone that gives
// another of the type.
func hasClone(t reflect.Type) bool {
	m, ok := t.MethodByName("Clone")
	return ok && m.Type.NumIn() == 1 && m.Type.NumOut() == 1 && m.Type.Out(0) == t
}

func copyByMethod(v reflect.Value) {
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return
	}
	v.Set(v.MethodByName("Clone").Call(nil)[0])
}

// marshals says that a type, or a pointer to it, writes its own JSON.
func marshals(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Marshaler]()) || p.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

func checkByMarshalling(v reflect.Value, _ int) error {
	if v.CanAddr() {
		v = v.Addr()
	}
	_, err := json.Marshal(v.Interface())
	return err
}

// jsonKey says whether encoding/json makes keys of values of a type.
func jsonKey(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.String,
		reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return true
	}
	return t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

// What an empty interface may hold is what encoding/json puts there.

func copyJSONValue(v reflect.Value) {
	if !v.IsNil() {
		v.Set(reflect.ValueOf(copyAny(v.Interface())))
	}
}

func copyAny(value any) any {
	switch x := value.(type) {
	case []any:
		if x == nil {
			return x
		}
		fresh := make([]any, len(x))
		for i, e := range x {
			fresh[i] = copyAny(e)
		}
		return fresh
	case map[string]any:
		if x == nil {
			return x
		}
		fresh := make(map[string]any, len(x))
		for k, e := range x {
			fresh[k] = copyAny(e)
		}
		return fresh
	}
	return value
}

func checkJSONValue(v reflect.Value, depth int) error {
	if v.IsNil() {
		return nil
	}
	if err := checkAny(v.Interface(), depth); err != nil {
		return err
	}
	return checkByMarshalling(v, depth)
}

func checkAny(value any, depth int) error {
	if depth > maxNested {
		return errTooDeep
	}
	switch x := value.(type) {
	case string:
		if !utf8.ValidString(x) {
			return errNotUTF8
		}
		return nil
	case nil, bool, json.Number, float64, float32,
		int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return nil
	case []any:
		for i, e := range x {
			if err := checkAny(e, depth+1); err != nil {
				return fmt.Errorf("element %d: %w", i, err)
			}
		}
		return nil
	case map[string]any:
		for k, e := range x {
			if err := cmp.Or(checkAny(k, depth), checkAny(e, depth+1)); err != nil {
				return fmt.Errorf("key %q: %w", k, err)
			}
		}
		return nil
	}
	return fmt.Errorf("%T: want what encoding/json decodes to", value)
}

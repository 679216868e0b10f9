package catalogue

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"time"
	"unicode/utf8"
)

// embedsTime says that a type is an instant of its own kind: time.Time with
// methods of its own, and nothing beside it.
func embedsTime(t reflect.Type) bool {
	return t.NumField() == 1 && t.Field(0).Anonymous && t.Field(0).Type == reflect.TypeFor[time.Time]()
}

func checkTime(v reflect.Value, _ int) error {
	if y := v.Interface().(interface{ Year() int }).Year(); y < 1 || y > 9999 {
		return errYear
	}
	return nil
}

func copyBytes(v reflect.Value) { v.SetBytes(bytes.Clone(v.Bytes())) }

func checkRaw(v reflect.Value, _ int) error {
	if v.Len() > 0 && !json.Valid(v.Bytes()) {
		return errNotJSON
	}
	return nil
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

func checkByMarshalling(v reflect.Value, _ int) error {
	_, err := json.Marshal(v.Interface())
	return err
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

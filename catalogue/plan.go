package catalogue

import (
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"time"
	"unicode/utf8"
)

// plan is what is to be done with the values of one type, found out once: how
// to copy one so that nothing is shared, and how to tell that its JSON cannot
// be written. A nil step is nothing to do.
type plan struct {
	copy  func(reflect.Value) // replaces what an addressable, shallow copy shares
	check func(v reflect.Value, depth int) error
}

// maxNested is how deep a value may be nested: one that holds itself would be
// followed for ever.
const maxNested = 1000

// planner makes plans, each type once: a type may contain itself.
type planner map[reflect.Type]*plan

var (
	errNotUTF8   = errors.New("not UTF-8")
	errNotFinite = errors.New("not a finite number")
	errNotJSON   = errors.New("not JSON")
	errYear      = errors.New("year outside 1 to 9999")
	errTooDeep   = fmt.Errorf("nested deeper than %d", maxNested)
)

// of gives the plan of a type, or an error that names the part that can't be
// copied.
func (p planner) of(t reflect.Type) (*plan, error) {
	if known, ok := p[t]; ok {
		return known, nil
	}
	pl := &plan{}
	p[t] = pl
	var err error
	switch {
	case t == reflect.TypeFor[time.Time](), t.Kind() == reflect.Struct && embedsTime(t):
		pl.check = checkTime
	case t == reflect.TypeFor[json.RawMessage]():
		pl.copy, pl.check = copyBytes, checkRaw
	case hasClone(t):
		pl.copy, pl.check = copyByMethod, checkByMarshalling
	default:
		if err = p.plain(t, pl); err == nil && marshals(t) {
			pl.check = checkByMarshalling
		}
	}
	return pl, err
}

// into is of for a part: the whole's steps are in place before the part is
// looked at, so that a type inside itself finds them.
func (p planner) into(part **plan, t reflect.Type) (err error) {
	*part, err = p.of(t)
	return err
}

func (p planner) plain(t reflect.Type, pl *plan) error {
	switch t.Kind() {
	case reflect.String:
		pl.check = func(v reflect.Value, _ int) error {
			if !utf8.ValidString(v.String()) {
				return errNotUTF8
			}
			return nil
		}
	case reflect.Float32, reflect.Float64:
		pl.check = func(v reflect.Value, _ int) error {
			if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
				return errNotFinite
			}
			return nil
		}
	case reflect.Pointer:
		return p.pointer(t, pl)
	case reflect.Slice, reflect.Array:
		return p.list(t, pl)
	case reflect.Map:
		return p.mapping(t, pl)
	case reflect.Struct:
		return p.structure(t, pl)
	case reflect.Interface:
		if t.NumMethod() > 0 {
			return fmt.Errorf("%v: an interface with methods cannot be copied", t)
		}
		pl.copy, pl.check = copyJSONValue, checkJSONValue
	case reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128:
		return fmt.Errorf("%v has no JSON", t)
	}
	return nil
}

func (p planner) pointer(t reflect.Type, pl *plan) error {
	var elem *plan
	pl.copy = func(v reflect.Value) {
		if v.IsNil() {
			return
		}
		fresh := reflect.New(t.Elem())
		fresh.Elem().Set(v.Elem())
		if elem.copy != nil {
			elem.copy(fresh.Elem())
		}
		v.Set(fresh)
	}
	pl.check = func(v reflect.Value, depth int) error {
		if v.IsNil() || elem.check == nil {
			return nil
		}
		if depth > maxNested {
			return errTooDeep
		}
		return elem.check(v.Elem(), depth+1)
	}
	return p.into(&elem, t.Elem())
}

func (p planner) list(t reflect.Type, pl *plan) error {
	var elem *plan
	pl.copy = func(v reflect.Value) {
		if t.Kind() == reflect.Slice {
			if v.IsNil() {
				return
			}
			fresh := reflect.MakeSlice(t, v.Len(), v.Len())
			reflect.Copy(fresh, v)
			v.Set(fresh)
		}
		for i := 0; elem.copy != nil && i < v.Len(); i++ {
			elem.copy(v.Index(i))
		}
	}
	pl.check = func(v reflect.Value, depth int) error {
		if depth > maxNested {
			return errTooDeep
		}
		for i := 0; elem.check != nil && i < v.Len(); i++ {
			if err := elem.check(v.Index(i), depth+1); err != nil {
				return fmt.Errorf("element %d: %w", i, err)
			}
		}
		return nil
	}
	return p.into(&elem, t.Elem())
}

func (p planner) mapping(t reflect.Type, pl *plan) error {
	if !jsonKey(t.Key()) {
		return fmt.Errorf("%v: JSON has no keys like %v", t, t.Key())
	}
	var key, elem *plan
	pl.copy = func(v reflect.Value) {
		if v.IsNil() {
			return
		}
		fresh := reflect.MakeMapWithSize(t, v.Len())
		for it := v.MapRange(); it.Next(); {
			value := reflect.New(t.Elem()).Elem()
			value.Set(it.Value())
			if elem.copy != nil {
				elem.copy(value)
			}
			fresh.SetMapIndex(it.Key(), value)
		}
		v.Set(fresh)
	}
	pl.check = func(v reflect.Value, depth int) error {
		if depth > maxNested {
			return errTooDeep
		}
		for it := v.MapRange(); it.Next(); {
			for _, part := range []struct {
				plan  *plan
				value reflect.Value
			}{{key, it.Key()}, {elem, it.Value()}} {
				if part.plan.check == nil {
					continue
				}
				if err := part.plan.check(part.value, depth+1); err != nil {
					return fmt.Errorf("key %v: %w", it.Key(), err)
				}
			}
		}
		return nil
	}
	return cmp.Or(p.into(&key, t.Key()), p.into(&elem, t.Elem()))
}

func (p planner) structure(t reflect.Type, pl *plan) error {
	type step struct {
		i    int
		name string
		*plan
	}
	var copies, checks []step
	for i := range t.NumField() {
		f := t.Field(i)
		field, err := p.of(f.Type)
		switch {
		case err != nil:
			return fmt.Errorf("field %s: %w", f.Name, err)
		case !f.IsExported() && f.Anonymous && (f.Type.Kind() != reflect.Struct || hasClone(f.Type) || marshals(f.Type)):
			return fmt.Errorf("field %s: embed an exported type, %v cannot be copied from outside", f.Name, f.Type)
		case !f.IsExported() && !f.Anonymous:
			if field.copy != nil {
				return fmt.Errorf("field %s: %v cannot be copied from outside; give the type a method Clone", f.Name, f.Type)
			}
			continue
		}
		if field.copy != nil {
			copies = append(copies, step{i, f.Name, field})
		}
		if field.check != nil && f.Tag.Get("json") != "-" {
			checks = append(checks, step{i, f.Name, field})
		}
	}
	if len(copies) > 0 {
		pl.copy = func(v reflect.Value) {
			for _, s := range copies {
				s.copy(v.Field(s.i))
			}
		}
	}
	if len(checks) > 0 {
		pl.check = func(v reflect.Value, depth int) error {
			for _, s := range checks {
				if err := s.check(v.Field(s.i), depth); err != nil {
					return fmt.Errorf("field %s: %w", s.name, err)
				}
			}
			return nil
		}
	}
	return nil
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

func marshals(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}

package catalogue

import (
	"cmp"
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

	// open says that a value can be nested without end, or hold what its type
	// does not tell: then only a check can tell whether it can be copied.
	open   bool
	making bool // the plan is not finished: its type contains itself
}

// checked tells what is wrong with a value.
func (pl *plan) checked(v reflect.Value) error {
	if pl.check == nil {
		return nil
	}
	return pl.check(v, 0)
}

// maxNested is how deep a value may be nested: one that holds itself would be
// followed for ever, and what is loaded may be nested no deeper than 200.
const maxNested = 190

var (
	errNotUTF8   = errors.New("not UTF-8")
	errNotFinite = errors.New("not a finite number")
	errTooDeep   = fmt.Errorf("nested deeper than %d", maxNested)
)

// planner makes plans, each type once: a type may contain itself.
type planner map[reflect.Type]*plan

// planOf gives the plan of a record's type, or an error that names the part
// that can't be copied.
func planOf(t reflect.Type) (*plan, error) {
	pl := &plan{making: true}
	err := planner{t: pl}.structure(t, pl)
	pl.making = false
	if err != nil {
		return pl, fmt.Errorf("%v: %w", t, err)
	}
	return pl, nil
}

func (p planner) of(t reflect.Type) (*plan, error) {
	if known, ok := p[t]; ok {
		known.open = known.open || known.making
		return known, nil
	}
	pl := &plan{making: true}
	p[t] = pl
	err := p.fill(t, pl)
	pl.making = false
	return pl, err
}

func (p planner) fill(t reflect.Type, pl *plan) error {
	switch {
	case t == reflect.TypeFor[time.Time](), isDateTime(t):
		pl.check = checkTime
		return nil
	case t == reflect.TypeFor[json.RawMessage]():
		pl.copy, pl.check = copyBytes, checkRaw
		return nil
	case t == reflect.TypeFor[json.Number]():
		pl.check = checkByMarshalling
		return nil
	case hasClone(t):
		pl.copy, pl.check = copyByMethod, checkByMarshalling
		return nil
	case embedsTime(t):
		pl.check = checkByMarshalling
		return nil
	}
	if err := p.plain(t, pl); err != nil || !marshals(t) {
		return err
	}
	if pl.open {
		return fmt.Errorf("%v writes its own JSON and can hold anything: give it a method Clone", t)
	}
	pl.check = checkByMarshalling
	return nil
}

func (p planner) plain(t reflect.Type, pl *plan) error {
	switch t.Kind() {
	case reflect.String:
		pl.check = checkText
	case reflect.Float32, reflect.Float64:
		pl.check = checkFloat
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
		pl.copy, pl.check, pl.open = copyJSONValue, checkJSONValue, true
	case reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128:
		return fmt.Errorf("%v has no JSON", t)
	}
	return nil
}

func checkText(v reflect.Value, _ int) error {
	if !utf8.ValidString(v.String()) {
		return errNotUTF8
	}
	return nil
}

func checkFloat(v reflect.Value, _ int) error {
	if f := v.Float(); math.IsNaN(f) || math.IsInf(f, 0) {
		return errNotFinite
	}
	return nil
}

// into is of for a part: the whole's steps are in place before the part is
// looked at, so that a type inside itself finds them.
func (p planner) into(part **plan, whole *plan, t reflect.Type) (err error) {
	*part, err = p.of(t)
	whole.open = whole.open || (*part).open
	return err
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
	return p.into(&elem, pl, t.Elem())
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
	err := p.into(&elem, pl, t.Elem())
	if t.Kind() == reflect.Array && elem.copy == nil && !elem.making {
		pl.copy = nil
	}
	return err
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
			if err := cmp.Or(key.checkPart(it.Key(), depth), elem.checkPart(it.Value(), depth)); err != nil {
				return fmt.Errorf("key %v: %w", it.Key(), err)
			}
		}
		return nil
	}
	err := cmp.Or(p.into(&key, pl, t.Key()), p.into(&elem, pl, t.Elem()))
	if err == nil && key.copy != nil {
		return fmt.Errorf("%v: keys of type %v would be shared", t, t.Key())
	}
	return err
}

// checkPart checks a value inside another, of which it may be no variable.
func (pl *plan) checkPart(v reflect.Value, depth int) error {
	if pl.check == nil {
		return nil
	}
	variable := reflect.New(v.Type()).Elem()
	variable.Set(v)
	return pl.check(variable, depth+1)
}

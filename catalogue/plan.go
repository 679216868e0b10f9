package catalogue

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// A plan describes how values of a type are copied and checked. The plans of a record
// type and its parts are made once for a collection.
type plan struct {
	typ, pair reflect.Type // the type, and an array of two slices of it
	kind      reflect.Kind
	unit      unit
	elem, key *plan    // of a pointer, slice, array or map
	copies    []*field // the fields of a struct that refer to memory
	checks    []*field // the fields of a struct that can be invalid

	check func(reflect.Value) error // replaces the check for the kind if not nil

	shares  bool // an assigned value refers to the same memory as the original
	clones  bool // the type has a method Clone, which makes the copies
	flat    bool // values contain no pointers
	checked bool // a value can be invalid
	open    bool // a value can contain itself, so that it must be checked before it is copied
	making  bool // the plan is not complete; it is found so if the type contains itself

	// A value that passes its check can still have JSON that cannot be loaded.
	deep      bool // the JSON can be nested too deep
	methods   bool // methods read or write the JSON
	writeOnly bool // methods write the JSON and none reads it, so it is only parsed

	cloneWith func(reflect.Value) reflect.Value // the function of Options.Clones, or nil

	noCopy, noJSON error // why values cannot be copied or marshaled
}

// A unit is a type that a slice of other values can be copied as.
type unit uint8

const (
	unitValue unit = iota // only their own type
	unitByte
	unitWord
	unitText
	unitTime
)

func unitOf(pl *plan) unit {
	size, align := pl.typ.Size(), pl.typ.Align()
	switch {
	case pl.kind == reflect.String && !pl.clones:
		return unitText
	case isTime(pl.typ):
		return unitTime
	case pl.flat && align == 1 && size > 0:
		return unitByte
	case pl.flat && align == reflect.TypeFor[uint64]().Align() && size%8 == 0 && size > 0:
		return unitWord
	}
	return unitValue
}

// A planner makes the plans of a record type and its parts. It makes one plan for each
// type, because a type may contain itself.
type planner struct {
	plans  map[reflect.Type]*plan
	clones []CloneFunc
}

// planOf returns the plan of a struct type. It ignores the JSON methods of the type
// itself.
func planOf(t reflect.Type, clones ...CloneFunc) *plan {
	p := planner{map[reflect.Type]*plan{}, clones}
	pl := p.begin(t)
	p.structure(pl)
	pl.shares = pl.shares || pl.cloneWith != nil
	pl.deep = pl.deep || len(p.plans) > maxLevels // structs can be nested too deep
	return pl
}

func (p planner) begin(t reflect.Type) *plan {
	pl := &plan{typ: t, pair: reflect.ArrayOf(2, reflect.SliceOf(t)), kind: t.Kind(), making: true}
	for _, c := range p.clones {
		if c.typ == t {
			pl.cloneWith = c.clone
		}
	}
	pl.clones = pl.cloneWith != nil || hasClone(t)
	p.plans[t] = pl
	return pl
}

func (p planner) of(t reflect.Type) *plan {
	if known := p.plans[t]; known != nil {
		if known.making {
			known.open, known.deep, known.checked = !known.clones, true, true
		}
		return known
	}
	pl := p.begin(t)
	p.fill(pl)
	pl.unit = unitOf(pl)
	pl.making = false
	return pl
}

func (p planner) fill(pl *plan) {
	switch t := pl.typ; {
	case isTime(t):
		pl.check, pl.checked = checkTime, true
	case t == reflect.TypeFor[json.Number]():
		pl.check, pl.checked = checkReading, true
	case t == reflect.TypeFor[json.RawMessage]():
		p.plain(pl)
		pl.check, pl.checked, pl.deep = checkRaw, true, true
	default:
		p.plain(pl)
		p.heed(pl)
	}
}

// heed adjusts the plan of a type with methods.
func (p planner) heed(pl *plan) {
	writes, reads := writesJSON(pl.typ), readsJSON(pl.typ)
	if pl.clones {
		pl.shares, pl.flat, pl.open, pl.noCopy = true, false, false, nil
	}
	if writes {
		pl.checked, pl.noJSON, pl.writeOnly = false, nil, !reads
		if !pointsTo[json.Marshaler](pl.typ) {
			pl.check, pl.checked = checkText, true
		} else if f, ok := embeddedTime(pl.typ); ok && reads {
			pl.check, pl.checked = checkEmbeddedTime(f.Index), true
		}
		if pl.open {
			pl.noCopy = fmt.Errorf("%v has a method that marshals it and can contain itself: give it a method Clone", pl.typ)
		}
	}
	pl.methods = pl.methods || writes || reads
}

// plain sets the plan of a type as if it had no methods.
func (p planner) plain(pl *plan) {
	switch t := pl.typ; pl.kind {
	case reflect.String:
		pl.checked = true
	case reflect.Float32, reflect.Float64:
		pl.checked, pl.flat = true, true
	case reflect.Pointer, reflect.Slice:
		pl.shares = true
		pl.elem = p.part(pl, t.Elem())
	case reflect.Array:
		pl.elem = p.part(pl, t.Elem())
		pl.shares, pl.flat = pl.elem.shares, pl.elem.flat
	case reflect.Map:
		pl.shares = true
		pl.key, pl.elem = p.part(pl, t.Key()), p.part(pl, t.Elem())
		if k := t.Key().Kind(); k != reflect.String && (k < reflect.Int || k > reflect.Uintptr) &&
			!t.Key().Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
			pl.noJSON = fmt.Errorf("%v: JSON keys cannot have type %v", t, t.Key())
		}
		if pl.key.shares {
			pl.noCopy = fmt.Errorf("%v: keys of type %v cannot be copied", t, t.Key())
		}
	case reflect.Struct:
		p.structure(pl)
	case reflect.Interface:
		pl.shares, pl.checked, pl.open, pl.deep = true, true, true, true
		if t.NumMethod() > 0 {
			pl.noCopy = fmt.Errorf("%v: an interface with methods cannot be copied", t)
		}
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		pl.shares = true
		pl.noCopy = fmt.Errorf("%v cannot be copied", t)
		pl.noJSON = fmt.Errorf("%v has no JSON", t)
	case reflect.Complex64, reflect.Complex128:
		pl.flat, pl.noJSON = true, fmt.Errorf("%v has no JSON", t)
	default: // numbers and booleans
		pl.flat = true
	}
}

// part returns the plan of t, which is the type of a part of pl's values.
func (p planner) part(pl *plan, t reflect.Type) *plan {
	part := p.of(t)
	pl.hold(part)
	pl.noCopy, pl.noJSON = cmp.Or(pl.noCopy, part.noCopy), cmp.Or(pl.noJSON, part.noJSON)
	return part
}

// hold adds the properties of a part to pl.
func (pl *plan) hold(part *plan) {
	pl.open = pl.open || part.open
	pl.deep = pl.deep || part.deep
	pl.methods = pl.methods || part.methods
	pl.writeOnly = pl.writeOnly || part.writeOnly
	pl.checked = pl.checked || part.checked
}

// isTime reports whether a type is [time.Time] or [schema.DateTime], which contains
// only a time.Time.
func isTime(t reflect.Type) bool {
	return t == reflect.TypeFor[time.Time]() || t == reflect.TypeFor[schema.DateTime]()
}

// embeddedTime returns the embedded time of a struct that compares by its instant; see
// [ordering.FieldsOf].
func embeddedTime(t reflect.Type) (reflect.StructField, bool) {
	if t.Kind() != reflect.Struct {
		return reflect.StructField{}, false
	}
	f, ok := t.FieldByName("Time")
	of := f.Type
	if ok && of.Kind() == reflect.Pointer {
		of = of.Elem()
	}
	return f, ok && f.Anonymous && of == reflect.TypeFor[time.Time]()
}

// hasClone reports whether a type has a method Clone that returns a value of the type.
func hasClone(t reflect.Type) bool {
	m, ok := t.MethodByName("Clone")
	return ok && m.Type.NumIn() == 1 && m.Type.NumOut() == 1 && m.Type.Out(0) == t
}

// writesJSON reports whether a pointer to a type has a method MarshalJSON or MarshalText.
func writesJSON(t reflect.Type) bool {
	return pointsTo[json.Marshaler](t) || pointsTo[encoding.TextMarshaler](t)
}

// readsJSON reports whether a pointer to a type has a method UnmarshalJSON or
// UnmarshalText.
func readsJSON(t reflect.Type) bool {
	return pointsTo[json.Unmarshaler](t) || pointsTo[encoding.TextUnmarshaler](t)
}

// pointsTo reports whether a pointer to a type has the methods of I.
func pointsTo[I any](t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[I]())
}

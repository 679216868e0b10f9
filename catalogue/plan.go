package catalogue

import (
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"time"

	"github.com/gobacklist/backlist/resources"
)

// A plan describes how the values of a type are copied and checked. The plans of a
// record type and its parts are made once, when a collection is made.
type plan struct {
	typ, pair reflect.Type // the type, and two slices of it
	kind      reflect.Kind
	unit      unit
	elem, key *plan    // of a pointer, list or map
	copies    []*field // the fields of a struct that share memory
	checks    []*field // the fields of a struct that can be invalid

	check func(reflect.Value) error // instead of the check for the kind, if not nil

	shares  bool // an assignment shares memory with the original
	clones  bool // copies are made by the type's own method Clone
	flat    bool // there are no pointers inside
	checked bool // a value can be invalid
	open    bool // a value can hold itself: only its check bounds a copy of it
	making  bool // the plan is not finished: its type contains itself

	// A value that passes its check can still have JSON that cannot be loaded:
	// JSON that is nested too deep, or what methods write or do not read. What is
	// only written by methods is not read back, only its form is checked.
	deep, methods, writeOnly bool

	noCopy, noJSON error // why a value cannot be copied, or written as JSON
}

// A unit is what values of a type can be copied as, whatever their type.
type unit uint8

const (
	unitValue unit = iota // nothing else
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

// A planner makes the plans of a record type and its parts, each once: a type
// may contain itself.
type planner map[reflect.Type]*plan

// planOf returns the plan of a struct type, whatever methods it has.
func planOf(t reflect.Type) *plan {
	p := planner{}
	pl := p.begin(t)
	p.structure(pl)
	pl.deep = pl.deep || len(p) > maxLevels // its types alone may be nested too deep
	return pl
}

func (p planner) begin(t reflect.Type) *plan {
	pl := &plan{typ: t, pair: reflect.ArrayOf(2, reflect.SliceOf(t)), kind: t.Kind(), clones: hasClone(t), making: true}
	p[t] = pl
	return pl
}

func (p planner) of(t reflect.Type) *plan {
	if known := p[t]; known != nil {
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

// heed adapts the plan of a type to its methods.
func (p planner) heed(pl *plan) {
	writes, reads := writesJSON(pl.typ), readsJSON(pl.typ)
	if pl.clones {
		pl.shares, pl.flat, pl.open, pl.noCopy = true, false, false, nil
	}
	if writes {
		pl.checked, pl.noJSON, pl.writeOnly = false, nil, !reads
		if !pointsTo[json.Marshaler](pl.typ) {
			pl.check, pl.checked = checkText, true
		}
		if pl.open {
			pl.noCopy = fmt.Errorf("%v writes its own JSON and can hold anything: give it a method Clone", pl.typ)
		}
	}
	pl.methods = pl.methods || writes || reads
}

// plain fills the plan of a type as if it had no methods.
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
			pl.noJSON = fmt.Errorf("%v: JSON has no keys like %v", t, t.Key())
		}
		if pl.key.shares {
			pl.noCopy = fmt.Errorf("%v: keys of type %v would be shared", t, t.Key())
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

// part returns the plan of what pl's values hold.
func (p planner) part(pl *plan, t reflect.Type) *plan {
	part := p.of(t)
	pl.hold(part)
	pl.noCopy, pl.noJSON = cmp.Or(pl.noCopy, part.noCopy), cmp.Or(pl.noJSON, part.noJSON)
	return part
}

// hold adds to pl what holds for values of part, which are part of its values.
func (pl *plan) hold(part *plan) {
	pl.open = pl.open || part.open
	pl.deep = pl.deep || part.deep
	pl.methods = pl.methods || part.methods
	pl.writeOnly = pl.writeOnly || part.writeOnly
	pl.checked = pl.checked || part.checked
}

// isTime reports whether a type is [time.Time], or holds one and nothing else and
// is known to write it.
func isTime(t reflect.Type) bool {
	return t == reflect.TypeFor[time.Time]() || t == reflect.TypeFor[resources.DateTime]()
}

// hasClone reports whether a type has a method Clone that returns another of
// the type.
func hasClone(t reflect.Type) bool {
	m, ok := t.MethodByName("Clone")
	return ok && m.Type.NumIn() == 1 && m.Type.NumOut() == 1 && m.Type.Out(0) == t
}

// writesJSON reports whether values of a type, if addressable, write their own
// JSON.
func writesJSON(t reflect.Type) bool {
	return pointsTo[json.Marshaler](t) || pointsTo[encoding.TextMarshaler](t)
}

// readsJSON reports whether values of a type read their own JSON.
func readsJSON(t reflect.Type) bool {
	return pointsTo[json.Unmarshaler](t) || pointsTo[encoding.TextUnmarshaler](t)
}

// pointsTo reports whether a pointer to a type has the methods of I.
func pointsTo[I any](t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[I]())
}

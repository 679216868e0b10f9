// Package value copies, checks and decodes values of Go types by reflection. A [Copier] keeps
// what it learns about a type.
//
// It uses unsafe to copy records: reflection takes three times as long and allocates more.
// Memory that contains pointers is allocated and written by package reflect, so that the
// garbage collector knows them. No function retains the pointer to the record, so the
// record can stay on the stack.
package value

import (
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"net/netip"
	"reflect"
	"slices"
	"strings"
	"time"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// Unshare makes a flat copy of a record a deep one: it replaces all memory that the record
// at p refers to by copies. p must point to a value of the type of the Copier.
func (c *Copier) Unshare(p unsafe.Pointer) {
	if c.shares {
		c.copy(p)
	}
}

// copy replaces all memory that the value at p refers to by copies of it.
func (c *Copier) copy(p unsafe.Pointer) {
	switch kind := c.kind; {
	case c.Clones, kind == reflect.Map && *(*unsafe.Pointer)(p) != nil:
		box := reflect.New(c.typ)
		c.assign(box.UnsafePointer(), p)
		if v := box.Elem(); !c.Clones {
			v.Set(c.copyMap(v))
		} else if kind != reflect.Pointer || !v.IsNil() {
			v.Set(v.MethodByName("Clone").Call(nil)[0])
		}
		c.assign(p, box.UnsafePointer())
	case kind == reflect.Struct:
		for _, f := range c.copies {
			f.copy(unsafe.Add(p, f.offset))
		}
	case kind == reflect.Slice:
		// All slices have the layout of a []byte; the length is in elements.
		if s := (*[]byte)(p); len(*s) > 0 {
			fresh := c.elem.duplicate(unsafe.Pointer(unsafe.SliceData(*s)), len(*s))
			*s = unsafe.Slice((*byte)(fresh), len(*s))
		} else if *s != nil {
			*s = []byte{} // has no capacity to share
		}
	case kind == reflect.Array:
		c.elem.copyEach(p, c.typ.Len())
	case kind == reflect.Pointer:
		if at := (*unsafe.Pointer)(p); *at != nil {
			*at = c.elem.duplicate(*at, 1)
		}
	case kind == reflect.Interface:
		*(*any)(p) = copyAny(*(*any)(p))
	case kind == reflect.Invalid: // it is not kept
		c.assign(p, reflect.New(c.typ).UnsafePointer())
	}
}

func (c *Copier) copyEach(p unsafe.Pointer, n int) {
	for i := range n {
		c.copy(unsafe.Add(p, uintptr(i)*c.typ.Size()))
	}
}

// duplicate returns new memory with copies of the n values at p. n must not be 0.
func (c *Copier) duplicate(p unsafe.Pointer, n int) unsafe.Pointer {
	if c.slice != nil {
		return c.slice(p, n)
	}
	pair := [2][]byte{nil, unsafe.Slice((*byte)(p), n)}
	fresh, old := c.slices(&pair)
	fresh.Grow(n) // one allocation; MakeSlice takes two
	fresh.SetLen(n)
	reflect.Copy(fresh, old)
	to := unsafe.Pointer(unsafe.SliceData(pair[0]))
	if c.shares {
		c.copyEach(to, n)
	}
	return to
}

// assign assigns the value at from to the value at to.
func (c *Copier) assign(to, from unsafe.Pointer) {
	pair := [2][]byte{unsafe.Slice((*byte)(to), 1), unsafe.Slice((*byte)(from), 1)}
	reflect.Copy(c.slices(&pair))
}

// slices converts two slices of bytes to slices of the type, over the same memory.
func (c *Copier) slices(pair *[2][]byte) (a, b reflect.Value) {
	v := reflect.NewAt(c.pair, unsafe.Pointer(pair)).Elem()
	return v.Index(0), v.Index(1)
}

func cloneOf[E any](p unsafe.Pointer, n int) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(append([]E{}, unsafe.Slice((*E)(p), n)...)))
}

func (c *Copier) copyMap(m reflect.Value) reflect.Value {
	fresh := reflect.MakeMapWithSize(c.typ, m.Len())
	key, value := reflect.New(c.key.typ).Elem(), reflect.New(c.elem.typ)
	for it := m.MapRange(); it.Next(); {
		key.SetIterKey(it)
		value.Elem().SetIterValue(it)
		c.elem.Unshare(value.UnsafePointer())
		fresh.SetMapIndex(key, value.Elem())
	}
	return fresh
}

// copyAny copies a value that passes validAny.
func copyAny(value any) any {
	switch x := value.(type) {
	case []any:
		fresh := slices.Clone(x)
		for i, e := range fresh {
			fresh[i] = copyAny(e)
		}
		return fresh
	case map[string]any:
		fresh := maps.Clone(x)
		for k, e := range fresh {
			fresh[k] = copyAny(e)
		}
		return fresh
	case nil, bool, string, json.Number, time.Time, float64, float32, int, int8, int16, int32, int64, uint, uint8, uint16, uint32, uint64:
		return value
	}
	box := reflect.New(reflect.TypeOf(value))
	box.Elem().Set(reflect.ValueOf(value))
	copiers{}.of(box.Type().Elem()).Unshare(box.UnsafePointer())
	return box.Elem().Interface()
}

// A Copier copies and checks the values of a type. The Copiers of a record type and its
// parts are made once for a collection.
type Copier struct {
	typ, pair reflect.Type // the type, and an array of two slices of it
	kind      reflect.Kind
	slice     func(p unsafe.Pointer, n int) unsafe.Pointer // see bulk
	elem, key *Copier                                      // of a pointer, slice, array or map
	copies    []*field                                     // the fields of a struct that refer to memory
	checks    []*field                                     // the fields of a struct that can be invalid

	check func(reflect.Value) error // replaces the check for the kind if not nil

	shares  bool // an assigned value refers to the same memory as the original
	checked bool // a value can be invalid
	making  bool // the Copier is not complete; it is found so if the type contains itself

	Clones  bool // the type has a method Clone, which makes the copies
	Cloning bool // the type, or that of a part in the JSON, has such a method
	Open    bool // a value can contain itself, so that it must be checked before it is copied

	// A value that passes its check can still have JSON that cannot be loaded.
	Deep      bool // the JSON can be nested too deep
	Methods   bool // methods read or write the JSON
	WriteOnly bool // methods write the JSON and none reads it, so it is only parsed

	NoCopy, NoJSON error // why values cannot be copied or marshaled
}

// bulk returns a function that copies n values as values of another type, or nil if they must
// be copied as values of their own type.
func (c *Copier) bulk() func(p unsafe.Pointer, n int) unsafe.Pointer {
	switch {
	case c.Clones:
	case c.kind == reflect.String:
		return cloneOf[string]
	case isTime(c.typ):
		return cloneOf[time.Time]
	case c.kind == reflect.Uint8:
		return cloneOf[byte]
	case c.kind == reflect.Int:
		return cloneOf[int]
	}
	return nil
}

// copiers holds one Copier for each type, because a type may contain itself.
type copiers map[reflect.Type]*Copier

// Of returns the Copier of a struct type. It ignores the JSON methods of the type
// itself.
func Of(t reflect.Type) *Copier {
	all := copiers{}
	c := all.begin(t)
	all.structure(c)
	c.Deep = c.Deep || len(all) > maxLevels // structs can be nested too deep
	return c
}

func (all copiers) begin(t reflect.Type) *Copier {
	clones := hasClone(t)
	c := &Copier{typ: t, pair: reflect.ArrayOf(2, reflect.SliceOf(t)), kind: t.Kind(), Clones: clones, Cloning: clones, making: true}
	all[t] = c
	return c
}

func (all copiers) of(t reflect.Type) *Copier {
	if known := all[t]; known != nil {
		if known.making {
			known.Open, known.Deep, known.checked = !known.Clones, true, true
		}
		return known
	}
	c := all.begin(t)
	all.fill(c)
	c.slice = c.bulk()
	c.making = false
	return c
}

func (all copiers) fill(c *Copier) {
	switch t := c.typ; {
	case isTime(t):
		c.check, c.checked = checkTime, true
	case t == reflect.TypeFor[json.Number]():
		c.check, c.checked = checkReading, true
	case t == reflect.TypeFor[json.RawMessage]():
		all.plain(c)
		c.check, c.checked, c.Deep = checkRaw, true, true
	case isConstant(t):
		all.heed(c)
	default:
		all.plain(c)
		all.heed(c)
	}
}

// heed adjusts the Copier of a type with methods.
func (all copiers) heed(c *Copier) {
	writes, reads := jsontext.Writes(c.typ), jsontext.Reads(c.typ)
	if c.Clones {
		c.shares, c.Open, c.NoCopy = true, false, nil
	}
	if writes {
		c.checked, c.NoJSON, c.WriteOnly = false, nil, !reads
		if !jsontext.Implements[json.Marshaler](c.typ) {
			c.check, c.checked = checkText, true
		}
		if c.Open {
			c.NoCopy = fmt.Errorf("%v has a method that marshals it and can contain itself: give it a method Clone", c.typ)
		}
	}
	c.Methods = c.Methods || writes || reads
}

// plain sets the Copier of a type without regard to its methods.
func (all copiers) plain(c *Copier) {
	switch t := c.typ; c.kind {
	case reflect.String:
		c.checked = true
	case reflect.Float32, reflect.Float64:
		c.checked = true
	case reflect.Pointer, reflect.Slice:
		c.shares = true
		c.elem = all.part(c, t.Elem())
	case reflect.Array:
		c.elem = all.part(c, t.Elem())
		c.shares = c.elem.shares
	case reflect.Map:
		c.shares = true
		c.key, c.elem = all.part(c, t.Key()), all.part(c, t.Elem())
		if k := t.Key().Kind(); k != reflect.String && (k < reflect.Int || k > reflect.Uintptr) &&
			!t.Key().Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
			c.NoJSON = fmt.Errorf("%v: JSON keys cannot have type %v: %s", t, t.Key(), remedy)
		}
		if c.key.shares {
			c.NoCopy = fmt.Errorf("%v: keys of type %v cannot be copied", t, t.Key())
		}
	case reflect.Struct:
		all.structure(c)
	case reflect.Interface:
		c.shares, c.checked, c.Open, c.Deep = true, true, true, true
		if t.NumMethod() > 0 {
			c.NoCopy = fmt.Errorf("%v: an interface with methods cannot be copied", t)
		}
	case reflect.Func, reflect.Chan, reflect.UnsafePointer:
		c.shares = true
		c.NoCopy = fmt.Errorf("%v cannot be copied", t)
		c.NoJSON = fmt.Errorf("%v has no JSON: %s", t, remedy)
	case reflect.Complex64, reflect.Complex128:
		c.NoJSON = fmt.Errorf("%v has no JSON: %s", t, remedy)
	}
}

const remedy = "give the type of the field a method MarshalJSON, or the field the tag `json:\"-\"`"

// part returns the Copier of t, which is the type of a part of c's values.
func (all copiers) part(c *Copier, t reflect.Type) *Copier {
	part := all.of(t)
	c.hold(part)
	c.NoCopy, c.NoJSON = cmp.Or(c.NoCopy, part.NoCopy), cmp.Or(c.NoJSON, part.NoJSON)
	return part
}

// hold adds the properties of a part to c.
func (c *Copier) hold(part *Copier) {
	c.Cloning = c.Cloning || part.Cloning
	c.Open = c.Open || part.Open
	c.Deep = c.Deep || part.Deep
	c.Methods = c.Methods || part.Methods
	c.WriteOnly = c.WriteOnly || part.WriteOnly
	c.checked = c.checked || part.checked
}

// isConstant reports whether values of a type need no copy, because nothing changes the memory to
// which they refer.
func isConstant(t reflect.Type) bool {
	switch t {
	case reflect.TypeFor[netip.Addr](), reflect.TypeFor[netip.AddrPort](), reflect.TypeFor[netip.Prefix](),
		reflect.TypeFor[time.Location](), reflect.TypeFor[*time.Location]():
		return true
	}
	return false
}

// isNumber reports whether a type is one of package math/big, whose values are copied with the
// digits to which they refer, or a pointer to one.
func isNumber(t reflect.Type) bool {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t == reflect.TypeFor[big.Int]() || t == reflect.TypeFor[big.Rat]() || t == reflect.TypeFor[big.Float]()
}

// isTime reports whether a type is [time.Time] or [schema.DateTime], which contains
// only a time.Time.
func isTime(t reflect.Type) bool {
	return t == reflect.TypeFor[time.Time]() || t == reflect.TypeFor[schema.DateTime]()
}

// hasClone reports whether a type has a method Clone that returns a value of the type. That of
// [json.RawMessage] does not count: it has one since Go 1.27, and copies its bytes.
func hasClone(t reflect.Type) bool {
	m, ok := t.MethodByName("Clone")
	return ok && t != reflect.TypeFor[json.RawMessage]() && m.Type.NumIn() == 1 && m.Type.NumOut() == 1 && m.Type.Out(0) == t
}

// A field is a field of a struct with the Copier of its type.
type field struct {
	*Copier
	name   string
	index  int
	offset uintptr
}

func (all copiers) structure(c *Copier) {
	methods := jsontext.Writes(c.typ) || jsontext.Reads(c.typ) // the JSON may have what is in no member
	for i := range c.typ.NumField() {
		f := c.typ.Field(i)
		sub := &field{all.of(f.Type), f.Name, i, f.Offset}
		switch err := notCopied(f, sub.Copier); {
		case err == nil, isNumber(c.typ):
		case !methods && !f.IsExported() && (isHidden(f) || !f.Anonymous):
			sub.Copier = &Copier{typ: f.Type, pair: sub.pair, shares: true}
		default:
			c.NoCopy = cmp.Or(c.NoCopy, fmt.Errorf("field %s: %w", f.Name, err))
		}
		if sub.shares {
			c.copies = append(c.copies, sub)
		}
		c.Open = c.Open || sub.Open
		if isHidden(f) || !f.IsExported() && !f.Anonymous {
			continue
		}
		if sub.NoJSON != nil {
			c.NoJSON = cmp.Or(c.NoJSON, fmt.Errorf("field %s: %w", f.Name, sub.NoJSON))
		}
		c.hold(sub.Copier)
		if sub.checked {
			c.checks = append(c.checks, sub)
		}
	}
	c.shares = len(c.copies) > 0
	members, _ := jsonmember.Of(c.typ)
	for _, m := range members {
		for _, option := range m.Options {
			switch name, _, _ := strings.Cut(option, ":"); name {
			case "inline", "embed", "unknown", "format", "case": // embed is inline since Go 1.27
				c.NoJSON = cmp.Or(c.NoJSON, fmt.Errorf("field %s: encoding/json ignores the option %s of its json tag, with which encoding/json/v2 writes other JSON: remove the option", m.Field.Name, name))
			}
		}
	}
}

func isHidden(f reflect.StructField) bool { return f.Tag.Get("json") == "-" }

// notCopied returns an error if a field of a struct cannot be copied.
func notCopied(f reflect.StructField, c *Copier) error {
	visible := f.IsExported() || f.Anonymous
	switch {
	case visible && c.NoCopy != nil:
		return c.NoCopy
	case isHidden(f) && c.Open:
		return errors.New("it is not in the JSON and can contain itself")
	case !f.IsExported() && f.Anonymous && (c.kind != reflect.Struct || c.Clones || jsontext.Writes(f.Type)):
		return fmt.Errorf("%v is unexported and embedded, and cannot be copied: embed an exported type", f.Type)
	case !visible && c.shares && !isNumber(f.Type):
		return fmt.Errorf("%v contains references and the field is unexported, so it cannot be copied", f.Type)
	}
	return nil
}

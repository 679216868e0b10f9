package catalogue

import (
	"reflect"
	"time"
	"unsafe"
)

// The package uses unsafe to copy records (this file), to load them (layout.go) and to
// find them in their entries (stored.go). Reads and writes copy records; reflection takes
// three times as long to do so and allocates more. Memory that contains pointers is
// allocated and written by package reflect, so that the garbage collector knows them.
// The functions of this file do not retain the pointer to the record, so the record can
// stay on the stack.

// copyOf returns a deep copy of a record.
func copyOf[T any](pl *plan, record *T) T {
	copied := *record
	if pl.shares {
		pl.copy(unsafe.Pointer(&copied))
	}
	return copied
}

// intAt returns a pointer to the int at an offset in a record.
func intAt[T any](record *T, offset uintptr) *int {
	return (*int)(unsafe.Add(unsafe.Pointer(record), offset))
}

// copy replaces all memory that the value at p refers to by copies of it.
func (pl *plan) copy(p unsafe.Pointer) {
	switch kind := pl.kind; {
	case kind == reflect.Map && !pl.clones && *(*unsafe.Pointer)(p) == nil:
	case kind == reflect.Map, pl.clones:
		box := reflect.New(pl.typ)
		pl.assign(box.UnsafePointer(), p)
		pl.replace(box.Elem())
		pl.assign(p, box.UnsafePointer())
	case kind == reflect.Struct:
		for _, f := range pl.copies {
			f.copy(unsafe.Add(p, f.offset))
		}
	case kind == reflect.Slice:
		// All slices have the layout of a []byte; the length is in elements.
		if s := (*[]byte)(p); len(*s) > 0 {
			fresh := pl.elem.duplicate(unsafe.Pointer(unsafe.SliceData(*s)), len(*s))
			*s = unsafe.Slice((*byte)(fresh), len(*s))
		} else if *s != nil {
			*s = []byte{} // has no capacity to share
		}
	case kind == reflect.Array:
		pl.elem.copyEach(p, pl.typ.Len())
	case kind == reflect.Pointer:
		if at := (*unsafe.Pointer)(p); *at != nil {
			*at = pl.elem.duplicate(*at, 1)
		}
	case kind == reflect.Interface:
		*(*any)(p) = copyAny(*(*any)(p))
	}
}

func (pl *plan) copyEach(p unsafe.Pointer, n int) {
	for i := range n {
		pl.copy(unsafe.Add(p, uintptr(i)*pl.typ.Size()))
	}
}

// duplicate returns new memory with copies of the n values at p. n must not be 0.
func (pl *plan) duplicate(p unsafe.Pointer, n int) unsafe.Pointer {
	switch pl.unit {
	case unitByte:
		return cloneOf[byte](p, n*int(pl.typ.Size()))
	case unitWord:
		return cloneOf[uint64](p, n*int(pl.typ.Size()/8))
	case unitText:
		return cloneOf[string](p, n)
	case unitTime:
		return cloneOf[time.Time](p, n)
	}
	pair := [2][]byte{nil, unsafe.Slice((*byte)(p), n)}
	fresh, old := pl.slices(&pair)
	fresh.Grow(n) // one allocation; MakeSlice takes two
	fresh.SetLen(n)
	reflect.Copy(fresh, old)
	to := unsafe.Pointer(unsafe.SliceData(pair[0]))
	if pl.shares {
		pl.copyEach(to, n)
	}
	return to
}

// assign assigns the value at from to the value at to.
func (pl *plan) assign(to, from unsafe.Pointer) {
	pair := [2][]byte{unsafe.Slice((*byte)(to), 1), unsafe.Slice((*byte)(from), 1)}
	reflect.Copy(pl.slices(&pair))
}

// slices returns the slices of a pair as slices of the plan's type.
func (pl *plan) slices(pair *[2][]byte) (a, b reflect.Value) {
	v := reflect.NewAt(pl.pair, unsafe.Pointer(pair)).Elem()
	return v.Index(0), v.Index(1)
}

func cloneOf[E any](p unsafe.Pointer, n int) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(append([]E{}, unsafe.Slice((*E)(p), n)...)))
}

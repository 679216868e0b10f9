package catalogue

import "github.com/gobacklist/backlist/catalogue/internal/store"

// A View is a page of stored records. Reading them needs no copies. A View holds only
// its own records and is safe for concurrent use. The zero View is empty.
type View[T any] struct {
	schema  *schema[T]
	entries []*store.Entry
	count   int
}

// Count returns the number of all records of the collection. O(1).
func (v View[T]) Count() int { return v.count }

// Len returns the number of records in the view. O(1).
func (v View[T]) Len() int { return len(v.entries) }

// At returns record i of the view, from 0. It is shared with all readers and must not
// be modified. At panics if i is not in [0, Len), as indexing a slice does. O(1).
func (v View[T]) At(i int) *T { return recordOf[T](v.entries[i]) }

// JSON returns record i of the view in JSON. It is made by the first call, shared
// with all readers, and must not be modified. The error is [ErrInvalid] if a method of
// T fails to marshal. O(1) after the first call.
func (v View[T]) JSON(i int) ([]byte, error) { return v.schema.encoded(v.entries[i]) }

// A Page is a part of a collection and the number of all records at the same instant.
// The records belong to the caller.
type Page[T any] struct {
	Count   int
	Records []T
}

// page returns the view with copies of the records.
func (v View[T]) page() Page[T] {
	if v.schema == nil {
		return Page[T]{}
	}
	p := Page[T]{Count: v.count, Records: make([]T, len(v.entries))}
	for i, e := range v.entries {
		p.Records[i] = v.schema.clone(recordOf[T](e))
	}
	return p
}

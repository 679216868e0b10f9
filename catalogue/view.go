package catalogue

import "github.com/gobacklist/backlist/catalogue/internal/store"

// A View is a page of stored records, without copies. It is immutable and safe for
// concurrent use. It keeps only its own records in memory. The zero View is empty.
type View[T any] struct {
	typ     *recordType[T]
	entries []*store.Entry
	count   int
}

// Count returns the number of all records of the collection, or of the [Selection], at
// the time of the view. O(1).
func (v View[T]) Count() int { return v.count }

// Len returns the number of records in the view. O(1).
func (v View[T]) Len() int { return len(v.entries) }

// At returns the record with index i. The record is the stored one and must not be
// modified. At panics if i is not in [0, Len). O(1).
func (v View[T]) At(i int) *T { return recordOf[T](v.entries[i]) }

// JSON returns the JSON of the record with index i. It must not be modified. The error
// wraps [ErrInvalid] if a method MarshalJSON or MarshalText returns an error. JSON
// panics if i is not in [0, Len). O(1) after the first call for a record.
func (v View[T]) JSON(i int) ([]byte, error) { return v.typ.encoded(v.entries[i]) }

// A Page holds the records in a window and the number of all records of the collection,
// or of the [Selection], both of one state. The records are copies and can be modified.
type Page[T any] struct {
	Count   int // number of all records
	Records []T // those in the window
}

// page returns the view with copies of the records.
func (v View[T]) page() Page[T] {
	if v.typ == nil {
		return Page[T]{}
	}
	p := Page[T]{Count: v.count, Records: make([]T, len(v.entries))}
	for i, e := range v.entries {
		p.Records[i] = v.typ.clone(recordOf[T](e))
	}
	return p
}

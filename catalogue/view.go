package catalogue

import "github.com/gobacklist/backlist/catalogue/internal/store"

// A View is a page of stored records themselves: reading them costs no copies.
// It holds on to nothing but those records. The zero View is empty. It may be
// read by any number of goroutines at once.
type View[T any] struct {
	schema  *schema[T]
	entries []*store.Entry
	count   int
}

// Count is the number of all records of the collection. O(1).
func (v View[T]) Count() int { return v.count }

// Len is the number of records in the page. O(1).
func (v View[T]) Len() int { return len(v.entries) }

// At gives the stored record at place i of the page, from 0. It is shared with
// every other reader: nothing in it may ever be changed. It panics as a slice
// does if i is not in [0, Len).
func (v View[T]) At(i int) *T { return recordOf[T](v.entries[i]) }

// JSON gives the wire form of the record at place i: made when first asked for,
// kept, shared, and never to be changed. An error, which only a record with
// marshalling of its own can cause, is an [ErrInvalid]. O(1) once made.
func (v View[T]) JSON(i int) ([]byte, error) { return v.schema.encoded(v.entries[i]) }

// A Page is a part of a collection and the number of all its records, both of
// one instant. The records are the caller's.
type Page[T any] struct {
	Count   int
	Records []T
}

// page copies the records out.
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

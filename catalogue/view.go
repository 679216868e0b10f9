package catalogue

import "github.com/gobacklist/backlist/pagination"

// A View is a page of stored records themselves: reading them costs no copies.
// It holds on to nothing but those records. The zero View is empty. It may be
// read by any number of goroutines at once.
type View[T any] struct {
	schema  *schema[T]
	entries []*entry
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

// view is the window of what a reading shows, in the memory of dst if that is
// enough.
func (s *schema[T]) view(dst []*entry, w pagination.Window, r reading, err error) (View[T], error) {
	if err != nil {
		return View[T]{}, err
	}
	entries, count := r.page(dst, w)
	return View[T]{schema: s, entries: entries, count: count}, nil
}

// page takes the entries in a window, and the count. Of dst only the memory is
// used, if that is enough.
func (r reading) page(dst []*entry, w pagination.Window) (entries []*entry, count int) {
	entries, count = dst[:0], r.t.primary.len()
	if start, end := w.Bounds(count); start < end {
		if cap(dst) < end-start {
			dst = make([]*entry, 0, end-start)
		}
		entries = r.order.page(dst[:0], start, end-start, r.desc)
	}
	return entries, count
}

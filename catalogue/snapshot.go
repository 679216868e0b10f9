package catalogue

import (
	"context"
	"iter"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A Snapshot is the state of a collection at one instant. It is immutable and safe for
// concurrent use. While it is held, the records of that state stay in memory, even
// after they are replaced or deleted. The methods of the zero Snapshot panic.
type Snapshot[T any] struct {
	typ   *recordType[T]
	state *store.State
}

// Snapshot returns the current state. O(1), but the next write copies the tree nodes
// that it changes.
func (c *Collection[T]) Snapshot() Snapshot[T] { return Snapshot[T]{c.typ, c.store.Current()} }

// Count returns the number of records. O(1).
func (s Snapshot[T]) Count() int { return s.state.Len() }

// Revision returns the number of writes that led to the state. A batch counts as one
// write, or as none if it changes nothing. [Collection.Since] returns the changes after
// a revision. A new collection starts at 0 and a clone at the revision of its original.
// Revisions are not saved. O(1).
func (s Snapshot[T]) Revision() uint64 { return s.state.Revision() }

// Has reports whether there is a record with the given id. O(log n).
func (s Snapshot[T]) Has(id int) bool { return s.state.Get(id) != nil }

// Get returns a copy of the record with the given id. The error wraps [ErrNotFound] if
// there is none. O(log n).
func (s Snapshot[T]) Get(id int) (T, error) { return s.typ.copied(s.state.Get(id), id) }

// Fields returns the names of the fields that records can be ordered by, in snake_case.
// If T is a struct, they are in the order of its fields. For open records they are id
// and the members that at least one record has, sorted. The caller may modify the
// slice. O(fields).
func (s Snapshot[T]) Fields() []string { return s.typ.names(s.state) }

// All returns an iterator over copies of all records in the default order.
func (s Snapshot[T]) All() iter.Seq[T] {
	all, _ := s.Ordered() // without terms there is no error
	return all
}

// Ordered returns an iterator over copies of all records in the order of terms, or in
// the default order if there are none. Records that are equal by all terms are in the
// order of their ids, which descend if the first term does. If a term names an unknown
// field, the error wraps [ordering.ErrUnknownField] and the iterator is empty.
//
// The first use of an ordering sorts the records: O(n log n). After that, iterating is
// O(1) for each record.
func (s Snapshot[T]) Ordered(terms ...ordering.Term) (iter.Seq[T], error) {
	scan, err := s.state.Scan(context.Background(), store.Query{Terms: terms})
	return s.typ.seq(scan, err)
}

// Page returns copies of the records in a window, in the order of terms, and the number
// of all records. Terms and errors are those of [Snapshot.Ordered]. A window past the
// end has no records. The zero Window has all. After the first use of the ordering,
// Page is O(log n + limit) at any offset.
func (s Snapshot[T]) Page(w pagination.Window, terms ...ordering.Term) (Page[T], error) {
	v, err := s.View(w, terms...)
	return v.page(), err
}

// View is like [Snapshot.Page] but returns the stored records instead of copies. They
// must not be modified.
func (s Snapshot[T]) View(w pagination.Window, terms ...ordering.Term) (View[T], error) {
	entries, count, err := s.state.Page(context.Background(), store.Query{Terms: terms, Window: w})
	return s.typ.view(entries, count, err)
}

package catalogue

import (
	"context"
	"iter"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A Snapshot is a collection at one instant. It never changes, costs nothing
// but the records that it alone still holds, and may be copied and used by any
// number of goroutines at once. It comes from [Collection.Snapshot].
type Snapshot[T any] struct {
	schema *schema[T]
	state  *store.State
}

// Snapshot returns the collection as it is now: for several reads of one state.
// O(1). While a snapshot is held, the next write copies the nodes that it changes.
func (c *Collection[T]) Snapshot() Snapshot[T] { return Snapshot[T]{c.schema, c.store.Current()} }

// Count is the number of records. O(1).
func (s Snapshot[T]) Count() int { return s.state.Len() }

// Revision is a number that grows with each write that the snapshot holds: what
// comes after it is [Collection.Since] this revision. It is the collection's own,
// and of this run of the program; a clone goes on from that of its original. O(1).
func (s Snapshot[T]) Revision() uint64 { return s.state.Revision() }

// Get returns a copy of the record with that id, or [ErrNotFound]. O(log n).
func (s Snapshot[T]) Get(id int) (T, error) { return s.schema.copied(s.state.Get(id), id) }

// Fields lists the names that records can be ordered by, in snake_case: a
// struct's fields in their order, or of open records all members that one of
// them has, sorted. id is always among them. O(fields).
func (s Snapshot[T]) Fields() []string { return s.schema.names(s.state) }

// All yields copies of all records in the default order, as
// [Snapshot.Ordered] does without terms.
func (s Snapshot[T]) All() iter.Seq[T] {
	all, _ := s.Ordered() // without terms there is no unknown field
	return all
}

// Ordered yields copies of all records by the terms, ties by id in the
// direction of the leading term; without terms in the default order. A term
// that is no field is an [ordering.ErrUnknownField]. An ordering that is not in
// use is sorted first, O(n log n); else it begins in O(log n), and each record
// is O(1).
func (s Snapshot[T]) Ordered(terms ...ordering.Term) (iter.Seq[T], error) {
	scan, err := s.state.Scan(context.Background(), terms)
	return s.schema.seq(scan, err)
}

// Page returns copies of the records in a window of the order by the terms, as
// [Snapshot.Ordered] takes them. A window that has no limit or lies past the
// end has no records and the count all the same. O(log n + limit), however
// deep the window lies, once the ordering is in use.
func (s Snapshot[T]) Page(w pagination.Window, terms ...ordering.Term) (Page[T], error) {
	v, err := s.View(w, terms...)
	return v.page(), err
}

// View is [Snapshot.Page] without copies: the stored records themselves, to be
// read and not to be changed.
func (s Snapshot[T]) View(w pagination.Window, terms ...ordering.Term) (View[T], error) {
	entries, count, err := s.state.Page(context.Background(), store.Query{Terms: terms, Window: w})
	return s.schema.view(entries, count, err)
}

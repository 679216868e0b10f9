package catalogue

import (
	"context"
	"iter"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A Snapshot is a collection at one instant. It never changes and is safe for
// concurrent use. It takes no memory but for records that only it still holds. It is
// returned by [Collection.Snapshot]; the zero Snapshot is invalid.
type Snapshot[T any] struct {
	schema *schema[T]
	state  *store.State
}

// Snapshot returns the current state, for several reads of one instant. O(1). While a
// snapshot is held, the next write copies the nodes that it changes.
func (c *Collection[T]) Snapshot() Snapshot[T] { return Snapshot[T]{c.schema, c.store.Current()} }

// Count returns the number of records. O(1).
func (s Snapshot[T]) Count() int { return s.state.Len() }

// Revision returns a number that grows with each write to the collection. Pass it to
// [Collection.Since] to get the later changes. Revisions of other collections, and of
// other runs of the program, are not related; a clone continues from the revision of
// its original. O(1).
func (s Snapshot[T]) Revision() uint64 { return s.state.Revision() }

// Has reports whether a record has an id. O(log n).
func (s Snapshot[T]) Has(id int) bool { return s.state.Get(id) != nil }

// Get returns a copy of the record with an id. It returns [ErrNotFound] if there is
// none. O(log n).
func (s Snapshot[T]) Get(id int) (T, error) { return s.schema.copied(s.state.Get(id), id) }

// Fields returns the names that records can be ordered by, in snake_case. For a struct
// these are its fields in their order. For open records these are the members that at
// least one record has, sorted, and id. O(fields).
func (s Snapshot[T]) Fields() []string { return s.schema.names(s.state) }

// All returns an iterator over copies of all records in the default order.
func (s Snapshot[T]) All() iter.Seq[T] {
	all, _ := s.Ordered() // there is no term that could be unknown
	return all
}

// Ordered returns an iterator over copies of all records in the order of terms, or in
// the default order without terms. Records that are equal by all terms are in the order
// of their ids, descending if the first term is. For a term that is not a field the error is
// [ordering.ErrUnknownField].
//
// The first use of an ordering sorts the records, O(n log n). After that Ordered is
// O(log n), and each record O(1).
func (s Snapshot[T]) Ordered(terms ...ordering.Term) (iter.Seq[T], error) {
	scan, err := s.state.Scan(context.Background(), terms)
	return s.schema.seq(scan, err)
}

// Page returns copies of the records in a window of the order that
// [Snapshot.Ordered] describes, and the number of all records. A window past the end
// has no records. Once the ordering is in use, Page is O(log n + limit) at any offset.
func (s Snapshot[T]) Page(w pagination.Window, terms ...ordering.Term) (Page[T], error) {
	v, err := s.View(w, terms...)
	return v.page(), err
}

// View is like [Snapshot.Page] without copies: it returns the stored records, which
// must not be modified.
func (s Snapshot[T]) View(w pagination.Window, terms ...ordering.Term) (View[T], error) {
	entries, count, err := s.state.Page(context.Background(), store.Query{Terms: terms, Window: w})
	return s.schema.view(entries, count, err)
}

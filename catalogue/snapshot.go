package catalogue

import (
	"fmt"
	"iter"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A Snapshot is a collection at one instant. It never changes, costs nothing
// but the records that it alone still holds, and may be copied and used by any
// number of goroutines at once. It comes from [Collection.Snapshot].
type Snapshot[T any] struct {
	schema *schema[T]
	s      *snapshot
}

// A Page is a part of a collection and the number of all its records, both of
// one instant. The records are the caller's.
type Page[T any] struct {
	Count   int
	Records []T
}

// Count is the number of records. O(1).
func (s Snapshot[T]) Count() int { return s.s.t.primary.len() }

// Revision is a number that grows with each write that the snapshot holds: what
// comes after it is [Collection.Since] this revision. It is the collection's own,
// and of this run of the program; a clone goes on from that of its original. O(1).
func (s Snapshot[T]) Revision() uint64 { return s.s.t.revision }

// Get gives a copy of the record with that id, or [ErrNotFound]. O(log n).
func (s Snapshot[T]) Get(id int) (T, error) {
	e := s.s.t.primary.get(id)
	if e == nil {
		var none T
		return none, s.schema.errorf("%w: id %d", ErrNotFound, id)
	}
	return s.schema.clone(recordOf[T](e)), nil
}

// Fields lists the names that records can be ordered by, in snake_case: a
// struct's fields in their order, or of open records all members that one of
// them has, sorted. id is always among them. O(fields).
func (s Snapshot[T]) Fields() []string { return s.schema.names(s.s.t.members) }

// All yields copies of all records in the default order, as
// [Snapshot.Ordered] does without terms.
func (s Snapshot[T]) All() iter.Seq[T] { return s.schema.seq(s.s.readOld(nil)) }

// Ordered yields copies of all records by the terms, ties by id in the
// direction of the leading term; without terms in the default order. A term
// that is no field is an [ordering.ErrUnknownField]. An ordering that is not in
// use is sorted first, O(n log n); else it begins in O(log n), and each record
// is O(1).
func (s Snapshot[T]) Ordered(terms ...ordering.Term) (iter.Seq[T], error) {
	r, err := s.s.readOld(terms)
	return s.schema.seq(r, err), err
}

// Page gives copies of the records in a window of the order by the terms, as
// [Snapshot.Ordered] takes them. A window that has no limit or lies behind the
// end gives no records and the count all the same. O(log n + limit), however
// deep the window lies, once the ordering is in use.
func (s Snapshot[T]) Page(w pagination.Window, terms ...ordering.Term) (Page[T], error) {
	v, err := s.View(w, terms...)
	return v.page(), err
}

// View is [Snapshot.Page] without copies: the stored records themselves, to be
// read and not to be changed.
func (s Snapshot[T]) View(w pagination.Window, terms ...ordering.Term) (View[T], error) {
	return s.ViewInto(View[T]{}, w, terms...)
}

// ViewInto is [Snapshot.View] in the memory of a view that nobody uses any more:
// it allocates nothing if that was as long. The zero View has no memory. After
// an error old must not be used either.
func (s Snapshot[T]) ViewInto(old View[T], w pagination.Window, terms ...ordering.Term) (View[T], error) {
	r, err := s.s.readOld(terms)
	return s.schema.view(old.entries, w, r, err)
}

// Check is [Collection.Check] for what the snapshot holds.
func (s Snapshot[T]) Check() error { return s.s.check() }

// String says what it is, for logs.
func (s Snapshot[T]) String() string {
	return fmt.Sprintf("%s: %d records, revision %d", s.schema.collection, s.Count(), s.s.t.revision)
}

// seq yields copies of all that a reading shows, nothing after an error.
func (s *schema[T]) seq(r reading, err error) iter.Seq[T] {
	if err != nil {
		return func(func(T) bool) {}
	}
	return func(yield func(T) bool) {
		r.order.scan(r.desc, func(e *entry) bool { return yield(s.clone(recordOf[T](e))) })
	}
}

package catalogue

import (
	"context"
	"iter"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// Count returns the number of records. O(1).
func (c *Collection[T]) Count() int { return c.store.Len() }

// Has reports whether there is a record with the given id. O(log n).
func (c *Collection[T]) Has(id int) bool { return c.store.Get(id) != nil }

// Get returns a copy of the record with the given id. The error wraps [ErrNotFound] if
// there is none. O(log n).
func (c *Collection[T]) Get(id int) (T, error) { return c.typ.copied(c.store.Get(id), id) }

// Fields is like [Snapshot.Fields] for the current state.
func (c *Collection[T]) Fields() []string { return c.Snapshot().Fields() }

// All is like [Snapshot.All] for the state at the time of the call. Later writes do not
// affect the iterator.
func (c *Collection[T]) All() iter.Seq[T] {
	all, _ := c.Ordered() // without terms there is no error
	return all
}

// Ordered is like [Snapshot.Ordered] for the state at the time of the call. Later
// writes do not affect the iterator.
func (c *Collection[T]) Ordered(terms ...ordering.Term) (iter.Seq[T], error) {
	scan, err := c.store.Scan(context.Background(), store.Query{Terms: terms})
	return c.typ.seq(scan, err)
}

// Page is like [Snapshot.Page] for the current state.
func (c *Collection[T]) Page(w pagination.Window, terms ...ordering.Term) (Page[T], error) {
	v, err := c.View(w, terms...)
	return v.page(), err
}

// View is like [Snapshot.View] for the current state.
func (c *Collection[T]) View(w pagination.Window, terms ...ordering.Term) (View[T], error) {
	entries, count, err := c.store.Page(context.Background(), store.Query{Terms: terms, Window: w})
	return c.typ.view(entries, count, err)
}

// view returns a view of entries.
func (s *recordType[T]) view(entries []*store.Entry, count int, err error) (View[T], error) {
	if err != nil {
		return View[T]{}, s.named(err)
	}
	return View[T]{s, entries, count}, nil
}

// copied returns a copy of the record of an entry. The error wraps [ErrNotFound] if e
// is nil.
func (s *recordType[T]) copied(e *store.Entry, id int) (record T, err error) {
	if e == nil {
		return record, s.errorf("%w: id %d", ErrNotFound, id)
	}
	return s.clone(recordOf[T](e)), nil
}

// seq returns an iterator over copies of the records that scan yields. If err is not
// nil, the iterator is empty.
func (s *recordType[T]) seq(scan func(func(*store.Entry) bool), err error) (iter.Seq[T], error) {
	if err != nil {
		return func(func(T) bool) {}, s.named(err)
	}
	return func(yield func(T) bool) {
		scan(func(e *store.Entry) bool { return yield(s.clone(recordOf[T](e))) })
	}, nil
}

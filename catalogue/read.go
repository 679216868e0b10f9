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

// Has reports whether a record has an id. O(log n).
func (c *Collection[T]) Has(id int) bool { return c.store.Get(id) != nil }

// Get is [Snapshot.Get] of the current state.
func (c *Collection[T]) Get(id int) (T, error) { return c.schema.copied(c.store.Get(id), id) }

// Fields is [Snapshot.Fields] of the current state.
func (c *Collection[T]) Fields() []string { return c.Snapshot().Fields() }

// All is [Snapshot.All] of the state at the time of the call.
func (c *Collection[T]) All() iter.Seq[T] {
	all, _ := c.Ordered() // there is no term that could be unknown
	return all
}

// Ordered is [Snapshot.Ordered] of the state at the time of the call.
func (c *Collection[T]) Ordered(terms ...ordering.Term) (iter.Seq[T], error) {
	scan, err := c.store.Scan(context.Background(), terms)
	return c.schema.seq(scan, err)
}

// Page is [Snapshot.Page] of the current state.
func (c *Collection[T]) Page(w pagination.Window, terms ...ordering.Term) (Page[T], error) {
	v, err := c.View(w, terms...)
	return v.page(), err
}

// View is [Snapshot.View] of the current state.
func (c *Collection[T]) View(w pagination.Window, terms ...ordering.Term) (View[T], error) {
	entries, count, err := c.store.Page(context.Background(), store.Query{Terms: terms, Window: w})
	return c.schema.view(entries, count, err)
}

// view returns a view of entries.
func (s *schema[T]) view(entries []*store.Entry, count int, err error) (View[T], error) {
	if err != nil {
		return View[T]{}, s.named(err)
	}
	return View[T]{s, entries, count}, nil
}

// copied returns a copy of the record of an entry, or [ErrNotFound] if it is nil.
func (s *schema[T]) copied(e *store.Entry, id int) (record T, err error) {
	if e == nil {
		return record, s.errorf("%w: id %d", ErrNotFound, id)
	}
	return s.clone(recordOf[T](e)), nil
}

// seq returns an iterator over copies of what scan yields. After an error it is empty.
func (s *schema[T]) seq(scan func(func(*store.Entry) bool), err error) (iter.Seq[T], error) {
	if err != nil {
		return func(func(T) bool) {}, s.named(err)
	}
	return func(yield func(T) bool) {
		scan(func(e *store.Entry) bool { return yield(s.clone(recordOf[T](e))) })
	}, nil
}

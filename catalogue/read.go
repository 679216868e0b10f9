package catalogue

import (
	"iter"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// Count is the number of records. O(1).
func (c *Collection[T]) Count() int { return c.Snapshot().Count() }

// Get is [Snapshot.Get] of the present state.
func (c *Collection[T]) Get(id int) (T, error) { return c.Snapshot().Get(id) }

// Fields is [Snapshot.Fields] of the present state.
func (c *Collection[T]) Fields() []string { return c.Snapshot().Fields() }

// All is [Snapshot.All] of the present state, which is taken when All is called.
func (c *Collection[T]) All() iter.Seq[T] { return c.schema.seq(c.store.read(nil)) }

// Ordered is [Snapshot.Ordered] of the present state, which is taken when
// Ordered is called.
func (c *Collection[T]) Ordered(terms ...ordering.Term) (iter.Seq[T], error) {
	r, err := c.store.read(terms)
	return c.schema.seq(r, err), err
}

// Page is [Snapshot.Page] of the present state.
func (c *Collection[T]) Page(w pagination.Window, terms ...ordering.Term) (Page[T], error) {
	v, err := c.View(w, terms...)
	return v.page(), err
}

// View is [Snapshot.View] of the present state.
func (c *Collection[T]) View(w pagination.Window, terms ...ordering.Term) (View[T], error) {
	return c.ViewInto(View[T]{}, w, terms...)
}

// ViewInto is [Snapshot.ViewInto] of the present state.
func (c *Collection[T]) ViewInto(old View[T], w pagination.Window, terms ...ordering.Term) (View[T], error) {
	r, err := c.store.read(terms)
	return c.schema.view(old.entries, w, r, err)
}

// Check looks at every invariant of the collection and tells the first that does
// not hold: every order holds each record once, in order, under its key and at
// its place; the encodings kept are those of the records; ids, lengths and the
// names of members are as counted; what is published is of now; the history is
// in order and leads to what is there. It is for tests. O(orderings in use × n
// log n + history × log n).
func (c *Collection[T]) Check() error { return c.store.check() }

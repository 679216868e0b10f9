package catalogue

import (
	"iter"
	"slices"

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
func (c *Collection[T]) All() iter.Seq[T] { return c.Snapshot().All() }

// Ordered is [Snapshot.Ordered] of the present state, which is taken when
// Ordered is called.
func (c *Collection[T]) Ordered(terms ...ordering.Term) (iter.Seq[T], error) {
	s, o, desc, err := c.ordered(terms)
	if err != nil {
		return nil, err
	}
	return func(yield func(T) bool) {
		o.scan(desc, func(e *entry[T]) bool { return yield(s.c.schema.clone(&e.value)) })
	}, nil
}

// Page is [Snapshot.Page] of the present state.
func (c *Collection[T]) Page(w pagination.Window, terms ...ordering.Term) (Page[T], error) {
	v, err := c.View(w, terms...)
	if err != nil {
		return Page[T]{}, err
	}
	return v.page(), nil
}

// View is [Snapshot.View] of the present state.
func (c *Collection[T]) View(w pagination.Window, terms ...ordering.Term) (View[T], error) {
	s, o, desc, err := c.ordered(terms)
	if err != nil {
		return View[T]{}, err
	}
	return s.view(o, desc, w), nil
}

// ordered takes the present state with an order for the terms. An order that is
// asked for the first time is made and kept; the state is then that of the
// moment when it was ready.
func (c *Collection[T]) ordered(terms []ordering.Term) (s *Snapshot[T], o order[T], desc bool, err error) {
	s = c.Snapshot()
	if err := s.known(terms); err != nil {
		return nil, nil, false, err
	}
	var buf [4]ordering.Term
	canon, desc := c.canonical(buf[:0], terms)
	if o := s.has(canon); o != nil {
		return s, o, desc, nil
	}
	fields, err := c.schema.resolve(canon, s.t.members)
	if err != nil {
		return nil, nil, false, err
	}
	s, o = c.build(slices.Clone(canon), fields)
	return s, o, desc, nil
}

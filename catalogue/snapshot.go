package catalogue

import (
	"fmt"
	"iter"
	"slices"
	"sync"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A Snapshot is a collection at one instant. It never changes, costs nothing
// but the records that it alone still holds, and may be used by any number of
// goroutines at once.
type Snapshot[T any] struct {
	c *Collection[T]
	t tables[T]

	own struct { // orders that were asked of this snapshot when it was old
		sync.Mutex
		orders []kept[T]
	}
}

// A Page is a part of a collection and the number of all its records, both of
// one instant. The records are the caller's.
type Page[T any] struct {
	Count   int
	Records []T
}

// Count is the number of records. O(1).
func (s *Snapshot[T]) Count() int { return s.t.primary.len() }

// Get gives a copy of the record with that id, or [ErrNotFound]. O(log n).
func (s *Snapshot[T]) Get(id int) (T, error) {
	e := s.t.primary.get(id)
	if e == nil {
		var none T
		return none, s.c.errorf("%w: id %d", ErrNotFound, id)
	}
	return s.c.schema.clone(&e.value), nil
}

// Fields lists the names that records can be ordered by, in snake_case: a
// struct's fields in their order, or of open records all members that one of
// them has, sorted. id is always among them. O(fields).
func (s *Snapshot[T]) Fields() []string { return s.c.schema.names(s.t.members) }

// All yields copies of all records in the default order. O(log n) to begin and
// O(1) a record.
func (s *Snapshot[T]) All() iter.Seq[T] {
	seq, err := s.Ordered()
	if err != nil { // open records without the member that the default names
		seq, _ = s.Ordered(ordering.Asc(s.c.schema.idName))
	}
	return seq
}

// Ordered yields copies of all records by the terms, ties by id in the
// direction of the leading term; without terms in the default order. A term
// that is no field is an [ordering.ErrUnknownField]. The first use of an
// ordering sorts, O(n log n); each later one begins in O(log n).
func (s *Snapshot[T]) Ordered(terms ...ordering.Term) (iter.Seq[T], error) {
	o, desc, err := s.order(terms)
	if err != nil {
		return nil, err
	}
	return func(yield func(T) bool) {
		o.scan(desc, func(e *entry[T]) bool { return yield(s.c.schema.clone(&e.value)) })
	}, nil
}

// Page gives copies of the records in a window of the order by the terms, as
// [Snapshot.Ordered] takes them. A window that has no limit or lies behind the
// end gives no records and the count all the same. O(log n + limit), however
// deep the window lies.
func (s *Snapshot[T]) Page(w pagination.Window, terms ...ordering.Term) (Page[T], error) {
	v, err := s.View(w, terms...)
	if err != nil {
		return Page[T]{}, err
	}
	return v.page(), nil
}

// View is [Snapshot.Page] without copies: the stored records themselves, to be
// read and not to be changed.
func (s *Snapshot[T]) View(w pagination.Window, terms ...ordering.Term) (View[T], error) {
	o, desc, err := s.order(terms)
	if err != nil {
		return View[T]{}, err
	}
	return s.view(o, desc, w), nil
}

func (s *Snapshot[T]) view(o order[T], desc bool, w pagination.Window) View[T] {
	v := View[T]{schema: s.c.schema, count: s.Count()}
	if start, end := w.Bounds(v.count); start < end {
		v.entries = o.page(make([]*entry[T], 0, end-start), start, end-start, desc)
	}
	return v
}

// order finds the tree for terms. What it has not, and a current snapshot's
// collection has not either, is sorted and kept with this snapshot alone.
func (s *Snapshot[T]) order(terms []ordering.Term) (o order[T], desc bool, err error) {
	if err := s.known(terms); err != nil {
		return nil, false, err
	}
	var buf [4]ordering.Term
	canon, desc := s.c.canonical(buf[:0], terms)
	if o := s.has(canon); o != nil {
		return o, desc, nil
	}
	fields, err := s.c.schema.resolve(canon, s.t.members)
	if err != nil {
		return nil, false, err
	}
	if s == s.c.published.Load() {
		if now, o := s.c.build(slices.Clone(canon), fields); now.t.revision == s.t.revision {
			return o, desc, nil
		}
	}
	return s.sort(slices.Clone(canon), fields), desc, nil
}

// known makes sure that every term names a field, also one that counts for
// nothing or whose order is there from before the last such member went. A
// single field of a struct needs no look: it has no order unless it exists.
func (s *Snapshot[T]) known(terms []ordering.Term) error {
	if len(terms) == 0 || len(terms) == 1 && s.c.schema.open == nil {
		return nil
	}
	for _, t := range terms {
		if !s.c.schema.has(t.Field, s.t.members) {
			return s.c.errorf("%w: %q", ordering.ErrUnknownField, t.Field)
		}
	}
	return nil
}

// has gives the tree for canonical terms if it is there.
func (s *Snapshot[T]) has(canon []ordering.Term) order[T] {
	if len(canon) == 0 {
		return s.t.primary
	}
	k := find(s.t.orders, canon)
	if k == nil {
		return nil
	}
	if now := s.c.clock.Load(); k.used.Load() != now {
		k.used.Store(now)
	}
	return k.order
}

// sort makes an order of this snapshot's own, keeping a few of them.
func (s *Snapshot[T]) sort(canon []ordering.Term, fields []ordering.Field[T]) order[T] {
	s.own.Lock()
	defer s.own.Unlock()
	if k := find(s.own.orders, canon); k != nil {
		return k.order
	}
	o := newOrder(fields, canon)
	o.fill(s.t.entries())
	if len(s.own.orders) == maxCombined {
		s.own.orders = slices.Delete(s.own.orders, 0, 1)
	}
	s.own.orders = append(s.own.orders, kept[T]{terms: canon, order: o})
	return o
}

// canonical is the form of terms that orders are kept under. No terms are the
// default order.
func (c *Collection[T]) canonical(buf, terms []ordering.Term) ([]ordering.Term, bool) {
	if len(terms) == 0 {
		terms = c.standard
	}
	return canonical(buf, terms, c.schema.idName)
}

// String says what it is, for logs.
func (s *Snapshot[T]) String() string {
	return fmt.Sprintf("%s: %d records, revision %d", s.c.schema.collection, s.Count(), s.t.revision)
}

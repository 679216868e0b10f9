package catalogue

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gobacklist/backlist/ordering"
)

// snapshot is a store at one instant. It never changes but for the orders that
// are kept with it.
type snapshot struct {
	c       *store
	t       tables
	settled []atomic.Pointer[order] // orders with the changes that they missed, once somebody asked for them

	own struct { // orders that were asked of this snapshot when it was old
		sync.Mutex
		orders []kept
	}
}

// reading is an order to be read, one way or the other, and the snapshot that
// it is of.
type reading struct {
	*snapshot
	order order
	desc  bool
}

// read takes the present state in the order of the terms. An order that is asked
// for the first time is made and kept; the state is then that of the moment
// when it was ready.
func (c *store) read(terms []ordering.Term) (reading, error) {
	return c.current().read(terms, func(s *snapshot, canon []ordering.Term, fields []ordering.Field[entry]) (*snapshot, order) {
		return c.build(canon, fields)
	})
}

// readOld is read of this very snapshot. What it has not, and the collection has
// not for the same state either, is sorted and kept with this snapshot alone.
func (s *snapshot) readOld(terms []ordering.Term) (reading, error) {
	return s.read(terms, func(s *snapshot, canon []ordering.Term, fields []ordering.Field[entry]) (*snapshot, order) {
		if s.c.current().t.revision == s.t.revision {
			if now, o := s.c.build(canon, fields); now.t.revision == s.t.revision {
				return s, o
			}
		}
		return s, s.sort(canon, fields)
	})
}

// read finds the tree for terms; where there is none, missing makes it.
func (s *snapshot) read(terms []ordering.Term, missing func(*snapshot, []ordering.Term, []ordering.Field[entry]) (*snapshot, order)) (reading, error) {
	if err := s.known(terms); err != nil {
		return reading{}, err
	}
	var buf [4]ordering.Term
	canon, desc := s.canonical(buf[:0], terms)
	if o := s.has(canon); o != nil {
		return reading{s, o, desc}, nil
	}
	fields, err := s.c.shape.resolve(canon, s.t.members)
	if err != nil {
		return reading{}, err
	}
	of, o := missing(s, slices.Clone(canon), fields)
	return reading{of, o, desc}, nil
}

// known makes sure that every term names a field, also one that counts for
// nothing. A single field of a struct needs no look: it has no order unless it
// exists.
func (s *snapshot) known(terms []ordering.Term) error {
	if len(terms) == 0 || len(terms) == 1 && s.c.shape.open == nil {
		return nil
	}
	for _, t := range terms {
		if !s.c.shape.has(t.Field, s.t.members) {
			return s.c.shape.errorf("%w: %q", ordering.ErrUnknownField, t.Field)
		}
	}
	return nil
}

// canonical is the form of terms that orders are kept under. No terms are the
// default order, or by id where no record has what that names.
func (s *snapshot) canonical(buf, terms []ordering.Term) ([]ordering.Term, bool) {
	if len(terms) == 0 {
		if terms = s.c.standard; len(terms) > 0 && s.c.shape.open != nil && s.known(terms) != nil {
			return nil, false
		}
	}
	return canonical(buf, terms, s.c.shape.idName)
}

// has gives the tree for canonical terms if it is there.
func (s *snapshot) has(canon []ordering.Term) order {
	if len(canon) == 0 {
		return s.t.primary
	}
	i := find(s.t.orders, canon)
	if i < 0 {
		return nil
	}
	if k := &s.t.orders[i]; len(canon) > 1 && k.used.Load() != s.c.clock.Load() {
		k.used.Store(s.c.clock.Add(1))
	}
	return s.order(i)
}

// sort makes an order of this snapshot's own, keeping a few of them.
func (s *snapshot) sort(canon []ordering.Term, fields []ordering.Field[entry]) order {
	s.own.Lock()
	defer s.own.Unlock()
	if i := find(s.own.orders, canon); i >= 0 {
		return s.own.orders[i].order
	}
	o := newOrder(fields, canon)
	o.fill(s.t.entries())
	if len(s.own.orders) == maxCombined {
		s.own.orders = slices.Delete(s.own.orders, 0, 1)
	}
	s.own.orders = append(s.own.orders, kept{terms: canon, order: o})
	return o
}

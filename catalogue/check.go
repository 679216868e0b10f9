package catalogue

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/ordering"
)

// errCorrupt is what Check finds: a fault of this package, never of a caller's.
var errCorrupt = errors.New("corrupt")

func (c *store) check() error {
	c.state.Lock()
	s, kept := c.publish(), c.live.members.writable()
	c.state.Unlock()
	if err := s.check(); err != nil || kept.counts == nil {
		return err
	}
	counted := newMembers()
	for _, e := range s.t.entries() {
		counted.apply(nil, openRecord(e))
	}
	counted.settle()
	if fmt.Sprint(counted) != fmt.Sprint(kept) {
		return c.shape.errorf("%w: members %v, counted %v", errCorrupt, kept, counted)
	}
	return nil
}

func (s *snapshot) check() error {
	entries := s.t.entries()
	if len(entries) != s.t.primary.len() {
		return s.c.shape.errorf("%w: %d records by id, counted %d", errCorrupt, len(entries), s.t.primary.len())
	}
	for i, e := range entries {
		if err := s.checkEntry(e, i > 0 && entries[i-1].id >= e.id); err != nil {
			return err
		}
	}
	for i, k := range s.t.orders {
		if err := s.checkOrder(k.terms, s.order(i), entries); err != nil {
			return err
		}
	}
	s.own.Lock()
	defer s.own.Unlock()
	for _, k := range s.own.orders {
		if err := s.checkOrder(k.terms, k.order, entries); err != nil {
			return err
		}
	}
	return nil
}

func (s *snapshot) checkEntry(e *entry, disordered bool) error {
	if id := s.c.shape.id(e.value); id != e.id || id < 1 || id > s.t.lastID || disordered {
		return s.c.shape.errorf("%w: record of id %d is kept as %d, highest id %d", errCorrupt, id, e.id, s.t.lastID)
	}
	if kept := e.json.Load(); kept != nil {
		if fresh, err := s.c.shape.encode(e.value); err != nil || !bytes.Equal(fresh, *kept) {
			return s.c.shape.errorf("%w: id %d: encoded %s, is %s (%v)", errCorrupt, e.id, *kept, fresh, err)
		}
	}
	return nil
}

// checkOrder compares an order with the records sorted anew, by keys compared
// one by one.
func (s *snapshot) checkOrder(terms []ordering.Term, o order, entries []*entry) error {
	want := slices.Clone(entries)
	slices.SortStableFunc(want, func(a, b *entry) int {
		for _, t := range terms {
			key := s.c.shape.field(t.Field).Key
			c := key(a).Compare(key(b))
			if t.Desc {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return cmp.Compare(a.id, b.id)
	})
	var got []*entry
	o.scan(false, func(e *entry) bool { got = append(got, e); return true })
	if !slices.Equal(want, got) || o.len() != len(want) {
		return s.c.shape.errorf("%w: ordering %s: %d entries out of place or missing, %d records",
			errCorrupt, ordering.Format(terms), len(got), len(want))
	}
	return nil
}

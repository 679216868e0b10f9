package catalogue

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/ordering"
)

// errCorrupt is what Check finds: a fault of this package, never of a caller's.
var errCorrupt = errors.New("corrupt")

// Check looks at every invariant of the collection and tells the first that does
// not hold: every order holds each record once, in order; the encodings kept
// are those of the records; ids and the names of members are as counted. It is
// for tests. O(orderings in use × n).
func (c *Collection[T]) Check() error {
	c.state.Lock()
	s, kept := c.publish(), c.live.members.writable()
	c.state.Unlock()
	if err := s.Check(); err != nil {
		return err
	}
	if kept.counts == nil {
		return nil
	}
	counted := newMembers()
	for _, e := range s.t.entries() {
		counted.apply(nil, openRecord(e))
	}
	if fmt.Sprint(counted) != fmt.Sprint(kept) {
		return c.errorf("%w: members %v, counted %v", errCorrupt, kept, counted)
	}
	return nil
}

// Check is [Collection.Check] for what a snapshot holds.
func (s *Snapshot[T]) Check() error {
	entries := s.t.entries()
	if len(entries) != s.Count() {
		return s.c.errorf("%w: %d records by id, counted %d", errCorrupt, len(entries), s.Count())
	}
	for i, e := range entries {
		if err := s.checkEntry(e, i > 0 && entries[i-1].id >= e.id); err != nil {
			return err
		}
	}
	s.own.Lock()
	defer s.own.Unlock()
	for _, k := range slices.Concat(s.t.orders, s.own.orders) {
		if err := s.checkOrder(k, entries); err != nil {
			return s.c.errorf("%w: ordering %s: %w", errCorrupt, ordering.Format(k.terms), err)
		}
	}
	return nil
}

func (s *Snapshot[T]) checkEntry(e *entry[T], disordered bool) error {
	if id := s.c.schema.id(&e.value); id != e.id || id < 1 || id > s.t.lastID || disordered {
		return s.c.errorf("%w: record of id %d is kept as %d, highest id %d", errCorrupt, id, e.id, s.t.lastID)
	}
	if kept := e.json.Load(); kept != nil {
		if fresh, err := s.c.schema.encode(&e.value); err != nil || !bytes.Equal(fresh, *kept) {
			return s.c.errorf("%w: id %d: encoded %s, is %s (%v)", errCorrupt, e.id, *kept, fresh, err)
		}
	}
	return nil
}

// checkOrder compares an order with the records sorted anew, by keys compared
// one by one.
func (s *Snapshot[T]) checkOrder(k kept[T], entries []*entry[T]) error {
	fields := make([]ordering.Field[T], len(k.terms))
	for i, t := range k.terms {
		if s.c.schema.fields != nil {
			fields[i], _ = s.c.schema.fields.Lookup(t.Field)
		} else {
			fields[i] = s.c.schema.open(t.Field)
		}
	}
	want := slices.Clone(entries)
	slices.SortStableFunc(want, func(a, b *entry[T]) int {
		for i, f := range fields {
			c := f.Key(&a.value).Compare(f.Key(&b.value))
			if k.terms[i].Desc {
				c = -c
			}
			if c != 0 {
				return c
			}
		}
		return a.id - b.id
	})
	var got []*entry[T]
	k.order.scan(false, func(e *entry[T]) bool { got = append(got, e); return true })
	if !slices.Equal(want, got) || k.order.len() != len(want) {
		return fmt.Errorf("%d entries out of place or missing, %d records", len(got), len(want))
	}
	return nil
}

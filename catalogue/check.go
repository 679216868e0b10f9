package catalogue

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

	"github.com/gobacklist/backlist/ordering"
)

// errCorrupt is what Check finds: a fault of this package, never of a caller's.
var errCorrupt = errors.New("corrupt")

func (c *store) check() error {
	c.state.Lock()
	s, kept, fault := c.publish(), c.live.members.writable(), c.fault()
	var h history
	if c.feed != nil {
		h = c.feed.kept
	}
	c.state.Unlock()
	if fault == "" && c.feed != nil {
		fault = h.fault(c.feed.most, &s.t)
	}
	if fault != "" {
		return c.shape.errorf("%w: %s", errCorrupt, fault)
	}
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

// fault looks at what is kept about the trees: that what is published is of now,
// and that no order lacks a change which is no longer known. The state's mutex
// is held. O(orders²).
func (c *store) fault() string {
	t, s := &c.live, &c.published.Load().t
	if s.revision != t.revision || s.changes != t.changes || s.lastID != t.lastID || s.primary.len() != t.primary.len() {
		return fmt.Sprintf("revision %d of %d records is published, %d of %d is there",
			s.revision, s.primary.len(), t.revision, t.primary.len())
	}
	combined := 0
	for i, k := range t.orders {
		name := ordering.Format(k.terms)
		switch behind := t.changes - k.upTo; {
		case behind < 0 || behind > len(t.late):
			return fmt.Sprintf("ordering %s is %d changes behind, %d are known", name, behind, len(t.late))
		case k.shared != nil && k.shared.len() != k.order.len():
			return fmt.Sprintf("ordering %s: %d entries are shared of %d", name, k.shared.len(), k.order.len())
		case find(t.orders, k.terms) != i:
			return fmt.Sprintf("ordering %s is kept twice", name)
		case len(k.terms) > 1:
			combined++
		}
	}
	if combined > maxCombined {
		return fmt.Sprintf("%d combinations are kept", combined)
	}
	return ""
}

func (s *snapshot) check() error {
	for _, e := range s.t.entries() {
		if err := s.checkEntry(e); err != nil {
			return err
		}
	}
	if err := s.checkOrder(nil, s.t.primary); err != nil {
		return err
	}
	for i, k := range s.t.orders {
		if err := s.checkOrder(k.terms, s.order(i)); err != nil {
			return err
		}
	}
	s.own.Lock()
	defer s.own.Unlock()
	for _, k := range s.own.orders {
		if err := s.checkOrder(k.terms, k.order); err != nil {
			return err
		}
	}
	return nil
}

func (s *snapshot) checkEntry(e *entry) error {
	if id := s.c.shape.id(e.value); id != e.id || id < 1 || id > s.t.lastID {
		return s.c.shape.errorf("%w: record of id %d is kept as %d, highest id %d", errCorrupt, id, e.id, s.t.lastID)
	}
	if kept := e.json.Load(); kept != nil {
		if fresh, err := s.c.shape.encode(e.value); err != nil || !bytes.Equal(fresh, *kept) {
			return s.c.shape.errorf("%w: id %d: encoded %s, is %s (%v)", errCorrupt, e.id, *kept, fresh, err)
		}
	}
	return nil
}

// checkOrder makes sure that an order has each record once, each before the
// next by keys that are taken anew and compared one by one.
func (s *snapshot) checkOrder(terms []ordering.Term, o order) error {
	wrong := func(format string, args ...any) error {
		return s.c.shape.errorf("%w: ordering %q: %s", errCorrupt, ordering.Format(terms), fmt.Sprintf(format, args...))
	}
	var (
		n      int
		before *entry
		err    error
	)
	o.scan(false, func(e *entry) bool {
		switch {
		case s.t.primary.get(e.id) != e:
			err = wrong("id %d is no record's, or another's", e.id)
		case before != nil && s.compare(terms, before, e) >= 0:
			err = wrong("id %d comes before %d", before.id, e.id)
		}
		before = e
		n++
		return err == nil
	})
	if err != nil {
		return err
	}
	if n != s.t.primary.len() || o.len() != n {
		return wrong("%d entries, counted %d, of %d records", n, o.len(), s.t.primary.len())
	}
	if e := o.misplaced(); e != nil {
		return wrong("id %d is not found under its key, or at its place", e.id)
	}
	return nil
}

func (s *snapshot) compare(terms []ordering.Term, a, b *entry) int {
	for _, t := range terms {
		key := s.c.shape.field(t.Field).Key
		if c := key(a).Compare(key(b)); c != 0 && t.Desc {
			return -c
		} else if c != 0 {
			return c
		}
	}
	return cmp.Compare(a.id, b.id)
}

// misplaced gives an entry whose key is not the one that it is kept under, or
// that is not found by it or by its place; nil if there is none. O(n log n).
func (ix *index[K]) misplaced() (wrong *entry) {
	place := 0
	ix.tree.Scan(func(it item[K]) bool {
		fresh := ix.item(it.e)
		at, _ := ix.tree.GetAt(place)
		found, _ := ix.tree.Get(fresh)
		if ix.compare(fresh, it) != 0 || at.e != it.e || found.e != it.e {
			wrong = it.e
		}
		place++
		return wrong == nil
	})
	return wrong
}

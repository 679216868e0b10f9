package store

import (
	"context"
	"math"
	"slices"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A Condition restricts a field to ranges of keys, which are sorted and do not overlap.
type Condition struct {
	Field  string
	Ranges []ordering.Range
}

// pageWhere is [Store.Page] for a query with conditions.
func (c *Store) pageWhere(ctx context.Context, q Query) (entries []*Entry, count int, err error) {
	s, pin := c.pin()
	o, err := s.order(q)
	if err != nil {
		unpin(pin)
		return nil, 0, err
	}
	if x, desc, ok := s.direct(o); ok {
		entries, count = s.pageOf(x, o.where[0], desc, q.Window)
		unpin(pin)
		return entries, count, nil
	}
	unpin(pin)
	return c.Current().Page(ctx, q)
}

// pageOf returns the entries of a condition in a window, read from the index of the
// condition's field, and their number.
func (s *State) pageOf(x sequence, c Condition, desc bool, w pagination.Window) (entries []*Entry, count int) {
	if s.atMostOne(c) { // one search of the index instead of two
		if e := x.first(c.Ranges[0], false); e != nil {
			entries, count = []*Entry{e}, 1
		}
		start, end := w.Bounds(count)
		return entries[start:end], count
	}
	var room [4]span
	spans, count := spansOf(room[:0], x, c.Ranges)
	if start, end := w.Bounds(count); start < end {
		entries = appendSpans(make([]*Entry, 0, end-start), x, spans, desc, start, end-start)
	}
	return entries, count
}

// atMostOne reports whether a condition allows only one value of a unique field.
func (s *State) atMostOne(c Condition) bool {
	return len(c.Ranges) == 1 && slices.Contains(s.schema.Unique, c.Field) && c.Ranges[0].From.Compare(c.Ranges[0].To) == 0 &&
		c.Ranges[0].From.Compare(ordering.Null()) != 0
}

// direct returns an index that has the entries of an order next to each other and sorted,
// and the direction in which to read it. Unlike other sequences, an index is searched
// without running the program's code, so the state may be pinned.
func (s *State) direct(o order) (x sequence, desc, ok bool) {
	if len(o.where) != 1 || o.match != nil {
		return nil, false, false
	}
	desc, ok = s.inOrder(o.where[0], o)
	if ok {
		x = s.indexOf(o.where[0].Field)
	}
	return x, desc, x != nil
}

// Count returns the number of entries that satisfy conditions. O(log² n) if one index has
// them all; otherwise the entries that satisfy one condition are filtered.
func (c *Store) Count(ctx context.Context, where []Condition) (int, error) {
	s, pin := c.pin()
	where, err := s.merge(where)
	if err != nil {
		unpin(pin)
		return 0, err
	}
	x, _, ok := s.direct(order{where: where, counting: true})
	if ok {
		_, n := s.pageOf(x, where[0], false, pagination.Window{Offset: math.MaxInt})
		unpin(pin)
		return n, nil
	}
	unpin(pin)
	return c.Current().Count(ctx, where)
}

// Count is like [Store.Count] for the entries of the state, which must be frozen.
func (s *State) Count(ctx context.Context, where []Condition) (int, error) {
	where, err := s.merge(where)
	if err != nil {
		return 0, err
	}
	f, err := s.find(ctx, order{where: where, counting: true}, false)
	return f.count, err
}

// First returns the first entry of a query, or nil if there is none. It ignores the
// window. O(log n) if one index finds the entry; otherwise the cost is that of Page.
func (c *Store) First(ctx context.Context, q Query) (*Entry, error) {
	s, pin := c.pin()
	o, err := s.order(q)
	if err != nil {
		unpin(pin)
		return nil, err
	}
	e, ok := s.seek(o)
	unpin(pin)
	if ok {
		return e, nil
	}
	return c.Current().First(ctx, q)
}

// First is like [Store.First] for the entries of the state, which must be frozen.
func (s *State) First(ctx context.Context, q Query) (*Entry, error) {
	o, err := s.order(q)
	if err != nil {
		return nil, err
	}
	if e, ok := s.seek(o); ok {
		return e, nil
	}
	f, err := s.find(ctx, o, true)
	if err != nil || f.count == 0 {
		return nil, err
	}
	entries, err := f.page(ctx, pagination.Window{Limit: 1})
	if err != nil {
		return nil, err
	}
	return entries[0], nil
}

// seek returns the first entry of an order, or nil if there is none. ok is false if no
// single sequence that exists has the entries in order.
func (s *State) seek(o order) (e *Entry, ok bool) {
	x, desc, ok := s.direct(o)
	if !ok {
		return nil, false
	}
	ranges := o.where[0].Ranges
	for i := range ranges {
		if desc {
			i = len(ranges) - 1 - i
		}
		if e := x.first(ranges[i], desc); e != nil {
			return e, true
		}
	}
	return nil, true
}

// Position returns the number of entries of a query before the one with the id, or -1
// if the entry is not among them. It ignores the window. The state must be frozen.
// O(log² n) if one index has the entries in order; otherwise the cost is that of Page.
func (s *State) Position(ctx context.Context, id int, q Query) (int, error) {
	o, err := s.order(q)
	if err != nil {
		return 0, err
	}
	f, err := s.find(ctx, o, false)
	e := s.Get(id)
	if err != nil || e == nil {
		return -1, err
	}
	if err := f.arrange(ctx); err != nil {
		return 0, err
	}
	return f.position(e), nil
}

// Position is like [State.Position] for the current state.
func (c *Store) Position(ctx context.Context, id int, q Query) (int, error) {
	return c.Current().Position(ctx, id, q)
}

// Explain is like [State.Explain] for the current state.
func (c *Store) Explain(ctx context.Context, q Query) (string, error) {
	return c.Current().Explain(ctx, q)
}

// Explain describes how the state finds the entries of a query. The state must be
// frozen. It makes the sequences that are missing, but filters and sorts no entries.
func (s *State) Explain(ctx context.Context, q Query) (string, error) {
	o, err := s.order(q)
	if err != nil {
		return "", err
	}
	p, err := s.planned(ctx, o)
	return p.String(), err
}

// find returns the entries of an order. If first is set, the first one suffices. The
// state must be frozen. The error is ctx.Err().
func (s *State) find(ctx context.Context, o order, first bool) (selection, error) {
	p, err := s.planned(ctx, o)
	if err != nil || p.direct() {
		return p.selection, err
	}
	return p.walk(ctx, first)
}

// planned returns a plan, making the sequences that it needs. The state must be frozen.
func (s *State) planned(ctx context.Context, o order) (plan, error) {
	var have []named
	if len(o.where) == 0 && s.index(o.terms) == nil {
		r, err := s.readSorted(ctx, Query{Terms: o.terms})
		if err != nil {
			return plan{}, err
		}
		all := selection{state: s, sequence: r.sequence, desc: o.desc, spans: []span{{0, s.Len()}}, count: s.Len()}
		return plan{selection: all, match: o.match, counting: o.counting}, nil
	}
	for {
		p, missing := s.plan(o, have)
		if missing == "" {
			return p, nil
		}
		r, err := s.readSorted(ctx, Query{Terms: []ordering.Term{ordering.Asc(missing)}})
		if err != nil {
			return plan{}, err
		}
		have = append(have, named{missing, r.sequence})
	}
}

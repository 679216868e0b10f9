package store

import (
	"context"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A reading is a sequence of a state and the direction in which to read it. The
// sequence is nil if it does not exist yet.
type reading struct {
	state    *State
	sequence sequence
	desc     bool
}

// read returns the reading of a query. The error wraps [ordering.ErrUnknownField].
func (s *State) read(q Query) (reading, error) {
	var room [4]ordering.Term
	canon, desc, err := s.canonical(room[:0], q)
	if err != nil {
		return reading{}, err
	}
	if len(canon) == 0 {
		return reading{s, s.primary, desc}, nil
	}
	i := findTerms(s.indexes, canon)
	if i < 0 {
		return reading{s, s.sorted.ready(canon), desc}, nil
	}
	if x := &s.indexes[i]; len(canon) > 1 {
		s.touch(x)
	}
	return reading{s, s.indexes[i].index, desc}, nil
}

// touch records a use of a multi-field index.
func (s *State) touch(x *namedIndex) {
	if c := s.store.Value(); c != nil && x.used.Load() != c.clock.Load() {
		x.used.Store(c.clock.Add(1))
	}
}

// canonical returns the canonical terms of a query and reports whether their index
// is read backwards. If the query has no terms or all are ignored, the terms are
// those of the default ordering, or by id if that names a field that no record
// has. canonical may append to buf. The error wraps [ordering.ErrUnknownField].
func (s *State) canonical(buf []ordering.Term, q Query) (canon []ordering.Term, desc bool, err error) {
	sc, terms := s.schema, q.Terms
	switch {
	case len(terms) == 0:
	case q.Lenient:
		var room [4]ordering.Term
		terms = sc.known(room[:0], terms, s.names)
	default:
		if err := sc.check(terms, s.names); err != nil {
			return nil, false, err
		}
	}
	if len(terms) == 0 {
		terms = sc.Default
		if sc.Members != nil && sc.check(terms, s.names) != nil {
			return nil, false, nil
		}
	}
	canon, desc = canonical(buf, terms, sc.ID)
	return canon, desc, nil
}

// page returns the entries in a window and the number of all entries.
func (r reading) page(w pagination.Window) (entries []*Entry, count int) {
	count = r.state.Len()
	start, end := w.Bounds(count)
	if start == end {
		return nil, count
	}
	return r.sequence.page(make([]*Entry, 0, end-start), start, end-start, r.desc), count
}

func (r reading) scan(yield func(*Entry) bool) { r.sequence.scan(r.desc, yield) }

// Page is like [Store.Page] for the entries of the state, which must be frozen. If
// the ordering has no index and the state is still the store's current one, the
// index is built for both. Otherwise the entries are sorted for the state alone.
func (s *State) Page(ctx context.Context, q Query) (entries []*Entry, count int, err error) {
	if q.filters() {
		o, err := s.order(q)
		if err != nil {
			return nil, 0, err
		}
		f, err := s.find(ctx, o, false)
		if err != nil {
			return nil, 0, err
		}
		entries, err := f.page(ctx, q.Window)
		return entries, f.count, err
	}
	r, err := s.readSorted(ctx, q)
	if err != nil {
		return nil, 0, err
	}
	entries, count = r.page(q.Window)
	return entries, count, nil
}

// Scan is like [Store.Scan] for the entries of the state, which must be frozen.
func (s *State) Scan(ctx context.Context, q Query) (func(yield func(*Entry) bool), error) {
	if q.filters() {
		o, err := s.order(q)
		if err != nil {
			return nil, err
		}
		f, err := s.find(ctx, o, false)
		if err != nil {
			return nil, err
		}
		if err := f.arrange(ctx); err != nil {
			return nil, err
		}
		return f.scan, nil
	}
	r, err := s.readSorted(ctx, q)
	return r.scan, err
}

// readSorted returns the reading of a query, making its sequence if necessary.
func (s *State) readSorted(ctx context.Context, q Query) (reading, error) {
	r, err := s.read(q)
	if err != nil || r.sequence != nil {
		return r, err
	}
	if c := s.store.Value(); c != nil && c.Revision() == s.revision {
		now, err := c.build(ctx, q)
		if err == nil && now.state.revision == s.revision {
			return now, nil
		}
		if ctx.Err() != nil {
			return reading{}, ctx.Err()
		}
		// The store has a later state now, whose records may lack the field.
	}
	return s.sort(ctx, q)
}

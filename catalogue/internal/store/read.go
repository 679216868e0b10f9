package store

import (
	"context"

	"github.com/gobacklist/backlist/ordering"
)

// read returns the sequence of a query, or nil if it does not exist yet. The error wraps
// [ordering.ErrUnknownField].
func (s *State) read(q Query) (sequence, error) {
	terms, _, err := s.canonical(nil, &q)
	if err != nil {
		return nil, err
	}
	return s.sequence(terms), nil
}

// sequence returns the entries in the order of canonical terms, or nil if there is no
// such sequence yet.
func (s *State) sequence(terms []ordering.Term) sequence {
	if len(terms) == 0 {
		return s.primary
	}
	i := findTerms(s.indexes, terms)
	if i < 0 {
		return s.sorted.ready(terms)
	}
	if len(terms) > 1 {
		s.touch(&s.indexes[i])
	}
	return s.indexes[i].index
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
func (s *State) canonical(buf []ordering.Term, q *Query) (canon []ordering.Term, desc bool, err error) {
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
		if sc.Members != nil && !sc.hasAll(terms, s.names) {
			return nil, false, nil
		}
	}
	canon, desc = canonical(buf, terms, sc.ID)
	return canon, desc, nil
}

// readSorted returns the sequence of canonical terms, making it if necessary. The state
// must be frozen.
func (s *State) readSorted(ctx context.Context, terms []ordering.Term) (sequence, error) {
	if x := s.sequence(terms); x != nil {
		return x, nil
	}
	q := Query{Terms: terms}
	if c := s.store.Value(); c != nil && c.Revision() == s.revision {
		now, err := c.build(ctx, q)
		if err == nil && now.revision == s.revision {
			if x, err := now.read(q); err == nil && x != nil {
				return x, nil
			}
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		// The store has a later state now, whose records may lack the field.
	}
	return s.sort(ctx, q)
}

package store

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/ordering"
)

// Check returns an error that describes the first violated invariant of the state
// that it finds, or nil: each index has each entry once, in order, by its key and
// at its position, and is within its limits. It is for tests. O(indexes × n log n).
func (s *State) Check() error {
	for _, e := range s.Entries() {
		if e.ID < 1 || e.ID > s.lastID {
			return fmt.Errorf("id %d is stored, the highest id is %d", e.ID, s.lastID)
		}
	}
	if err := cmp.Or(s.checkIndex(nil, s.primary), s.unique(difference(nil, s.Entries()))); err != nil {
		return err
	}
	for _, x := range s.typ.keptIndexes() {
		if i := findTerms(s.indexes, x.terms); i < 0 || !s.indexes[i].kept {
			return fmt.Errorf("the index by %s is missing", ordering.Format(x.terms))
		}
	}
	for i, x := range s.indexes {
		if err := s.checkIndex(x.terms, x.index); err != nil {
			return err
		}
		if findTerms(s.indexes, x.terms) != i {
			return fmt.Errorf("ordering %s has two indexes", ordering.Format(x.terms))
		}
	}
	limited := s.sibling()
	limited.indexes = slices.Clone(s.indexes)
	if limited.evict(); len(limited.indexes) < len(s.indexes) {
		return fmt.Errorf("%d indexes exceed the limits", len(s.indexes)-len(limited.indexes))
	}
	return nil
}

// checkIndex checks that the index of terms has all entries, sorted by them.
func (s *State) checkIndex(terms []ordering.Term, x index) error {
	fields := s.typ.resolve(terms)
	all := x.page(nil, 0, x.len(), false)
	for i, e := range all {
		if s.Get(e.ID) != e || i > 0 && compareEntries(all[i-1], e, fields, terms) >= 0 {
			return fmt.Errorf("ordering %q: id %d is out of order or not the record", ordering.Format(terms), e.ID)
		}
	}
	if len(all) != s.Len() {
		return fmt.Errorf("ordering %q: %d entries, want %d", ordering.Format(terms), len(all), s.Len())
	}
	if err := x.check(); err != nil {
		return fmt.Errorf("ordering %q: %w", ordering.Format(terms), err)
	}
	return nil
}

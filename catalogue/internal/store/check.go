package store

import (
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/ordering"
)

// Check returns an error for the first invariant that the store violates. It is
// for tests. O(indexes × n log n + history × log n).
func (c *Store) Check() error {
	c.mu.Lock()
	s, counts := c.published.Load(), c.members.clone()
	s.handed.Store(true)
	c.mu.Unlock()
	if err := s.Check(); err != nil {
		return err
	}
	if err := s.checkHistory(c.schema.History); err != nil {
		return err
	}
	counted := newMembers(c.schema.Members)
	for _, e := range s.Entries() {
		counted.apply(Change{New: e})
	}
	if !slices.Equal(counted.names(c.schema.ID), s.names) || fmt.Sprint(counted.counts) != fmt.Sprint(counts.counts) {
		return fmt.Errorf("members %v as %v, counted %v", counts.counts, s.names, counted.counts)
	}
	return nil
}

// Check returns an error for the first invariant that the state violates: each
// index has each entry once, in order, under its key and at its place, and is within its
// bounds. O(indexes × n log n).
func (s *State) Check() error {
	for _, e := range s.Entries() {
		if e.ID < 1 || e.ID > s.lastID {
			return fmt.Errorf("id %d is stored, the highest is %d", e.ID, s.lastID)
		}
	}
	if err := s.checkIndex(nil, s.primary); err != nil {
		return err
	}
	combined := 0
	for i, x := range s.indexes {
		if err := s.checkIndex(x.terms, x.index); err != nil {
			return err
		}
		if findTerms(s.indexes, x.terms) != i {
			return fmt.Errorf("ordering %s has two indexes", ordering.Format(x.terms))
		}
		if x.keySize() > maxKeys(s.Len(), x.terms) {
			return fmt.Errorf("ordering %s: keys of %d bytes", ordering.Format(x.terms), x.keySize())
		}
		if len(x.terms) > 1 {
			combined++
		}
	}
	if combined > maxCombined {
		return fmt.Errorf("%d indexes of several terms", combined)
	}
	return s.checkOwn()
}

func (s *State) checkOwn() error {
	s.own.mu.Lock()
	defer s.own.mu.Unlock()
	for _, o := range s.own.all {
		if !o.ready() {
			continue
		}
		if err := s.checkSequence(o.terms, o); err != nil {
			return err
		}
	}
	return nil
}

func (s *State) checkIndex(terms []ordering.Term, x index) error {
	if err := s.checkSequence(terms, x); err != nil {
		return err
	}
	if fault := x.fault(); fault != "" {
		return fmt.Errorf("ordering %q: %s", ordering.Format(terms), fault)
	}
	return nil
}

// checkSequence compares the entries with fresh keys, one by one.
func (s *State) checkSequence(terms []ordering.Term, q sequence) error {
	fields := s.schema.resolve(terms)
	var before *Entry
	var err error
	n := 0
	q.scan(false, func(e *Entry) bool {
		switch {
		case s.Get(e.ID) != e:
			err = fmt.Errorf("ordering %q: id %d is no record, or another", ordering.Format(terms), e.ID)
		case before != nil && compareEntries(before, e, fields, terms) >= 0:
			err = fmt.Errorf("ordering %q: id %d comes before %d", ordering.Format(terms), before.ID, e.ID)
		}
		before = e
		n++
		return err == nil
	})
	if err == nil && (n != s.Len() || q.len() != n) {
		err = fmt.Errorf("ordering %q: %d entries, counted %d, of %d records", ordering.Format(terms), n, q.len(), s.Len())
	}
	return err
}

// checkHistory makes sure that the events are at most most, in order, each
// revision ended, and that they lead to the records of the state.
func (s *State) checkHistory(most int) error {
	h := s.history
	if h.events == nil {
		return nil
	}
	if n := h.events.Len(); n > most || h.from > s.revision {
		return fmt.Errorf("%d events are kept, at most %d; after revision %d of %d", n, most, h.from, s.revision)
	}
	latest := map[int]Event{}
	var before Event
	for ev := range h.after(0) {
		told, again := latest[ev.ID]
		switch {
		case ev.Revision < max(before.Revision, h.from), ev.Revision == before.Revision && (before.Last || ev.ID <= before.ID):
			return fmt.Errorf("the event of revision %d, id %d, comes after revision %d, id %d", ev.Revision, ev.ID, before.Revision, before.ID)
		case ev.Revision > before.Revision && len(latest) > 0 && !before.Last:
			return fmt.Errorf("revision %d of the history has no end", before.Revision)
		case ev.New != nil && ev.New.ID != ev.ID || ev.Inserted && ev.New == nil:
			return fmt.Errorf("the event of revision %d, id %d, has another record", ev.Revision, ev.ID)
		case again && (told.New == nil) != ev.Inserted:
			return fmt.Errorf("the event of revision %d, id %d, contradicts the one before", ev.Revision, ev.ID)
		}
		latest[ev.ID], before = ev, ev
	}
	if len(latest) > 0 && !before.Last || before.Revision > s.revision {
		return fmt.Errorf("the history ends at revision %d, id %d, the state at %d", before.Revision, before.ID, s.revision)
	}
	for id, ev := range latest {
		if s.Get(id) != ev.New {
			return fmt.Errorf("record %d is not the one of revision %d of the history", id, ev.Revision)
		}
	}
	return nil
}

package store

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// Check returns an error that describes the first violated invariant of the store
// that it finds, or nil. It is for tests. O(indexes × n log n + history × log n).
func (c *Store) Check() error {
	c.mu.Lock()
	s := c.published.Load()
	s.frozen.Store(true)
	c.mu.Unlock()
	return cmp.Or(s.Check(), s.checkHistory(c.typ.History), s.checkMembers())
}

// checkMembers checks the numbers of records that have each member.
func (s *State) checkMembers() error {
	if s.typ.Members == nil {
		return nil
	}
	want := s.typ.membersOf(s.Entries())
	if !slices.Equal(want.records.Items(), s.names.records.Items()) || !slices.Equal(want.fields.Items(), s.names.fields.Items()) {
		return fmt.Errorf("members have counts %v and names %v, counted %v and %v",
			s.names.records.Items(), s.names.fields.Items(), want.records.Items(), want.fields.Items())
	}
	return nil
}

// Check returns an error that describes the first violated invariant of the state
// that it finds, or nil: each index has each entry once, in order, by its key and
// at its position, and is within its limits. O(indexes × n log n).
func (s *State) Check() error {
	for _, e := range s.Entries() {
		if e.ID < 1 || e.ID > s.lastID {
			return fmt.Errorf("id %d is stored, the highest id is %d", e.ID, s.lastID)
		}
	}
	if err := cmp.Or(s.checkIndex(nil, s.primary), s.checkUnique()); err != nil {
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
		if !x.unique && x.keySize() > maxKeys(s.Len(), x.terms) {
			return fmt.Errorf("ordering %s: the keys have %d bytes", ordering.Format(x.terms), x.keySize())
		}
		if len(x.terms) > 1 {
			combined++
		}
	}
	if combined > maxCombined {
		return fmt.Errorf("%d multi-field indexes", combined)
	}
	s.sorted.mu.Lock()
	defer s.sorted.mu.Unlock()
	for _, o := range s.sorted.all {
		if o.ready() {
			if err := s.checkSequence(o.terms, o); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkUnique checks that each unique field has an index and no value twice.
func (s *State) checkUnique() error {
	for _, field := range s.typ.Unique {
		f, _ := s.typ.Field(field)
		i := findTerms(s.indexes, []ordering.Term{ordering.Asc(field)})
		if field != s.typ.ID && (i < 0 || !s.indexes[i].unique) {
			return fmt.Errorf("the unique field %s has no index", field)
		}
		ids := map[string]int{}
		for _, e := range s.Entries() {
			k := f.Key(e)
			if other, twice := ids[string(k.Append(nil))]; twice && k.Compare(sortkey.Null()) != 0 {
				return fmt.Errorf("ids %d and %d have the same %s", other, e.ID, field)
			}
			ids[string(k.Append(nil))] = e.ID
		}
	}
	return nil
}

// checkIndex checks the index of terms.
func (s *State) checkIndex(terms []ordering.Term, x index) error {
	err := s.checkSequence(terms, x)
	if err == nil {
		if err = x.check(); err != nil {
			err = fmt.Errorf("ordering %q: %w", ordering.Format(terms), err)
		}
	}
	return err
}

// checkSequence checks that a sequence has all entries, sorted by terms.
func (s *State) checkSequence(terms []ordering.Term, q sequence) error {
	fields := s.typ.resolve(terms)
	var before *Entry
	var err error
	n := 0
	q.scan(false, func(e *Entry) bool {
		switch {
		case s.Get(e.ID) != e:
			err = fmt.Errorf("ordering %q: the entry with id %d is not that of the record", ordering.Format(terms), e.ID)
		case before != nil && compareEntries(before, e, fields, terms) >= 0:
			err = fmt.Errorf("ordering %q: id %d comes before %d", ordering.Format(terms), before.ID, e.ID)
		}
		before = e
		n++
		return err == nil
	})
	if err == nil && (n != s.Len() || q.len() != n) {
		err = fmt.Errorf("ordering %q: %d entries, length %d, want %d", ordering.Format(terms), n, q.len(), s.Len())
	}
	return err
}

// checkHistory checks that there are at most limit events, that they are sorted,
// that each revision has a last event, and that they lead to the records of the
// state.
func (s *State) checkHistory(limit int) error {
	h := s.history
	if h.events == nil {
		return nil
	}
	if n := h.events.Len(); n > limit || h.from > s.revision {
		return fmt.Errorf("%d events are kept, at most %d, since revision %d of %d", n, limit, h.from, s.revision)
	}
	latest := map[int]Event{}
	var before Event
	for ev := range h.after(0) {
		previous, found := latest[ev.ID] // of the same record
		switch {
		case ev.Revision < max(before.Revision, h.from), ev.Revision == before.Revision && (before.Last || ev.ID <= before.ID):
			return fmt.Errorf("the event of revision %d, id %d, comes after revision %d, id %d", ev.Revision, ev.ID, before.Revision, before.ID)
		case ev.Revision > before.Revision && len(latest) > 0 && !before.Last:
			return fmt.Errorf("revision %d has no last event", before.Revision)
		case ev.New != nil && ev.New.ID != ev.ID || ev.Inserted && ev.New == nil:
			return fmt.Errorf("the event of revision %d, id %d, has another record", ev.Revision, ev.ID)
		case found && (previous.New == nil) != ev.Inserted:
			return fmt.Errorf("the event of revision %d, id %d, contradicts the previous one", ev.Revision, ev.ID)
		}
		latest[ev.ID], before = ev, ev
	}
	if len(latest) > 0 && !before.Last || before.Revision > s.revision {
		return fmt.Errorf("the last event is of revision %d, id %d, the state of revision %d", before.Revision, before.ID, s.revision)
	}
	for id, ev := range latest {
		if s.Get(id) != ev.New {
			return fmt.Errorf("record %d is not that of revision %d in the history", id, ev.Revision)
		}
	}
	return nil
}

package store

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"sync/atomic"
	"weak"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A State is a collection at one instant. A frozen state never changes. A writer
// may withdraw any other published state, change it in place and publish it again.
type State struct {
	typ   *Type
	store weak.Pointer[Store] // weak, so that a state does not keep later records alive
	*policy
	slots slots

	primary primary
	indexes []orderingIndex
	names   members // names of the fields if typ.Members is set
	lastID  int     // highest id ever used
	usedID  int     // highest id used by the last replacement or after it
	history history

	// revision is the number of writes. Readers load it without a pin.
	revision atomic.Uint64

	frozen atomic.Bool  // a caller may use the state without a pin
	hot    bool         // the next read freezes it; set before it is published
	reads  atomic.Int32 // pinned reads since the last write

	sorted sortCache
	hits   atomic.Pointer[hits]
	draft  bool // of a batch, with changes that the store does not have
}

// Len returns the number of records. O(1).
func (s *State) Len() int { return s.primary.len() }

// Revision returns the number of writes that led to the state.
func (s *State) Revision() uint64 { return s.revision.Load() }

// LastID returns the highest id that was ever used. The next assigned id is
// greater.
func (s *State) LastID() int { return s.lastID }

// UsedID returns the highest id that was used by the last replacement of all
// records or after it. It is saved with the records.
func (s *State) UsedID() int { return s.usedID }

// useID records that an id is used.
func (s *State) useID(id int) { s.lastID, s.usedID = max(s.lastID, id), max(s.usedID, id) }

// MaxID returns the highest id of a record, or 0 if there are no records.
// O(log n).
func (s *State) MaxID() int { return s.primary.maxID() }

// Names returns the sorted names of the fields that at least one record has. It
// returns nil if the type has no Members. O(names).
func (s *State) Names() []string { return s.names.names() }

// Get returns the entry with the id, or nil if none exists. O(log n).
func (s *State) Get(id int) *Entry { return s.primary.get(id) }

// Holder returns the first entry with a key of a unique field, or nil if none exists. O(log n).
func (s *State) Holder(field string, k sortkey.Key) *Entry {
	return s.indexOf(field).first(bound{key: k}, bound{key: k, id: beforeNext}, false)
}

// Greatest returns the entry with the greatest key of a unique field, or nil if there are no entries.
// O(log n).
func (s *State) Greatest(field string) (greatest *Entry) {
	s.indexOf(field).ids(max(0, s.Len()-1), min(1, s.Len()), false, func(_ int, e *Entry) bool {
		greatest = e
		return false
	})
	return greatest
}

// indexOf returns the index of a unique field.
func (s *State) indexOf(field string) index {
	i := slices.IndexFunc(s.indexes, func(x orderingIndex) bool { return len(x.terms) == 1 && x.terms[0].Field == field })
	return s.indexes[i].index
}

// Entries returns all entries, sorted by id. O(n).
func (s *State) Entries() []*Entry {
	return s.primary.walk(make([]*Entry, 0, s.Len()), 0, s.Len(), false)
}

// fork returns a state with the same records for a writer to change. It writes to
// the trees of s, so the state mutex of its store must be held, and it excludes forks of the states of
// other stores that have the same trees: of a collection and of its snapshots. O(indexes).
func (s *State) fork() *State {
	s.policy.mu.Lock()
	defer s.policy.mu.Unlock()
	f := s.sibling()
	f.primary = s.primary.fork().(primary)
	f.indexes = slices.Clone(s.indexes)
	for i := range f.indexes {
		f.indexes[i].index = s.indexes[i].fork()
	}
	f.history = s.history.fork()
	return f
}

// sibling returns a state with the same trees. Neither state may be changed in
// place.
func (s *State) sibling() *State {
	sibling := &State{
		typ: s.typ, store: s.store, policy: s.policy, slots: s.slots,
		primary: s.primary, indexes: s.indexes, names: s.names, draft: s.draft,
		lastID: s.lastID, usedID: s.usedID, history: s.history,
	}
	sibling.revision.Store(s.revision.Load())
	return sibling
}

// index returns the index of a canonical ordering, or nil if none exists. It records the use.
func (s *State) index(terms []ordering.Term) sequence {
	if len(terms) == 0 {
		return s.primary
	}
	i := findTerms(s.indexes, terms)
	if i < 0 {
		return nil
	}
	s.use(&s.indexes[i])
	return s.indexes[i].index
}

// sequence returns the entries in the order of canonical terms, or nil if there is no
// such sequence yet.
func (s *State) sequence(terms []ordering.Term) sequence {
	if x := s.index(terms); x != nil {
		return x
	}
	return s.sorted.ready(terms)
}

// prepare computes the items of changes for all trees. It may run callbacks.
func (s *State) prepare(changes []Change) {
	s.primary.prepare(changes)
	for _, x := range s.indexes {
		x.prepare(changes)
	}
}

// apply makes the changes that a state, or the one of which it is a fork, has prepared.
// O(changes × indexes × log n).
func (s *State) apply(prepared *State) {
	s.primary.apply(prepared.primary)
	for i := range s.indexes {
		s.indexes[i].apply(prepared.indexes[i].index)
	}
}

// needsCompaction reports whether a tree of the state should be compacted.
func (s *State) needsCompaction() bool {
	return s.primary.needsCompaction() ||
		slices.ContainsFunc(s.indexes, func(x orderingIndex) bool { return x.needsCompaction() })
}

// An Event is the change of one record in a history.
type Event struct {
	Revision uint64
	ID       int
	Old      *Entry // nil if the record was inserted
	New      *Entry // nil if the record was deleted
	Last     bool   // the last event of its revision
}

// history keeps the last events of a state in a tree. Adding an event and dropping
// the oldest is O(log events), a fork is O(1), and dropped events can be collected.
// The zero value keeps no events.
type history struct {
	events set[Event]
	from   uint64 // all events after this revision are kept
}

// newHistory returns a history without events that begins after a revision.
func newHistory(from uint64) history {
	return history{newSet(func(a, b Event) bool {
		return cmp.Or(cmp.Compare(a.Revision, b.Revision), cmp.Compare(a.ID, b.ID)) < 0
	}), from}
}

// fork returns a fork of the history. It writes to h. O(1).
func (h history) fork() history {
	if h.events != nil {
		h.events = forkSet(h.events)
	}
	return h
}

// add appends the changes of a revision, which are sorted by id, and drops the
// oldest events beyond limit.
func (h *history) add(revision uint64, changes []Change, limit int) {
	if h.events == nil {
		return
	}
	if len(changes) > limit {
		*h = newHistory(revision)
		return
	}
	for i, ch := range changes {
		h.events.Load(Event{revision, ch.ID(), ch.Old, ch.New, i == len(changes)-1})
	}
	for h.events.Len() > limit {
		oldest, _ := h.events.PopMin()
		h.from = oldest.Revision
	}
}

// after yields the events after a revision, oldest first.
func (h history) after(revision uint64) iter.Seq[Event] {
	return func(yield func(Event) bool) {
		if h.events != nil && revision < math.MaxUint64 {
			h.events.Ascend(Event{Revision: revision + 1, ID: math.MinInt}, yield)
		}
	}
}

// rename sets the names of members, and drops the indexes of fields that no record has.
func (s *State) rename(names members) {
	same := s.names.fields == names.fields
	if s.names = names; same {
		return
	}
	s.indexes = slices.DeleteFunc(s.indexes, func(x orderingIndex) bool { return !s.typ.hasAll(x.terms, s.names) })
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
	// Searches may have made texts since the last write.
	if limited.evict(0); len(limited.indexes) < len(s.indexes) {
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

// A Duplicate is the error of a write after which two records would have the same values
// of a unique set.
type Duplicate struct {
	Store  *Store
	Fields []string // of the set
	Entry  *Entry   // the entry that was to be written
	Other  *Entry   // the one that has the values
}

func (d *Duplicate) Error() string {
	return fmt.Sprintf("id %d has the %s of id %d", d.Entry.ID, strings.Join(d.Fields, ", "), d.Other.ID)
}

// unique returns a [*Duplicate] if the state would have one after changes, which have at
// most one change for each record. It runs callbacks.
// O(changes × unique sets × log n).
func (s *State) unique(changes []Change) (err error) {
	for _, x := range s.indexes {
		if x.unique && err == nil {
			err = s.uniqueIn(x, changes)
		}
	}
	return err
}

func (s *State) uniqueIn(x orderingIndex, changes []Change) error {
	fields, last := x.fields, len(x.fields)-1
	var written map[string]*Entry // by encoded keys
	if len(changes) > 1 {
		written = make(map[string]*Entry, len(changes))
	}
	for _, ch := range changes {
		if ch.New == nil || written == nil && ch.Old != nil && compareEntries(ch.Old, ch.New, fields, x.terms) == 0 {
			continue
		}
		prefix, ok := AppendKeys(nil, fields[:last], ch.New)
		k := fields[last].Key(ch.New)
		if !ok || k.Compare(sortkey.Null()) == 0 {
			continue
		}
		if written != nil {
			encoded := string(k.Append(slices.Clip(prefix)))
			if other := written[encoded]; other != nil {
				return s.duplicate(x.terms, ch.New, other)
			}
			written[encoded] = ch.New
		}
		other := x.first(bound{prefix: prefix, key: k}, bound{prefix: prefix, key: k, id: beforeNext}, false)
		if other != nil && !changed(changes, other.ID) {
			return s.duplicate(x.terms, ch.New, other)
		}
	}
	return nil
}

// AppendKeys appends the encoded keys of fields of an entry and reports whether none is null.
func AppendKeys(dst []byte, fields []Field, e *Entry) (_ []byte, ok bool) {
	for _, f := range fields {
		k := f.Key(e)
		if k.Compare(sortkey.Null()) == 0 {
			return dst, false
		}
		dst = k.Append(dst)
	}
	return dst, true
}

func (s *State) duplicate(terms []ordering.Term, e, other *Entry) *Duplicate {
	d := &Duplicate{Store: s.store.Value(), Entry: e, Other: other}
	for _, t := range terms {
		d.Fields = append(d.Fields, t.Field)
	}
	return d
}

// changed reports whether changes, which are sorted by id, have one for the record with
// the id.
func changed(changes []Change, id int) bool {
	_, found := slices.BinarySearchFunc(changes, id, func(ch Change, id int) int { return ch.ID() - id })
	return found
}

// search returns the entries that have some words. The counts and the other pages of the last words of a
// state need no search. The error is ctx.Err() or Err of the turn.
func (s *State) search(ctx context.Context, words *Words, turn *Turn) (*hits, error) {
	if found := s.hits.Load(); found != nil && found.key == words.Key {
		return found, nil
	}
	found, err := s.primary.look(ctx, words, turn)
	if found != nil && s.frozen.Load() {
		s.hits.Store(found)
	}
	return found, err
}

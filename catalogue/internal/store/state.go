package store

import (
	"cmp"
	"iter"
	"math"
	"slices"
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
	builds  []*build // indexes being filled; each records every change
	names   members  // names of the fields if typ.Members is set
	lastID  int      // highest id ever used
	usedID  int      // highest id used by the last replacement or after it
	history history

	// revision is the number of writes. Readers load it without a pin.
	revision atomic.Uint64

	frozen atomic.Bool  // a caller may use the state without a pin
	hot    bool         // the next read freezes it; set before it is published
	reads  atomic.Int32 // pinned reads since the last write

	sorted sortCache
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
	i := slices.IndexFunc(s.indexes, func(x orderingIndex) bool { return len(x.terms) == 1 && x.terms[0].Field == field })
	return s.indexes[i].first(bound{key: k}, bound{key: k, id: beforeNext}, false)
}

// Entries returns all entries, sorted by id. O(n).
func (s *State) Entries() []*Entry {
	return s.primary.walk(make([]*Entry, 0, s.Len()), 0, s.Len(), false)
}

// fork returns a state with the same records for a writer to change. It writes to
// the trees of s, so the state mutex must be held. O(indexes).
func (s *State) fork() *State {
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
		primary: s.primary, indexes: s.indexes, builds: s.builds, names: s.names, draft: s.draft,
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

// appendKeys appends the keys of changes for each index, as apply takes them. It may run
// callbacks.
func (s *State) appendKeys(dst []keys, changes []Change) []keys {
	for i := range s.indexes {
		for _, ch := range changes {
			dst = append(dst, s.indexes[i].keys(ch))
		}
	}
	return dst
}

// apply applies changes to all trees and records them for the builds. The keys belong to the
// indexes of an earlier state with the same records. An index that was installed since is
// replaced by what its build made of it for the write e, or dropped. O(changes × indexes ×
// log n).
func (s *State) apply(changes []Change, before []orderingIndex, k []keys, e *edit) {
	for _, ch := range changes {
		s.primary.set(ch, keys{})
	}
	late := false
	for i := range s.indexes {
		x, at := &s.indexes[i], i
		if at >= len(before) || before[at].usage != x.usage {
			at = place(before, *x)
		}
		switch {
		case at >= 0:
			for j, ch := range changes {
				x.set(ch, k[at*len(changes)+j])
			}
		case !x.next(e):
			x.index, late = nil, true
		}
	}
	if late {
		s.indexes = slices.DeleteFunc(s.indexes, func(x orderingIndex) bool { return x.index == nil })
	}
	for _, b := range s.builds {
		b.miss(&edit{changes: changes}, s.Len())
	}
}

// needsCompaction reports whether a tree of the state should be compacted.
func (s *State) needsCompaction() bool {
	return s.primary.needsCompaction() ||
		slices.ContainsFunc(s.indexes, func(x orderingIndex) bool { return x.needsCompaction() })
}

// An Entry represents a stored record. It is the first field of a struct that
// contains the record, whose type is unknown to the store. An Entry in a tree must
// not be modified.
type Entry struct{ ID int }

// A Change is the effect of a write on one record. Old is nil if the record is
// inserted. New is nil if it is deleted.
type Change struct{ Old, New *Entry }

// ID returns the id of the record. It panics if ch is the zero Change.
func (ch Change) ID() int {
	if ch.New != nil {
		return ch.New.ID
	}
	return ch.Old.ID
}

func compareIDs(a, b *Entry) int { return cmp.Compare(a.ID, b.ID) }

// difference returns the changes that turn the entries before into those after.
// Both are sorted by id. Every record in before or after has a change.
func difference(before, after []*Entry) []Change {
	changes := make([]Change, 0, max(len(before), len(after)))
	for len(before) > 0 || len(after) > 0 {
		var ch Change
		if len(after) == 0 || len(before) > 0 && before[0].ID <= after[0].ID {
			ch.Old, before = before[0], before[1:]
		}
		if len(after) > 0 && (ch.Old == nil || ch.Old.ID == after[0].ID) {
			ch.New, after = after[0], after[1:]
		}
		changes = append(changes, ch)
	}
	return changes
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

// Since returns the events after a revision, oldest first, the revision after
// which all events are kept, and the current revision. If the given revision is
// less than kept, the events are incomplete. O(events + log kept events).
func (c *Store) Since(revision uint64) (events []Event, kept, now uint64) {
	s, p := c.pin()
	defer unpin(p)
	return slices.Collect(s.history.after(revision)), s.history.from, s.Revision()
}

package store

import (
	"cmp"
	"iter"
	"math"

	"github.com/tidwall/btree"
)

// An Event is what a revision did to one record, kept for those who follow the
// changes.
type Event struct {
	Revision uint64
	ID       int
	New      *Entry // nil if the record was deleted
	Inserted bool   // the record was not there before
	Last     bool   // of its revision
}

// history is the last events of a state, in a tree: appending one, forgetting
// the oldest, and a fork are cheap, and what is forgotten is garbage. The zero
// value keeps nothing.
type history struct {
	events *btree.BTreeG[Event]
	from   uint64 // all events after this revision are kept
}

func newHistory(from uint64) history {
	return history{btree.NewBTreeGOptions(func(a, b Event) bool {
		return cmp.Or(cmp.Compare(a.Revision, b.Revision), cmp.Compare(a.ID, b.ID)) < 0
	}, btree.Options{NoLocks: true}), from}
}

// fork returns a history that is written to apart from h. It writes to h.
func (h history) fork() history {
	if h.events != nil {
		h.events = h.events.Copy()
	}
	return h
}

// add appends the changes of a revision, which are sorted by id, and forgets the
// oldest events if there are more than most.
func (h *history) add(revision uint64, changes []Change, most int) {
	if h.events == nil {
		return
	}
	if len(changes) > most {
		*h = newHistory(revision)
		return
	}
	for i, ch := range changes {
		h.events.Load(Event{revision, ch.ID(), ch.New, ch.Old == nil, i == len(changes)-1})
	}
	for h.events.Len() > most {
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

// fewEvents is how many events are read under a pin.
const fewEvents = 64

// Since returns the events after a revision, oldest first, the revision after
// which all events are kept, and the present one. The events are incomplete if
// the given revision is less than kept. O(events + log of those kept).
func (c *Store) Since(revision uint64) (events []Event, kept, now uint64) {
	s, p := c.pin()
	most := math.MaxInt
	if p != nil {
		most = fewEvents
	}
	events, complete := s.history.since(revision, most)
	kept, now = s.history.from, s.revision
	unpin(p)
	if complete {
		return events, kept, now
	}
	s = c.Current()
	events, _ = s.history.since(revision, math.MaxInt)
	return events, s.history.from, s.revision
}

func (h history) since(revision uint64, most int) (events []Event, complete bool) {
	for ev := range h.after(revision) {
		if len(events) == most {
			return nil, false
		}
		events = append(events, ev)
	}
	return events, true
}

package store

import (
	"cmp"
	"iter"
	"math"
	"slices"
)

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

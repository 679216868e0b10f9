package core

import (
	"cmp"
	"iter"
	"sync"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// An Event is a change of the record with an identity, in a history.
type Event struct {
	Identity schema.Identity
	store.Event
}

// Since returns the changes after a revision.
func Since(c *Collection, revision uint64) (events []Event, now uint64, err error) {
	found, kept, now := c.Store.Since(revision)
	switch {
	case revision > now:
		return nil, 0, c.Type.Errorf("%w: there is no revision %d yet, the current one is %d", ErrHistoryTrimmed, revision, now)
	case revision < now && c.Type.Engine.History == 0:
		return nil, 0, c.Type.Errorf("%w: want changes after revision %d, none are kept: set Options.History", ErrHistoryTrimmed, revision)
	case revision < kept:
		return nil, 0, c.Type.Errorf("%w: want changes after revision %d, only those after %d are kept", ErrHistoryTrimmed, revision, kept)
	}
	events = make([]Event, 0, len(found))
	for _, ev := range found {
		steps(c.Type, store.Change{Old: ev.Old, New: ev.New}, func(id schema.Identity, old, fresh *store.Entry) {
			step := ev
			step.Old, step.New, step.Last = old, fresh, ev.Last && fresh == ev.New
			events = append(events, Event{id, step})
		})
	}
	return events, now, nil
}

// steps calls f for the identities that a change concerns. If the key of a record is spelled otherwise
// after it, that is a deletion and an insertion.
func steps(s *Type, ch store.Change, f func(id schema.Identity, old, fresh *store.Entry)) {
	id := s.Identity.Of(cmp.Or(ch.New, ch.Old))
	if ch.Old != nil {
		if before := s.Identity.Of(ch.Old); before != id {
			f(before, ch.Old, nil)
			ch.Old = nil
		}
	}
	f(id, ch.Old, ch.New)
}

// A Commit has the changes of a batch to one collection. Package catalogue documents it.
type Commit struct {
	Collection string
	Revision   uint64
	LastID     int
	Changes    iter.Seq2[schema.Identity, []byte]
}

// Journal sets the function that is called with the changes of each batch, or removes it.
func (c *Set) Journal(f func([]Commit) error) error {
	if err := c.writable(); err != nil {
		return err
	}
	if f == nil {
		store.SetJournal(storesOf(c.All), nil)
		return nil
	}
	var one sync.Mutex // writes to different collections do not exclude each other
	store.SetJournal(storesOf(c.All), func(commits []store.Commit) (err error) {
		one.Lock()
		defer one.Unlock()
		batch := make([]Commit, len(commits))
		for i, from := range commits {
			if batch[i], err = commitOf(c.of(from.Store).Type, from); err != nil {
				return err
			}
		}
		return f(batch)
	})
	return nil
}

// commitOf returns the commit of the collection. It does not refer to from.Changes, which
// the next write reuses.
func commitOf(s *Type, from store.Commit) (Commit, error) {
	type row struct {
		id     schema.Identity
		record []byte
	}
	rows := make([]row, 0, len(from.Changes))
	var failed error
	for _, ch := range from.Changes {
		steps(s, ch, func(id schema.Identity, _, fresh *store.Entry) {
			var record []byte
			if fresh != nil && failed == nil {
				record, failed = s.Stored(fresh)
			}
			rows = append(rows, row{id, record})
		})
	}
	changes := func(yield func(schema.Identity, []byte) bool) {
		for _, r := range rows {
			if !yield(r.id, r.record) {
				return
			}
		}
	}
	return Commit{s.Name, from.Revision, s.Identity.Served(from.LastID), changes}, failed
}

package core

import (
	"cmp"
	"iter"
	"sync"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// Since returns the changes after a revision.
func Since(c *Collection, revision uint64) (events []store.Event, now uint64, err error) {
	events, kept, now := c.Store.Since(revision)
	if c.Type.Engine.History == 0 {
		kept = now
	}
	switch {
	case revision > now:
		return nil, 0, c.Type.Errorf("%w: there is no revision %d yet, the current one is %d", ErrHistoryTrimmed, revision, now)
	case revision < kept && c.Type.Engine.History == 0:
		return nil, 0, c.Type.Errorf("%w: want changes after revision %d, none are kept: set Options.History", ErrHistoryTrimmed, revision)
	case revision < kept:
		return nil, 0, c.Type.Errorf("%w: want changes after revision %d, only those after %d are kept", ErrHistoryTrimmed, revision, kept)
	}
	return events, now, nil
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
	for _, ch := range from.Changes {
		id := s.Identity.Of(cmp.Or(ch.New, ch.Old))
		if ch.Old != nil && s.Identity.Of(ch.Old) != id {
			rows = append(rows, row{s.Identity.Of(ch.Old), nil})
		}
		var record []byte
		if ch.New != nil {
			var err error
			if record, err = s.Stored(ch.New); err != nil {
				return Commit{}, err
			}
		}
		rows = append(rows, row{id, record})
	}
	changes := func(yield func(schema.Identity, []byte) bool) {
		for _, r := range rows {
			if !yield(r.id, r.record) {
				return
			}
		}
	}
	return Commit{s.Name, from.Revision, s.Identity.Served(from.LastID), changes}, nil
}

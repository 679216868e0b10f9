package store

import (
	"errors"

	"github.com/tidwall/btree"
)

// A Tx is a batch in progress: a state and the changes that the batch makes to
// it. It is not safe for concurrent use.
type Tx struct {
	store   *Store
	draft   *draft // nil before the first query
	state   *State // cannot change while the batch holds the writers' mutex
	changes *btree.BTreeG[txChange]
	len     int
	used    int // highest id written by the batch, or 0
	done    bool
}

// ErrTxDone is returned by queries of a [Tx] after its batch.
var ErrTxDone = errors.New("batch has ended")

type txChange struct {
	id int
	Change
}

// Batch calls f and then makes the changes of its transaction visible together.
// If f returns an error or panics, or if the changes would make a [*Duplicate], nothing
// changes. Other writers wait for f; readers do not.
func (c *Store) Batch(f func(*Tx) error) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	s := c.published.Load()
	tx := &Tx{store: c, state: s, len: s.Len()}
	tx.changes = btree.NewBTreeGOptions(func(a, b txChange) bool { return a.id < b.id }, btree.Options{NoLocks: true})
	defer func() { tx.done = true }()
	if err := f(tx); err != nil {
		return err
	}
	if tx.changes.Len() > 0 {
		return c.commit(tx.list(), tx.used)
	} else if tx.used > s.usedID {
		c.useID(tx.used)
	}
	return nil
}

// list returns the changes, sorted by id.
func (tx *Tx) list() []Change {
	list := make([]Change, 0, tx.changes.Len())
	tx.changes.Scan(func(ch txChange) bool {
		list = append(list, ch.Change)
		return true
	})
	return list
}

// useID publishes the highest id used by a batch that made no changes.
func (c *Store) useID(id int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replace(func(s *State) { s.use(id) })
}

// Done reports whether the batch has ended.
func (tx *Tx) Done() bool { return tx.done }

// Len returns the number of records, including the changes of the batch. O(1).
func (tx *Tx) Len() int { return tx.len }

// LastID returns the highest id that was ever used, including by the batch. O(1).
func (tx *Tx) LastID() int { return max(tx.state.lastID, tx.used) }

// Get returns the entry with the id, including the changes of the batch, or nil
// if there is none. O(log n).
func (tx *Tx) Get(id int) *Entry {
	if ch, ok := tx.changes.Get(txChange{id: id}); ok {
		return ch.New
	}
	return tx.state.Get(id)
}

// Write adds a change to the batch. O(log n).
func (tx *Tx) Write(ch Change) {
	if tx.draft != nil {
		tx.draft.write(ch) // first, because it may panic
	}
	if ch.Old == nil {
		tx.len++
	}
	if ch.New == nil {
		tx.len--
	} else {
		tx.used = max(tx.used, ch.New.ID)
	}
	id := ch.ID()
	before, found := tx.changes.Get(txChange{id: id})
	switch {
	case !found:
		tx.changes.Load(txChange{id, ch})
	case before.Old == nil && ch.New == nil: // inserted and deleted by the batch
		tx.changes.Delete(before)
	default:
		tx.changes.Set(txChange{id, Change{before.Old, ch.New}})
	}
}

package store

import "github.com/tidwall/btree"

// A Tx is a batch in progress: a state and the changes that the batch makes to
// it. It is for one goroutine.
type Tx struct {
	state   *State // which only the batch's writer could change
	changes *btree.BTreeG[txChange]
	len     int
	used    int // highest id that the batch has written, 0 if none
	done    bool
}

type txChange struct {
	id int
	Change
}

// Batch calls f and then makes the changes of the transaction visible together.
// If f returns an error or panics, nothing changes. Readers do not wait for f,
// other writers do.
func (c *Store) Batch(f func(*Tx) error) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	s := c.published.Load()
	tx := &Tx{state: s, len: s.Len()}
	tx.changes = btree.NewBTreeGOptions(func(a, b txChange) bool { return a.id < b.id }, btree.Options{NoLocks: true})
	defer func() { tx.done = true }()
	if err := f(tx); err != nil {
		return err
	}
	if tx.changes.Len() > 0 {
		c.commit(tx.list(), tx.used)
	} else if tx.used > s.usedID {
		c.useID(tx.used)
	}
	return nil
}

// list returns the changes by id.
func (tx *Tx) list() []Change {
	list := make([]Change, 0, tx.changes.Len())
	tx.changes.Scan(func(ch txChange) bool {
		list = append(list, ch.Change)
		return true
	})
	return list
}

// useID publishes that an id was used by a batch that made no changes.
func (c *Store) useID(id int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replace(func(s *State) { s.use(id) })
}

// Done reports whether the batch has ended.
func (tx *Tx) Done() bool { return tx.done }

// Len returns the number of records, with what the batch has written.
func (tx *Tx) Len() int { return tx.len }

// LastID returns the highest id that was ever used, also in the batch.
func (tx *Tx) LastID() int { return max(tx.state.lastID, tx.used) }

// Get returns the entry with an id as the batch has left it, or nil. O(log n).
func (tx *Tx) Get(id int) *Entry {
	if ch, ok := tx.changes.Get(txChange{id: id}); ok {
		return ch.New
	}
	return tx.state.Get(id)
}

// Write makes a change that is visible in the batch. O(log n).
func (tx *Tx) Write(ch Change) {
	if ch.Old == nil {
		tx.len++
	}
	if ch.New == nil {
		tx.len--
	} else {
		tx.used = max(tx.used, ch.New.ID)
	}
	id := ch.ID()
	before, again := tx.changes.Get(txChange{id: id})
	switch {
	case !again:
		tx.changes.Load(txChange{id, ch})
	case before.Old == nil && ch.New == nil: // the record came and went
		tx.changes.Delete(before)
	default:
		tx.changes.Set(txChange{id, Change{before.Old, ch.New}})
	}
}

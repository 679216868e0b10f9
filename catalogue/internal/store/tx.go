package store

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A Tx is a batch in progress: a state and the changes that the batch makes to
// it. It is not safe for concurrent use.
type Tx struct {
	store *Store
	// draft is the published state with the changes made so far. It is forked for the
	// first query and belongs to the batch alone.
	draft   *State
	state   *State         // cannot change while the batch holds the writers' mutex
	changes map[int]Change // by id; nil if there are none
	used    int            // highest id written by the batch, or 0
	done    bool
}

// ErrTxDone is returned by queries of a [Tx] after its batch.
var ErrTxDone = errors.New("batch has ended")

// Batch calls f with a transaction for each store, and then makes the changes of all
// transactions visible at one instant. If f returns an error or panics, if the changes
// would make a [*Duplicate], or if the journal fails, nothing changes. Other writers wait
// for f; readers do not. The stores must be in the order of their catalogue.
func Batch(stores []*Store, f func([]*Tx) error) error {
	all := make([]*Tx, len(stores))
	for i, c := range stores {
		c.writing.Lock()
		all[i] = &Tx{store: c, state: c.published.Load()}
	}
	defer func() {
		for _, tx := range all {
			tx.done = true
			tx.store.writing.Unlock()
		}
	}()
	if err := f(all); err != nil {
		return err
	}
	var written []pending
	for _, tx := range all {
		changes := tx.list()
		if len(changes) > 0 || tx.used > tx.state.usedID {
			written = append(written, pending{store: tx.store, edit: edit{changes: changes}, used: tx.used})
		}
	}
	if len(written) == 0 {
		return nil
	}
	return commit(written)
}

// Batch is [Batch] for a single store.
func (c *Store) Batch(f func(*Tx) error) error {
	return Batch([]*Store{c}, func(all []*Tx) error { return f(all[0]) })
}

// list returns the changes, sorted by id.
func (tx *Tx) list() []Change {
	return slices.SortedFunc(maps.Values(tx.changes), func(a, b Change) int { return a.ID() - b.ID() })
}

// Done reports whether the batch has ended.
func (tx *Tx) Done() bool { return tx.done }

// LastID returns the highest id that was ever used, including by the batch. O(1).
func (tx *Tx) LastID() int { return max(tx.state.lastID, tx.used) }

// Get returns the entry with the id, including the changes of the batch, or nil
// if none exists. O(log n).
func (tx *Tx) Get(id int) *Entry {
	if ch, ok := tx.changes[id]; ok {
		return ch.New
	}
	return tx.state.Get(id)
}

// Before returns the state without the changes of the batch.
func (tx *Tx) Before() *State { return tx.state }

// Holder returns the first entry with a key of a unique field, including the changes of the batch,
// or nil if none exists. The first call after a write makes the draft.
func (tx *Tx) Holder(field string, k sortkey.Key) *Entry { return tx.drafted().Holder(field, k) }

// Greatest returns the entry with the greatest key of a unique field, as Holder does.
func (tx *Tx) Greatest(field string) *Entry { return tx.drafted().Greatest(field) }

// drafted returns the state with the changes of the batch.
func (tx *Tx) drafted() *State {
	switch {
	case tx.changes == nil:
		return tx.state
	case tx.draft == nil:
		_ = tx.begin(context.Background(), &Query{Want: WantCount}) // a count needs no index, so there is no error
	}
	return tx.draft
}

// Write adds a change to the batch. O(log n).
func (tx *Tx) Write(ch Change) {
	if tx.draft != nil {
		tx.draft.write(ch) // first, because it may panic
	}
	if ch.New != nil {
		tx.used = max(tx.used, ch.New.ID)
	}
	if tx.changes == nil {
		tx.changes = map[int]Change{}
	}
	id := ch.ID()
	if before, found := tx.changes[id]; found {
		ch.Old = before.Old
	}
	if tx.changes[id] = ch; ch.Old == nil && ch.New == nil { // inserted and deleted by the batch
		delete(tx.changes, id)
	}
}

// Answer answers a query from the draft, to which it adds the indexes that the query needs.
func (tx *Tx) Answer(ctx context.Context, q Query) (Answer, error) {
	if tx.done {
		return Answer{}, ErrTxDone
	}
	if tx.changes == nil { // no other writer can change the records
		return tx.store.Answer(ctx, q)
	}
	if tx.draft == nil {
		if err := tx.begin(ctx, &q); err != nil {
			return Answer{}, err
		}
	}
	a, err := tx.draft.Answer(ctx, q)
	if q.Want == WantScan || q.Want == WantGroups {
		tx.draft = tx.draft.fork() // what they yield does not change
	}
	return a, err
}

// begin makes the draft. It first asks the store for the indexes that the query needs, so
// that they are there for later batches too.
func (tx *Tx) begin(ctx context.Context, q *Query) error {
	now := tx.store.Current()
	if sel, err := now.selection(nil, q); err == nil { // otherwise the fields may be those of new records
		if _, err := now.plan(ctx, sel); err != nil {
			return err
		}
	}
	tx.store.settle()
	tx.store.committing.Lock()
	tx.store.mu.Lock()
	d := tx.store.fork()
	tx.store.mu.Unlock()
	tx.store.committing.Unlock()
	d.history, d.draft = history{}, true
	for _, ch := range tx.list() {
		d.write(ch)
	}
	tx.draft = d // last, because write may panic
	return nil
}

// write applies a change to a state that nothing else uses. It may run callbacks.
func (s *State) write(ch Change) {
	one := []Change{ch}
	s.prepare(one)
	s.apply(s)
	s.sorted.all = nil
	s.rename(s.names.counted(s.typ.memberChanges(nil, one)))
}

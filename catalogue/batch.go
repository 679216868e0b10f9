package catalogue

import (
	"github.com/gobacklist/backlist/catalogue/internal/core"
	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/ordering"
)

// A Batch is a write to several collections of a catalogue. [Definition.Tx] returns the
// transaction of one of them.
type Batch struct {
	set *core.Set
	txs []*store.Tx // one for each collection
}

// Batch calls f and makes all its writes, to any collections, visible at one instant: a reader that
// has seen one of them sees all. If f returns an error, Batch returns it unchanged. The error wraps
// [ErrDuplicate] if two records would have the same values of a unique set at the end, and
// [ErrReadOnly] if the catalogue is a snapshot. After an error or a panic the catalogue is
// unchanged and no id is used.
//
// Other writers to the catalogue wait for f; readers do not. f must write to the catalogue only
// through b: any other write to it would deadlock. Reads, Snapshot, Clone and Save do not see the
// writes of the batch. It costs as much as [Collection.Batch] for each collection.
func (c *Catalogue) Batch(f func(b *Batch) error) error {
	return c.set.Batch(func(txs []*store.Tx) error { return f(&Batch{c.set, txs}) })
}

// A Tx reads and writes a collection within [Collection.Batch]. Its reads include its writes. A
// write that returns an error changes nothing and does not end the batch. A duplicate value of a
// unique set is an error of the batch, not of the write. After the batch, the methods that return
// an error return one that wraps [ErrTxDone]. A Tx is not safe for concurrent use.
type Tx[T any] struct {
	core *core.Collection
	tx   *store.Tx
}

// Batch calls f and makes its writes visible at one instant. If f returns an error, Batch returns
// it unchanged. The error wraps [ErrDuplicate] if two records would have the same values of a
// unique set at the end of the batch; during the batch they may, so two records can exchange their
// values. A batch that changes nothing is not a new revision.
//
// Other writers wait for f; readers do not. f must write to the collection only through tx: the
// methods of the collection that write would deadlock. With k changes a batch is O(k × orderings in
// use × log n), or O(n log n × orderings in use) if it changes more than half of the records.
func (c *Collection[T]) Batch(f func(tx *Tx[T]) error) error {
	return c.core.Batch(func(tx *store.Tx) error { return f(&Tx[T]{c.core, tx}) })
}

// Insert stores a copy of the record and returns its id. If the id of the record is zero, Insert
// assigns one more than the highest id ever used. The error wraps [ErrExists] if another record has
// the id, [ErrInvalidID] if the id is negative or no id is left, and [ErrInvalid] if JSON cannot
// represent the record.
func (tx *Tx[T]) Insert(record T) (id int, err error) {
	return tx.core.Put(tx.tx, layout.NewEntry(record), false)
}

// Upsert replaces the record that has the same id by a copy of the given one, or inserts the record
// if none exists or the id is zero. It returns the id. The error wraps [ErrInvalidID] or
// [ErrInvalid].
func (tx *Tx[T]) Upsert(record T) (id int, err error) {
	return tx.core.Put(tx.tx, layout.NewEntry(record), true)
}

// Update calls f with a copy of the record with the given id and stores the result. f may read and
// write other records through tx. Those writes remain in the batch even if Update returns an error.
// If f returns an error, Update returns it unchanged. Otherwise the error wraps [ErrNotFound] if
// there is no record with the id, [ErrInvalidID] if f changed the id, and [ErrInvalid] if f wrote
// to the same record through tx or JSON cannot represent the result.
func (tx *Tx[T]) Update(id int, f func(record *T) error) error {
	return tx.core.Modify(tx.tx, id, layout.Untyped(f))
}

// Delete deletes the record with the given id. The error wraps [ErrNotFound] if there is
// none.
func (tx *Tx[T]) Delete(id int) error { return tx.core.Remove(tx.tx, id) }

// Get returns a copy of the record with the given id. The error wraps [ErrNotFound] if
// none exists. O(log n).
func (tx *Tx[T]) Get(id int) (record T, err error) {
	if tx.tx.Done() {
		return record, tx.core.Type.Errorf("%w", ErrTxDone)
	}
	return copied[T](tx.core.Type, tx.tx, id)
}

// Where returns the records that satisfy all conditions, with the writes of the batch so far. In
// addition to the Selection, the first call of one of its methods costs O(orderings in use + writes
// so far × orderings in use × log n), and makes each later write of the batch about twice as
// expensive.
func (tx *Tx[T]) Where(conditions ...ordering.Condition) Selection[T] {
	return Selection[T]{core.NewSelection(tx.core, tx.tx, conditions)}
}

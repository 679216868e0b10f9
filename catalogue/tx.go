package catalogue

import "github.com/gobacklist/backlist/catalogue/internal/store"

// A Tx reads and writes a collection within [Collection.Batch]. Its reads include its
// writes, which become visible to others when the batch ends. A write that returns an
// error changes nothing and does not end the batch. After the batch, the methods that
// return an error return one that wraps [ErrTxDone]. A Tx is not safe for concurrent
// use.
type Tx[T any] struct {
	typ *recordType[T]
	tx  *store.Tx
}

// Batch calls f and makes its writes visible at one instant. If f returns an error,
// Batch returns it unchanged. If two records would have the same value of a unique field
// at the end of the batch, the error wraps [ErrDuplicate]. During the batch they may have
// it, so two records can exchange their values. After an error or a panic the collection
// is unchanged and no id is used. A batch that changes nothing is not a new revision.
//
// Other writers wait for f; readers do not. f must write to the collection only through
// tx: the methods of the collection that write would deadlock. With k changes a batch is
// O(k × orderings in use × log n). A batch that changes more than half of the records
// is O(n log n × orderings in use).
func (c *Collection[T]) Batch(f func(tx *Tx[T]) error) error {
	if err := c.writable(); err != nil {
		return err
	}
	return c.typ.refused(c.store.Batch(func(tx *store.Tx) error { return f(&Tx[T]{c.typ, tx}) }))
}

// Insert is like [Collection.Insert], but a duplicate value is an error of the batch, not
// of Insert.
func (tx *Tx[T]) Insert(record T) (id int, err error) {
	e := newEntry(0, record)
	return idOf(tx.write(func() (store.Change, error) { return tx.typ.insertion(tx.tx, e) }))
}

// Upsert is like [Collection.Upsert], with the exception of [Tx.Insert].
func (tx *Tx[T]) Upsert(record T) (id int, err error) {
	e := newEntry(0, record)
	return idOf(tx.write(func() (store.Change, error) { return tx.typ.replacement(tx.tx, e) }))
}

// Update is like [Collection.Update], but f may read and write other records through tx.
// Those writes remain in the batch even if Update returns an error. If f writes to the
// same record through tx, the error wraps [ErrInvalid].
func (tx *Tx[T]) Update(id int, f func(record *T) error) error {
	_, err := tx.write(func() (store.Change, error) { return tx.typ.modification(tx.tx, id, f) })
	return err
}

// Delete is like [Collection.Delete].
func (tx *Tx[T]) Delete(id int) error {
	_, err := tx.write(func() (store.Change, error) { return tx.typ.deletion(tx.tx, id) })
	return err
}

// write adds the change that prepare returns to the batch and returns its new entry.
func (tx *Tx[T]) write(prepare func() (store.Change, error)) (*store.Entry, error) {
	if tx.tx.Done() {
		return nil, tx.typ.errorf("%w", ErrTxDone)
	}
	ch, err := prepare()
	if err != nil {
		return nil, err
	}
	tx.tx.Write(ch)
	return ch.New, nil
}

// Get returns a copy of the record with the given id. The error wraps [ErrNotFound] if
// there is none. O(log n).
func (tx *Tx[T]) Get(id int) (record T, err error) {
	if tx.tx.Done() {
		return record, tx.typ.errorf("%w", ErrTxDone)
	}
	return tx.typ.copied(tx.tx.Get(id), id)
}

// Has reports whether there is a record with the given id. After the batch it returns
// false. O(log n).
func (tx *Tx[T]) Has(id int) bool { return !tx.tx.Done() && tx.tx.Get(id) != nil }

// Count returns the number of records. After the batch it returns 0. O(1).
func (tx *Tx[T]) Count() int {
	if tx.tx.Done() {
		return 0
	}
	return tx.tx.Len()
}

package catalogue

import "github.com/gobacklist/backlist/catalogue/internal/store"

// A Tx is the writer's view of a collection inside [Collection.Update]: it sees
// what it has written, nobody else does before the Update ends. It is for the
// goroutine that Update called, and of no use after it: methods then return
// [ErrTxDone], and Count 0.
type Tx[T any] struct {
	schema *schema[T]
	tx     *store.Tx
}

// Batch makes several writes one: when f returns nil all become visible
// together. If f returns an error, which Batch returns as it is, or panics,
// nothing has changed and no id is used up. Other writers wait for f, readers
// do not. f writes through tx only: the collection's own methods that write
// would wait for f to end. An Batch that changes nothing is no revision.
func (c *Collection[T]) Batch(f func(tx *Tx[T]) error) error {
	return c.store.Batch(func(tx *store.Tx) error { return f(&Tx[T]{c.schema, tx}) })
}

// Insert is [Collection.Insert].
func (tx *Tx[T]) Insert(record T) (id int, err error) {
	e := newEntry(0, record)
	return idOf(tx.write(func() (store.Change, error) { return tx.schema.insertion(tx.tx, e) }))
}

// Upsert is [Collection.Upsert].
func (tx *Tx[T]) Upsert(record T) (id int, err error) {
	e := newEntry(0, record)
	return idOf(tx.write(func() (store.Change, error) { return tx.schema.replacement(tx.tx, e) }))
}

// Update is [Collection.Update]. f may read and write other records through tx;
// if it writes to the one it is given, Update is [ErrInvalid].
func (tx *Tx[T]) Update(id int, f func(record *T) error) error {
	_, err := tx.write(func() (store.Change, error) { return tx.schema.modification(tx.tx, id, f) })
	return err
}

// Delete is [Collection.Delete].
func (tx *Tx[T]) Delete(id int) error {
	_, err := tx.write(func() (store.Change, error) { return tx.schema.deletion(tx.tx, id) })
	return err
}

// write makes the change that prepare returns and returns its new entry.
func (tx *Tx[T]) write(prepare func() (store.Change, error)) (*store.Entry, error) {
	if tx.tx.Done() {
		return nil, tx.schema.errorf("%w", ErrTxDone)
	}
	ch, err := prepare()
	if err != nil {
		return nil, err
	}
	tx.tx.Write(ch)
	return ch.New, nil
}

// Get returns a copy of a record, with what the transaction has written, or
// [ErrNotFound]. O(log n).
func (tx *Tx[T]) Get(id int) (record T, err error) {
	if tx.tx.Done() {
		return record, tx.schema.errorf("%w", ErrTxDone)
	}
	return tx.schema.copied(tx.tx.Get(id), id)
}

// Count is the number of records, with what the transaction has written, and 0
// when the transaction is over. O(1).
func (tx *Tx[T]) Count() int {
	if tx.tx.Done() {
		return 0
	}
	return tx.tx.Len()
}

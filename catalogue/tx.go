package catalogue

import "github.com/gobacklist/backlist/catalogue/internal/store"

// A Tx writes to a collection inside [Collection.Batch]. It sees its own writes,
// which become visible to others when the batch ends. It must be used only by the
// goroutine that Batch called. After the batch its methods return [ErrTxDone].
type Tx[T any] struct {
	schema *schema[T]
	tx     *store.Tx
}

// Batch calls f and makes what it writes visible at one instant. If f returns an
// error, which Batch returns as it is, or panics, nothing has changed and no id is
// used. Other writers wait for f; readers do not. f writes through tx only: the
// collection's own methods would wait for f to return. A batch that changes nothing
// makes no revision.
func (c *Collection[T]) Batch(f func(tx *Tx[T]) error) error {
	if err := c.writable(); err != nil {
		return err
	}
	return c.store.Batch(func(tx *store.Tx) error { return f(&Tx[T]{c.schema, tx}) })
}

// Insert is like [Collection.Insert].
func (tx *Tx[T]) Insert(record T) (id int, err error) {
	e := newEntry(0, record)
	return idOf(tx.write(func() (store.Change, error) { return tx.schema.insertion(tx.tx, e) }))
}

// Upsert is like [Collection.Upsert].
func (tx *Tx[T]) Upsert(record T) (id int, err error) {
	e := newEntry(0, record)
	return idOf(tx.write(func() (store.Change, error) { return tx.schema.replacement(tx.tx, e) }))
}

// Update is like [Collection.Update]. f may read and write other records through tx.
// If it writes to the record it is called with, the error is [ErrInvalid].
func (tx *Tx[T]) Update(id int, f func(record *T) error) error {
	_, err := tx.write(func() (store.Change, error) { return tx.schema.modification(tx.tx, id, f) })
	return err
}

// Delete is like [Collection.Delete].
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

// Get returns a copy of the record with an id, including what the batch has
// written. It returns [ErrNotFound] if there is none. O(log n).
func (tx *Tx[T]) Get(id int) (record T, err error) {
	if tx.tx.Done() {
		return record, tx.schema.errorf("%w", ErrTxDone)
	}
	return tx.schema.copied(tx.tx.Get(id), id)
}

// Has reports whether a record has an id. After the batch it reports false. O(log n).
func (tx *Tx[T]) Has(id int) bool { return !tx.tx.Done() && tx.tx.Get(id) != nil }

// Count returns the number of records. After the batch it returns 0. O(1).
func (tx *Tx[T]) Count() int {
	if tx.tx.Done() {
		return 0
	}
	return tx.tx.Len()
}

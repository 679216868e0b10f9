package catalogue

// A Tx is the writer's view of a collection inside [Collection.Update]: it sees
// what it has written, nobody else does before the Update ends. It is for the
// goroutine that Update called, and of no use after it: methods then give
// [ErrDone], and Count 0.
type Tx[T any] struct {
	schema *schema[T]
	txn    *txn
}

// Update makes several writes one: when f returns nil all become visible
// together. If f returns an error, which Update returns as it is, or panics,
// nothing has changed and no id is used up. Other writers wait for f, readers
// do not. f writes through tx only: the collection's own methods that write
// would wait for f to end.
func (c *Collection[T]) Update(f func(tx *Tx[T]) error) error {
	return c.store.update(func(txn *txn) error { return f(&Tx[T]{c.schema, txn}) })
}

// Insert is [Collection.Insert].
func (tx *Tx[T]) Insert(record T) (id int, err error) {
	e := newEntry(0, record)
	ch, err := tx.txn.do(func(t *tables) (change, error) { return tx.schema.insertion(t, e) })
	if err != nil {
		return 0, err
	}
	return ch.new.id, nil
}

// Upsert is [Collection.Upsert].
func (tx *Tx[T]) Upsert(record T) (id int, err error) {
	e := newEntry(0, record)
	ch, err := tx.txn.do(func(t *tables) (change, error) { return tx.schema.replacement(t, e) })
	if err != nil {
		return 0, err
	}
	return ch.new.id, nil
}

// Modify is [Collection.Modify]. f may read and write other records through tx;
// if it writes to the one it is given, Modify is [ErrInvalid].
func (tx *Tx[T]) Modify(id int, f func(record *T) error) error {
	_, err := tx.txn.do(func(t *tables) (change, error) { return tx.schema.modification(t, id, f) })
	return err
}

// Delete is [Collection.Delete].
func (tx *Tx[T]) Delete(id int) error {
	_, err := tx.txn.do(func(t *tables) (change, error) { return tx.schema.deletion(t, id) })
	return err
}

// Get gives a copy of a record, with what the transaction has written, or
// [ErrNotFound]. O(log n).
func (tx *Tx[T]) Get(id int) (record T, err error) {
	if tx.txn.done {
		return record, tx.schema.errorf("%w", ErrDone)
	}
	e := tx.txn.t.primary.get(id)
	if e == nil {
		return record, tx.schema.errorf("%w: id %d", ErrNotFound, id)
	}
	return tx.schema.clone(recordOf[T](e)), nil
}

// Count is the number of records, with what the transaction has written, and 0
// when the transaction is over. O(1).
func (tx *Tx[T]) Count() int {
	if tx.txn.done {
		return 0
	}
	return tx.txn.t.primary.len()
}

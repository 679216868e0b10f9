package catalogue

import "slices"

// A Tx is the writer's view of a collection inside [Collection.Update]: it sees
// what it has written, nobody else does before the Update ends. It is for the
// goroutine that Update called, and of no use after it: every method then gives
// [ErrDone].
type Tx[T any] struct {
	c       *Collection[T]
	t       tables[T]
	changes []change[T]
	done    bool
}

// Update makes several writes one: when f returns nil all become visible
// together. If f returns an error, which Update returns as it is, or panics,
// nothing has changed and no id is used up. Other writers wait for f, readers
// do not. f writes through tx only: the collection's own methods that write
// would wait for f to end.
func (c *Collection[T]) Update(f func(tx *Tx[T]) error) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	tx := c.begin()
	defer func() { tx.done = true }()
	if err := f(tx); err != nil {
		return err
	}
	tx.commit()
	return nil
}

func (c *Collection[T]) begin() *Tx[T] {
	c.state.Lock()
	defer c.state.Unlock()
	t := c.live.fork()
	t.members = c.live.members.writable()
	return &Tx[T]{c: c, t: t}
}

// commit puts the transaction's tables in the place of the collection's. Orders
// that readers had made meanwhile are brought up to date first, off the lock.
func (tx *Tx[T]) commit() {
	for !tx.install() {
	}
}

func (tx *Tx[T]) install() bool {
	c := tx.c
	missing := tx.missing()
	for _, k := range missing {
		applyAll(k.order, tx.changes)
	}
	tx.t.orders = append(tx.t.orders, missing...)

	c.state.Lock()
	defer c.state.Unlock()
	orders := make([]kept[T], 0, len(c.live.orders))
	for _, k := range c.live.orders { // those that were evicted meanwhile go
		mine := find(tx.t.orders, k.terms)
		if mine == nil {
			return false
		}
		orders = append(orders, kept[T]{terms: k.terms, order: mine.order, used: k.used})
	}
	tx.t.orders, tx.t.revision = orders, c.live.revision
	c.live = tx.t
	for _, b := range c.builds {
		b.changes = append(b.changes, tx.changes...)
	}
	c.committed()
	return true
}

// missing forks the orders that the transaction began without.
func (tx *Tx[T]) missing() (forks []kept[T]) {
	tx.c.state.Lock()
	defer tx.c.state.Unlock()
	for _, k := range tx.c.live.orders {
		if find(tx.t.orders, k.terms) == nil {
			k.order = k.order.fork()
			forks = append(forks, k)
		}
	}
	return slices.Clip(forks)
}

func (tx *Tx[T]) do(prepare func() (change[T], error)) (change[T], error) {
	if tx.done {
		return change[T]{}, tx.c.errorf("%w", ErrDone)
	}
	ch, err := prepare()
	if err == nil {
		tx.t.apply(ch)
		tx.changes = append(tx.changes, ch)
	}
	return ch, err
}

// Insert is [Collection.Insert].
func (tx *Tx[T]) Insert(record T) (id int, err error) {
	ch, err := tx.do(func() (change[T], error) { return tx.c.schema.insertion(&tx.t, &record) })
	if err != nil {
		return 0, err
	}
	return ch.new.id, nil
}

// Upsert is [Collection.Upsert].
func (tx *Tx[T]) Upsert(record T) (id int, err error) {
	ch, err := tx.do(func() (change[T], error) { return tx.c.schema.replacement(&tx.t, &record) })
	if err != nil {
		return 0, err
	}
	return ch.new.id, nil
}

// Modify is [Collection.Modify]. f may read and write other records through tx;
// if it writes to the one it is given, Modify is [ErrInvalid].
func (tx *Tx[T]) Modify(id int, f func(record *T) error) error {
	_, err := tx.do(func() (change[T], error) { return tx.c.schema.modification(&tx.t, id, f) })
	return err
}

// Delete is [Collection.Delete].
func (tx *Tx[T]) Delete(id int) error {
	_, err := tx.do(func() (change[T], error) { return tx.c.schema.deletion(&tx.t, id) })
	return err
}

// Get gives a copy of a record, with what the transaction has written, or
// [ErrNotFound]. O(log n).
func (tx *Tx[T]) Get(id int) (T, error) {
	var none T
	if tx.done {
		return none, tx.c.errorf("%w", ErrDone)
	}
	e := tx.t.primary.get(id)
	if e == nil {
		return none, tx.c.errorf("%w: id %d", ErrNotFound, id)
	}
	return tx.c.schema.clone(&e.value), nil
}

// Count is the number of records, with what the transaction has written. O(1).
func (tx *Tx[T]) Count() int { return tx.t.primary.len() }

package catalogue

// txn is a transaction without the type of its records: a fork of the tables,
// without orders, and what was done to it.
type txn struct {
	c       *store
	t       tables
	changes []change
	done    bool
}

func (c *store) update(f func(*txn) error) error {
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

func (c *store) begin() *txn {
	c.state.Lock()
	defer c.state.Unlock()
	return &txn{c: c, t: tables{
		primary: c.live.copyPrimary(),
		lastID:  c.live.lastID,
		members: c.live.members.writable(),
	}}
}

func (tx *txn) do(prepare func(*tables) (change, error)) (change, error) {
	if tx.done {
		return change{}, tx.c.shape.errorf("%w", ErrDone)
	}
	ch, err := prepare(&tx.t)
	if err != nil {
		return change{}, err
	}
	tx.t.apply(ch)
	tx.changes = append(tx.changes, ch)
	return ch, nil
}

// commit puts the transaction's tables in the place of the collection's.
func (tx *txn) commit() {
	if len(tx.changes) > maxLate {
		tx.commitMany()
		return
	}
	c := tx.c
	if c.feed != nil {
		c.feed.prepare(c.live.revision+1, net(tx.changes)...)
		defer c.feed.notify()
	}
	c.state.Lock()
	defer c.state.Unlock()
	c.live.rehearse(tx.changes)
	c.live.primary, c.live.lender = tx.t.primary, nil
	c.live.lastID, c.live.members = tx.t.lastID, tx.t.members
	for _, ch := range tx.changes {
		c.live.note(ch)
	}
	c.committed(tx.changes)
}

// commitMany brings the orders up to date first, off the lock: in forks of
// them, or where most records are new, from scratch.
func (tx *txn) commitMany() {
	t, before := tx.t, tx.c.withForks()
	t.orders = before.orders
	anew := len(tx.changes) > t.primary.len()/2
	var changes []change
	if !anew || tx.c.feed != nil {
		changes = net(tx.changes)
	}
	if tx.c.feed != nil {
		tx.c.feed.prepare(before.revision+1, changes...)
		defer tx.c.feed.notify()
	}
	if anew {
		t.primary.compact()
		entries := t.entries()
		sideBySide(len(t.orders), func(i int) { t.orders[i].refill(entries) })
	} else {
		sideBySide(len(t.orders), func(i int) {
			k := &t.orders[i]
			k.order.apply(before.missed(k, before.changes))
			k.order.merge(changes)
		})
	}

	tx.c.state.Lock()
	defer tx.c.state.Unlock()
	tx.c.swap(t, len(tx.changes))
	tx.c.committed(tx.changes)
}

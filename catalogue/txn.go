package catalogue

// txn is a transaction without the type of its records: a fork of the tables,
// and what was done to it.
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
	t := c.live.fork()
	t.members = c.live.members.writable()
	return &txn{c: c, t: t}
}

func (tx *txn) do(prepare func(*tables) (change, error)) (change, error) {
	if tx.done {
		return change{}, tx.c.shape.errorf("%w", ErrDone)
	}
	ch, err := prepare(&tx.t)
	if err == nil {
		tx.t.apply(ch)
		tx.changes = append(tx.changes, ch)
	}
	return ch, err
}

// commit puts the transaction's tables in the place of the collection's. Orders
// that readers had made meanwhile are brought up to date first, off the lock;
// those that come while that is done are left out, to be made again when next
// asked for: readers who ask for ever new ones must not keep a writer waiting.
func (tx *txn) commit() {
	missing := tx.missing()
	for _, k := range missing {
		applyAll(k.order, tx.changes)
	}
	tx.t.orders = append(tx.t.orders, missing...)

	c := tx.c
	c.state.Lock()
	defer c.state.Unlock()
	tx.t.orders, tx.t.revision = common(c.live.orders, tx.t.orders), c.live.revision
	c.live = tx.t
	for _, b := range c.builds {
		b.changes = append(b.changes, tx.changes...)
	}
	c.committed()
}

// missing forks the orders that the transaction began without.
func (tx *txn) missing() (forks []kept) {
	tx.c.state.Lock()
	defer tx.c.state.Unlock()
	for _, k := range tx.c.live.orders {
		if find(tx.t.orders, k.terms) == nil {
			k.order = k.order.fork()
			forks = append(forks, k)
		}
	}
	return forks
}

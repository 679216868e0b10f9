package catalogue

import "slices"

// replace puts entries, sorted by id, in the place of all records.
func (c *store) replace(entries []*entry) {
	c.writing.Lock()
	defer c.writing.Unlock()
	t := newTables(c.shape.open != nil)
	t.primary.fill(entries)
	for _, e := range entries {
		t.members.apply(nil, openRecord(e))
	}
	if n := len(entries); n > 0 {
		t.lastID = entries[n-1].id
	}
	t.orders = c.withForks().orders
	sideBySide(len(t.orders), func(i int) { t.orders[i].refill(entries) })
	if c.feed != nil {
		c.prepareReplaced(entries)
		defer c.feed.notify()
	}
	c.state.Lock()
	defer c.state.Unlock()
	for _, b := range c.builds {
		b.stale = true
	}
	c.swap(t, 1)
	c.committed(nil)
}

// prepareReplaced tells the feed that entries, sorted by id, come in the place of
// all records. Those that are surely too many to be kept are not looked at.
func (c *store) prepareReplaced(entries []*entry) {
	before := c.current()
	if revision := before.t.revision + 1; max(before.t.primary.len(), len(entries)) > c.feed.most {
		c.feed.overrun(revision)
	} else {
		c.feed.prepare(revision, difference(before.t.entries(), entries)...)
	}
}

// refill makes an order anew.
func (k *kept) refill(entries []*entry) {
	k.order = k.order.empty()
	k.order.fill(entries)
}

// withForks gives the live tables with forks of all orders, for a writer that will
// bring them up to date off the lock.
func (c *store) withForks() tables {
	c.state.Lock()
	defer c.state.Unlock()
	t := c.live
	t.orders = slices.Clone(t.orders)
	for i := range t.orders {
		k := &t.orders[i]
		k.order, k.shared = k.order.fork(), nil
	}
	return t
}

// swap puts tables of which every order is up to date, and which hold so many
// changes more, in the place of the collection's. An order that came while
// theirs were made is left out, to be made again when next asked for: readers
// who ask for ever new ones must not keep a writer waiting. The state's mutex is
// held.
func (c *store) swap(t tables, changes int) {
	t.lastID = max(t.lastID, c.live.lastID)
	t.changes, t.late = c.live.changes+changes, nil
	t.revision = c.live.revision
	t.orders = common(c.live.orders, t.orders)
	for i := range t.orders {
		t.orders[i].upTo = t.changes
	}
	c.live = t
}

// common gives those of the orders that are kept which there are trees for,
// with these trees.
func common(orders, trees []kept) (both []kept) {
	for _, k := range orders {
		if i := find(trees, k.terms); i >= 0 {
			k.order, k.shared = trees[i].order, nil
			both = append(both, k)
		}
	}
	return slices.Clip(both)
}

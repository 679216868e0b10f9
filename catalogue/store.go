package catalogue

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gobacklist/backlist/ordering"
)

// store is a collection without the type of its records: trees of entries, how
// they become visible, and who waits for whom.
type store struct {
	shape    *shape
	standard []ordering.Term // default order

	writing sync.Mutex // held by the one writer, its callbacks included

	state  sync.Mutex // held for steps whose length does not depend on the records
	live   tables
	builds []*build
	clock  atomic.Int64 // counts the uses of orders of several terms

	published atomic.Pointer[snapshot] // nil: something was written since
}

// current gives the collection as it is now.
func (c *store) current() *snapshot {
	if s := c.published.Load(); s != nil {
		return s
	}
	c.state.Lock()
	defer c.state.Unlock()
	return c.publish()
}

// publish makes the present state visible. The state's mutex is held.
func (c *store) publish() *snapshot {
	if s := c.published.Load(); s != nil {
		return s
	}
	s := &snapshot{c: c, t: c.live.fork()}
	c.published.Store(s)
	return s
}

func (c *store) clone() *store {
	c.state.Lock()
	defer c.state.Unlock()
	clone := &store{shape: c.shape, standard: c.standard, live: c.live.fork()}
	clone.live.members = c.live.members.writable()
	clone.clock.Store(c.clock.Load())
	for i := range clone.live.orders {
		used := new(atomic.Int64)
		used.Store(clone.live.orders[i].used.Load())
		clone.live.orders[i].used = used
	}
	return clone
}

// write prepares one change and makes it. What takes long, callbacks and all
// that can fail stand before the state is touched.
func (c *store) write(prepare func() (change, error)) (change, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	ch, err := prepare()
	if err != nil {
		return change{}, err
	}
	c.state.Lock()
	defer c.state.Unlock()
	c.live.apply(ch)
	for _, b := range c.builds {
		b.changes = append(b.changes, ch)
	}
	c.committed()
	return ch, nil
}

// committed makes what was written the state that the next read publishes. The
// state's mutex is held.
func (c *store) committed() {
	c.live.revision++
	c.published.Store(nil)
}

// replace puts entries, sorted by id, in the place of all records.
func (c *store) replace(entries []*entry) {
	c.writing.Lock()
	defer c.writing.Unlock()
	t := newTables(c.shape.open != nil)
	t.primary.fill(entries)
	for _, e := range entries {
		t.members.apply(nil, openRecord(e))
	}
	c.state.Lock()
	wanted := c.live.orders
	c.state.Unlock()
	for _, k := range wanted {
		k.order = k.order.empty()
		k.order.fill(entries)
		t.orders = append(t.orders, k)
	}
	c.swap(t, entries)
}

// swap installs new tables. An order that came while theirs were made is left
// out, to be made again when next asked for: readers who ask for ever new ones
// must not keep a writer waiting.
func (c *store) swap(t tables, entries []*entry) {
	c.state.Lock()
	defer c.state.Unlock()
	t.orders = common(c.live.orders, t.orders)
	t.lastID, t.revision = c.live.lastID, c.live.revision
	if n := len(entries); n > 0 {
		t.lastID = max(t.lastID, entries[n-1].id)
	}
	c.live = t
	for _, b := range c.builds {
		b.stale = true
	}
	c.committed()
}

// common gives those of the orders that are kept which there are trees for,
// with these trees.
func common(orders, trees []kept) (both []kept) {
	for _, k := range orders {
		if mine := find(trees, k.terms); mine != nil {
			k.order = mine.order
			both = append(both, k)
		}
	}
	return slices.Clip(both)
}

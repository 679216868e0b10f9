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

	feed *feed // nil: nobody can follow the changes

	published atomic.Pointer[snapshot] // nil: something was written since
}

func newStore(about *shape, standard []ordering.Term, feed *feed) *store {
	return &store{shape: about, standard: standard, live: newTables(about.open != nil), feed: feed}
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
	s.settled = make([]atomic.Pointer[order], len(s.t.orders))
	c.published.Store(s)
	return s
}

// clone takes the primary of what is published, which nobody writes to, and gets
// one of its own when it is written to itself.
func (c *store) clone() *store {
	c.state.Lock()
	defer c.state.Unlock()
	clone := &store{shape: c.shape, standard: c.standard, live: c.publish().t, feed: c.feed.fork()}
	if clone.live.lender == nil {
		clone.live.lender = &c.state
	}
	clone.live.members = c.live.members.share()
	clone.clock.Store(c.clock.Load())
	clone.live.orders = slices.Clone(clone.live.orders)
	for i := range clone.live.orders {
		k := &clone.live.orders[i]
		used := new(atomic.Int64)
		used.Store(k.used.Load())
		k.order, k.shared, k.used = k.order.fork(), nil, used
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
	if c.feed != nil {
		c.feed.prepare(c.live.revision+1, ch)
		defer c.feed.notify()
	}
	c.state.Lock()
	defer c.state.Unlock()
	c.live.rehearse([]change{ch})
	c.live.apply(ch)
	c.live.note(ch)
	c.committed([]change{ch})
	return ch, nil
}

// committed makes what was written, and was prepared for the feed, the state that
// the next read publishes. The state's mutex is held.
func (c *store) committed(changes []change) {
	for _, b := range c.builds {
		b.changes = append(b.changes, changes...)
	}
	c.live.revision++
	if c.feed != nil {
		c.feed.publish()
	}
	c.published.Store(nil)
}

package catalogue

import (
	"cmp"
	"slices"
	"sync/atomic"

	"github.com/gobacklist/backlist/ordering"
)

// build is an order in the making. It is sorted from a snapshot, off every
// lock, while writers note their changes here; those are made up for before the
// order is installed.
type build struct {
	terms   []ordering.Term
	changes []change // guarded by the collection's state mutex
	stale   bool     // all records were replaced meanwhile: likewise
	done    chan struct{}

	perRecord int // about how many bytes it takes for each record

	// The outcome, to be read when done is closed; nil if making it panicked.
	snapshot *snapshot
	order    order
}

// catchUp is how many changes may be left to be made up for while the state's
// mutex is held, and maxRounds how often more than that are made up for off it.
// maxBuilds is how many combinations may be in the making at once.
const (
	catchUp   = 32
	maxRounds = 16
	maxBuilds = 4
)

// build gives the present state with an order for canonical terms, making it if
// no other goroutine is doing so. terms is kept.
func (c *store) build(terms []ordering.Term, fields []ordering.Field[entry]) (*snapshot, order) {
	for {
		c.state.Lock()
		s := c.publish()
		if i := find(s.t.orders, terms); i >= 0 {
			o := s.settle(i)
			c.state.Unlock()
			return s, o
		}
		if b := c.building(terms); b != nil {
			c.state.Unlock()
			<-b.done
			if b.order != nil {
				return b.snapshot, b.order
			}
			continue
		}
		if busy := c.busy(terms); busy != nil {
			c.state.Unlock()
			<-busy.done
			continue
		}
		b := &build{terms: terms, done: make(chan struct{})}
		c.builds = append(c.builds, b)
		c.state.Unlock()
		c.make(b, s, fields)
		return b.snapshot, b.order
	}
}

func (c *store) building(terms []ordering.Term) *build {
	for _, b := range c.builds {
		if slices.Equal(b.terms, terms) {
			return b
		}
	}
	return nil
}

// busy gives the combination to wait for before another is made: each takes
// memory until it is ready, and strangers may ask for any number at once.
func (c *store) busy(terms []ordering.Term) (first *build) {
	if len(terms) == 1 {
		return nil
	}
	combined := 0
	for _, b := range c.builds {
		if len(b.terms) > 1 {
			combined++
			first = cmp.Or(first, b)
		}
	}
	if combined < maxBuilds {
		return nil
	}
	return first
}

// make sorts, makes up for what was written meanwhile, and installs.
func (c *store) make(b *build, s *snapshot, fields []ordering.Field[entry]) {
	defer close(b.done)
	defer c.forget(b) // installed or not: a record's own MarshalJSON may panic
	for s != nil {
		o := newOrder(fields, b.terms)
		o.fill(s.t.entries())
		b.perRecord = o.perItem()
		s = c.finish(b, o)
	}
}

// finish makes up for missed changes until few are left and installs the order
// with those. If all records were replaced meanwhile it gives the state to begin
// again from.
func (c *store) finish(b *build, o order) (restart *snapshot) {
	for round := 0; ; round++ {
		missed, restart := c.install(b, o, round < maxRounds)
		if restart != nil || b.order != nil {
			return restart
		}
		o.apply(missed)
	}
}

// install makes an order one of the collection's if few changes are missed or
// there is no more patience; otherwise it gives those changes.
func (c *store) install(b *build, o order, patient bool) (missed []change, restart *snapshot) {
	c.state.Lock()
	defer c.state.Unlock()
	missed, b.changes = b.changes, nil
	if b.stale {
		b.stale = false
		return nil, c.publish()
	}
	if len(missed) > catchUp && patient {
		return missed, nil
	}
	o.apply(missed)
	k := kept{terms: b.terms, order: o, upTo: c.live.changes, perRecord: b.perRecord, used: new(atomic.Int64), rehearse: c.rehearsed(b.terms)}
	k.used.Store(c.clock.Add(1))
	c.live.orders = evict(append(slices.Clone(c.live.orders), k))
	c.drop(b)
	c.published.Store(nil)
	b.snapshot = c.publish()
	if i := find(b.snapshot.t.orders, b.terms); i >= 0 {
		b.order = b.snapshot.settle(i)
	} else { // by a member that the last record with it took along
		b.order = o
	}
	return nil, nil
}

// rehearsed says whether an order's keys may run a record's own methods: those
// of a struct's fields that are neither numbers nor text.
func (c *store) rehearsed(terms []ordering.Term) bool {
	return slices.ContainsFunc(terms, func(t ordering.Term) bool {
		return c.shape.fields != nil && c.shape.field(t.Field).Kind == ordering.Mixed
	})
}

func (c *store) forget(b *build) {
	c.state.Lock()
	defer c.state.Unlock()
	c.drop(b)
}

func (c *store) drop(b *build) {
	c.builds = slices.DeleteFunc(c.builds, func(other *build) bool { return other == b })
}

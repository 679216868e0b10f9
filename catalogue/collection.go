package catalogue

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gobacklist/backlist/ordering"
)

// Options say what a collection of one's own is like. The zero value is a
// nameless collection of records whose id is called id, listed by id.
type Options struct {
	// Name stands in front of its errors; "" is written "collection" there.
	Name string
	// ID is the JSON name of the int field that holds the id; "" is "id".
	ID string
	// Ordering is the default order; none is by id.
	Ordering []ordering.Term
}

// A Collection holds records of one type by id, and in any order that their
// fields give. T is a struct with an int field called id in JSON, or a
// [resources.Record].
//
// A Collection may be used by any number of goroutines at once. Each read sees
// one snapshot: what had been written when the read began, nothing of what is
// written after. A read never waits for a writer's work, whatever a writer does
// in an Update or a Load: it takes the snapshot that is published or, as the
// first read since a write, publishes it, a step that does not depend on the
// number of records and waits at most for one record being put in its places.
// Writers of one collection take turns. Several writes in one Update become
// visible together or, on an error or a panic, not at all.
//
// What a caller passes in or gets back shares nothing with what is stored; only
// [View] shows stored records themselves.
type Collection[T any] struct {
	schema   *schema[T]
	standard []ordering.Term // default order

	writing sync.Mutex // held by the one writer, its callbacks included

	state  sync.Mutex // held for steps whose length does not depend on the records
	live   tables[T]
	builds []*build[T]
	clock  atomic.Int64 // counts the orders made

	published atomic.Pointer[Snapshot[T]] // nil: something was written since
}

// NewCollection makes an empty collection that belongs to no catalogue.
// [ErrType] says that T is no struct, that it has no int field for the id, or
// that it holds what can be neither copied nor written as JSON; the error names
// the field. An Ordering that is none of T's fields is an
// [ordering.ErrUnknownField]. Reflection over T happens here, once.
func NewCollection[T any](opts Options) (*Collection[T], error) {
	s, err := newSchema[T](opts)
	if err != nil {
		return nil, err
	}
	c := &Collection[T]{schema: s, standard: slices.Clone(opts.Ordering), live: newTables[T](s.open != nil)}
	if s.open == nil {
		if _, err := s.resolve(c.standard, members{}); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// Name is the collection's name: its key, in a catalogue.
func (c *Collection[T]) Name() string { return c.schema.name }

// Snapshot gives the collection as it is now: for several reads of one state.
// It costs O(orderings in use) after a write, else one atomic load.
func (c *Collection[T]) Snapshot() *Snapshot[T] {
	if s := c.published.Load(); s != nil {
		return s
	}
	c.state.Lock()
	defer c.state.Unlock()
	return c.publish()
}

// publish makes the present state visible. The state's mutex is held.
func (c *Collection[T]) publish() *Snapshot[T] {
	if s := c.published.Load(); s != nil {
		return s
	}
	s := &Snapshot[T]{c: c, t: c.live.fork()}
	c.published.Store(s)
	return s
}

// Clone forks the collection: the two share all records until one of them
// writes, and nothing that either writes is seen by the other. O(orderings in
// use).
func (c *Collection[T]) Clone() *Collection[T] {
	c.state.Lock()
	defer c.state.Unlock()
	clone := &Collection[T]{schema: c.schema, standard: c.standard, live: c.live.fork()}
	clone.live.members = c.live.members.writable()
	clone.clock.Store(c.clock.Load())
	for i := range clone.live.orders {
		used := new(atomic.Int64)
		used.Store(clone.live.orders[i].used.Load())
		clone.live.orders[i].used = used
	}
	return clone
}

func (c *Collection[T]) errorf(format string, args ...any) error {
	return c.schema.errorf(format, args...)
}

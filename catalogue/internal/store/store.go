package store

import (
	"context"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A Store is a collection without the type of its records. It is safe for
// concurrent use.
type Store struct {
	schema *Schema

	// writing is held by the one writer, the program's code that it runs
	// included. Only the writer changes trees, so it reads those of the published
	// state without a pin.
	writing sync.Mutex
	scratch []keys    // memory for the writer's keys
	one     [1]Change // and for a single change

	// mu is the state mutex. It is held for bounded steps that run no code of
	// the program: to publish a state, to change it in place, and to fork it.
	mu      sync.Mutex
	members members
	hot     int           // writes for which every read hands the state out
	next    chan struct{} // closed at the next write; nil if nobody waits

	published atomic.Pointer[State] // nil while the writer changes it in place
	pins      pins
	clock     atomic.Int64 // counts uses of indexes of several terms
}

// New returns an empty store.
func New(schema *Schema) *Store {
	c := &Store{schema: schema, members: newMembers(schema.Members)}
	s := &State{schema: schema, primary: newPrimary(), names: c.members.names(schema.ID)}
	if schema.History > 0 {
		s.history = newHistory(0)
	}
	c.adopt(s)
	return c
}

// adopt makes a state the first of a store.
func (c *Store) adopt(s *State) {
	s.home, s.slots = weak.Make(c), newSlots()
	c.published.Store(s)
}

// Len returns the number of records. O(1).
func (c *Store) Len() int {
	s, p := c.pin()
	n := s.Len()
	unpin(p)
	return n
}

// Revision returns the number of writes. O(1).
func (c *Store) Revision() uint64 {
	s, p := c.pin()
	revision := s.revision
	unpin(p)
	return revision
}

// Get returns the entry with an id, or nil. O(log n).
func (c *Store) Get(id int) *Entry {
	s, p := c.pin()
	e := s.Get(id)
	unpin(p)
	return e
}

// A Query is what a page shows: a window of the records in the order of terms.
type Query struct {
	Terms   []ordering.Term // none is the default order
	Window  pagination.Window
	Lenient bool // terms that are no field are dropped
}

// Page returns the entries in a window and the number of all records. An index that does not exist is built first: the page is then of a
// state since the call. The error is ctx's, or an [ordering.ErrUnknownField].
func (c *Store) Page(ctx context.Context, q Query) (entries []*Entry, count int, err error) {
	s, p := c.pin()
	r, err := s.read(q)
	if err == nil && r.sequence != nil {
		entries, count = r.page(q.Window)
		unpin(p)
		return entries, count, nil
	}
	unpin(p)
	if err == nil {
		r, err = c.build(ctx, q)
	}
	if err != nil {
		return nil, 0, err
	}
	entries, count = r.page(q.Window)
	return entries, count, nil
}

// Scan returns a function that yields all entries of the present state in the
// order of terms. O(log n) once the index exists.
func (c *Store) Scan(ctx context.Context, terms []ordering.Term) (func(yield func(*Entry) bool), error) {
	q := Query{Terms: terms}
	r, err := c.Current().read(q)
	if err == nil && r.sequence == nil {
		r, err = c.build(ctx, q)
	}
	return r.scan, err
}

// Wait returns when there is a revision after the given one, or ctx's error.
func (c *Store) Wait(ctx context.Context, revision uint64) error {
	for {
		c.mu.Lock()
		if c.published.Load().revision > revision {
			c.mu.Unlock()
			return nil
		}
		if c.next == nil {
			c.next = make(chan struct{})
		}
		next := c.next
		c.mu.Unlock()
		select {
		case <-next:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// publish makes a state of a new revision visible and returns a channel to be closed when
// the state mutex, which is held, is free again; it may be nil.
func (c *Store) publish(s *State) (next chan struct{}) {
	next, c.next = c.next, nil
	c.published.Store(s)
	return next
}

func wake(next chan struct{}) {
	if next != nil {
		close(next)
	}
}

// lock locks the state mutexes of stores, which must always be listed in one
// order.
func lock(stores []*Store) {
	for _, c := range stores {
		c.mu.Lock()
	}
}

func unlock(stores []*Store) {
	for _, c := range stores {
		c.mu.Unlock()
	}
}

// Freeze returns the states of stores at one instant. The stores must always be
// listed in one order. O(stores).
func Freeze(stores ...*Store) []*State {
	lock(stores)
	defer unlock(stores)
	states := make([]*State, len(stores))
	for i, c := range stores {
		states[i] = c.published.Load()
		states[i].handed.Store(true)
	}
	return states
}

// Clone returns independent copies of stores at one instant. They share records
// and nodes until one side writes. The stores must always be listed in one order.
// O(indexes of all stores).
func Clone(stores ...*Store) []*Store {
	lock(stores)
	defer unlock(stores)
	clones := make([]*Store, len(stores))
	for i, c := range stores {
		clones[i] = c.clone()
	}
	return clones
}

func (c *Store) clone() *Store {
	clone := &Store{schema: c.schema, members: c.members.clone()}
	clone.clock.Store(c.clock.Load())
	s := c.published.Load().fork()
	s.builds = nil
	for i := range s.indexes {
		used := new(atomic.Int64)
		used.Store(s.indexes[i].used.Load())
		s.indexes[i].used = used
	}
	clone.adopt(s)
	return clone
}

package store

import (
	"context"
	"sync"
	"sync/atomic"
	"weak"
)

// A Store is a collection without the type of its records. It is safe for
// concurrent use.
type Store struct {
	schema *Schema

	// writing is the writers' mutex. A writer also holds it while it runs the
	// program's code. Only a writer changes trees, so it reads those of the
	// published state without a pin.
	writing sync.Mutex
	scratch []keys         // reused for the keys of each write
	members map[string]int // reused for the changes of member counts of each write
	one     [1]Change      // reused for each write of a single change

	// committing is locked before the state mutex by writes of few changes, and by a
	// build that lets them wait. The program's code does not run while it is held.
	committing sync.Mutex

	// mu is the state mutex. It is held for bounded steps that do not run the
	// program's code: to publish a state, to change it in place and to fork it.
	mu   sync.Mutex
	hot  int           // remaining writes after which every read freezes the state
	next chan struct{} // closed by the next write; nil if no call of Wait needs it

	published atomic.Pointer[State] // nil while the writer changes it in place
	pins      pins
	clock     atomic.Int64 // counts the uses of multi-field indexes
}

// New returns an empty store.
func New(schema *Schema) *Store {
	c := &Store{schema: schema}
	s := &State{schema: schema, primary: newPrimary(), indexes: schema.uniqueIndexes(), names: newMembers(schema)}
	if schema.History > 0 {
		s.history = newHistory(0)
	}
	c.adopt(s)
	return c
}

// adopt publishes the first state of a store.
func (c *Store) adopt(s *State) {
	s.store, s.slots = weak.Make(c), newSlots()
	c.published.Store(s)
}

// Len returns the number of records. O(1).
func (c *Store) Len() int {
	s, p := c.pin()
	n := s.Len()
	unpin(p)
	return n
}

// Revision returns the revision of the published state. O(1).
func (c *Store) Revision() uint64 {
	s, p := c.pin()
	revision := s.revision
	unpin(p)
	return revision
}

// Get returns the entry with the id, or nil if there is none. O(log n).
func (c *Store) Get(id int) *Entry {
	s, p := c.pin()
	e := s.Get(id)
	unpin(p)
	return e
}

// Wait waits until a revision after the given one is published. It returns
// ctx.Err() if ctx is done first.
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

// publish makes a state of a new revision visible. It returns a channel, which
// may be nil, that the caller passes to wake after it unlocks the state mutex.
// The state mutex must be held.
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

// lock locks the state mutexes of stores. To avoid deadlocks, all callers must
// list the stores in the same order.
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

// Freeze returns the published states of stores at one instant and freezes them.
// All callers must list the stores in the same order. O(stores).
func Freeze(stores ...*Store) []*State {
	lock(stores)
	defer unlock(stores)
	states := make([]*State, len(stores))
	for i, c := range stores {
		states[i] = c.published.Load()
		states[i].frozen.Store(true)
	}
	return states
}

// Clone returns independent copies of stores at one instant. Their trees are
// forks of the originals. All callers must list the stores in the same order.
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
	clone := &Store{schema: c.schema}
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

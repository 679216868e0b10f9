// Package store implements the engine of a collection: it keeps entries in
// trees, makes writes visible and synchronizes readers with writers. It does not
// depend on the type of the records or on their JSON form.
//
// # States
//
// A [State] has a tree of all entries by id and an index for each ordering in
// use. The items of an index hold the sort key inline. A [Store] publishes one
// state at a time. A short read pins the published state ([Page],
// [Store.Get], a position). Anything that needs a state after a call returns freezes it
// ([Store.Current], [Freeze], the build of an index). A frozen state never
// changes again.
//
// # Writes
//
// A writer holds the writers' mutex. It first does everything that can fail or
// that runs callbacks: it checks and copies the record, computes its
// keys in all indexes, and calls the journal. It then holds the state mutex for a step
// that is bounded and cannot fail: it changes all trees, in place if no reader can be using
// the published state and in a fork of that state otherwise, and publishes the
// result. A batch of several stores holds the mutexes of all, in the order of their
// catalogue, and withdraws all states before it publishes the first. A larger batch
// changes forks of all trees without holding the state mutex and locks it only to publish
// them. A reader never waits longer for a writer than that step takes.
//
// # Reads
//
// A page refers to arrays of entries where its index has them (see parts), and is read
// from the tree otherwise. The first read of an ordering builds its index without
// holding a lock; meanwhile writers record the changes that the index misses.
//
// # Indexes
//
// A [policy] decides which indexes there are: what queries make and want, what is refused,
// and what is dropped.
//
// # Conditions
//
// A condition is a list of key ranges of a field. An index in which the fields with
// conditions come first has the entries that satisfy them at consecutive positions, which
// binary searches find: a route. If what is left of the index is the order of the query, the
// page and the count follow from the positions. If conditions permit several values, there is
// a run for each, and the runs are merged (see mergedRuns). Otherwise a plan reads the
// route with the fewest entries, filters them by the other conditions and sorts them, and
// the query adds to the demand for the index that would have answered it. Queries of a
// batch read its draft, a fork of the published state with the changes made so far.
package store

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A Store is a collection without the type of its records. It is safe for
// concurrent use.
type Store struct {
	typ *Type

	// writing is the writers' mutex. A writer also holds it while it runs callbacks. Only a
	// writer changes trees, so it reads the published state's without a pin. Those of several
	// stores are locked in the order of the stores in their catalogue.
	writing sync.Mutex
	journal func([]Commit) error
	members map[string]int // reused for the changes of member counts of each write
	one     [1]Change      // reused for each write of a single change
	alone   [1]pending     // reused for each write of a single change

	// committing is locked before the state mutex to publish a write, by a build that
	// writers have made wait for too long, and to fork the counts of members.
	committing sync.Mutex

	// mu is the state mutex. It is held for bounded steps that do not run
	// callbacks: to publish a state, to change it in place and to fork it.
	mu     sync.Mutex
	hot    int           // remaining writes after which every read freezes the state
	next   chan struct{} // closed by the next write; nil if no call of Wait needs it
	builds []*build      // whose index is not installed yet

	published atomic.Pointer[State] // nil while the writer changes it in place
	pins      *pins                 // nil if the store is held
}

// New returns an empty store.
func New(typ *Type) *Store {
	if typ.Cores == nil {
		typ.Cores = NewCores()
	}
	c := &Store{typ: typ, pins: new(pins)}
	s := &State{typ: typ, policy: new(policy), primary: newPrimary(), indexes: typ.keptIndexes(), names: newMembers(typ)}
	if typ.History > 0 {
		s.history = newHistory(0)
	}
	c.adopt(s)
	return c
}

// adopt publishes the first state of a store.
func (c *Store) adopt(s *State) {
	s.store = weak.Make(c)
	s.slots = slots{make(chan struct{}, maxSorts), make(chan struct{}, maxSorts)}
	c.published.Store(s)
}

// Len returns the number of records. O(1).
func (c *Store) Len() int {
	s, p := c.pin()
	n := s.Len()
	unpin(p)
	return n
}

// Revision returns the revision of the published state. It neither pins nor freezes the
// state. It may return the revision of a state that is about to be published: all states
// that precede the write have been withdrawn by then. O(1).
func (c *Store) Revision() uint64 { return c.visible().revision.Load() }

// Get returns the entry with the id, or nil if none exists. O(log n).
func (c *Store) Get(id int) *Entry {
	s, p := c.pin()
	e := s.Get(id)
	unpin(p)
	return e
}

// Holder returns the entry with a key of a unique field, or nil if none exists. O(log n).
func (c *Store) Holder(field string, k sortkey.Key) *Entry {
	s, p := c.pin()
	defer unpin(p)
	return s.Holder(field, k)
}

// Wait waits until a revision after the given one is published. It returns
// ctx.Err() if ctx is done first.
func (c *Store) Wait(ctx context.Context, revision uint64) error {
	for {
		c.mu.Lock()
		if c.published.Load().revision.Load() > revision {
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

// Held returns a store that has a frozen state, and cannot be written to. The state has the indexes
// that its queries need. O(1).
func Held(s *State) *Store {
	held := &Store{typ: s.typ}
	held.published.Store(s)
	return held
}

// Clone returns independent copies of stores at one instant. Their trees are
// forks of the originals. All callers must list the stores in the same order.
// O(indexes of all stores).
func Clone(stores ...*Store) []*Store {
	for _, c := range stores {
		c.committing.Lock()
		defer c.committing.Unlock()
	}
	lock(stores)
	defer unlock(stores)
	clones := make([]*Store, len(stores))
	for i, c := range stores {
		s := c.fork()
		for i := range s.indexes {
			own := new(usage)
			own.score.Store(s.indexes[i].score.Load())
			s.indexes[i].usage = own
		}
		s.renew()
		clones[i] = &Store{typ: c.typ, pins: new(pins)}
		clones[i].adopt(s)
	}
	return clones
}

// fork returns a fork of the published state that is independent of the store. Both mutexes that
// are locked to publish a write must be held.
func (c *Store) fork() *State {
	s := c.published.Load().fork()
	if c.pins == nil && c.typ.Members != nil {
		s.names = c.typ.membersOf(s.Entries()) // those of the state count the records of later ones
	} else {
		s.names = s.names.fork()
	}
	return s
}

// pins counts the reads in progress that do not need their state after they
// return. Each counter has its own cache line.
type pins [16]struct {
	n atomic.Int64
	_ [56]byte
}

// A pin is the counter that a read has incremented. It is nil if the state is
// frozen.
type pin = *atomic.Int64

const (
	// pinnedReads is the number of reads after a write that are pinned. The next
	// read freezes the state, so that reads without writes between them need no
	// pins.
	pinnedReads = 64

	// hotWrites is the number of writes, after one that found a pin, during which
	// every read freezes the state. Such a read holds no pin, and a concurrent
	// writer forks only states that were read.
	hotWrites = 64
)

// pin returns the published state, which does not change until the pin is passed
// to unpin. The caller must not run callbacks or build an index while it
// holds the pin.
func (c *Store) pin() (*State, pin) {
	if s := c.published.Load(); s != nil && s.frozen.Load() {
		return s, nil
	}
	p := &c.pins[rand.Uint32()%uint32(len(c.pins))].n
	p.Add(1)
	s := c.visible()
	if s.hot || s.reads.Add(1) > pinnedReads {
		s.frozen.Store(true)
		unpin(p)
		return s, nil
	}
	return s, p
}

func unpin(p pin) {
	if p != nil {
		p.Add(-1)
	}
}

// visible returns the published state. If a writer is changing it in place,
// visible waits for the writer. The caller must hold a pin to read more than the revision.
func (c *Store) visible() *State {
	for range 256 {
		if s := c.published.Load(); s != nil {
			return s
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.published.Load()
}

// Current freezes and returns the published state. O(1).
func (c *Store) Current() *State {
	s, p := c.pin()
	if p != nil {
		s.frozen.Store(true) // before unpin: the writer checks the pins first
		unpin(p)
	}
	return s
}

// idle reports whether no read holds a pin.
func (p *pins) idle() bool {
	for i := range p {
		if p[i].n.Load() != 0 {
			return false
		}
	}
	return true
}

// writable returns the state to change: the published state, withdrawn, if no
// reader can be using it, and otherwise a fork of it, while readers continue to
// use the original. Both mutexes must be held.
//
// A reader that pins after the published pointer became nil loads nil and waits;
// a reader that pinned before is found by idle. A reader that froze the state did
// so before it released its pin, so frozen is checked after idle.
func (c *Store) writable(s *State) *State {
	c.hot = max(c.hot-1, 0)
	if !s.frozen.Load() {
		c.published.Store(nil)
		if c.pins.idle() && !s.frozen.Load() {
			s.hot = c.hot > 0
			s.reads.Store(0)
			return s
		}
		c.published.Store(s)
		c.hot = hotWrites
	}
	f := s.fork()
	f.hot = c.hot > 0
	return f
}

// Since returns the events after a revision, oldest first, the revision after
// which all events are kept, and the current revision. If the given revision is
// less than kept, the events are incomplete. O(events + log kept events).
func (c *Store) Since(revision uint64) (events []Event, kept, now uint64) {
	s, p := c.pin()
	defer unpin(p)
	return slices.Collect(s.history.after(revision)), s.history.from, s.Revision()
}

package store

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/gobacklist/backlist/ordering"
)

// A build is an index that is being built. It is filled from a state without
// holding a lock. Meanwhile writers record their changes, with the keys, in
// missed. They are applied before the index is installed.
type build struct {
	task
	empty  index          // computes the keys of missed changes
	missed []missedChange // guarded by the state mutex
	stale  bool           // a batch was not recorded; guarded by the state mutex

	// The result: a state that has the index, or noIndex if the keys are too large
	// or there were too many batches. Readers then sort the entries instead.
	state   *State
	noIndex bool
}

// A missedChange is a change with its keys in the index being built.
type missedChange struct {
	Change
	keys
}

const (
	// catchUp is the number of missed changes that may be applied while the state
	// mutex is held. More than that are applied without it, in rounds. After maxRounds
	// rounds, writers wait for the build.
	catchUp   = 32
	maxRounds = 16

	// maxFills is the number of times that an index is filled, if batches make its
	// build start over.
	maxFills = 3
)

// build returns a frozen state that was published at some time during the call and has
// the sequence of a query. It builds the missing index or waits for the reader that is
// building it.
func (c *Store) build(ctx context.Context, q Query) (*State, error) {
	for {
		s := c.Current()
		x, err := s.read(q)
		if err != nil || x != nil {
			return s, err
		}
		canon, _, _ := s.canonical(nil, &q)
		b, err := c.join(ctx, canon)
		if err != nil {
			return nil, err
		}
		if b == nil {
			continue // the index was installed meanwhile
		}
		if err := b.wait(ctx, &c.mu, func() { c.drop(b) }); err != nil {
			return nil, err
		}
		if b.noIndex {
			s := c.Current()
			_, err := s.sort(ctx, q)
			return s, err
		}
		if b.state != nil {
			if x, err := b.state.read(q); err != nil || x != nil {
				return b.state, err
			}
		}
	}
}

// join returns the build for canonical terms, starting one if necessary, or nil
// if there is an index. The caller must wait for the build.
func (c *Store) join(ctx context.Context, terms []ordering.Term) (*build, error) {
	if b, found := c.joined(terms); found {
		return b, nil
	}
	s := c.Current()
	release, err := s.slots.take(ctx, terms)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if b, found := c.joinedLocked(terms); found {
		release()
		return b, nil
	}
	terms = slices.Clone(terms)
	b := &build{empty: newIndex(c.schema.resolve(terms), terms)}
	b.terms = terms
	s = c.replace(func(s *State) { s.builds = append(slices.Clip(s.builds), b) })
	b.start(func() { c.run(b, s) }, func() {
		c.mu.Lock()
		c.drop(b)
		c.mu.Unlock()
		release()
	})
	return b, nil
}

// joined calls joinedLocked with the state mutex held.
func (c *Store) joined(terms []ordering.Term) (*build, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.joinedLocked(terms)
}

// joinedLocked returns the build for terms and true, or nil and true if there is
// an index, or nil and false if there is neither. The state mutex must be held.
func (c *Store) joinedLocked(terms []ordering.Term) (*build, bool) {
	s := c.published.Load()
	if s.index(terms) != nil {
		return nil, true
	}
	for _, b := range s.builds {
		if slices.Equal(b.terms, terms) {
			b.waiting++
			return b, true
		}
	}
	return nil, false
}

// replace publishes a sibling of the published state after f has changed
// anything but its trees. Both states are frozen. The state mutex must be held.
func (c *Store) replace(f func(*State)) *State {
	s := c.published.Load()
	next := s.sibling()
	s.frozen.Store(true)
	next.frozen.Store(true)
	f(next)
	c.published.Store(next)
	return next
}

// drop removes a build from the published state if it is still there. The state
// mutex must be held.
func (c *Store) drop(b *build) {
	if slices.Contains(c.published.Load().builds, b) {
		c.replace(func(s *State) {
			s.builds = slices.DeleteFunc(slices.Clone(s.builds), func(o *build) bool { return o == b })
		})
	}
}

// run fills an index from s, applies the changes made meanwhile and installs the
// index.
func (c *Store) run(b *build, s *State) {
	for fills := 0; s != nil; fills++ {
		if b.noIndex = fills == maxFills; b.noIndex {
			return
		}
		x := b.empty.empty()
		complete, small := x.build(s.Entries(), maxKeys(s.Len(), b.terms), b.abandoned.Load)
		if b.noIndex = !small; !complete {
			return
		}
		s = c.finish(b, x)
	}
}

// finish applies missed changes until few are left, applies those as well and
// installs the index. If writers are faster than that, they have to wait at last; readers
// never do. If the build is stale, it returns the state to start over from.
func (c *Store) finish(b *build, x index) (restart *State) {
	for round := 0; ; round++ {
		if round == maxRounds {
			c.committing.Lock()
			defer c.committing.Unlock()
		}
		missed, restart := c.install(b, x)
		if restart != nil || missed == nil {
			return restart
		}
		for _, m := range missed {
			x.set(m.Change, m.keys)
		}
	}
}

// install publishes a state with the index if few changes are missed. Otherwise it
// returns those changes. If the build is stale, it returns the state to start over from.
func (c *Store) install(b *build, x index) (missed []missedChange, restart *State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	missed, b.missed = b.missed, nil
	switch {
	case b.abandoned.Load():
		return nil, nil
	case b.stale:
		b.stale = false
		s := c.published.Load()
		s.frozen.Store(true)
		return nil, s
	case len(missed) > catchUp:
		return missed, nil
	}
	for _, m := range missed {
		x.set(m.Change, m.keys)
	}
	named := namedIndex{terms: b.terms, index: x, used: new(atomic.Int64)}
	named.used.Store(c.clock.Add(1))
	b.state = c.replace(func(s *State) {
		s.builds = slices.DeleteFunc(slices.Clone(s.builds), func(o *build) bool { return o == b })
		if s.schema.hasAll(b.terms, s.names) { // not if the last record with a member was deleted meanwhile
			s.indexes = append(slices.Clone(s.indexes), named)
			s.evict()
		}
	})
	return nil, nil
}

package store

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/gobacklist/backlist/ordering"
)

// A build is an index in the making. It is filled from a state off every lock,
// while writers note their changes, with the keys, here; those are made up for
// before the index is installed.
type build struct {
	task
	empty  index          // for writers to compute keys with
	missed []missedChange // guarded by the state mutex
	stale  bool           // likewise: more was written than is worth making up for

	// The outcome: a state that has the index, or that the keys are too large or
	// the batches too many, so that readers sort for themselves.
	state   *State
	noIndex bool
}

type missedChange struct {
	Change
	keys
}

const (
	// catchUp is how many changes may be left to be made up for while the state
	// mutex is held, maxRounds how often more than that are made up for off it,
	// maxFills how often an index is filled because of batches.
	catchUp   = 32
	maxRounds = 16
	maxFills  = 3
)

// build returns a reading of a state since the call, building the index that it
// lacks unless another reader does.
func (c *Store) build(ctx context.Context, q Query) (reading, error) {
	for {
		s := c.Current()
		r, err := s.read(q)
		if err != nil || r.sequence != nil {
			return r, err
		}
		canon, _, _ := s.canonical(nil, q)
		b, err := c.join(ctx, canon)
		if err != nil {
			return reading{}, err
		}
		if b == nil {
			continue // it was installed meanwhile
		}
		if err := b.wait(ctx, &c.mu, func() { c.drop(b) }); err != nil {
			return reading{}, err
		}
		if b.noIndex {
			return c.Current().sort(ctx, q)
		}
		if b.state != nil {
			if r, err := b.state.read(q); err != nil || r.sequence != nil {
				return r, err
			}
		}
	}
}

// join returns the build of canonical terms, which the caller is to wait for. It
// begins one if there is none, and returns nil if there is an index.
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

func (c *Store) joined(terms []ordering.Term) (*build, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.joinedLocked(terms)
}

// joinedLocked returns the build of terms, or nil and true if there is an index. The
// state mutex is held.
func (c *Store) joinedLocked(terms []ordering.Term) (*build, bool) {
	s := c.published.Load()
	if s.find(terms) != nil {
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

// replace publishes a state of the same records that f has changed apart from
// its trees. Both states are handed out. The state mutex is held.
func (c *Store) replace(f func(*State)) *State {
	s := c.published.Load()
	next := s.sibling()
	s.handed.Store(true)
	next.handed.Store(true)
	f(next)
	c.published.Store(next)
	return next
}

// drop ends a build, if it has not ended. The state mutex is held.
func (c *Store) drop(b *build) {
	if slices.Contains(c.published.Load().builds, b) {
		c.replace(func(s *State) {
			s.builds = slices.DeleteFunc(slices.Clone(s.builds), func(o *build) bool { return o == b })
		})
	}
}

// run fills an index from a state, makes up for what was written meanwhile, and
// installs the index.
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

// finish makes up for missed changes until few are left and installs the index
// with those. If too much was written, it returns the state to begin again from.
func (c *Store) finish(b *build, x index) (restart *State) {
	for round := 0; ; round++ {
		missed, restart := c.install(b, x, round < maxRounds)
		if restart != nil || missed == nil {
			return restart
		}
		for _, m := range missed {
			x.set(m.Change, m.keys)
		}
	}
}

// install publishes a state with the index if few changes are missed or patience is at
// its end. Otherwise it returns those changes.
func (c *Store) install(b *build, x index, patient bool) (missed []missedChange, restart *State) {
	c.mu.Lock()
	defer c.mu.Unlock()
	missed, b.missed = b.missed, nil
	switch {
	case b.abandoned.Load():
		return nil, nil
	case b.stale:
		b.stale = false
		s := c.published.Load()
		s.handed.Store(true)
		return nil, s
	case len(missed) > catchUp && patient:
		return missed, nil
	}
	for _, m := range missed {
		x.set(m.Change, m.keys)
	}
	named := namedIndex{b.terms, x, new(atomic.Int64)}
	named.used.Store(c.clock.Add(1))
	b.state = c.replace(func(s *State) {
		s.builds = slices.DeleteFunc(slices.Clone(s.builds), func(o *build) bool { return o == b })
		if s.schema.check(b.terms, s.names) == nil { // else the last record with a member went meanwhile
			s.indexes = append(slices.Clone(s.indexes), named)
			s.evict()
		}
	})
	return nil, nil
}

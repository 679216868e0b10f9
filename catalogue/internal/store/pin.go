package store

import (
	"math/rand/v2"
	"sync/atomic"
)

// pins count the reads in progress that hold nothing after they return. Each
// counter has a cache line of its own.
type pins [16]struct {
	n atomic.Int64
	_ [56]byte
}

// A pin is held for one read. It is nil if the state needs none.
type pin = *atomic.Int64

const (
	// pinnedReads is how many reads of a state are pinned. The next one, with no
	// write between, hands the state out: where nobody writes, reads need no pins.
	pinnedReads = 64

	// hotWrites is for how many writes after one that met a pin each read hands
	// the state out. It then holds no pin while it reads, and a writer beside it
	// forks only what was read.
	hotWrites = 64
)

// pin returns the published state, which does not change until unpin. A pin is
// never held while the program's code runs or an index is built.
func (c *Store) pin() (*State, pin) {
	if s := c.published.Load(); s != nil && s.handed.Load() {
		return s, nil
	}
	p := &c.pins[rand.Uint32()%uint32(len(c.pins))].n
	p.Add(1)
	s := c.visible()
	if s.hot || s.reads.Add(1) > pinnedReads {
		s.handed.Store(true)
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

// visible returns the published state, waiting for a writer that changes it in
// place. The caller holds a pin.
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

// Current returns the published state to a caller that may keep it. O(1).
func (c *Store) Current() *State {
	s, p := c.pin()
	if p != nil {
		s.handed.Store(true) // before unpin: the writer looks at the pins first
		unpin(p)
	}
	return s
}

func (p *pins) idle() bool {
	for i := range p {
		if p[i].n.Load() != 0 {
			return false
		}
	}
	return true
}

// writable returns the state to write to: the published one, taken out of sight,
// if nobody may be reading it, else a fork of it, while readers go on with the
// old one. Both mutexes are held.
//
// A reader that pins itself after the pointer became nil finds it nil and
// waits; one that did so before is found by idle. A reader that handed the state
// out did so before its pin was released, so handed is checked last.
func (c *Store) writable(s *State) *State {
	c.hot = max(c.hot-1, 0)
	if !s.handed.Load() {
		c.published.Store(nil)
		if c.pins.idle() && !s.handed.Load() {
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

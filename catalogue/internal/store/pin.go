package store

import (
	"math/rand/v2"
	"sync/atomic"
)

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
// to unpin. The caller must not run the program's code or build an index while it
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
// visible waits for the writer. The caller must hold a pin.
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

package store

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"
)

// A gate blocks the first goroutine that computes the slow key of its record
// until leave is closed.
type gate struct {
	entered, leave chan struct{}
	once           sync.Once
	panics, exits  bool
}

func newGate() *gate { return &gate{entered: make(chan struct{}), leave: make(chan struct{})} }

// panickingGate returns a gate that panics at once.
func panickingGate() *gate {
	g := newGate()
	g.panics = true
	close(g.leave)
	return g
}

// exitingGate returns a gate that calls runtime.Goexit at once, as t.FailNow does.
func exitingGate() *gate {
	g := newGate()
	g.exits = true
	close(g.leave)
	return g
}

// pass blocks, panics or ends its goroutine on its first call. g may be nil.
func (g *gate) pass() {
	if g == nil {
		return
	}
	g.once.Do(func() {
		close(g.entered)
		<-g.leave
		if g.panics {
			panic("no key")
		}
		if g.exits {
			runtime.Goexit()
		}
	})
}

// stopAt puts a gate into a stored record, so that the next goroutine that
// computes its slow key blocks. No other goroutine may be computing keys.
func stopAt(c *Store, id int) *gate {
	g := newGate()
	recordOf(c.Get(id)).gate = g
	return g
}

// begin reads all records by terms in a new goroutine. It returns a channel that
// receives their ids, an error, or a string if the read panics.
func begin(ctx context.Context, p pager, terms string) <-chan any {
	result := make(chan any, 1)
	go func() {
		defer func() {
			if reason := recover(); reason != nil {
				result <- fmt.Sprint("panic: ", reason)
			}
		}()
		entries, _, err := p.Page(ctx, Query{Terms: parse(terms), Window: allRecords})
		if err != nil {
			result <- err
			return
		}
		result <- ids(entries)
	}()
	return result
}

// waiting waits until n readers wait for builds of the store or, if p is a state,
// for its sorts.
func waiting(t *testing.T, c *Store, p pager, n int) {
	t.Helper()
	waitFor(t, fmt.Sprint(n, " waiting readers"), func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		total := 0
		for _, b := range c.published.Load().builds {
			total += b.waiting
		}
		if s, ok := p.(*State); ok {
			s.sorted.mu.Lock()
			defer s.sorted.mu.Unlock()
			for _, o := range s.sorted.all {
				total += o.waiting
			}
		}
		return total == n
	})
}

// wantError checks that a result of begin is an error that wraps want.
func wantError(t *testing.T, got any, want error) {
	t.Helper()
	if err, _ := got.(error); !errors.Is(err, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// waitFor waits until done returns true. what describes the awaited condition.
func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for ctx := within(t); !done(); time.Sleep(time.Millisecond) {
		if ctx.Err() != nil {
			t.Fatalf("timed out waiting for %s", what)
		}
	}
}

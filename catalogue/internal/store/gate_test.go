package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"
)

// A gate stops the first goroutine that computes the slow key of its record.
type gate struct {
	entered, leave chan struct{}
	once           sync.Once
	panics         bool
}

func newGate() *gate { return &gate{entered: make(chan struct{}), leave: make(chan struct{})} }

// panickingGate returns a gate that panics and does not stop.
func panickingGate() *gate {
	g := newGate()
	g.panics = true
	close(g.leave)
	return g
}

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
	})
}

// stopAt puts a gate into a stored record: the next goroutine that computes its
// slow key stops there. Nobody may be computing keys.
func stopAt(c *Store, id int) *gate {
	g := newGate()
	recordOf(c.Get(id)).gate = g
	return g
}

// begin reads by terms in another goroutine and returns a channel of the ids or
// the error.
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

// waiting waits until n readers wait for an index of the store or for a sequence of
// the state.
func waiting(t *testing.T, c *Store, p pager, n int) {
	t.Helper()
	waitFor(t, fmt.Sprint(n, " readers that wait"), func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		now := 0
		for _, b := range c.published.Load().builds {
			now += b.waiting
		}
		if s, ok := p.(*State); ok {
			s.own.mu.Lock()
			defer s.own.mu.Unlock()
			for _, o := range s.own.all {
				now += o.waiting
			}
		}
		return now == n
	})
}

// wantError makes sure that a result is an error.
func wantError(t *testing.T, got any, want error) {
	t.Helper()
	if err, _ := got.(error); !errors.Is(err, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// waitFor waits until done returns true.
func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for ctx := within(t); !done(); time.Sleep(time.Millisecond) {
		if ctx.Err() != nil {
			t.Fatalf("there are never %s", what)
		}
	}
}

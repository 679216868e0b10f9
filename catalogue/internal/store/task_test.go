package store

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// oldState returns a state that is not the current one.
func oldState(c *Store) *State {
	s := c.Current()
	put(c, &record{})
	return s
}

// A read that waits for an index or a sort returns when its context is done. A task
// that no reader waits for is dropped, and its slot is released.
func TestCanceledReads(t *testing.T) {
	for _, row := range []struct {
		reason string
		pager  func(c *Store) pager
		terms  string
	}{
		{"a single-field index", func(c *Store) pager { return c }, "slow"},
		{"a multi-field index", func(c *Store) pager { return c }, "slow,text"},
		{"the current state", func(c *Store) pager { return c.Current() }, "slow,text"},
		{"an old state, one term", func(c *Store) pager { return oldState(c) }, "slow"},
		{"an old state, two terms", func(c *Store) pager { return oldState(c) }, "slow,text"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := newStore(t, newSchema(0), 20)
			p := row.pager(c)
			g := stopAt(c, 1)
			first, cancelFirst := context.WithCancel(t.Context())
			second, cancelSecond := context.WithCancel(t.Context())
			results := []<-chan any{begin(first, p, row.terms), nil}
			<-g.entered
			results[1] = begin(second, p, row.terms)
			waiting(t, c, p, 2)
			cancelFirst()
			wantError(t, <-results[0], context.Canceled)
			waiting(t, c, p, 1)
			cancelSecond()
			wantError(t, <-results[1], context.Canceled)
			if s := c.Current(); len(s.builds) != 0 {
				t.Errorf("%d abandoned builds are left", len(s.builds))
			}
			if s, ok := p.(*State); ok && len(s.sorted.all) != 0 {
				t.Errorf("%d abandoned sorts are left", len(s.sorted.all))
			}
			close(g.leave)
			waitFor(t, "all slots to be free", func() bool { return c.Current().slots.taken() == 0 })
			want := c.Current().Entries()
			if s, ok := p.(*State); ok {
				want = s.Entries()
			}
			if diff := cmp.Diff(sorted(want, row.terms), ordered(t, p, row.terms)); diff != "" {
				t.Errorf("the next read (-want +got):\n%s", diff)
			}
		})
	}
}

// At most maxSorts sorts by several terms run at once, for the store and its states
// together. A sort by a single term does not wait for them.
func TestSlots(t *testing.T) {
	c := newStore(t, newSchema(0), 20)
	old := oldState(c)
	var gates []*gate
	var results []<-chan any
	for i, terms := range []string{"slow,-id", "slow,text", "slow,number", "slow,note", "slow,-text", "slow,-number"} {
		var p pager = c
		if i%2 == 0 {
			p = old
		}
		if i < maxSorts {
			gates = append(gates, stopAt(c, i+1))
		}
		results = append(results, begin(within(t), p, terms))
		if i < maxSorts {
			<-gates[i].entered
			recordOf(c.Get(i + 1)).gate = nil
		}
	}
	if n := c.Current().slots.taken(); n != maxSorts {
		t.Errorf("%d slots are taken, want %d", n, maxSorts)
	}
	for _, p := range []pager{c, old} {
		ordered(t, p, "note")
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
		wantError(t, <-begin(ctx, p, "number,text"), context.DeadlineExceeded)
		cancel()
	}
	for _, g := range gates {
		close(g.leave)
	}
	for i, result := range results {
		if list, ok := (<-result).([]int); !ok || len(list) != 20+i%2 {
			t.Errorf("reader %d: got %v, want %d ids", i, list, 20+i%2)
		}
	}
	waitFor(t, "all slots to be free", func() bool { return c.Current().slots.taken() == 0 })
}

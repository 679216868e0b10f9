package store

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// oldState returns a state that the store has left behind.
func oldState(c *Store) *State {
	s := c.Current()
	put(c, &record{})
	return s
}

// Waiting for an index, for a slot and for a state's own sequence ends with the
// context. Work that nobody waits for is dropped, and its slot is free again.
func TestCanceledReads(t *testing.T) {
	for _, row := range []struct {
		reason string
		pager  func(c *Store) pager
		terms  string
	}{
		{"an index of one term", func(c *Store) pager { return c }, "slow"},
		{"an index of several terms", func(c *Store) pager { return c }, "slow,text"},
		{"a present state", func(c *Store) pager { return c.Current() }, "slow,text"},
		{"an old state, one term", func(c *Store) pager { return oldState(c) }, "slow"},
		{"an old state, several terms", func(c *Store) pager { return oldState(c) }, "slow,text"},
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
				t.Errorf("%d builds that nobody waits for", len(s.builds))
			}
			if s, ok := p.(*State); ok && len(s.sorted.all) != 0 {
				t.Errorf("%d sequences that nobody waits for", len(s.sorted.all))
			}
			close(g.leave)
			waitFor(t, "a free slot", func() bool { return c.Current().slots.taken() == 0 })
			want := c.Current().Entries()
			if s, ok := p.(*State); ok {
				want = s.Entries()
			}
			if diff := cmp.Diff(sorted(want, row.terms), ordered(t, p, row.terms)); diff != "" {
				t.Errorf("asked again (-want +got):\n%s", diff)
			}
		})
	}
}

// At most maxSorts orderings of several terms are sorted at once, for the store and its
// states together. A single term waits for none of them.
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
			t.Errorf("reader %d got %v", i, list)
		}
	}
	waitFor(t, "a free slot", func() bool { return c.Current().slots.taken() == 0 })
}

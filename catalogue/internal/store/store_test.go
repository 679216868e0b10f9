package store

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/gobacklist/backlist/pagination"
)

// Wait returns after any kind of write and when its context is done.
func TestWait(t *testing.T) {
	for reason, write := range map[string]func(c *Store){
		"a write":       func(c *Store) { put(c, &record{}) },
		"a large batch": func(c *Store) { putAll(c, manyRecords()...) },
		"a replacement": func(c *Store) { replace(Replacement{Store: c}) },
	} {
		c := newStore(t, newType(0), 1)
		if err := c.Wait(within(t), 0); err != nil {
			t.Errorf("Wait(0) = %v, want nil", err)
		}
		done := make(chan error, 2)
		for range 2 {
			go func() { done <- c.Wait(within(t), 1) }()
		}
		waitFor(t, "calls of Wait", func() bool { c.mu.Lock(); defer c.mu.Unlock(); return c.next != nil })
		ordered(t, c, "number") // makes no revision
		if err := c.Batch(func(tx *Tx) error { return nil }); err != nil {
			t.Fatal(err)
		}
		select {
		case err := <-done:
			t.Errorf("%s: Wait(1) = %v before the write", reason, err)
		case <-time.After(time.Millisecond):
		}
		write(c)
		for range 2 {
			if err := <-done; err != nil {
				t.Errorf("%s: Wait(1) = %v, want nil", reason, err)
			}
		}
	}
	c := newStore(t, newType(0), 1)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.Wait(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("Wait(1) = %v, want %v", err, context.Canceled)
	}
}

// A write changes the published state in place unless a reader may be using it.
func TestWritesInPlace(t *testing.T) {
	pages := func(n int) func(t *testing.T, c *Store) {
		return func(t *testing.T, c *Store) {
			for range n {
				if _, _, err := of(c).Page(t.Context(), Query{Terms: parse("-text"), Window: pagination.Window{Limit: 3}}); err != nil {
					t.Error(err)
				}
			}
		}
	}
	one := func(c *Store) { put(c, &record{}) }
	for _, row := range []struct {
		reason string
		read   func(t *testing.T, c *Store)
		write  func(c *Store)
		want   bool
	}{
		{"no read", pages(0), one, true},
		{"a page", pages(1), one, true},
		{"as many reads as are pinned", pages(pinnedReads), one, true},
		{"one more read freezes the state", pages(pinnedReads + 1), one, false},
		{"other reads are counted, too", func(t *testing.T, c *Store) {
			for range pinnedReads/3 + 1 {
				c.Len()
				c.Get(1)
				c.Since(3)
			}
		}, one, false},
		{"the revision is read without a pin", func(t *testing.T, c *Store) {
			for range 2 * pinnedReads {
				c.Revision()
			}
		}, one, true},
		{"the current state", func(t *testing.T, c *Store) { c.Current() }, one, false},
		{"a frozen state", func(t *testing.T, c *Store) { Freeze(c) }, one, false},
		{"a clone has its own state", func(t *testing.T, c *Store) { Clone(c) }, one, true},
		{"a scan", func(t *testing.T, c *Store) {
			if _, err := of(c).Scan(t.Context(), Query{}); err != nil {
				t.Error(err)
			}
		}, one, false},
		{"a new index", func(t *testing.T, c *Store) { ordered(t, c, "note") }, one, false},
		{"a read in progress", func(t *testing.T, c *Store) {
			_, p := c.pin()
			t.Cleanup(func() { unpin(p) })
		}, one, false},
		{"a small batch", pages(1), func(c *Store) { putAll(c, manyRecords()[1:]...) }, true},
		{"a large batch", pages(1), func(c *Store) { putAll(c, manyRecords()...) }, false},
		{"a replacement", pages(1), func(c *Store) { replace(Replacement{Store: c}) }, false},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := newStore(t, newType(10), 20)
			ordered(t, c, "text")
			one(c) // building the index froze the state
			row.read(t, c)
			s, revision := c.published.Load(), c.published.Load().Revision()
			row.write(c)
			now := c.published.Load()
			if got := now == s; got != row.want || now.Revision() != revision+1 {
				t.Errorf("written in place: %v, want %v; revision %d after %d", got, row.want, now.Revision(), revision)
			}
		})
	}
}

// After a write that found a pin, reads freeze the state for hotWrites writes.
func TestHotWrites(t *testing.T) {
	c := newStore(t, newType(0), 10)
	put(c, &record{})
	_, p := c.pin()
	hot := 0
	for i := range 3 * hotWrites {
		put(c, &record{})
		if i == 0 {
			unpin(p)
		}
		s := c.published.Load()
		if c.Len(); s.frozen.Load() {
			if hot++; hot != i+1 {
				t.Fatalf("the read after write %d froze the state, that after an earlier write did not", i)
			}
		}
	}
	if hot != hotWrites {
		t.Errorf("reads froze %d states, want %d", hot, hotWrites)
	}
	if !c.pins.idle() {
		t.Error("a pin was not released")
	}
}

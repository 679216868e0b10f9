package catalogue_test

import (
	"context"
	"errors"
	"iter"
	"testing"
	"testing/synctest"

	"github.com/gobacklist/backlist/catalogue"
)

// TestChangesWaits: what is there comes at once, what is written later as soon as
// it is written, and the end with the context.
func TestChangesWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := followed(t, 100)
		if _, err := c.Insert(account{Amount: 1}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var got []catalogue.Change[account]
		var end error
		over := false
		go func() {
			for ch, err := range c.Changes(ctx, 0) {
				if end = err; err == nil {
					got = append(got, ch)
				}
			}
			over = true
		}()
		see := func(reason, want string) {
			t.Helper()
			synctest.Wait() // until the follower waits, or has ended
			if told(got) != want {
				t.Errorf("%s: %s, want %s", reason, told(got), want)
			}
			got = nil
		}
		see("what was there", "inserted 1 (1); ")
		if err := c.Batch(func(tx *catalogue.Tx[account]) error {
			_, err := tx.Insert(account{Amount: 2})
			see("within an update", "")
			return errors.Join(err, tx.Delete(1))
		}); err != nil {
			t.Fatal(err)
		}
		see("an update", "deleted 1, inserted 2 (2); ")
		if err := c.Batch(func(*catalogue.Tx[account]) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if err := c.Batch(func(*catalogue.Tx[account]) error { return errOwn }); err != errOwn {
			t.Fatal(err)
		}
		see("updates of nothing", "")
		for i := range 3 {
			if _, err := c.Upsert(account{ID: 2, Amount: 3 + i}); err != nil {
				t.Fatal(err)
			}
		}
		see("three at once", "updated 2 (3); updated 2 (4); updated 2 (5); ")
		if over {
			t.Error("it has ended before its context")
		}
		cancel()
		see("after the end", "")
		if !over || end != context.Canceled {
			t.Errorf("over %v, with %v", over, end)
		}
	}) // which fails if a goroutine is left
}

// TestChangesOverrun: who is too slow holds nobody up, gets what he was shown
// the beginning of, and then the error.
func TestChangesOverrun(t *testing.T) {
	c := followed(t, 4)
	insert := func(n int) {
		within(t, "a write beside a follower that does not go on", func() {
			for range n {
				if _, err := c.Insert(account{}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	insert(3)
	next, stop := iter.Pull2(c.Changes(t.Context(), 0))
	defer stop()
	for i := range 3 {
		ch, err, ok := next()
		if !ok || err != nil || ch.ID != i+1 {
			t.Fatalf("change %d: %v, %v, %v", i, ch, err, ok)
		}
		if i == 0 {
			insert(8) // now the second and the third are forgotten, and more
		}
	}
	if ch, err, ok := next(); !ok || !errors.Is(err, catalogue.ErrHistoryTrimmed) || ch.ID != 0 {
		t.Errorf("%v, %v, %v; want ErrHistory", ch, err, ok)
	}
	if _, _, ok := next(); ok {
		t.Error("it goes on after an error")
	}
}

// TestChangesOverrunWaiting: a follower that has seen all when an Update, or a
// Load, comes that is longer than the history.
func TestChangesOverrunWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := followed(t, 4)
		var end error
		go func() {
			for _, err := range c.Changes(t.Context(), 0) {
				end = err
			}
		}()
		synctest.Wait()
		err := c.Batch(func(tx *catalogue.Tx[account]) error {
			for range 5 {
				if _, err := tx.Insert(account{}); err != nil {
					return err
				}
			}
			return nil
		})
		synctest.Wait()
		if err != nil || !errors.Is(end, catalogue.ErrHistoryTrimmed) {
			t.Errorf("%v, the follower ends with %v", err, end)
		}
	})
}

// TestChangesContext: a context that is done is the end, whatever there is to be
// seen.
func TestChangesContext(t *testing.T) {
	c := followed(t, 100)
	for range 10 {
		if _, err := c.Insert(account{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, after := range []int{0, 1, 9, 10} {
		ctx, cancel := context.WithCancel(t.Context())
		if after == 0 {
			cancel()
		}
		seen := 0
		var end error
		for _, err := range c.Changes(ctx, 0) {
			if end = err; err != nil {
				continue
			}
			if seen++; seen == after {
				cancel()
			}
		}
		if seen != after || end != context.Canceled {
			t.Errorf("done after %d: %d changes, then %v", after, seen, end)
		}
		cancel()
	}
}

// TestChangesAgain: breaking off is no error, and the same iterator begins where
// it did.
func TestChangesAgain(t *testing.T) {
	c := followed(t, 100)
	for range 3 {
		if _, err := c.Insert(account{}); err != nil {
			t.Fatal(err)
		}
	}
	changes := c.Changes(t.Context(), 1)
	for range 2 {
		var seen []int
		for ch, err := range changes {
			if err != nil {
				t.Fatal(err)
			}
			if seen = append(seen, ch.ID); len(seen) == 2 {
				break
			}
		}
		if seen[0] != 2 || seen[1] != 3 {
			t.Errorf("ids %v, want 2 and 3", seen)
		}
	}
}

// TestChangesWritesItself: who follows may write to what he follows.
func TestChangesWritesItself(t *testing.T) {
	c := followed(t, 100)
	if _, err := c.Insert(account{}); err != nil {
		t.Fatal(err)
	}
	within(t, "a follower that writes", func() {
		for ch, err := range c.Changes(t.Context(), 0) {
			if err != nil || ch.ID == 20 {
				break
			}
			if _, err := c.Insert(account{}); err != nil {
				t.Error(err)
			}
		}
	})
	if c.Count() != 20 {
		t.Errorf("%d records, want 20", c.Count())
	}
}

// TestNoTornChange: followers that begin at any time see amounts add up at the
// end of each revision, whatever is moved in an Update.
func TestNoTornChange(t *testing.T) {
	const n, each = 12, 100
	c := followed(t, 400)
	if err := c.Batch(func(tx *catalogue.Tx[account]) error {
		for range n {
			if _, err := tx.Insert(account{Amount: each}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	follow := func() {
		s := c.Snapshot()
		amounts := map[int]int{}
		for a := range s.All() {
			amounts[a.ID] = a.Amount
		}
		for range 20 {
			changes, now, err := c.Since(s.Revision())
			if errors.Is(err, catalogue.ErrHistoryTrimmed) {
				return
			}
			for _, ch := range changes {
				amounts[ch.ID] = ch.Record().Amount
				sum := 0
				for _, amount := range amounts {
					sum += amount
				}
				if ch.Last && sum != n*each {
					t.Errorf("revision %d: the amounts are %d together, want %d", ch.Revision, sum, n*each)
				}
			}
			if len(changes) > 0 && !changes[len(changes)-1].Last || err != nil {
				t.Errorf("up to %d: ends within a revision, or %v", now, err)
			}
			s = c.Snapshot()
			clear(amounts)
			for a := range s.All() {
				amounts[a.ID] = a.Amount
			}
		}
	}
	during(func() {
		for i := range scaled(4000) {
			err := c.Batch(func(tx *catalogue.Tx[account]) error {
				for step := range 1 + i%11 { // more than orders may be behind too
					from, to := 1+(i+step)%n, 1+(i+5*step+1)%n
					err1 := tx.Update(from, func(a *account) error { a.Amount -= i; return nil })
					err2 := tx.Update(to, func(a *account) error { a.Amount += i; return nil })
					if err := errors.Join(err1, err2); err != nil {
						return err
					}
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		}
	}, follow, follow)
}

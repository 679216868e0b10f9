package catalogue_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/resources"
)

// Changes yields the changes so far, then each change when it is made, and ends with the
// context.
func TestChangesWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newAccounts(t, 100)
		if _, err := c.Insert(account{Amount: 1}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		var got []catalogue.Change[account]
		var end error
		ended := false
		go func() {
			for ch, err := range c.Changes(ctx, 0) {
				if end = err; err == nil {
					got = append(got, ch)
				}
			}
			ended = true
		}()
		expect := func(reason, want string) {
			t.Helper()
			synctest.Wait() // until the iterator waits or has ended
			if changesText(got) != want {
				t.Errorf("%s: Changes yields %q, want %q", reason, changesText(got), want)
			}
			got = nil
		}
		expect("changes before the call", "inserted 1 (1); ")
		if err := c.Batch(func(tx *catalogue.Tx[account]) error {
			_, err := tx.Insert(account{Amount: 2})
			expect("during a batch", "")
			return errors.Join(err, tx.Delete(1))
		}); err != nil {
			t.Fatal(err)
		}
		expect("after a batch", "deleted 1, inserted 2 (2); ")
		if err := c.Batch(func(*catalogue.Tx[account]) error { return nil }); err != nil {
			t.Fatal(err)
		}
		if err := c.Batch(func(*catalogue.Tx[account]) error { return errOwn }); err != errOwn {
			t.Fatal(err)
		}
		expect("batches without effect", "")
		for i := range 3 {
			if _, err := c.Upsert(account{ID: 2, Amount: 3 + i}); err != nil {
				t.Fatal(err)
			}
		}
		expect("three writes", "updated 2 (3); updated 2 (4); updated 2 (5); ")
		if ended {
			t.Error("Changes ended before its context")
		}
		cancel()
		expect("after the context has ended", "")
		if !ended || end != context.Canceled {
			t.Errorf("Changes ended: %v, error %v, want context.Canceled", ended, end)
		}
	}) // synctest.Test fails if a goroutine is left
}

// A caller that falls behind does not block writers. It gets the changes that were read
// before they were trimmed, and then ErrHistoryTrimmed.
func TestChangesFallBehind(t *testing.T) {
	c := newAccounts(t, 4)
	insert := func(n int) {
		within(t, "a write while the caller of Changes is paused", func() {
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
			t.Fatalf("change %d: %v, %v, %v, want id %d", i, ch, err, ok, i+1)
		}
		if i == 0 {
			insert(8) // trims the second and the third, among others
		}
	}
	if ch, err, ok := next(); !ok || !errors.Is(err, catalogue.ErrHistoryTrimmed) || ch.ID != 0 {
		t.Errorf("after the changes: %v, %v, %v, want ErrHistoryTrimmed", ch, err, ok)
	}
	if _, _, ok := next(); ok {
		t.Error("Changes continues after an error")
	}
}

// A waiting caller gets ErrHistoryTrimmed after a batch of more changes than the history.
func TestChangesTrimmedWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newAccounts(t, 4)
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
			t.Errorf("Batch: %v; Changes ended with %v, want ErrHistoryTrimmed", err, end)
		}
	})
}

// Changes ends with the context even if there are more changes.
func TestChangesContext(t *testing.T) {
	c := newAccounts(t, 100)
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
			t.Errorf("canceled after %d changes: %d changes, error %v", after, seen, end)
		}
		cancel()
	}
}

// An iterator can be used again after a break. It then begins where it began before.
func TestChangesAfterBreak(t *testing.T) {
	c := newAccounts(t, 100)
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

// The loop body may write to the collection.
func TestWriteInsideChanges(t *testing.T) {
	c := newAccounts(t, 100)
	if _, err := c.Insert(account{}); err != nil {
		t.Fatal(err)
	}
	within(t, "a loop over Changes that writes", func() {
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
		t.Errorf("Count() = %d, want 20", c.Count())
	}
}

// Batches move amounts between accounts. The changes up to the last of any revision leave
// the sum of the amounts unchanged.
func TestChangesOfBatchAreAtomic(t *testing.T) {
	const n, each = 12, 100
	c := newAccounts(t, 400)
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
				amounts[ch.ID] = afterOf(ch).Amount
				sum := 0
				for _, amount := range amounts {
					sum += amount
				}
				if ch.Last && sum != n*each {
					t.Errorf("revision %d: sum of the amounts = %d, want %d", ch.Revision, sum, n*each)
				}
			}
			if len(changes) > 0 && !changes[len(changes)-1].Last || err != nil {
				t.Errorf("Since up to %d: error %v, or it ends within a revision", now, err)
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
				for step := range 1 + i%11 { // also more than are applied in place
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

// A segment is what a follower received from a snapshot until it fell behind or stopped.
type segment struct {
	start   catalogue.Snapshot[task]
	changes []catalogue.Change[task]
	end     uint64 // the revision up to which changes are complete
}

// followSince calls Since repeatedly, the last time after over is set.
func followSince(c *catalogue.Collection[task], start catalogue.Snapshot[task], over *atomic.Bool) (segment, error) {
	seg := segment{start: start, end: start.Revision()}
	for last := false; ; runtime.Gosched() {
		last = over.Load() // if set, the next call returns the last changes
		changes, now, err := c.Since(seg.end)
		if err != nil {
			return seg, err
		}
		seg.changes, seg.end = append(seg.changes, changes...), now
		if last {
			return seg, nil
		}
	}
}

// followChanges iterates over Changes until ctx is done or an error.
func followChanges(ctx context.Context, c *catalogue.Collection[task], start catalogue.Snapshot[task]) (seg segment, end error) {
	seg = segment{start: start, end: start.Revision()}
	for ch, err := range c.Changes(ctx, seg.end) {
		if end = err; err != nil {
			break
		}
		if seg.changes = append(seg.changes, ch); ch.Last {
			seg.end = ch.Revision
		}
	}
	return seg, end
}

// replay applies the changes to the records of the start. It compares the result with
// each of the snapshots, sorted by revision, that lies within the segment, and returns
// their number.
func (seg segment) replay(snapshots []catalogue.Snapshot[task]) (compared int, err error) {
	rows := map[int]task{}
	for r := range seg.start.All() {
		rows[r.ID] = r
	}
	changes := seg.changes
	for _, s := range snapshots {
		if s.Revision() < seg.start.Revision() || s.Revision() > seg.end {
			continue
		}
		for len(changes) > 0 && changes[0].Revision <= s.Revision() {
			if err := apply(rows, changes[0]); err != nil {
				return compared, err
			}
			changes = changes[1:]
		}
		if err := sameTasks(fmt.Sprintf("revision %d, followed from %d", s.Revision(), seg.start.Revision()),
			sortedTasks(slices.Collect(maps.Values(rows))), sortedTasks(slices.Collect(s.All()))); err != nil {
			return compared, err
		}
		compared++
	}
	return compared, nil
}

// apply applies a change to rows. It returns an error if the change does not fit them.
func apply(rows map[int]task, ch catalogue.Change[task]) error {
	_, exists := rows[ch.ID]
	before, existed := ch.Before()
	record, stored := ch.After()
	old := rows[ch.ID]
	switch {
	case existed != exists || existed && !sameTask(&before, &old):
		return fmt.Errorf("revision %d: id %d was %s, want %s", ch.Revision, ch.ID, taskJSON(&before), taskJSON(&old))
	case stored && record.ID == ch.ID:
		rows[ch.ID] = record
	case !stored && existed:
		delete(rows, ch.ID)
	default:
		return fmt.Errorf("revision %d: id %d: neither before nor after; record %s", ch.Revision, ch.ID, taskJSON(&record))
	}
	return nil
}

// TestConcurrentFollowers follows changes during random writes of four goroutines. The
// changes applied to the first snapshot equal each later snapshot.
func TestConcurrentFollowers(t *testing.T) {
	for _, row := range []struct {
		reason  string
		history int
	}{
		{"all changes are kept", 1 << 30},
		{"some loads exceed the history", 300},
		{"slow followers fall behind", 20},
	} {
		t.Run(row.reason, func(t *testing.T) {
			testConcurrentFollowers(t, row.history, max(modelSteps(t)/24, 800), modelSeed(t))
		})
	}
}

// writeTasks makes n random writes to a collection.
func writeTasks(t *testing.T, c *catalogue.Collection[task], rng *rand.Rand, owner, n int) {
	for range n {
		id, fresh := 1+rng.IntN(60), randomTask(rng, owner)
		write := func() (err error) { fresh.ID = id; _, err = c.Upsert(fresh); return err }
		switch rng.IntN(40) {
		case 0:
			write = func() error { return c.ReplaceAll(slices.Values([]task{fresh, randomTask(rng, owner)})) }
		case 1, 2, 3, 4:
			write = func() error {
				return c.Batch(func(tx *catalogue.Tx[task]) error {
					for range rng.IntN(12) {
						if _, err := tx.Insert(randomTask(rng, owner)); err != nil {
							return err
						}
					}
					_ = tx.Delete(id) // it may not exist
					return pick(rng, nil, nil, errOwn)
				})
			}
		case 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16:
			write = func() error { return c.Delete(id) }
		}
		if err := write(); err != nil && err != errOwn && !errors.Is(err, catalogue.ErrNotFound) {
			t.Error(err)
		}
	}
}

func testConcurrentFollowers(t *testing.T, history, steps int, seed uint64) {
	const workers = 4
	t.Logf("BACKLIST_MODEL_SEED=%d", seed)
	cat, err := resources.New(catalogue.Define[task]("books", catalogue.Options{History: history}))
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalogue.Define[task]("books", catalogue.Options{}).In(cat)
	if err != nil {
		t.Fatal(err)
	}
	var (
		writing, following sync.WaitGroup
		over               atomic.Bool
		mu                 sync.Mutex
		segments           []segment
		seen               = map[uint64]catalogue.Snapshot[task]{}
	)
	start := c.Snapshot()
	ctx, cancel := context.WithCancel(t.Context())
	for i := range workers {
		writing.Go(func() { writeTasks(t, c, rand.New(rand.NewPCG(seed, uint64(i))), i, steps/workers) })
	}
	trimmed := func(seg segment, err error) bool {
		if err != nil && !errors.Is(err, catalogue.ErrHistoryTrimmed) && err != context.Canceled {
			t.Errorf("a follower ended with %v", err)
		}
		mu.Lock()
		defer mu.Unlock()
		segments = append(segments, seg)
		return errors.Is(err, catalogue.ErrHistoryTrimmed)
	}
	for range 2 {
		following.Go(func() {
			for s := start; trimmed(followSince(c, s, &over)); s = c.Snapshot() {
			}
		})
		following.Go(func() {
			for s := start; trimmed(followChanges(ctx, c, s)); s = c.Snapshot() {
			}
		})
	}
	following.Go(func() { // takes the snapshots to compare with
		for last := false; !last; runtime.Gosched() {
			if last = over.Load(); last || len(seen) < 1000 {
				s := c.Snapshot()
				seen[s.Revision()] = s
			}
		}
	})
	writing.Wait()
	over.Store(true)
	cancel()
	following.Wait()
	if err := cat.Check(); err != nil {
		t.Error(err)
	}

	snapshots := slices.SortedFunc(maps.Values(seen), func(a, b catalogue.Snapshot[task]) int {
		return cmp.Compare(a.Revision(), b.Revision())
	})
	changes, compared := 0, 0
	for _, seg := range segments {
		n, err := seg.replay(snapshots)
		if err != nil {
			t.Error(err)
		}
		changes, compared = changes+len(seg.changes), compared+n
	}
	t.Logf("%d revisions, %d segments, %d changes, %d comparisons", c.Snapshot().Revision(), len(segments), changes, compared)
	if compared == 0 || len(segments) == 4 && changes == 0 { // 4 if no follower fell behind
		t.Error("nothing was compared")
	}
}

package catalogue_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
)

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
			sortedTasks(slices.Collect(maps.Values(rows)), nil), sortedTasks(slices.Collect(s.All()), nil)); err != nil {
			return compared, err
		}
		compared++
	}
	return compared, nil
}

// apply applies a change to rows. It returns an error if the change does not fit them.
func apply(rows map[int]task, ch catalogue.Change[task]) error {
	_, exists := rows[ch.ID]
	record := ch.Record()
	switch {
	case ch.Kind == catalogue.Inserted && !exists && record.ID == ch.ID,
		ch.Kind == catalogue.Updated && exists && record.ID == ch.ID:
		rows[ch.ID] = record
	case ch.Kind == catalogue.Deleted && exists:
		delete(rows, ch.ID)
	default:
		return fmt.Errorf("revision %d: %v %d, which existed: %v; record %s", ch.Revision, ch.Kind, ch.ID, exists, taskJSON(&record))
	}
	return nil
}

// TestConcurrentFollowers follows changes during the writes of TestConcurrentModel. The
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

func testConcurrentFollowers(t *testing.T, history, steps int, seed uint64) {
	const workers = 4
	t.Logf("BACKLIST_MODEL_SEED=%d", seed)
	house, err := catalogue.NewWith(catalogue.Define[task]("books", catalogue.Options{History: history}))
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalogue.Define[task]("books", catalogue.Options{}).In(house)
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
	all := &workerGroup{house: house, c: c}
	for i := range workers {
		all.workers = append(all.workers, &worker{
			workerGroup: all, number: i, rng: rand.New(rand.NewPCG(seed, uint64(i))), left: steps / workers,
			own: tracked{house: house, c: c, limit: 60},
		})
	}
	for _, m := range all.workers {
		writing.Go(func() {
			if err := m.run(); err != nil {
				all.failed.Store(true)
				t.Errorf("goroutine %d: %v", m.number, err)
			}
		})
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
	if err := house.Check(); err != nil {
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

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

// A leg is what a follower was told from a snapshot on, until it fell behind or
// had enough.
type leg struct {
	start   catalogue.Snapshot[deed]
	changes []catalogue.Change[deed]
	end     uint64 // it knows all up to here
}

// polled is the leg of a follower that asks again and again.
func polled(c *catalogue.Collection[deed], start catalogue.Snapshot[deed], over *atomic.Bool) (leg, error) {
	l := leg{start: start, end: start.Revision()}
	for last := false; ; runtime.Gosched() {
		last = over.Load() // what is asked for now is all there is
		changes, now, err := c.Since(l.end)
		if err != nil {
			return l, err
		}
		l.changes, l.end = append(l.changes, changes...), now
		if last {
			return l, nil
		}
	}
}

// waited is the leg of a follower that waits.
func waited(ctx context.Context, c *catalogue.Collection[deed], start catalogue.Snapshot[deed]) (l leg, end error) {
	l = leg{start: start, end: start.Revision()}
	for ch, err := range c.Changes(ctx, l.end) {
		if end = err; err != nil {
			break
		}
		if l.changes = append(l.changes, ch); ch.Last {
			l.end = ch.Revision
		}
	}
	return l, end
}

// replay applies a leg's changes to its snapshot, and compares what that gives
// with other snapshots of the way, which are sorted. It tells how many there were.
func (l leg) replay(on []catalogue.Snapshot[deed]) (compared int, err error) {
	rows := map[int]deed{}
	for d := range l.start.All() {
		rows[d.ID] = d
	}
	changes := l.changes
	for _, s := range on {
		if s.Revision() < l.start.Revision() || s.Revision() > l.end {
			continue
		}
		for len(changes) > 0 && changes[0].Revision <= s.Revision() {
			if err := apply(rows, changes[0]); err != nil {
				return compared, err
			}
			changes = changes[1:]
		}
		if err := sameDeeds(fmt.Sprintf("revision %d, followed from %d on", s.Revision(), l.start.Revision()),
			sortedDeeds(slices.Collect(maps.Values(rows)), nil), sortedDeeds(slices.Collect(s.All()), nil)); err != nil {
			return compared, err
		}
		compared++
	}
	return compared, nil
}

// apply makes a change that has to fit what is there.
func apply(rows map[int]deed, ch catalogue.Change[deed]) error {
	_, there := rows[ch.ID]
	record := ch.Record()
	switch {
	case ch.Kind == catalogue.Inserted && !there && record.ID == ch.ID, ch.Kind == catalogue.Updated && there && record.ID == ch.ID:
		rows[ch.ID] = record
	case ch.Kind == catalogue.Deleted && there:
		delete(rows, ch.ID)
	default:
		return fmt.Errorf("revision %d: %v %d, which was there: %v; record %s", ch.Revision, ch.Kind, ch.ID, there, wireOfDeed(&record))
	}
	return nil
}

// TestFollowersTogether has followers beside the goroutines of
// TestConcurrentModel. Each ends up, at every revision that somebody took a
// snapshot of, with what that holds.
func TestFollowersTogether(t *testing.T) {
	for _, row := range []struct {
		reason  string
		history int
	}{{"all is kept", 1 << 30}, {"some loads are too long", 300}, {"who dawdles falls behind", 20}} {
		t.Run(row.reason, func(t *testing.T) { followTogether(t, row.history, max(modelSteps(t)/24, 800), modelSeed(t)) })
	}
}

func followTogether(t *testing.T, history, steps int, seed uint64) {
	const workers = 4
	t.Logf("BACKLIST_MODEL_SEED=%d", seed)
	house, err := catalogue.NewWith(catalogue.Define[deed]("books", catalogue.Options{History: history}))
	if err != nil {
		t.Fatal(err)
	}
	c, err := catalogue.Define[deed]("books", catalogue.Options{}).In(house)
	if err != nil {
		t.Fatal(err)
	}
	var (
		writing, following sync.WaitGroup
		over               atomic.Bool
		mu                 sync.Mutex
		legs               []leg
		seen               = map[uint64]catalogue.Snapshot[deed]{}
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
	ended := func(l leg, err error) bool {
		if err != nil && !errors.Is(err, catalogue.ErrHistoryTrimmed) && err != context.Canceled {
			t.Errorf("a follower ends with %v", err)
		}
		mu.Lock()
		defer mu.Unlock()
		legs = append(legs, l)
		return !errors.Is(err, catalogue.ErrHistoryTrimmed)
	}
	for range 2 {
		following.Go(func() {
			for s := start; !ended(polled(c, s, &over)); s = c.Snapshot() {
			}
		})
		following.Go(func() {
			for s := start; !ended(waited(ctx, c, s)); s = c.Snapshot() {
			}
		})
	}
	following.Go(func() { // the witness
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

	on := slices.SortedFunc(maps.Values(seen), func(a, b catalogue.Snapshot[deed]) int { return cmp.Compare(a.Revision(), b.Revision()) })
	changes, compared := 0, 0
	for _, l := range legs {
		n, err := l.replay(on)
		if err != nil {
			t.Error(err)
		}
		changes, compared = changes+len(l.changes), compared+n
	}
	t.Logf("%d revisions, %d legs, %d changes, %d comparisons", c.Snapshot().Revision(), len(legs), changes, compared)
	if compared == 0 || len(legs) == 4 && changes == 0 { // nobody fell behind, and yet
		t.Error("nothing was compared")
	}
}

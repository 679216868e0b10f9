package store

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/gobacklist/backlist/pagination"
)

// whileWriting calls write and, until it returns, calls read repeatedly in several
// goroutines. An error ends the goroutine.
func whileWriting(t *testing.T, readers int, write func(), read func(rng *rand.Rand) error) {
	t.Helper()
	done := make(chan struct{})
	var group sync.WaitGroup
	for i := range readers {
		group.Go(func() {
			for rng := rand.New(rand.NewPCG(uint64(i), 0)); ; {
				if err := read(rng); err != nil {
					t.Error(err)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	write()
	close(done)
	group.Wait()
}

// Readers see either all or none of a batch, which moves an amount between records.
func TestConcurrentBatches(t *testing.T) {
	const records = 40
	c := newStore(t, newType(1<<20), 0)
	for range records {
		put(c, &record{number: 100})
	}
	rng := random(t)
	write := func() {
		for i := range 4000 {
			n := 2
			if i%50 == 0 {
				n = 2 * fewChanges
			}
			moved := map[int]int64{}
			for range n / 2 {
				amount := rng.Int64N(10)
				moved[1+rng.IntN(records)] += amount
				moved[1+rng.IntN(records)] -= amount
			}
			var changed []*record
			for id, amount := range moved {
				changed = append(changed, &record{Entry: Entry{id}, number: recordOf(c.Get(id)).number + amount})
			}
			putAll(c, changed...)
		}
	}
	whileWriting(t, 2, write, func(rng *rand.Rand) error {
		terms := []string{"", "number", "-number", "number,-id"}[rng.IntN(4)]
		entries, count, err := c.Page(t.Context(), Query{Terms: parse(terms), Window: allRecords})
		if err != nil || count != records || len(entries) != records {
			return fmt.Errorf("by %q: %d entries, count %d, %v, want %d of both", terms, len(entries), count, err, records)
		}
		sum := int64(0)
		for _, e := range entries {
			sum += recordOf(e).number
		}
		if sum != 100*records {
			return fmt.Errorf("by %q: the sum is %d, want %d", terms, sum, 100*records)
		}
		if terms == "number" && !slices.IsSortedFunc(entries, func(a, b *Entry) int { return cmp.Compare(recordOf(a).number, recordOf(b).number) }) {
			return fmt.Errorf("not sorted by number")
		}
		before := c.Revision()
		events, _, now := c.Since(before - 1)
		if len(events) == 0 || events[0].Revision != before || events[len(events)-1].Revision != now || !events[len(events)-1].Last {
			return fmt.Errorf("Since(%d) returned %d incomplete events, now %d", before-1, len(events), now)
		}
		return nil
	})
	t.Logf("revision %d", c.Revision())
}

// The records and the count of a page are those of one state.
func TestConcurrentPages(t *testing.T) {
	c := newStore(t, newType(0), 300)
	rng := random(t)
	write := func() {
		for i := range 3000 {
			if id := 1 + rng.IntN(300); c.Get(id) != nil {
				remove(c, id)
			} else {
				put(c, randomRecord(rng, id))
			}
			if i%500 == 0 {
				putAll(c, manyRecords()...)
			}
		}
	}
	all := []string{"", "-id", "text", "-number", "note,text", "-note,number", "number,text", "text,-number"}
	whileWriting(t, 2, write, func(rng *rand.Rand) error {
		terms := all[rng.IntN(len(all))]
		w := pagination.Window{Limit: rng.IntN(140), Offset: rng.IntN(320)}
		var p pager = c
		switch rng.IntN(40) {
		case 0:
			p = c.Current()
		case 1:
			p = Clone(c)[0]
		}
		entries, count, err := p.Page(t.Context(), Query{Terms: parse(terms), Window: w})
		if err != nil {
			return err
		}
		if start, end := w.Bounds(count); len(entries) != end-start {
			return fmt.Errorf("%+v by %q: %d entries, count %d", w, terms, len(entries), count)
		}
		if terms == "" {
			terms = "id"
		}
		if got := ids(entries); !slices.Equal(got, sorted(entries, terms)) {
			return fmt.Errorf("%+v by %q: %v is not sorted", w, terms, got)
		}
		if s, ok := p.(*State); ok {
			return s.Check()
		}
		return nil
	})
}

// A state that Current returns does not change, and later calls do not return an
// earlier one.
func TestConcurrentCurrent(t *testing.T) {
	c := newStore(t, newType(0), 10)
	ordered(t, c, "number")
	write := func() {
		for i := range 8_000 {
			put(c, &record{Entry: Entry{1 + i%10}, number: int64(i)})
		}
	}
	whileWriting(t, 2, write, func(rng *rand.Rand) error {
		s := c.Current()
		revision, last := s.Revision(), ids(s.primary.page(nil, 9, 1, false))
		for range rng.IntN(200) {
			if s.Revision() != revision {
				break
			}
		}
		if now := s.Revision(); now != revision || !slices.Equal(last, []int{10}) {
			return fmt.Errorf("the state of revision %d has revision %d now, its last record is %v", revision, now, last)
		}
		if next := c.Current(); next.Revision() < revision {
			return fmt.Errorf("Current() has revision %d after revision %d", next.Revision(), revision)
		}
		return nil
	})
}

// Freeze and Clone return several stores as they are at one instant.
func TestConcurrentFreezeAndClone(t *testing.T) {
	generation := func(s *State) int64 { return recordOf(s.Get(1)).number }
	for _, row := range []struct {
		reason string
		write  func(a, b *Store, n int64)
		ahead  int64 // how many writes a may be ahead of b
		times  int64
	}{
		{"one write after the other", func(a, b *Store, n int64) {
			put(a, &record{Entry: Entry{1}, number: n})
			put(b, &record{Entry: Entry{1}, number: n})
		}, 1, 5000},
		{"one batch after the other", func(a, b *Store, n int64) {
			for _, c := range []*Store{a, b} {
				putAll(c, append(manyRecords(), &record{Entry: Entry{1}, number: n})...)
			}
		}, 1, 300},
		{"both replaced together", func(a, b *Store, n int64) {
			r := &record{Entry: Entry{1}, number: n}
			Replace([]Replacement{{Store: a, Entries: entriesOf(r)}, {Store: b, Entries: entriesOf(r)}})
		}, 0, 5000},
	} {
		t.Run(row.reason, func(t *testing.T) {
			a, b := newStore(t, newType(0), 1), newStore(t, newType(0), 1)
			write := func() {
				for n := range row.times {
					row.write(a, b, n)
				}
			}
			row.write(a, b, 0)
			whileWriting(t, 2, write, func(rng *rand.Rand) error {
				states := Freeze(a, b)
				if rng.IntN(2) == 0 {
					clones := Clone(a, b)
					states = []*State{clones[0].Current(), clones[1].Current()}
				}
				if ahead := generation(states[0]) - generation(states[1]); ahead < 0 || ahead > row.ahead {
					return fmt.Errorf("the first store is %d writes ahead, want 0 to %d", ahead, row.ahead)
				}
				return nil
			})
		})
	}
}

// A reader that has seen one store after a replacement of several does not see another one
// as it was before.
func TestNoOldReadAfterNew(t *testing.T) {
	stores := make([]*Store, 200)
	for i := range stores {
		stores[i] = newStore(t, newType(0), 1)
	}
	first, last := stores[0], stores[len(stores)-1]
	write := func() {
		all := make([]Replacement, len(stores))
		for n := range 50 {
			entries := entriesOf(&record{Entry: Entry{1}, number: int64(n)})
			for i, c := range stores {
				all[i] = Replacement{Store: c, Entries: entries}
			}
			Replace(all)
		}
	}
	for _, pair := range [][2]*Store{{first, last}, {last, first}} {
		Replace([]Replacement{{Store: first, Entries: entriesOf(&record{Entry: Entry{1}})}, {Store: last, Entries: entriesOf(&record{Entry: Entry{1}})}})
		whileWriting(t, 1, write, func(*rand.Rand) error {
			before, after := recordOf(pair[0].Get(1)).number, recordOf(pair[1].Get(1)).number
			if after < before {
				return fmt.Errorf("a store after replacement %d, and then another after replacement %d", before, after)
			}
			return nil
		})
	}
}

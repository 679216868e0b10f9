package store

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"sync"
	"testing"
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
			replace(Replacement{Store: a, Entries: entriesOf(r)}, Replacement{Store: b, Entries: entriesOf(r)})
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
			replace(all...)
		}
	}
	for _, pair := range [][2]*Store{{first, last}, {last, first}} {
		replace(Replacement{Store: first, Entries: entriesOf(&record{Entry: Entry{1}})}, Replacement{Store: last, Entries: entriesOf(&record{Entry: Entry{1}})})
		whileWriting(t, 1, write, func(*rand.Rand) error {
			before, after := recordOf(pair[0].Get(1)).number, recordOf(pair[1].Get(1)).number
			if after < before {
				return fmt.Errorf("a store after replacement %d, and then another after replacement %d", before, after)
			}
			return nil
		})
	}
}

// A reader that has seen the revision of one store after a batch of several does not see
// another one as it was before the batch.
func TestNoOldReadAfterNewRevision(t *testing.T) {
	stores := make([]*Store, 200)
	for i := range stores {
		stores[i] = newStore(t, newType(0), 1)
	}
	first, last := stores[0], stores[len(stores)-1]
	write := func() {
		for range 200 {
			Batch(stores, func(all []*Tx) error {
				for i, tx := range all {
					if c := tx.store; c == first || c == last {
						e := &record{Entry: Entry{1}, number: int64(tx.state.Revision())}
						tx.Write(Change{Old: tx.Get(1), New: &e.Entry})
						continue
					}
					// Only ids are used, so the batch is small enough to be applied in place.
					e := newEntry(tx.LastID()+1, fmt.Sprint(i))
					tx.Write(Change{New: e})
					tx.Write(Change{Old: e})
				}
				return nil
			})
		}
	}
	for _, pair := range [][2]*Store{{first, last}, {last, first}} {
		whileWriting(t, 1, write, func(*rand.Rand) error {
			state, seen := pair[0].published.Load(), uint64(0)
			for range 10_000 { // Revision may be suspended after it has loaded the state
				if state == nil || state.Revision() == seen {
					continue
				}
				seen = state.Revision()
				if recordOf(pair[1].Get(1)).number+1 < int64(seen) {
					return fmt.Errorf("a store at revision %d, and then another before it", seen)
				}
			}
			return nil
		})
	}
}

// TestConcurrentClonesOfSnapshots clones snapshots of one collection that is garbage: some have the
// same state, and one the state that a reader got with another index. The race detector finds
// two forks of one tree.
func TestConcurrentClonesOfSnapshots(t *testing.T) {
	for _, typ := range []func() *Type{func() *Type { return newType(5) }, newMemberType} {
		snapshots := func() (held []*Store) {
			c := New(typ()) // not newStore, which keeps it until the test ends
			for i := range 300 {
				put(c, &record{text: strconv.Itoa(i % 7), members: []string{"text"}})
			}
			held = append(held, Held(c.Current()))
			ordered(t, c, "text")
			return append(held, Held(c.Current()), Held(c.Current()))
		}()
		for range 3 {
			runtime.GC()
		}
		for _, s := range snapshots {
			if s.published.Load().store.Value() != nil {
				t.Fatal("the collection is not garbage")
			}
		}
		var group sync.WaitGroup
		for _, s := range snapshots {
			group.Go(func() {
				for n := range 20 {
					c := Clone(s)[0]
					put(c, &record{Entry: Entry{1 + n}, text: "new"})
					remove(c, 100)
					if err := c.Check(); err != nil || c.Len() != 299 {
						t.Error(c.Len(), err)
					}
				}
			})
		}
		group.Wait()
		for _, s := range snapshots {
			if err := s.Check(); err != nil || s.Len() != 300 {
				t.Error(s.Len(), err)
			}
		}
	}
}

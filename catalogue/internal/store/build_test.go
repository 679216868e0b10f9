package store

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

// An index contains what was written while it was built. Readers of the same
// ordering wait for one build.
func TestBuildDuringWrites(t *testing.T) {
	const terms = "slow,-text"
	writes := func(n int) func(c *Store) {
		return func(c *Store) {
			for i := range n {
				e := put(c, &record{number: int64(i % 3)})
				put(c, &record{Entry: Entry{2 + i%40}, number: 99})
				if i%5 == 0 {
					remove(c, e.ID)
				}
			}
		}
	}
	batch := func(c *Store) {
		var all []*record
		for i := range 100 {
			all = append(all, &record{number: int64(i % 5)})
		}
		putAll(c, all...)
	}
	for _, row := range []struct {
		reason string
		write  func(c *Store)
	}{
		{"no writes", func(*Store) {}},
		{"few single writes", writes(5)},
		{"more than are applied at once", writes(10 * catchUp)},
		{"a batch", batch},
		{"a batch between single writes", func(c *Store) { writes(3)(c); batch(c); writes(3)(c) }},
		{"all records replaced", func(c *Store) {
			Replace([]Replacement{{Store: c, Entries: entriesOf(&record{Entry: Entry{1000}}, &record{Entry: Entry{1001}})}})
		}},
		{"all records deleted", func(c *Store) {
			for id := 2; id <= 50; id++ {
				remove(c, id)
			}
		}},
		{"another index", func(c *Store) { ordered(t, c, "number") }},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := newStore(t, newSchema(0), 50)
			g := stopAt(c, 1)
			var results []<-chan any
			results = append(results, begin(within(t), c, terms))
			<-g.entered
			for range 2 {
				results = append(results, begin(within(t), c, "-slow,text")) // the reverse order has the same index
			}
			waiting(t, c, c, 3)
			row.write(c)
			close(g.leave)
			want := c.Current().Entries()
			for i, result := range results {
				order := terms
				if i > 0 {
					order = "-slow,text"
				}
				if diff := cmp.Diff(any(sorted(want, order)), <-result); diff != "" {
					t.Errorf("reader %d (-want +got):\n%s", i, diff)
				}
			}
			s := c.Current()
			if findTerms(s.indexes, parse(terms)) < 0 || len(s.builds) != 0 || s.slots.taken() != 0 {
				t.Errorf("indexes %v, %d builds, %d slots taken, want an index by %s and nothing else", indexed(c), len(s.builds), s.slots.taken(), terms)
			}
			if err := c.Check(); err != nil {
				t.Error(err)
			}
		})
	}
}

// A reader waits for a bounded number of batches that make its build start over.
func TestBuildDuringManyBatches(t *testing.T) {
	for _, terms := range []string{"slow", "slow,text"} {
		c := newStore(t, newSchema(0), 20)
		g := stopAt(c, 1)
		result := begin(within(t), c, terms)
		for batches := 0; result != nil; batches++ {
			select {
			case <-g.entered:
				if !c.published.Load().frozen.Load() {
					t.Errorf("by %s: the state being read is not frozen after %d batches", terms, batches)
				}
				next := newGate()
				putAll(c, append(manyRecords(), &record{Entry: Entry{1}, gate: next})...)
				close(g.leave)
				g = next
			case got := <-result:
				if list, ok := got.([]int); !ok || len(list) < 20 {
					t.Errorf("by %s: got %v, want at least 20 ids", terms, got)
				}
				result = nil
			}
			if batches == 20 {
				t.Fatalf("by %s: the reader is still waiting after %d batches", terms, batches)
			}
		}
		recordOf(c.Get(1)).gate = nil
		waitFor(t, "all slots to be free", func() bool { return c.Current().slots.taken() == 0 })
		if diff := cmp.Diff(sorted(c.Current().Entries(), terms), ordered(t, c, terms)); diff != "" {
			t.Errorf("by %s afterwards (-want +got):\n%s", terms, diff)
		}
	}
}

// A batch that began before an index was installed either updates the index or
// drops it.
func TestIndexInstalledDuringBatch(t *testing.T) {
	for _, changes := range []int{1, fewChanges, fewChanges + 1, 100} {
		c := newStore(t, newSchema(0), 20)
		ordered(t, c, "number")
		err := c.Batch(func(tx *Tx) error {
			for id := 11; id < 11+changes; id++ {
				tx.Write(Change{tx.Get(id), &(&record{Entry: Entry{id}, number: int64(-id)}).Entry})
			}
			ordered(t, c, "text")
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Check(); err != nil {
			t.Errorf("%d changes: %v", changes, err)
		}
		for _, terms := range []string{"number", "text"} {
			if diff := cmp.Diff(sorted(c.Current().Entries(), terms), ordered(t, c, terms)); diff != "" {
				t.Errorf("%d changes, by %s (-want +got):\n%s", changes, terms, diff)
			}
		}
	}
}

// If the computation of a key panics, all readers that wait for the build panic,
// and no others do. The next build succeeds.
func TestPanickingBuild(t *testing.T) {
	for _, terms := range []string{"slow", "slow,number"} {
		c := newStore(t, newSchema(0), 20)
		g := stopAt(c, 7)
		g.panics = true
		first := begin(within(t), c, terms)
		<-g.entered
		second := begin(within(t), c, terms)
		waiting(t, c, c, 2)
		put(c, &record{})
		ordered(t, c, "number")
		close(g.leave)
		for _, result := range []<-chan any{first, second} {
			if diff := cmp.Diff(any("panic: no key"), <-result); diff != "" {
				t.Errorf("by %s (-want +got):\n%s", terms, diff)
			}
		}
		if s := c.Current(); len(s.builds) != 0 {
			t.Errorf("%d builds are left", len(s.builds))
		}
		if diff := cmp.Diff(sorted(c.Current().Entries(), terms), ordered(t, c, terms)); diff != "" {
			t.Errorf("by %s afterwards (-want +got):\n%s", terms, diff)
		}
		if n := c.Current().slots.taken(); n != 0 {
			t.Errorf("%d slots are still taken", n)
		}
	}
}

// If the last record with a member is deleted while an index by the member is
// built, readers of the store get an error. Readers of an earlier state do not.
func TestMemberRemovedDuringBuild(t *testing.T) {
	for _, terms := range []string{"rare", "rare,-common"} {
		c := newStore(t, newMemberSchema(), 0)
		put(c, &record{number: 2, members: []string{"common"}})
		put(c, &record{number: 1, members: []string{"common", "rare"}})
		put(c, &record{number: 3, members: []string{"common"}})
		g := stopAt(c, 1)
		live := begin(within(t), c, terms)
		<-g.entered
		state := begin(within(t), c.Current(), terms)
		waiting(t, c, c, 2)
		remove(c, 2)
		close(g.leave)
		if err, _ := (<-live).(error); !errors.Is(err, ordering.ErrUnknownField) {
			t.Errorf("by %s: got %v, want %v", terms, err, ordering.ErrUnknownField)
		}
		want := any([]int{2, 1, 3})
		if terms == "rare,-common" {
			want = []int{2, 3, 1}
		}
		if diff := cmp.Diff(want, <-state, cmp.Comparer(func(a, b error) bool { return errors.Is(a, b) })); diff != "" {
			t.Errorf("earlier state by %s (-want +got):\n%s", terms, diff)
		}
		if diff := cmp.Diff([]string(nil), indexed(c)); diff != "" {
			t.Errorf("indexes (-want +got):\n%s", diff)
		}
	}
}

// A build that was abandoned after it was filled is not installed, because it no
// longer records changes.
func TestAbandonedBuild(t *testing.T) {
	c := newStore(t, newSchema(0), 5)
	terms := parse("text")
	b := &build{empty: newIndex(c.schema.resolve(terms), terms)}
	b.terms = terms
	c.mu.Lock()
	s := c.replace(func(s *State) { s.builds = []*build{b} })
	c.mu.Unlock()
	x := b.empty.empty()
	x.fill(s.Entries())
	b.abandoned.Store(true)
	c.mu.Lock()
	c.drop(b)
	c.mu.Unlock()
	put(c, &record{})
	if restart := c.finish(b, x); restart != nil || b.state != nil || len(indexed(c)) != 0 {
		t.Errorf("restarted %v, installed %v, indexes %v, want none", restart != nil, b.state != nil, indexed(c))
	}
}

// A busyIndex is an index in whose store a record is written for each missed change.
type busyIndex struct {
	index
	c      *Store
	locked int // changes that were applied while the state mutex was held
}

func (x *busyIndex) set(ch Change, k keys) {
	x.index.set(ch, k)
	if !x.c.mu.TryLock() {
		x.locked++
		return
	}
	x.c.mu.Unlock()
	if x.c.committing.TryLock() { // otherwise the write would wait
		x.c.committing.Unlock()
		put(x.c, &record{})
	}
}

// If writers are always faster than a build, readers do not wait for the changes that it
// still misses in the end.
func TestBuildOfBusyStore(t *testing.T) {
	c := newStore(t, newSchema(0), 5)
	terms := parse("text")
	b := &build{empty: newIndex(c.schema.resolve(terms), terms)}
	b.terms = terms
	c.mu.Lock()
	s := c.replace(func(s *State) { s.builds = []*build{b} })
	c.mu.Unlock()
	x := &busyIndex{index: b.empty.empty(), c: c}
	x.fill(s.Entries())
	for range 3 * catchUp {
		put(c, &record{})
	}
	restart := c.finish(b, x)
	if diff := cmp.Diff([]string{"text"}, indexed(c)); restart != nil || diff != "" {
		t.Errorf("restarted %v, indexes (-want +got):\n%s", restart != nil, diff)
	}
	if x.locked > catchUp {
		t.Errorf("%d changes are applied while the state mutex is held, want at most %d", x.locked, catchUp)
	}
}

package store

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
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
		{"many single writes", writes(300)},
		{"a batch", batch},
		{"a batch between single writes", func(c *Store) { writes(3)(c); batch(c); writes(3)(c) }},
		{"all records replaced", func(c *Store) {
			replace(Replacement{Store: c, Entries: entriesOf(&record{Entry: Entry{1000}}, &record{Entry: Entry{1001}})})
		}},
		{"all records deleted", func(c *Store) {
			for id := 2; id <= 50; id++ {
				remove(c, id)
			}
		}},
		{"another index", func(c *Store) { ordered(t, c, "number") }},
		{"writes to a clone", func(c *Store) { writes(5)(Clone(c)[0]) }},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := newStore(t, newType(0), 50)
			g := stopAt(c, 1)
			var results []<-chan any
			results = append(results, begin(within(t), c, terms))
			<-g.entered
			for range 2 {
				results = append(results, begin(within(t), c, "-slow,text")) // the reverse order has the same index
			}
			waiting(t, 3)
			row.write(c)
			close(g.leave)
			want := c.Current().Entries()
			for i, result := range results {
				order := terms
				if i > 0 {
					order = "-slow,text"
				}
				equal(t, fmt.Sprintf("reader %d", i), any(sorted(want, order)), <-result)
			}
			s := c.Current()
			if findTerms(s.indexes, parse(terms)) < 0 || len(c.builds) != 0 || s.slots.taken() != 0 {
				t.Errorf("indexes %v, %d builds, %d slots taken, want an index by %s and nothing else", indexed(c), len(c.builds), s.slots.taken(), terms)
			}
			must(t, c.Check())
		})
	}
}

// The keys of a write are computed before the journal is called. A build that begins during
// the call must not miss the write.
func TestBuildBegunDuringJournal(t *testing.T) {
	for _, indexes := range []string{"", "number", "number text"} {
		c := newStore(t, newType(0), 50)
		for terms := range strings.FieldsSeq(indexes) {
			ordered(t, c, terms)
		}
		g := stopAt(c, 1)
		var result <-chan any
		SetJournal([]*Store{c}, func([]Commit) error {
			result = begin(within(t), c, "slow")
			<-g.entered
			return nil
		})
		put(c, &record{Entry: Entry{7}, number: 99})
		SetJournal([]*Store{c}, nil)
		close(g.leave)
		equal(t, fmt.Sprintf("indexes %q", indexes), any(sorted(c.Current().Entries(), "slow")), <-result)
		if findTerms(c.Current().indexes, parse("slow")) < 0 {
			t.Errorf("indexes %q: the build was given up", indexes)
		}
	}
}

// If all records are replaced again and again, the writer waits for an index at last, and the
// reader does not wait forever.
func TestBuildDuringManyReplacements(t *testing.T) {
	for _, terms := range []string{"slow", "slow,text"} {
		c := newStore(t, newType(0), 20)
		g := stopAt(c, 1)
		result := begin(within(t), c, terms)
		replace := func(next *gate) *gate {
			replace(Replacement{Store: c, Entries: entriesOf(&record{Entry: Entry{1}, gate: next}, &record{Entry: Entry{2}})})
			return next
		}
		for range maxFills {
			<-g.entered
			if !c.published.Load().frozen.Load() {
				t.Errorf("by %s: the state being read is not frozen", terms)
			}
			next := replace(newGate())
			close(g.leave)
			g = next
		}
		<-g.entered
		done := make(chan *gate)
		go func() { done <- replace(nil) }() // waits
		close(g.leave)
		if got, ok := (<-result).([]int); !ok || len(got) != 2 {
			t.Errorf("by %s: got %v, want 2 ids", terms, got)
		}
		<-done
		waitFor(t, "the index by "+terms, func() bool { return slices.Equal(indexed(c), []string{terms}) })
	}
}

// Readers get an index that is built while a write calls the journal, or has forked the trees, at
// once. It is installed after the write.
func TestIndexInstalledDuringWrite(t *testing.T) {
	for reason, write := range map[string]func(c *Store){
		"a write": func(c *Store) { put(c, &record{Entry: Entry{7}, number: 99, text: "new"}) },
		"a batch": func(c *Store) { putAll(c, append(manyRecords(), &record{Entry: Entry{7}, number: 99})...) },
		"replacement": func(c *Store) {
			replace(Replacement{Store: c, Entries: entriesOf(&record{Entry: Entry{3}, text: "x"}, &record{Entry: Entry{5}})})
		},
	} {
		for _, fails := range []bool{false, true} {
			c := newStore(t, newType(0), 50)
			ordered(t, c, "number")
			SetJournal([]*Store{c}, func([]Commit) error {
				ordered(t, c, "text")
				first := c.builds[0].state
				if ordered(t, c, "-text"); len(c.builds) != 1 || c.builds[0].state != first {
					t.Errorf("%s: %d builds, or the second reader does not get the state of the first", reason, len(c.builds))
				}
				if fails {
					return errors.New("refused")
				}
				return nil
			})
			func() {
				defer func() { recover() }() // put and putAll
				write(c)
			}()
			SetJournal([]*Store{c}, nil)
			waitFor(t, reason+": the index", func() bool { return slices.Equal(indexed(c), []string{"number", "text"}) })
			for range 2 {
				equal(t, fmt.Sprintf("%s, failed %v", reason, fails), sorted(c.Current().Entries(), "text"), ordered(t, c, "text"))
				putAll(c, append(manyRecords(), &record{Entry: Entry{3}, text: "again"})...)
			}
		}
	}
}

// A reader does not wait until an index that was built during a write is installed after it.
func TestReadBeforeIndexIsInstalled(t *testing.T) {
	c := newStore(t, newType(0), 5)
	b := &build{task: task{terms: parse("text"), done: make(chan struct{})}, state: c.Current()}
	e := put(c, &record{text: "new"})
	c.builds = append(c.builds, b)
	for range 2 {
		equal(t, fmt.Sprintf("with id %d", e.ID), sorted(c.Current().Entries(), "text"), ordered(t, c, "text"))
	}
	c.builds = nil
}

// Beside a writer of large batches, an index is installed at last.
func TestIndexBesideBatches(t *testing.T) {
	c := newStore(t, newType(0), 3000)
	var stop atomic.Bool
	var group sync.WaitGroup
	group.Go(func() {
		for i := 0; !stop.Load(); i++ {
			batch := manyRecords()
			for j, r := range batch {
				r.ID, r.number = (i+j)%3000+1, int64(i)
			}
			putAll(c, batch...)
		}
	})
	for _, terms := range []string{"text", "number,-text"} {
		waitFor(t, "an index by "+terms, func() bool {
			of(c).Page(within(t), Query{Terms: parse(terms)})
			return slices.Contains(indexed(c), terms)
		})
	}
	stop.Store(true)
	group.Wait()
}

// If the last record with a member is deleted while an index by the member is
// built, readers of the store get an error. Readers of an earlier state do not.
func TestMemberRemovedDuringBuild(t *testing.T) {
	for _, terms := range []string{"rare", "rare,-common"} {
		c := newStore(t, newMemberType(), 0)
		put(c, &record{number: 2, members: []string{"common"}})
		put(c, &record{number: 1, members: []string{"common", "rare"}})
		put(c, &record{number: 3, members: []string{"common"}})
		g := stopAt(c, 1)
		live := begin(within(t), c, terms)
		<-g.entered
		state := begin(within(t), c.Current(), terms)
		waiting(t, 2)
		remove(c, 2)
		close(g.leave)
		if err, _ := (<-live).(error); !errors.Is(err, ordering.ErrUnknownField) {
			t.Errorf("by %s: got %v, want %v", terms, err, ordering.ErrUnknownField)
		}
		want := any([]int{2, 1, 3})
		if terms == "rare,-common" {
			want = []int{2, 3, 1}
		}
		equal(t, fmt.Sprintf("earlier state by %s", terms), want, <-state, cmp.Comparer(func(a, b error) bool { return errors.Is(a, b) }))
		equal(t, "indexes", []string(nil), indexed(c))
	}
}

// A busyIndex is an index in whose store a record is written for each missed change.
type busyIndex struct {
	index
	c      *Store
	locked int // changes that were applied while the state mutex was held
}

func (x *busyIndex) apply(index) {
	x.index.apply(x.index)
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
	c := newStore(t, newType(0), 5)
	terms := parse("text")
	b := &build{task: task{terms: terms}}
	x := &busyIndex{index: newIndex(c.typ.resolve(terms), terms), c: c}
	c.builds = append(c.builds, b)
	x.fill(c.begin(b).Entries())
	for range 100 {
		put(c, &record{})
	}
	done := c.finish(b, x, false)
	if diff := cmp.Diff([]string{"text"}, indexed(c)); !done || diff != "" {
		t.Errorf("done %v, indexes (-want +got):\n%s", done, diff)
	}
	if x.locked > 0 {
		t.Errorf("%d changes are applied while the state mutex is held", x.locked)
	}
}

// A read of an old state sorts that state alone. The state keeps the last maxSorted
// sequences.
func TestSortOldState(t *testing.T) {
	rng := random(t)
	c := newStore(t, newType(0), 0)
	for range 60 {
		put(c, randomRecord(rng, 0))
	}
	old := oldState(c)
	entries := old.Entries()
	all := []string{
		"number", "text", "note", "number,text", "number,-text", "note,text",
		"text,note", "number,-id", "note,-number", "text,-number,note",
	}
	for i, terms := range all {
		for _, terms := range []string{terms, reversed(terms), terms, reversed(terms)} {
			equal(t, fmt.Sprintf("by %s", terms), sorted(entries, terms), ordered(t, old, terms))
		}
		if n := len(old.sorted.all); n != min(i+1, maxSorted) {
			t.Errorf("%d sequences after %d orderings, want %d", n, i+1, min(i+1, maxSorted))
		}
	}
	kept := old.sorted.ready(parse(all[9]))
	if ordered(t, old, all[9]); old.sorted.ready(parse(all[9])) != kept || kept == nil {
		t.Error("the last sequence was sorted again")
	}
	if page := kept.page(entries[:1:1], 0, 3, true); page[0] != entries[0] || !slices.Equal(page[1:], kept.page(nil, 0, 3, true)) {
		t.Error("a page in descending order changes the entries before it")
	}
	if old.sorted.ready(parse(all[0])) != nil || old.sorted.ready(parse(all[2])) == nil {
		t.Error("the dropped sequences are not the oldest")
	}
	must(t, old.Check())
	equal(t, "indexes of the store", []string(nil), indexed(c))
}

// reversed returns the terms of the reverse order.
func reversed(terms string) string {
	var list []string
	for _, term := range strings.Split(terms, ",") {
		name, desc := strings.CutPrefix(term, "-")
		if !desc {
			name = "-" + name
		}
		list = append(list, name)
	}
	return strings.Join(list, ",")
}

// oldState returns a state that is not the current one.
func oldState(c *Store) *State {
	s := c.Current()
	put(c, &record{})
	return s
}

// A read that waits for an index or a sort returns when its context is done. The task goes on, so
// that the next read finds its result, and releases its slot.
func TestCanceledReads(t *testing.T) {
	for _, row := range []struct {
		reason string
		source func(c *Store) Source
		terms  string
	}{
		{"a single-field index", func(c *Store) Source { return c }, "slow"},
		{"a multi-field index", func(c *Store) Source { return c }, "slow,text"},
		{"the current state", func(c *Store) Source { return c.Current() }, "slow,text"},
		{"an old state, one term", func(c *Store) Source { return oldState(c) }, "slow"},
		{"an old state, two terms", func(c *Store) Source { return oldState(c) }, "slow,text"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := newStore(t, newType(0), 20)
			p := row.source(c)
			g := stopAt(c, 1)
			first, cancelFirst := context.WithCancel(t.Context())
			second, cancelSecond := context.WithCancel(t.Context())
			results := []<-chan any{begin(first, p, row.terms), nil}
			<-g.entered
			results[1] = begin(second, p, row.terms)
			waiting(t, 2)
			cancelFirst()
			wantError(t, <-results[0], context.Canceled)
			cancelSecond()
			wantError(t, <-results[1], context.Canceled)
			close(g.leave)
			waitFor(t, "all slots to be free", func() bool { return c.Current().slots.taken() == 0 })
			found, want := findTerms(c.Current().indexes, parse(row.terms)) >= 0, c.Current().Entries()
			if s, ok := p.(*State); ok {
				found, want = found || s.sorted.ready(parse(row.terms)) != nil, s.Entries()
			}
			if !found {
				t.Error("the task was abandoned")
			}
			equal(t, "the next read", sorted(want, row.terms), ordered(t, p, row.terms))
		})
	}
}

// At most maxSorts sorts by several terms run at once, for the store and its states
// together. A sort by a single term does not wait for them.
func TestSlots(t *testing.T) {
	c := newStore(t, newType(0), 20)
	old := oldState(c)
	var gates []*gate
	var results []<-chan any
	for i, terms := range []string{"slow,-id", "slow,text", "slow,number", "slow,note", "slow,-text", "slow,-number"} {
		var p Source = c
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
	for _, p := range []Source{c, old} {
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

// If a key ends its goroutine, as t.FailNow does, the call that needs the key ends its
// own, and nothing changes.
func TestGoexit(t *testing.T) {
	many := make([]*record, 10_000) // are sorted in several goroutines
	for i := range many {
		many[i] = &record{Entry: Entry{i + 1}, number: int64(i % 7)}
	}
	replace := func(c *Store, records ...*record) {
		must(t, replace(Replacement{Store: c, Entries: entriesOf(records...)}))
	}
	for _, row := range []struct {
		reason string
		call   func(c *Store)
	}{
		{"records replaced", func(c *Store) { replace(c, &record{Entry: Entry{1}, gate: exitingGate()}, &record{Entry: Entry{2}}) }},
		{"a large batch", func(c *Store) { putAll(c, append(manyRecords(), &record{gate: exitingGate()})...) }},
		{"a write", func(c *Store) { put(c, &record{gate: exitingGate()}) }},
		{"an index", func(c *Store) {
			recordOf(c.Get(9000)).gate = exitingGate()
			of(c).Page(within(t), Query{Terms: parse("text,slow")})
		}},
		{"a sort of an old state", func(c *Store) {
			old := oldState(c)
			recordOf(old.Get(9000)).gate = exitingGate()
			of(old).Page(within(t), Query{Terms: parse("text,slow")})
		}},
		{"a filter", func(c *Store) {
			recordOf(c.Get(9000)).gate = exitingGate()
			of(c).Count(within(t), Query{Where: conditions(t, ordering.Less("id", 9500)), Match: func(e *Entry) bool { recordOf(e).gate.pass(); return true }})
		}},
	} {
		c := newStore(t, newType(0), 0)
		replace(c, many...)
		for _, terms := range []string{"number", "slow"} { // two indexes, so that there is more than one goroutine
			ordered(t, c, terms)
		}
		returned, done := false, make(chan struct{})
		go func() {
			defer close(done)
			row.call(c)
			returned = true
		}()
		<-done
		if returned {
			t.Errorf("%s: the call returned", row.reason)
		}
		s := c.Current()
		if err := s.Check(); err != nil {
			t.Errorf("%s: %v", row.reason, err)
		}
		for _, terms := range []string{"slow", "text,slow"} {
			if got := ordered(t, c, terms); len(got) != s.Len() || s.Len() < len(many) {
				t.Errorf("%s: %d records by %s, %d in all, want %d", row.reason, len(got), terms, s.Len(), len(many))
			}
		}
		if n := s.slots.taken(); n != 0 || !c.pins.idle() {
			t.Errorf("%s: %d slots are still taken, or a pin", row.reason, n)
		}
		put(c, &record{})
	}
}

// The report of a crash has the stack of a callback that panicked in another goroutine.
func TestReportOfPanic(t *testing.T) {
	if os.Getenv("BACKLIST_CRASH") != "" {
		parallel(2, panicInCallback)
	}
	command := exec.Command(os.Args[0], "-test.run=^TestReportOfPanic$")
	command.Env = append(os.Environ(), "BACKLIST_CRASH=1")
	out, err := command.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "panicInCallback") || !strings.Contains(string(out), "no key here") {
		t.Errorf("%v, without the stack of the callback:\n%s", err, out)
	}
}

func panicInCallback(int) { panic("no key here") }

// A query that sorts what it has filtered takes a slot, like any other sort, unless there
// are few entries.
func TestSlotsOfFilters(t *testing.T) {
	c := newStore(t, newType(0), 0)
	many := make([]*record, fewEntries+1)
	for i := range many {
		many[i] = &record{number: int64(i)}
	}
	putAll(c, many...)
	all, few := conditions(t, ordering.NotNull("number")), conditions(t, ordering.Less("number", fewEntries))
	found(t, c, Query{Where: few})
	var gates []*gate
	var results []<-chan any
	for i, terms := range []string{"slow,text", "slow,-text", "slow,note", "slow,-note"} {
		gates = append(gates, stopAt(c, i+1))
		results = append(results, beginQuery(within(t), c, Query{Where: all, Terms: parse(terms)}))
		<-gates[i].entered
		recordOf(c.Get(i + 1)).gate = nil
	}
	if n := c.Current().slots.taken(); n != maxSorts {
		t.Errorf("%d slots are taken, want %d", n, maxSorts)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	wantError(t, <-beginQuery(ctx, c, Query{Where: all, Terms: parse("text,-slow")}), context.DeadlineExceeded)
	if got, ok := (<-beginQuery(within(t), c, Query{Where: few, Terms: parse("text,-slow")})).([]int); !ok || len(got) != fewEntries {
		t.Errorf("few entries: got %v, want %d ids", got, fewEntries)
	}
	for i, g := range gates {
		close(g.leave)
		if list, ok := (<-results[i]).([]int); !ok || len(list) != len(many) {
			t.Errorf("query %d: got %v, want %d ids", i, list, len(many))
		}
	}
	if n := c.Current().slots.taken(); n != 0 {
		t.Errorf("%d slots are still taken", n)
	}
}

// A build whose index is installed, but whose goroutine has not ended, answers no reader: the
// index can be gone, and records can have been written since.
func TestFinishedBuild(t *testing.T) {
	c := newStore(t, newType(0), 5)
	terms := parse("text")
	b := &build{task: task{terms: terms, done: closed()}}
	c.builds = append(c.builds, b)
	c.run(b)
	if diff := cmp.Diff([]string{"text"}, indexed(c)); diff != "" {
		t.Fatalf("indexes (-want +got):\n%s", diff)
	}
	c.Current().indexes = nil // as if others were used more often
	put(c, &record{text: "new"})
	equal(t, "a page after the write", sorted(c.Current().Entries(), "text"), ordered(t, c, "text"))
}

// Sorts compute keys in as many goroutines at a time as there are cores. A sort of few records
// does not wait for its turn, and one that a key function waits for does not wait for ever.
func TestTurns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var running, most atomic.Int32
		var inner *Store
		typ := newType(0)
		field := typ.Field
		typ.Cores = make(Cores, 1)
		typ.Field = func(name string) (Field, bool) {
			f, ok := field(name)
			if name == "slow" {
				f.Key = func(e *Entry) sortkey.Key {
					most.Store(max(most.Load(), running.Add(1)))
					defer running.Add(-1)
					if e.ID%5000 == 0 {
						time.Sleep(time.Nanosecond) // until all other goroutines wait
					}
					if e.ID == 1 && inner != nil {
						of(inner).Page(t.Context(), Query{Terms: parse("note")})
					}
					return sortkey.Int(int64(e.ID))
				}
			}
			return f, ok
		}
		outer := New(typ)
		entries := make([]*Entry, 50_000)
		for i := range entries {
			entries[i] = newEntry(i+1, "")
		}
		replace(Replacement{Store: outer, Entries: entries})
		var group sync.WaitGroup
		for _, terms := range []string{"slow", "slow,text", "slow,-text", "number,slow"} {
			group.Go(func() { ordered(t, outer, terms) })
		}
		group.Wait()
		if most.Load() != 1 {
			t.Errorf("%d goroutines compute keys at a time, want 1", most.Load())
		}
		typ.Cores <- struct{}{}
		few, start := New(typ), time.Now()
		put(few, &record{})
		if ordered(t, few, "note"); time.Since(start) > 0 {
			t.Error("a sort of one record waits for its turn")
		}
		<-typ.Cores
		inner = New(&Type{ID: "id", Field: typ.Field, Cores: typ.Cores})
		replace(Replacement{Store: inner, Entries: entries[:fewEntries+1]})
		if got := len(ordered(t, outer, "slow,-id")); got != len(entries) || len(indexed(inner)) != 1 {
			t.Errorf("%d records, and the indexes %v of the store that a key function queries, want %d and one by note", got, indexed(inner), len(entries))
		}
	})
}

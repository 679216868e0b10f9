package store

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

// oldState returns a state that is not the current one.
func oldState(c *Store) *State {
	s := c.Current()
	put(c, &record{})
	return s
}

// A read that waits for an index or a sort returns when its context is done. A task
// that no reader waits for is dropped, and its slot is released.
func TestCanceledReads(t *testing.T) {
	for _, row := range []struct {
		reason string
		pager  func(c *Store) pager
		terms  string
	}{
		{"a single-field index", func(c *Store) pager { return c }, "slow"},
		{"a multi-field index", func(c *Store) pager { return c }, "slow,text"},
		{"the current state", func(c *Store) pager { return c.Current() }, "slow,text"},
		{"an old state, one term", func(c *Store) pager { return oldState(c) }, "slow"},
		{"an old state, two terms", func(c *Store) pager { return oldState(c) }, "slow,text"},
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
				t.Errorf("%d abandoned builds are left", len(s.builds))
			}
			if s, ok := p.(*State); ok && len(s.sorted.all) != 0 {
				t.Errorf("%d abandoned sorts are left", len(s.sorted.all))
			}
			close(g.leave)
			waitFor(t, "all slots to be free", func() bool { return c.Current().slots.taken() == 0 })
			want := c.Current().Entries()
			if s, ok := p.(*State); ok {
				want = s.Entries()
			}
			if diff := cmp.Diff(sorted(want, row.terms), ordered(t, p, row.terms)); diff != "" {
				t.Errorf("the next read (-want +got):\n%s", diff)
			}
		})
	}
}

// At most maxSorts sorts by several terms run at once, for the store and its states
// together. A sort by a single term does not wait for them.
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
		if err := c.Replace(func(*State) ([]*Entry, error) { return entriesOf(records...), nil }); err != nil {
			t.Error(err)
		}
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
			c.Page(within(t), Query{Terms: parse("text,slow")})
		}},
		{"a sort of an old state", func(c *Store) {
			old := oldState(c)
			recordOf(old.Get(9000)).gate = exitingGate()
			old.Page(within(t), Query{Terms: parse("text,slow")})
		}},
		{"a filter", func(c *Store) {
			recordOf(c.Get(9000)).gate = exitingGate()
			c.Count(within(t), conditions(t, ordering.NotNull("slow"), ordering.Less("id", 9500)))
		}},
	} {
		c := newStore(t, newSchema(0), 0)
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
	c := newStore(t, newSchema(0), 0)
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

package store

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

// beginQuery is like begin for any query. Only the channel of a query that succeeds
// receives ids.
func beginQuery(ctx context.Context, p finder, q Query) <-chan any {
	result := make(chan any, 1)
	go func() {
		defer func() {
			if reason := recover(); reason != nil {
				result <- fmt.Sprint("panic: ", reason)
			}
		}()
		q.Window = allRecords
		entries, count, err := p.Page(ctx, q)
		switch {
		case err != nil:
			result <- err
		case count != len(entries):
			result <- fmt.Sprintf("%d entries, count %d", len(entries), count)
		default:
			result <- ids(entries)
		}
	}()
	return result
}

// Queries whose condition has no index yet wait for one build. The query of a state that
// has become old meanwhile finds the records of that state, and that of the store those
// of a state during the call.
func TestFindDuringBuild(t *testing.T) {
	two := func(r *record) bool { return r.number == 2 }
	for _, row := range []struct {
		reason string
		write  func(c *Store)
	}{
		{"no writes", func(*Store) {}},
		{"a write", func(c *Store) { put(c, &record{number: 2}) }},
		{"a batch", func(c *Store) { putAll(c, append(manyRecords(), &record{number: 2})...) }},
		{"all records with the value deleted", func(c *Store) {
			for _, id := range []int{3, 10, 17} {
				remove(c, id)
			}
		}},
		{"all records replaced", func(c *Store) {
			Replace([]Replacement{{Store: c, Entries: entriesOf(&record{Entry: Entry{100}, number: 2})}})
		}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := newStore(t, newSchema(0), 20)
			q := Query{Where: conditions(t, ordering.Equal("slow", 2)), Terms: parse("-id")}
			g := stopAt(c, 1)
			before := c.Current()
			results := []<-chan any{beginQuery(within(t), c, q)}
			<-g.entered
			results = append(results, beginQuery(within(t), before, q), beginQuery(within(t), c, q))
			waiting(t, c, before, 3)
			row.write(c)
			close(g.leave)
			old, now := selected(before.Entries(), "-id", two), selected(c.Current().Entries(), "-id", two)
			if diff := cmp.Diff(any(old), <-results[1]); diff != "" {
				t.Errorf("query of the state (-want +got):\n%s", diff)
			}
			for _, i := range []int{0, 2} {
				got := <-results[i]
				if !cmp.Equal(got, any(old), emptyIsNil) && !cmp.Equal(got, any(now), emptyIsNil) {
					t.Errorf("query %d of the store found %v, want %v or %v", i, got, old, now)
				}
			}
			if n := c.Current().slots.taken(); n != 0 {
				t.Errorf("%d slots are still taken", n)
			}
		})
	}
}

// A query that waits for the sequence of a condition returns when its context is done,
// also the second of two sequences.
func TestCanceledFind(t *testing.T) {
	for _, list := range [][]ordering.Condition{
		{ordering.Equal("slow", 2)},
		{ordering.Equal("number", 2), ordering.Equal("slow", 2)},
	} {
		for _, method := range []string{"Page", "First", "Position", "Scan", "Explain"} {
			for _, what := range []string{"store", "old state"} {
				c := newStore(t, newSchema(0), 20)
				var p finder = c
				g := stopAt(c, 1)
				if what == "old state" {
					p = oldState(c)
				}
				ctx, cancel := context.WithCancel(within(t))
				result := make(chan error, 1)
				go func() {
					result <- callMethod(ctx, p, method, Query{Where: conditions(t, list...)})
				}()
				<-g.entered
				cancel()
				if err := <-result; !errors.Is(err, context.Canceled) {
					t.Errorf("%s of the %s: error %v, want %v", method, what, err, context.Canceled)
				}
				close(g.leave)
				waitFor(t, "all slots to be free", func() bool { return c.Current().slots.taken() == 0 })
			}
		}
	}
}

// callMethod calls one method of a finder and returns its error.
func callMethod(ctx context.Context, p finder, method string, q Query) (err error) {
	switch method {
	case "Page":
		_, _, err = p.Page(ctx, q)
	case "First":
		_, err = p.First(ctx, q)
	case "Position":
		_, err = p.Position(ctx, 1, q)
	case "Scan":
		_, err = p.Scan(ctx, q)
	case "Explain":
		_, err = p.Explain(ctx, q)
	}
	return err
}

// A query that filters records returns soon after its context is done: it computes at
// most as many more keys as there are records between two checks.
func TestCanceledFilter(t *testing.T) {
	const n, between = 20_000, 256
	c := newCounted(t, n, nil)
	c.countComparisons("number", "slow")
	q := Query{Where: conditions(t, ordering.Less("number", 400), ordering.Less("slow", 500))}
	for _, method := range []string{"Page", "Position", "Scan"} {
		ctx, cancel := context.WithCancel(within(t))
		g := newGate()
		recordOf(c.Get(2000)).gate = g
		c.reset()
		result := make(chan error, 1)
		go func() { result <- callMethod(ctx, c, method, q) }()
		<-g.entered
		before := c.keysOf()["slow"]
		cancel()
		close(g.leave)
		if err := <-result; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want %v", method, err, context.Canceled)
		}
		if more := c.keysOf()["slow"] - before; more > between {
			t.Errorf("%s computed %d keys after its context was done, want at most %d", method, more, between)
		}
	}
}

// If a key panics while a query builds an index or filters records, the query panics.
// Later queries and writes succeed.
func TestPanickingFind(t *testing.T) {
	for _, warm := range []bool{false, true} {
		c := newStore(t, newSchema(0), 50)
		q := Query{Where: conditions(t, ordering.Equal("number", 3), ordering.NotNull("slow"))}
		want := selected(c.Current().Entries(), "", func(r *record) bool { return r.number == 3 })
		if warm {
			found(t, c, q)
		}
		for i, p := range []finder{c, c.Current()} {
			recordOf(c.Get(4)).gate = panickingGate() // its number is 3
			if diff := cmp.Diff(any("panic: no key"), <-beginQuery(within(t), p, q)); diff != "" {
				t.Errorf("query %d, indexes %v (-want +got):\n%s", i, warm, diff)
			}
			if diff := cmp.Diff(want, found(t, p, q)); diff != "" {
				t.Errorf("the next query %d, indexes %v (-want +got):\n%s", i, warm, diff)
			}
			if !c.pins.idle() {
				t.Error("a pin is left")
			}
			warm = true
		}
		put(c, &record{number: 3})
		if diff := cmp.Diff(append(want, 51), found(t, c, q)); diff != "" {
			t.Errorf("after a write (-want +got):\n%s", diff)
		}
	}
}

package store

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A tested condition has a predicate in plain Go for the records that satisfy it.
type tested struct {
	ordering.Condition
	holds func(r *record) bool
}

// randomCondition returns a condition for the records of randomRecord.
func randomCondition(rng *rand.Rand) tested {
	n, m := rng.Int64N(11)-5, rng.Int64N(11)-5
	n, m = min(n, m), max(n, m)
	s := strings.Repeat("ab", rng.IntN(4)) + []string{"", "a", "b"}[rng.IntN(3)]
	note := string(rune('0' + rng.IntN(6)))
	id := rng.IntN(90)
	all := []tested{
		{ordering.Equal("number", n), func(r *record) bool { return r.number == n }},
		{ordering.OneOf("number", m, n, m), func(r *record) bool { return r.number == n || r.number == m }},
		{ordering.OneOf[int]("number"), func(r *record) bool { return false }},
		{ordering.Less("number", n), func(r *record) bool { return r.number < n }},
		{ordering.AtMost("number", float64(n)+0.5), func(r *record) bool { return r.number <= n }},
		{ordering.Greater("number", float64(n)-0.5), func(r *record) bool { return r.number >= n }},
		{ordering.Between("number", n, m), func(r *record) bool { return n <= r.number && r.number <= m }},
		{ordering.Less("number", math.Inf(1)), func(*record) bool { return true }},
		{ordering.Equal("number", "1"), func(*record) bool { return false }},
		{ordering.Equal("text", s), func(r *record) bool { return r.text == s }},
		{ordering.Prefix("text", s), func(r *record) bool { return strings.HasPrefix(r.text, s) }},
		{ordering.Greater("text", s), func(r *record) bool { return r.text > s }},
		{ordering.NotNull("text"), func(*record) bool { return true }},
		{ordering.IsNull("note"), func(r *record) bool { return r.note == nil }},
		{ordering.NotNull("note"), func(r *record) bool { return r.note != nil }},
		{ordering.AtMost("note", note), func(r *record) bool { return r.note != nil && *r.note <= note }},
		{ordering.OneOf("note", "1", note), func(r *record) bool { return r.note != nil && (*r.note == "1" || *r.note == note) }},
		{ordering.Equal("id", id), func(r *record) bool { return r.ID == id }},
		{ordering.AtLeast("id", id), func(r *record) bool { return r.ID >= id }},
		{ordering.Between("id", id, id+20), func(r *record) bool { return id <= r.ID && r.ID <= id+20 }},
		{ordering.AtMost("id", float64(id)+0.5), func(r *record) bool { return r.ID <= id }},
	}
	return all[rng.IntN(len(all))]
}

// A store, its states and its batches find the records that satisfy random conditions, in
// any order.
func TestFind(t *testing.T) {
	rng := random(t)
	orders := []string{
		"", "id", "-id", "number", "-number", "text", "-note", "number,text", "-number,text", "note,-id", "-text,id",
		"text,-number,note", "number,-id", "-id,text",
	}
	for range 40 {
		c := newStore(t, newType(0), 0)
		for range rng.IntN(80) {
			put(c, randomRecord(rng, 0))
		}
		for range 6 {
			old := oldState(c)
			var list []ordering.Condition
			var all []tested
			for range rng.IntN(4) {
				cond := randomCondition(rng)
				list, all = append(list, cond.Condition), append(all, cond)
			}
			holds := func(r *record) bool {
				return !slices.ContainsFunc(all, func(c tested) bool { return !c.holds(r) })
			}
			terms := orders[rng.IntN(len(orders))]
			q := Query{Where: conditions(t, list...), Terms: parse(terms)}
			check := func(what string, p finder, entries []*Entry) {
				t.Helper()
				if diff := cmp.Diff(selected(entries, terms, holds), found(t, p, q), emptyIsNil); diff != "" {
					plan, _ := p.Explain(within(t), q)
					t.Fatalf("%s: %v by %q: %s (-want +got):\n%s", what, list, terms, plan, diff)
				}
			}
			check("old state", old, old.Entries())
			check("store", c, c.Current().Entries())
			check("current state", c.Current(), c.Current().Entries())
			putAll(c, randomRecord(rng, 0), randomRecord(rng, 1+rng.IntN(max(1, c.Len()))))
			check("store after a write", c, c.Current().Entries())
		}
	}
}

// emptyIsNil makes an empty list of ids equal a nil one.
var emptyIsNil = cmp.Transformer("nilIfEmpty", func(list []int) []int {
	if len(list) == 0 {
		return nil
	}
	return list
})

// The position of a record that is not selected is -1.
func TestPositionOfOthers(t *testing.T) {
	c := newStore(t, newType(0), 50)
	for _, row := range []struct {
		reason string
		terms  string
		list   []ordering.Condition
		id     int
	}{
		{"no such record", "", nil, 77},
		{"no such record, with a condition", "number", []ordering.Condition{ordering.Equal("number", 3)}, 77},
		{"before the range", "number", []ordering.Condition{ordering.Greater("number", 3)}, 4},
		{"after the range", "number", []ordering.Condition{ordering.Less("number", 3)}, 4},
		{"between two ranges", "number", []ordering.Condition{ordering.OneOf("number", 2, 4)}, 4},
		{"in no range", "number", []ordering.Condition{ordering.OneOf[int]("number")}, 4},
		{"filtered", "number", []ordering.Condition{ordering.Equal("number", 3), ordering.Equal("text", "no such text")}, 4},
		{"sorted", "-text", []ordering.Condition{ordering.Greater("number", 3)}, 4},
	} {
		for what, p := range map[string]finder{"store": c, "state": c.Current(), "old state": oldState(c)} {
			if got, err := p.Position(within(t), row.id, Query{Where: conditions(t, row.list...), Terms: parse(row.terms)}); got != -1 || err != nil {
				t.Errorf("%s, %s: Position(%d) = %d, %v, want -1", row.reason, what, row.id, got, err)
			}
		}
	}
	put(c, &record{Entry: Entry{math.MaxInt}, number: 3})
	if got, err := c.Position(within(t), math.MaxInt, Query{Where: conditions(t, ordering.Equal("number", 3))}); got != 7 || err != nil {
		t.Errorf("the largest id: Position() = %d, %v, want 7", got, err)
	}
}

// A query holds no pin after it returns, so that the next write can change the state in
// place.
func TestFindReleasesPins(t *testing.T) {
	c := newStore(t, newType(0), 20)
	for _, row := range []struct {
		reason string
		terms  string
		list   []ordering.Condition
	}{
		{"one range in order", "number", []ordering.Condition{ordering.Equal("number", 3)}},
		{"sorted", "text", []ordering.Condition{ordering.Less("number", 3)}},
		{"filtered", "", []ordering.Condition{ordering.Equal("number", 3), ordering.NotNull("text")}},
		{"no index yet", "", []ordering.Condition{ordering.IsNull("note")}},
		{"an unknown condition", "", []ordering.Condition{ordering.IsNull("no_such")}},
		{"an unknown term", "no_such", []ordering.Condition{ordering.Equal("number", 3)}},
	} {
		q := Query{Where: conditions(t, row.list...), Terms: parse(row.terms)}
		for _, method := range []string{"Page", "First", "Position", "Scan", "Explain"} {
			put(c, &record{}) // so that the state is not frozen
			callMethod(within(t), c, method, q)
			if !c.pins.idle() {
				t.Errorf("%s: %s holds a pin", row.reason, method)
			}
		}
	}
}

// The count, the page, the first record and the position of a query belong to one state.
// Each write exchanges the numbers of records, so that every state has as many records
// with each number.
func TestConcurrentFind(t *testing.T) {
	const records, numbers = 300, 5
	c := newStore(t, newType(0), 0)
	for i := range records {
		put(c, &record{number: int64(i % numbers), text: []string{"even", "odd"}[i/numbers%2]})
	}
	rng := random(t)
	write := func() {
		for i := range 2000 {
			n := 1 + rng.IntN(3)
			if i%20 == 0 {
				n = 2 * fewChanges
			}
			ids := rng.Perm(records)[:2*n]
			var changed []*record
			for j := 0; j < len(ids); j += 2 {
				a, b := *recordOf(c.Get(ids[j] + 1)), *recordOf(c.Get(ids[j+1] + 1))
				if a.text == b.text { // so that the pairs of number and text are as many too
					a.number, b.number = b.number, a.number
				}
				changed = append(changed, &a, &b)
			}
			putAll(c, changed...)
		}
	}
	whileWriting(t, 2, write, func(rng *rand.Rand) error {
		number := int64(rng.IntN(numbers))
		list := []ordering.Condition{ordering.Equal("number", number)}
		want := records / numbers
		if rng.IntN(3) == 0 {
			list, want = append(list, ordering.Equal("text", "odd")), want/2
		}
		q := Query{
			Where: conditions(t, list...), Terms: parse([]string{"", "-id", "number", "text", "-number,text"}[rng.IntN(5)]),
			Window: pagination.Window{Limit: rng.IntN(80), Offset: rng.IntN(70)},
		}
		var p finder = c
		if rng.IntN(20) == 0 {
			p = c.Current()
		}
		return findOnce(t, p, q, number, len(list) > 1, want)
	})
}

// findOnce checks the results of a query for the records with a number and, if odd is
// set, the text "odd". There must be want such records.
func findOnce(t *testing.T, p finder, q Query, number int64, odd bool, want int) error {
	wrong := func(e *Entry) bool {
		return recordOf(e).number != number || odd && recordOf(e).text != "odd"
	}
	entries, count, err := p.Page(t.Context(), q)
	start, end := q.Window.Bounds(want)
	switch {
	case err != nil:
		return err
	case count != want || len(entries) != end-start:
		return fmt.Errorf("%d entries of %d, want %d of %d", len(entries), count, end-start, want)
	case slices.ContainsFunc(entries, wrong):
		return fmt.Errorf("a page has a record that does not satisfy the conditions: %v", ids(entries))
	}
	terms := ordering.Format(q.Terms)
	if terms == "" {
		terms = "id"
	}
	if got := ids(entries); !slices.Equal(got, sorted(entries, terms)) {
		return fmt.Errorf("%v is not sorted by %q", got, terms)
	}
	first, err := p.First(t.Context(), q)
	if err != nil || first == nil || wrong(first) {
		return fmt.Errorf("First() = %d, %v", idOf(first), err)
	}
	at, err := p.Position(t.Context(), first.ID, q)
	if s, isState := p.(*State); isState && (at != 0 || err != nil || s.Get(first.ID) != first) {
		return fmt.Errorf("the position of the first record of a state is %d, %v", at, err)
	}
	scan, err := p.Scan(t.Context(), q)
	if err != nil {
		return err
	}
	n := 0
	scan(func(e *Entry) bool { n++; return !wrong(e) })
	if n != want {
		return fmt.Errorf("a scan ended after %d records, want %d", n, want)
	}
	return nil
}

// A page of one condition in its order is read while writers change the state in place,
// so searches meet remembered items that a write has to drop.
func TestConcurrentRanks(t *testing.T) {
	const records = 2000
	c := newStore(t, newType(0), 0)
	for i := range records {
		put(c, &record{number: int64(i)})
	}
	write := func() {
		for i := range 8_000 { // only among the numbers below 500
			id := 1 + i%500
			put(c, &record{Entry: Entry{id}, number: int64(i % 400)})
		}
	}
	q := Query{Where: conditions(t, ordering.AtLeast("number", 500)), Terms: parse("number"), Window: pagination.Window{Limit: 3, Offset: 700}}
	whileWriting(t, 2, write, func(*rand.Rand) error {
		entries, count, err := c.Page(t.Context(), q)
		if got := ids(entries); err != nil || count != 1500 || !slices.Equal(got, []int{1201, 1202, 1203}) {
			return fmt.Errorf("page %v of %d records, %v", got, count, err)
		}
		return nil
	})
}

// A count of records that satisfy a condition does not include others while a writer
// empties and fills a store of open records.
func TestCountOfEmptied(t *testing.T) {
	typ := newMemberType()
	typ.Known = []string{"a"}
	c := New(typ)
	two := entriesOf(&record{Entry: Entry{1}, number: 1, members: []string{"a"}}, &record{Entry: Entry{2}, number: 2, members: []string{"a"}})
	write := func() {
		for range 4000 {
			for _, entries := range [][]*Entry{two, nil} {
				Replace([]Replacement{{Store: c, Entries: entries}})
			}
		}
	}
	none := conditions(t, ordering.Equal("a", 99))
	whileWriting(t, 2, write, func(*rand.Rand) error {
		for range 50 {
			if n, err := c.Count(within(t), none); n != 0 || err != nil {
				return fmt.Errorf("Count() = %d, %v, want 0", n, err)
			}
		}
		return nil
	})
}

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
			c := newStore(t, newType(0), 20)
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
				c := newStore(t, newType(0), 20)
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
	c := newCountingStore(t, n, nil)
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
		c := newStore(t, newType(0), 50)
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

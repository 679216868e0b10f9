package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
)

// emptyIsNil makes an empty list of ids equal a nil one.
var emptyIsNil = cmp.Transformer("nilIfEmpty", func(list []int) []int {
	if len(list) == 0 {
		return nil
	}
	return list
})

// The count and the page of a query belong to one state. Each write exchanges the numbers of
// records with the same text, so that every state has as many records with each number.
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
				if a.text == b.text {
					a.number, b.number = b.number, a.number
				}
				changed = append(changed, &a, &b)
			}
			putAll(c, changed...)
		}
	}
	whileWriting(t, 2, write, func(rng *rand.Rand) error {
		number, want := int64(rng.IntN(numbers)), records/numbers
		list := []ordering.Condition{ordering.Equal("number", number)}
		if rng.IntN(3) == 0 {
			list, want = append(list, ordering.Equal("text", "odd")), want/2
		}
		terms := []string{"id", "-id", "number", "text", "-number,text"}[rng.IntN(5)]
		q := Query{
			Where: conditions(t, list...), Terms: parse(terms),
			Window: pagination.Window{Limit: rng.IntN(80), Offset: rng.IntN(70)},
		}
		var p Source = c
		if rng.IntN(20) == 0 {
			p = c.Current()
		}
		page, count, err := of(p).Page(t.Context(), q)
		entries := page.list()
		start, end := q.Window.Bounds(want)
		selected := func(e *Entry) bool {
			return recordOf(e).number == number && (len(list) == 1 || recordOf(e).text == "odd")
		}
		if err != nil || count != want || len(entries) != end-start || !slices.Equal(ids(entries), sorted(entries, terms)) {
			return fmt.Errorf("%v by %q: %v of %d, %v, want %d of %d", list, terms, ids(entries), count, err, end-start, want)
		}
		if first, err := of(p).First(t.Context(), q); err != nil || !selected(first) {
			return fmt.Errorf("%v by %q: First() = %d, %v", list, terms, idOf(first), err)
		}
		scan, err := of(p).Scan(t.Context(), q)
		if err != nil {
			return err
		}
		n := 0
		if scan(func(e *Entry) bool { n++; return selected(e) }); n != want {
			return fmt.Errorf("%v by %q: a scan ended after %d records, want %d", list, terms, n, want)
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
				replace(Replacement{Store: c, Entries: entries})
			}
		}
	}
	none := conditions(t, ordering.Equal("a", 99))
	whileWriting(t, 2, write, func(*rand.Rand) error {
		for range 50 {
			if n, err := of(c).Count(within(t), Query{Where: none}); n != 0 || err != nil {
				return fmt.Errorf("Count() = %d, %v, want 0", n, err)
			}
		}
		return nil
	})
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
				var p Source = c
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

// If a key panics in a build, a sort or a filter, so do all queries that wait for it. No pin,
// slot or sequence is left, and later queries and writes succeed.
func TestPanickingFind(t *testing.T) {
	number := ordering.Equal("number", 3)
	for _, row := range []struct {
		reason string
		old    bool // the query of an old state
		warm   bool // the indexes exist
		list   []ordering.Condition
		terms  string
	}{
		{"a single-field index", false, false, nil, "slow"},
		{"a multi-field index", false, false, nil, "slow,number"},
		{"the index of a condition", false, false, []ordering.Condition{number, ordering.NotNull("slow")}, "id"},
		{"a filter", false, true, []ordering.Condition{number, ordering.NotNull("slow")}, "id"},
		{"a sort", true, false, nil, "slow,text"},
	} {
		c := newStore(t, newType(0), 50)
		q := Query{Where: conditions(t, row.list...), Terms: parse(row.terms)}
		if row.warm {
			found(t, c, q)
		}
		var p Source = c
		if row.old {
			p = oldState(c)
		}
		g := stopAt(c, 4) // its number is 3
		g.panics = true
		results := []<-chan any{beginQuery(within(t), p, q)}
		<-g.entered
		if !row.warm { // a filter is not shared
			results = append(results, beginQuery(within(t), p, q))
			waiting(t, 2)
		}
		close(g.leave)
		for _, result := range results {
			equal(t, row.reason, any("panic: no key"), <-result)
		}
		s := c.Current()
		waitFor(t, "all slots to be free", func() bool { return s.slots.taken() == 0 })
		if !c.pins.idle() || len(c.builds)+len(s.sorted.all) > 0 {
			t.Errorf("%s: a pin, a build or a sequence is left", row.reason)
		}
		want := selected(c.Current().Entries()[:50], row.terms, func(r *record) bool { return row.list == nil || r.number == 3 })
		if !row.old {
			put(c, &record{number: 1000})
			remove(c, 51)
		}
		equal(t, fmt.Sprintf("%s: the next query", row.reason), want, found(t, p, q))
	}
}

// A query that filters records returns soon after its context is done: it tests at most as many
// more records as there are between two checks.
func TestCanceledFilter(t *testing.T) {
	const n, between = 20_000, 256
	c := newCountingStore(t, n, nil)
	c.countComparisons("number")
	var tested atomic.Int64
	q := Query{Where: conditions(t, ordering.Less("number", 400)), Match: func(e *Entry) bool {
		tested.Add(1)
		recordOf(e).gate.pass()
		return recordOf(e).number < 500
	}}
	for _, method := range []string{"Page", "Position", "Scan"} {
		ctx, cancel := context.WithCancel(within(t))
		g := newGate()
		recordOf(c.Get(2000)).gate = g
		c.reset()
		result := make(chan error, 1)
		go func() { result <- callMethod(ctx, c, method, q) }()
		<-g.entered
		before := tested.Load()
		cancel()
		close(g.leave)
		if err := <-result; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: error %v, want %v", method, err, context.Canceled)
		}
		if more := tested.Load() - before; more > between {
			t.Errorf("%s tested %d records after its context was done, want at most %d", method, more, between)
		}
	}
}

// queriesThatFilter are queries that test all entries.
func queriesThatFilter() map[string]Query {
	by := &pagination.Place{Window: pagination.Window{Limit: 1}}
	none := func(*Entry) bool { return false }
	far := map[string]func() Field{"far": func() Field {
		return Field{Name: "far", Key: func(e *Entry) sortkey.Key { return sortkey.Int(recordOf(e).number) }}
	}}
	return map[string]Query{
		"count": {Want: WantCount, Match: none}, "page": {Want: WantPage, Match: none, Window: pagination.Window{Limit: 5}},
		"first": {Want: WantFirst, Match: none}, "scan": {Want: WantScan, Match: none},
		"in order": {Want: WantAfter, Match: none, Place: by}, "sorted": {Want: WantAfter, Match: none, Place: by, Terms: parse("far"), Lenient: true, Related: far},
	}
}

// A query with a Turn that filters many records waits until the others leave it a processor.
func TestFiltersTakeTurns(t *testing.T) {
	for name, q := range queriesThatFilter() {
		synctest.Test(t, func(t *testing.T) {
			typ := newType(0)
			typ.Cores = make(Cores, 1)
			c := newStore(t, typ, 2*fewEntries)
			answer := func(turn *Turn) (done *bool) {
				done, q := new(bool), q
				q.Turn = turn
				go func() {
					_, err := c.Answer(t.Context(), q)
					*done = err == nil
				}()
				synctest.Wait()
				return done
			}
			answer(nil) // which makes the indexes
			typ.Cores <- struct{}{}
			waits, other := answer(new(Turn)), answer(nil)
			if *waits || !*other {
				t.Errorf("%s: while no processor is left: the filter ends: %t, one without a Turn: %t", name, *waits, *other)
			}
			<-typ.Cores
			if synctest.Wait(); !*waits {
				t.Errorf("%s: the filter does not end", name)
			}
		})
	}
}

// Queries that filter for a long time give way to each other: one that needs little time does not wait
// until those have ended that began before.
func TestTurnsEnd(t *testing.T) {
	for name, q := range queriesThatFilter() {
		synctest.Test(t, func(t *testing.T) {
			typ := newType(0)
			typ.Cores = make(Cores, 1)
			c := newStore(t, typ, 2*fewEntries)
			if _, err := c.Answer(t.Context(), q); err != nil { // makes the indexes
				t.Fatal(err)
			}
			begin := time.Now()
			ended := func(each time.Duration) (after *time.Duration) {
				after, q, turn := new(time.Duration), q, new(Turn)
				q.Turn, q.Match = turn, func(*Entry) bool {
					if time.Sleep(each); each > time.Microsecond {
						_ = turn.Pause() // as a slow match does; the engine does after some fast ones
					}
					return false
				}
				go func() {
					if _, err := c.Answer(t.Context(), q); err == nil {
						*after = time.Since(begin)
					}
				}()
				time.Sleep(time.Microsecond)
				return after
			}
			slow, steady, fast := ended(2*time.Millisecond), ended(100*time.Microsecond), ended(time.Nanosecond)
			time.Sleep(time.Minute)
			synctest.Wait()
			if *slow < 2*fewEntries*2*time.Millisecond || *steady > time.Second || *fast == 0 || *fast > 80*time.Millisecond {
				t.Errorf("%s: the slow query ends after %v, the steady one after %v and the fast one after %v", name, *slow, *steady, *fast)
			}
		})
	}
}

// A query ends soon after its function Match has set the error of its Turn, and returns that.
func TestMatchEndsQuery(t *testing.T) {
	c, failure := newStore(t, newType(0), 2*fewEntries), errors.New("too much work")
	for name, q := range queriesThatFilter() {
		for _, last := range []int{1, 1000, 2 * fewEntries} {
			tested, turn := 0, new(Turn)
			q.Turn, q.Match = turn, func(*Entry) bool {
				if tested++; tested == last {
					turn.Err = failure
				}
				return false
			}
			if _, err := c.Answer(t.Context(), q); err != failure || tested > last+between {
				t.Errorf("%s: the query returns %v after %d tests, want the error of the test %d", name, err, tested, last)
			}
		}
	}
}

// order returns numbers that compare as an entry does by terms. Ids are in the direction of the first.
func order(terms string, e *Entry) []int {
	number, text := int(recordOf(e).number), int(recordOf(e).text[0])
	switch terms {
	case "far,text":
		return []int{number, text, e.ID}
	case "-far,text":
		return []int{-number, text, -e.ID}
	}
	return []int{text, -number, e.ID}
}

// A page near the beginning of many filtered records, which no index has in order, is that of all of them, sorted. Records are in
// random order, in order, and in the reverse of it.
func TestFirstOfManyFiltered(t *testing.T) {
	const records = 40_000
	kept := func(e *Entry) bool { return e.ID%100 != 0 }
	rng := random(t)
	for name, number := range map[string]func(i int) int64{
		"random":     func(int) int64 { return rng.Int64N(records / 2) },
		"ascending":  func(i int) int64 { return int64(i) },
		"descending": func(i int) int64 { return int64(records - i) },
	} {
		c := newStore(t, newType(0), 0)
		list := make([]*record, records)
		for i := range list {
			list[i] = &record{number: number(i), text: strconv.Itoa(i % 10)}
		}
		putAll(c, list...)
		for _, terms := range []string{"far,text", "-far,text", "text,-far"} {
			var sorted []*Entry
			for _, r := range list {
				if kept(&r.Entry) {
					sorted = append(sorted, &r.Entry)
				}
			}
			slices.SortFunc(sorted, func(a, b *Entry) int { return slices.Compare(order(terms, a), order(terms, b)) })
			for _, w := range []pagination.Window{{Limit: 5}, {Offset: 995, Limit: 10}, {Offset: 20_000, Limit: 3}, {Offset: records - 2, Limit: 5}} {
				q := Query{Match: kept, Terms: parse(terms), Window: w, Lenient: true, Related: map[string]func() Field{
					"far": func() Field {
						return Field{Name: "far", Key: func(e *Entry) sortkey.Key { return sortkey.Int(recordOf(e).number) }}
					},
				}}
				a, err := c.Current().Answer(t.Context(), q)
				must(t, err)
				want := sorted[min(w.Offset, len(sorted)):min(w.Offset+w.Limit, len(sorted))]
				var got []*Entry
				for _, e := range a.Entries.All() {
					got = append(got, e)
				}
				if a.N != records-records/100 || !slices.Equal(ids(want), ids(got)) {
					t.Errorf("%s by %s, %+v: %v of %d, want %v", name, terms, w, ids(got), a.N, ids(want))
				}
			}
		}
	}
}

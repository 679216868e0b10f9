package store

import (
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// manyEntries is the number of records of the tests that count comparisons and keys. A
// binary search among them makes at most searchCost comparisons.
const manyEntries = 100_000

var searchCost = int64(math.Ceil(math.Log2(manyEntries + 1)))

// The count and a page of one condition, in the order of its field, compute no key. Each
// end of a range is one binary search. The page descends the tree once more; that is one
// search too, but each node on the way may add a comparison, for which the test permits
// another search.
func TestCostOfPage(t *testing.T) {
	c := newCountingStore(t, manyEntries, nil)
	c.countComparisons("number", "text")
	for _, row := range []struct {
		c      ordering.Condition
		terms  string
		ranges int64
		holds  func(r *record) bool
	}{
		{ordering.Equal("number", 7), "number", 1, func(r *record) bool { return r.number == 7 }},
		{ordering.Equal("number", 7), "id", 1, func(r *record) bool { return r.number == 7 }},
		{ordering.Equal("number", 7), "-id", 1, func(r *record) bool { return r.number == 7 }},
		{ordering.Equal("number", 7), "number,-id", 1, func(r *record) bool { return r.number == 7 }},
		{ordering.Between("number", 100, 900), "-number", 1, func(r *record) bool { return 100 <= r.number && r.number <= 900 }},
		{ordering.NotNull("number"), "number", 1, func(*record) bool { return true }},
		{ordering.OneOf("number", 3, 5, 900, 5000), "number", 4, func(r *record) bool { return slices.Contains([]int64{3, 5, 900}, r.number) }},
		{ordering.OneOf("number", 3, 5, 900, 5000), "-number", 4, func(r *record) bool { return slices.Contains([]int64{3, 5, 900}, r.number) }},
		{ordering.Equal("text", "odd"), "text", 1, func(r *record) bool { return r.text == "odd" }},
		{ordering.Prefix("text", "o"), "-text", 1, func(r *record) bool { return r.text == "odd" }},
		{ordering.Greater("id", 99_000), "", 1, func(r *record) bool { return r.ID > 99_000 }},
		{ordering.Less("id", 99_000), "-id", 1, func(r *record) bool { return r.ID < 99_000 }},
	} {
		want := selected(c.Current().Entries(), row.terms, row.holds)
		q := Query{Where: conditions(t, row.c), Terms: parse(row.terms)}
		for _, offset := range []int{0, len(want) / 2, len(want) - 10, len(want), math.MaxInt} {
			q.Window = pagination.Window{Limit: 20, Offset: offset}
			for range 12 { // before and after items are remembered
				c.reset()
				entries, count, err := c.Page(within(t), q)
				if diff := cmp.Diff(paged(want, q.Window), ids(entries), emptyIsNil); diff != "" || count != len(want) || err != nil {
					t.Fatalf("%v by %q, offset %d: count %d, %v, want %d (-want +got):\n%s", row.c, row.terms, offset, count, err, len(want), diff)
				}
				if got, most := c.comparisons.Load(), (2*row.ranges+2)*searchCost; got > most {
					t.Errorf("%v by %q, offset %d: %d comparisons, want at most %d", row.c, row.terms, offset, got, most)
				}
				if diff := cmp.Diff(map[string]int64{}, c.keysOf()); diff != "" {
					t.Fatalf("%v by %q, offset %d: keys (-want +got):\n%s", row.c, row.terms, offset, diff)
				}
			}
		}
	}
}

// First descends a tree once for each range until it finds an entry, and computes no key.
func TestCostOfFirst(t *testing.T) {
	c := newCountingStore(t, manyEntries, nil)
	c.countComparisons("number")
	for _, row := range []struct {
		c      ordering.Condition
		terms  string
		ranges int64 // that are searched
		want   int
	}{
		{ordering.Equal("number", 7), "number", 1, 7},
		{ordering.Equal("number", 7), "-id", 1, 99_007},
		{ordering.Greater("number", 500), "number", 1, 501},
		{ordering.Greater("number", 500), "-number", 1, 99_999},
		{ordering.AtMost("number", 500), "-number", 1, 99_500},
		{ordering.OneOf("number", 0, 3, 7), "number", 1, 1000},
		{ordering.OneOf("number", -2, -1, 7, 8), "number", 3, 7},
		{ordering.OneOf("number", 7, 5000, 6000), "-number", 3, 99_007},
		{ordering.Equal("number", 5000), "number", 1, 0},
		{ordering.Greater("id", 400), "id", 1, 401},
		{ordering.Less("id", 400), "-id", 1, 399},
	} {
		c.reset()
		e, err := c.First(within(t), Query{Where: conditions(t, row.c), Terms: parse(row.terms)})
		if idOf(e) != row.want || err != nil {
			t.Errorf("%v by %q: First() = %d, %v, want %d", row.c, row.terms, idOf(e), err, row.want)
		}
		if got, most := c.comparisons.Load(), 2*row.ranges*searchCost; got > most || len(c.keysOf()) > 0 {
			t.Errorf("%v by %q: %d comparisons, keys %v, want at most %d and none", row.c, row.terms, got, c.keysOf(), most)
		}
	}
}

// Position makes two searches for each range and one for the entry, and computes one key.
// It also gets the entry by its id, which is a search with at most one more comparison
// for each node, so the test permits two.
func TestCostOfPosition(t *testing.T) {
	c := newCountingStore(t, manyEntries, nil)
	c.countComparisons("number")
	for _, row := range []struct {
		list   []ordering.Condition
		terms  string
		ranges int64
		keys   map[string]int64
		want   int
	}{
		{nil, "number", 0, map[string]int64{"number": 1}, 7*100 + 50},
		{nil, "-number", 0, map[string]int64{"number": 1}, 992*100 + 49},
		{nil, "-id", 0, map[string]int64{}, 49_993},
		{[]ordering.Condition{ordering.Equal("number", 7)}, "id", 1, map[string]int64{"number": 1}, 50},
		{[]ordering.Condition{ordering.Greater("number", 5)}, "number", 1, map[string]int64{"number": 1}, 150},
		{[]ordering.Condition{ordering.OneOf("number", 3, 7, 9)}, "-number", 3, map[string]int64{"number": 1}, 149},
		{[]ordering.Condition{ordering.Greater("id", 50_000)}, "id", 1, map[string]int64{}, 6},
	} {
		c.reset()
		got, err := c.Position(within(t), 50_007, Query{Where: conditions(t, row.list...), Terms: parse(row.terms)})
		if got != row.want || err != nil {
			t.Errorf("%v by %q: Position() = %d, %v, want %d", row.list, row.terms, got, err, row.want)
		}
		if n, most := c.comparisons.Load(), (2*row.ranges+3)*searchCost; n > most {
			t.Errorf("%v by %q: %d comparisons, want at most %d", row.list, row.terms, n, most)
		}
		if diff := cmp.Diff(row.keys, c.keysOf()); diff != "" {
			t.Errorf("%v by %q: keys (-want +got):\n%s", row.list, row.terms, diff)
		}
	}
}

// Several conditions compute keys only for the records of the smallest range. Those that
// satisfy all conditions are sorted, which computes their keys once more, unless they are
// in order.
func TestCostOfFilters(t *testing.T) {
	five := "5"
	c := newCountingStore(t, manyEntries, func(id int) *string {
		if id%10 == 0 {
			return &five
		}
		return nil
	})
	c.countComparisons("number", "text", "note")
	seven, ten, odd := ordering.Equal("number", 7), ordering.Less("number", 10), ordering.Equal("text", "odd")
	even, noted := ordering.Equal("text", "even"), ordering.NotNull("note")
	const n = manyEntries
	for _, row := range []struct {
		reason string
		list   []ordering.Condition
		terms  string
		keys   map[string]int64
		count  int
	}{
		{"filtered in the order of the ids", []ordering.Condition{odd, seven}, "id", map[string]int64{"text": 100}, 100},
		{"in the reverse order", []ordering.Condition{seven, odd}, "-id", map[string]int64{"text": 100}, 100},
		{"in the order of the field", []ordering.Condition{ten, odd}, "-number", map[string]int64{"text": 1000}, 500},
		{"the second filter sees what is left", []ordering.Condition{odd, noted, ten}, "number", map[string]int64{"text": 1000, "note": 500}, 0},
		{"sorted by another field", []ordering.Condition{odd, ten}, "note", map[string]int64{"text": 1000, "note": 500}, 500},
		{"sorted by the ids", []ordering.Condition{odd, ten}, "id", map[string]int64{"text": 1000}, 500},
		{"sorted without filters", []ordering.Condition{ten}, "text", map[string]int64{"text": 1000}, 1000},
		{"an empty range", []ordering.Condition{odd, ordering.Greater("number", 5000)}, "note", map[string]int64{}, 0},
		{"two ranges of one field that do not meet", []ordering.Condition{odd, ordering.Less("number", 500), ordering.Greater("number", 600)}, "note", map[string]int64{}, 0},
		{"no condition is selective", []ordering.Condition{odd, ordering.Less("number", 990)}, "number", map[string]int64{"text": 990 * 100}, 495 * 100},
		{"no condition is selective, another order", []ordering.Condition{even, ordering.Less("number", 400)}, "note", map[string]int64{"text": n, "number": n / 2}, 200 * 100},
		{"one condition is selective enough, by id", []ordering.Condition{noted, ordering.Less("number", 500)}, "-id", map[string]int64{"number": n / 10}, 50 * 100},
		{"no condition is selective, by id", []ordering.Condition{ordering.Less("number", 900), ordering.NotNull("text")}, "-id", map[string]int64{"number": n, "text": n / 10 * 9}, 900 * 100},
	} {
		q := Query{Where: conditions(t, row.list...), Terms: parse(row.terms), Window: pagination.Window{Limit: 10, Offset: 3}}
		c.reset()
		_, count, err := c.Page(within(t), q)
		if count != row.count || err != nil {
			t.Errorf("%s: count %d, %v, want %d", row.reason, count, err, row.count)
		}
		if diff := cmp.Diff(row.keys, c.keysOf()); diff != "" {
			plan, _ := c.Explain(within(t), q)
			t.Errorf("%s: %s: keys (-want +got):\n%s", row.reason, plan, diff)
		}
	}
}

// First computes the keys of the filters up to the first match, if the records are in
// order.
func TestCostOfFirstWithFilters(t *testing.T) {
	c := newCountingStore(t, manyEntries, nil)
	c.countComparisons("number", "text")
	for _, row := range []struct {
		list  []ordering.Condition
		terms string
		want  int
		keys  map[string]int64
	}{
		{[]ordering.Condition{ordering.Between("number", 6, 9), ordering.Equal("text", "odd")}, "number", 7, map[string]int64{"text": 101}},
		{[]ordering.Condition{ordering.Equal("number", 6), ordering.Equal("text", "odd")}, "-id", 0, map[string]int64{"text": 100}},
		{[]ordering.Condition{ordering.Equal("text", "odd"), ordering.Less("number", 999)}, "-id", 99_997, map[string]int64{"number": 2}},
		{[]ordering.Condition{ordering.Equal("number", 7), ordering.Equal("text", "odd")}, "text", 7, map[string]int64{"text": 200}},
	} {
		c.reset()
		e, err := c.First(within(t), Query{Where: conditions(t, row.list...), Terms: parse(row.terms)})
		if idOf(e) != row.want || err != nil {
			t.Errorf("%v by %q: First() = %d, %v, want %d", row.list, row.terms, idOf(e), err, row.want)
		}
		if diff := cmp.Diff(row.keys, c.keysOf()); diff != "" {
			t.Errorf("%v by %q: keys (-want +got):\n%s", row.list, row.terms, diff)
		}
	}
}

// Position computes no key if there is no record with the id or if it is not selected, and
// sorts nothing.
func TestCostOfPositionOfOthers(t *testing.T) {
	const n = 5000
	c := newCountingStore(t, n, nil)
	c.countComparisons("text")
	odd, third := ordering.Equal("text", "odd"), ordering.Greater("id", 3)
	for _, row := range []struct {
		reason string
		id     int
		list   []ordering.Condition
		terms  string
		keys   map[string]int64
		want   int
	}{
		{"no such id, an ordering without an index", n + 1, nil, "number,text", map[string]int64{}, -1},
		{"no such id, filtered and sorted", n + 1, []ordering.Condition{odd, third}, "number", map[string]int64{}, -1},
		{"not selected", 4, []ordering.Condition{odd, third}, "number", map[string]int64{"text": 1}, -1},
		{"selected: the number of the smaller ones is counted", 7, []ordering.Condition{odd}, "number",
			map[string]int64{"text": 1, "number": n/2 + 1}, 3 * n / 1000},
		{"in the reverse order", 7, []ordering.Condition{odd}, "-number",
			map[string]int64{"text": 1, "number": n/2 + 1}, n/2 - 3*n/1000 - 1},
	} {
		c.reset()
		got, err := c.Position(within(t), row.id, Query{Where: conditions(t, row.list...), Terms: parse(row.terms)})
		if got != row.want || err != nil {
			t.Errorf("%s: Position() = %d, %v, want %d", row.reason, got, err, row.want)
		}
		if diff := cmp.Diff(row.keys, c.keysOf()); diff != "" {
			t.Errorf("%s: keys (-want +got):\n%s", row.reason, diff)
		}
	}
}

// A sort of filtered entries by several terms makes no keys that are larger than those of
// an index may be.
func TestMemoryOfFilteredSort(t *testing.T) {
	const n, size = 100, 50_000
	c := newStore(t, newType(0), 0)
	for i := range n {
		put(c, &record{number: int64(i % 3), text: strings.Repeat("x", size) + string(rune('a'+i*7%26))})
	}
	q := Query{Where: conditions(t, ordering.NotNull("number")), Terms: parse("number,text")}
	want := sorted(c.Current().Entries(), "number,text")
	if diff := cmp.Diff(want, found(t, c, Query{Where: q.Where, Terms: q.Terms})); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	c.Page(within(t), q)
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > n*size/4 {
		t.Errorf("a page allocates %d bytes, want at most a quarter of the %d of the texts", bytes, n*size)
	}
}

// Scans, filters and pages of a condition with many values find the same records as a
// comparison with each value.
func TestManyValues(t *testing.T) {
	c := newCountingStore(t, 3000, nil)
	c.countComparisons("number", "text")
	var values []int64
	for v := range int64(1000) {
		if v%3 > 0 {
			values = append(values, v)
		}
	}
	many, odd := ordering.OneOf("number", values...), ordering.Equal("text", "odd")
	for _, row := range []struct {
		list  []ordering.Condition
		terms string
		holds func(r *record) bool
	}{
		{[]ordering.Condition{many}, "number", func(r *record) bool { return r.number%3 > 0 }},
		{[]ordering.Condition{many}, "-number", func(r *record) bool { return r.number%3 > 0 }},
		{[]ordering.Condition{many, odd}, "-text", func(r *record) bool { return r.number%3 > 0 && r.text == "odd" }},
		{[]ordering.Condition{many, ordering.Less("id", 500)}, "id", func(r *record) bool { return r.number%3 > 0 && r.ID < 500 }},
	} {
		q := Query{Where: conditions(t, row.list...), Terms: parse(row.terms)}
		want := selected(c.Current().Entries(), row.terms, row.holds)
		scan, err := c.Scan(within(t), q)
		if err != nil {
			t.Fatal(err)
		}
		var got []*Entry
		scan(func(e *Entry) bool { got = append(got, e); return true })
		if diff := cmp.Diff(want, ids(got)); diff != "" {
			t.Errorf("%v by %q: Scan (-want +got):\n%s", row.list, row.terms, diff)
		}
		for _, w := range []pagination.Window{{Limit: 7, Offset: 300}, {Limit: 900, Offset: 90}, {}} {
			q.Window = w
			entries, count, err := c.Page(within(t), q)
			if diff := cmp.Diff(paged(want, w), ids(entries), emptyIsNil); diff != "" || count != len(want) || err != nil {
				t.Errorf("%v by %q: Page(%+v): count %d, %v (-want +got):\n%s", row.list, row.terms, w, count, err, diff)
			}
		}
	}
}

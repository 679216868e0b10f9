package store

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
)

// A countingStore is a store that counts the calls of Field.Key for each field, and the
// comparisons in the indexes that were passed to countComparisons.
type countingStore struct {
	*Store
	keys        map[string]*atomic.Int64
	comparisons *atomic.Int64
}

// newCountingStore returns a store of n records. The number of record id is id % 1000, its text
// is "even" or "odd", and its note is that of record id.
func newCountingStore(t testing.TB, n int, note func(id int) *string) *countingStore {
	t.Helper()
	typ := newType(0)
	c := &countingStore{keys: map[string]*atomic.Int64{}, comparisons: new(atomic.Int64)}
	plain, fields := typ.Field, map[string]Field{}
	for _, name := range []string{"id", "number", "text", "note", "slow"} {
		f, _ := plain(name)
		calls := new(atomic.Int64)
		c.keys[name] = calls
		key := f.Key
		f.Key = func(e *Entry) sortkey.Key { calls.Add(1); return key(e) }
		fields[name] = f
	}
	typ.Field = func(name string) (Field, bool) { f, ok := fields[name]; return f, ok }
	c.Store = New(typ)
	entries := make([]*Entry, n)
	for i := range entries {
		id := i + 1
		r := &record{Entry: Entry{id}, number: int64(id % 1000), text: []string{"even", "odd"}[id%2]}
		if note != nil {
			r.note = note(id)
		}
		entries[i] = &r.Entry
	}
	must(t, replace(Replacement{Store: c.Store, Entries: entries}))
	return c
}

// reset sets all counts to zero, and those of the queries that want an index.
func (c *countingStore) reset() {
	c.Current().policy.wanted = nil
	c.comparisons.Store(0)
	for _, n := range c.keys {
		n.Store(0)
	}
}

// keysOf returns the numbers of calls of Field.Key for the fields that had any.
func (c *countingStore) keysOf() map[string]int64 {
	calls := map[string]int64{}
	for name, n := range c.keys {
		if n.Load() > 0 {
			calls[name] = n.Load()
		}
	}
	return calls
}

// countComparisons adds to the store indexes by id and by the fields that count their
// comparisons.
func (c *countingStore) countComparisons(fields ...string) {
	primary := countingTree(newPrimary(), c.comparisons)
	primary.fill(c.Current().Entries())
	var indexes []orderingIndex
	for _, name := range fields {
		terms := parse(name)
		x := newIndex(c.typ.resolve(terms), terms)
		switch tree := x.(type) {
		case *tree[int64]:
			x = countingTree(tree, c.comparisons)
		case *tree[text]:
			x = countingTree(tree, c.comparisons)
		}
		x.fill(c.Current().Entries())
		indexes = append(indexes, orderingIndex{terms: terms, index: x, usage: new(usage)})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.Current()
	s.primary, s.indexes = primary, indexes
	c.reset()
}

// makesParts reports whether reads make parts of an index. Then they make a bounded number of
// comparisons more, which TestReadAppliesFewWrites counts in steps.
func (c *countingStore) makesParts() bool {
	s := c.Current()
	return slices.ContainsFunc(append(slices.Clone(s.indexes), orderingIndex{index: s.primary}), func(x orderingIndex) bool {
		switch x := x.index.(type) {
		case *tree[int64]:
			return isBehind(x)
		case *tree[text]:
			return isBehind(x)
		case *tree[struct{}]:
			return isBehind(x)
		}
		return false
	})
}

func isBehind[K any](x *tree[K]) bool {
	d := x.parts.directory.Load()
	return d != nil && d.behind.Load()
}

// countingTree returns an empty tree like x that counts its comparisons.
func countingTree[K any](x *tree[K], calls *atomic.Int64) *tree[K] {
	k := *x.kind
	less, order := k.less, k.order
	k.less = func(a, b item[K]) bool { calls.Add(1); return less(a, b) }
	k.order = func(a, b K) int { calls.Add(1); return order(a, b) }
	return newTree(&k)
}

// manyEntries is the number of records of the tests that count comparisons and keys. A
// search among them makes at most searchCost comparisons: among the chunks, the parts of one,
// and the entries of one, each of which can take one more than its share.
const manyEntries = 100_000

var searchCost = int64(math.Ceil(math.Log2(manyEntries+1))) + 3

// A costRow is a query and what it may cost.
type costRow struct {
	method   string
	id       int // for Position
	where    []ordering.Condition
	terms    string
	want     int // the count, the id of the first record, or the position
	searches int64
	keys     map[string]int64
}

// A page, the first record and a position of one condition, in the order of its field, take a
// bounded number of binary searches and compute no keys, except that of the record whose
// position is wanted. A descent of a tree may compare once more at each node, for which
// another search is permitted.
func TestCost(t *testing.T) {
	c := newCountingStore(t, manyEntries, nil)
	c.countComparisons("number", "text")
	where := func(list ...ordering.Condition) []ordering.Condition { return list }
	keys := func(name string, n int64) map[string]int64 { return map[string]int64{name: n} }
	none := map[string]int64{}
	seven, odd := ordering.Equal("number", 7), ordering.Equal("text", "odd")
	few, rare := ordering.OneOf("number", 3, 5, 900, 5000), ordering.OneOf("number", -2, -1, 7, 8)
	const any = 1 << 40 // searches that are not limited
	c.check(t, []costRow{
		{"Page", 0, where(seven), "number", 100, 4, none},
		{"Page", 0, where(seven), "-id", 100, 4, none},
		{"Page", 0, where(seven), "number,-id", 100, 4, none},
		{"Page", 0, where(ordering.Between("number", 100, 900)), "-number", 80_100, 4, none},
		{"Page", 0, where(few), "number", 300, 10, none},
		{"Page", 0, where(few), "-number", 300, 10, none},
		{"Page", 0, where(odd), "text", 50_000, 4, none},
		{"Page", 0, where(ordering.Prefix("text", "o")), "-text", 50_000, 4, none},
		{"Page", 0, where(ordering.Greater("id", 99_000)), "", 1000, 4, none},
		{"Page", 0, where(ordering.Less("id", 99_000)), "-id", 98_999, 4, none},
		{"First", 0, where(seven), "number", 7, 2, none},
		{"First", 0, where(seven), "-id", 99_007, 2, none},
		{"First", 0, where(ordering.Greater("number", 500)), "-number", 99_999, 2, none},
		{"First", 0, where(ordering.AtMost("number", 500)), "-number", 99_500, 2, none},
		{"First", 0, where(rare), "number", 7, 6, none},
		{"First", 0, where(ordering.OneOf("number", 7, 5000, 6000)), "-number", 99_007, 6, none},
		{"First", 0, where(ordering.Equal("number", 5000)), "number", 0, 2, none},
		{"First", 0, where(ordering.Greater("id", 400)), "id", 401, 2, none},
		{"First", 0, where(ordering.Less("id", 400)), "-id", 399, 2, none},
		{"First", 0, where(ordering.Between("number", 6, 9), odd), "number", 7, any, keys("text", 101)}, // up to the first match
		{"First", 0, where(ordering.Equal("number", 6), odd), "-id", 0, any, keys("text", 100)},
		{"First", 0, where(odd, ordering.Less("number", 999)), "-id", 99_997, any, keys("number", 2)},
		{"First", 0, where(seven, odd), "text", 7, any, keys("text", 1)},                                // all texts are equal
		{"First", 0, where(seven, ordering.Greater("text", "even")), "text", 7, any, keys("text", 200)}, // sorted
		{"Position", 50_007, nil, "number", 750, 3, keys("number", 1)},
		{"Position", 50_007, nil, "-number", 99_249, 3, keys("number", 1)},
		{"Position", 50_007, nil, "-id", 49_993, 3, none},
		{"Position", 50_007, where(seven), "id", 50, 5, keys("number", 1)},
		{"Position", 50_007, where(ordering.OneOf("number", 3, 7, 9)), "-number", 149, 9, keys("number", 1)},
		{"Position", 50_007, where(ordering.Greater("id", 50_000)), "id", 6, 5, none},
		{"Position", manyEntries + 1, nil, "number,text", -1, 3, none}, // no such id, so no index is built
		{"Position", 4, where(odd, ordering.Greater("id", 3)), "number", -1, any, keys("text", 1)},
		{"Position", 7, where(odd), "note", 3, any, map[string]int64{"text": 1, "note": 50_000}}, // sorted
		{"Position", 7, where(odd), "-note", 49_996, any, map[string]int64{"text": 1, "note": 50_000}},
	})
}

// An index by several terms answers queries with conditions on the first of them at the same
// cost.
func TestCostOfSeveralTerms(t *testing.T) {
	c := newCountingStore(t, manyEntries, nil)
	c.countComparisons("text,number", "note,-number")
	where := func(list ...ordering.Condition) []ordering.Condition { return list }
	none := map[string]int64{}
	seven, odd := ordering.Equal("number", 7), ordering.Equal("text", "odd")
	c.check(t, []costRow{
		{"Page", 0, where(odd, ordering.Less("number", 500)), "-number", 25_000, 4, none},
		{"Page", 0, where(odd), "number", 50_000, 4, none},
		{"Page", 0, where(odd, seven), "-id", 100, 4, none},
		{"Page", 0, where(odd, seven, ordering.Less("id", 50_000)), "-id", 50, 4, none},
		{"Page", 0, where(ordering.IsNull("note"), ordering.Between("number", 100, 900)), "-number,id", 80_100, 4, none},
		{"First", 0, where(odd, ordering.Less("number", 500)), "-number", 99_499, 2, none},
		{"First", 0, where(ordering.IsNull("note")), "-number,id", 999, 2, none},
		{"Position", 50_007, where(odd), "number", 350, 5, map[string]int64{"number": 1, "text": 1}},
	})
}

// The records after a token take one search for each run that has them in order and one descent,
// and compute no keys but those of the next token.
func TestCostOfTokens(t *testing.T) {
	c := newCountingStore(t, manyEntries, nil)
	c.countComparisons("number", "text,number", "note,-id")
	odd, few := ordering.Equal("text", "odd"), ordering.OneOf("number", 3, 5, 900, 5000)
	for _, row := range []struct {
		reason   string
		where    []ordering.Condition
		terms    string
		searches int64
		keys     map[string]int64
	}{
		{"all by id", nil, "id", 2, map[string]int64{}},
		{"all by id, descending", nil, "-id", 2, map[string]int64{}},
		{"all by a field", nil, "number", 2, map[string]int64{"number": 1}},
		{"all by a field, descending", nil, "-number", 2, map[string]int64{"number": 1}},
		{"all by two fields", nil, "-text,-number", 2, map[string]int64{"number": 1, "text": 1}},
		{"ties by descending ids", nil, "note,-id", 2, map[string]int64{"note": 1}},
		{"of one value", []ordering.Condition{odd}, "number", 4, map[string]int64{"number": 1}}, // two for the bounds of the value
		{"of several ranges", []ordering.Condition{few}, "-number", 10, map[string]int64{"number": 1}},
		{"merged", []ordering.Condition{ordering.OneOf("text", "even", "odd")}, "-number", 4 + 2 + 16, map[string]int64{"number": 1}}, // and keys of parts are made
	} {
		for _, skipped := range []int{1, 150, 199} {
			for range 12 { // before and after parts are made
				q := Query{Where: conditions(t, row.where...), Terms: parse(row.terms)}
				_, token, err := of(c).After(within(t), "", skipped, q)
				must(t, err)
				c.reset()
				makesParts := c.makesParts()
				got, _, err := of(c).After(within(t), token, 5, q)
				must(t, err)
				if n, most := c.comparisons.Load(), row.searches*searchCost; n > most && !makesParts && !c.makesParts() {
					t.Errorf("%s, after %d: %d comparisons, want at most %d", row.reason, skipped, n, most)
				}
				equal(t, fmt.Sprintf("%s, after %d: keys", row.reason, skipped), row.keys, c.keysOf())
				q.Window = pagination.Window{Limit: 5, Offset: skipped}
				if want, _, _ := of(c).Page(within(t), q); cmp.Diff(ids(want.list()), ids(got.list())) != "" {
					t.Errorf("%s, after %d: ids %v, want %v", row.reason, skipped, ids(got.list()), ids(want.list()))
				}
			}
		}
	}
}

func (c *countingStore) check(t *testing.T, rows []costRow) {
	t.Helper()
	for _, row := range rows {
		q := Query{Where: conditions(t, row.where...), Terms: parse(row.terms)}
		for _, offset := range []int{0, row.want / 2, row.want - 10, row.want, math.MaxInt} {
			if row.method != "Page" && offset > 0 {
				break
			}
			q.Window = pagination.Window{Limit: 20, Offset: max(offset, 0)}
			for range 12 { // before and after items are remembered
				c.reset()
				makesParts := c.makesParts()
				var got int
				var err error
				switch row.method {
				case "Page":
					_, got, err = of(c).Page(within(t), q)
				case "First":
					var e *Entry
					e, err = of(c).First(within(t), q)
					got = idOf(e)
				case "Position":
					got, err = of(c).Position(within(t), row.id, q)
				}
				if got != row.want || err != nil {
					t.Errorf("%s(%d) of %v by %q: %d, %v, want %d", row.method, row.id, row.where, row.terms, got, err, row.want)
				}
				if n, most := c.comparisons.Load(), row.searches*searchCost; n > most && !makesParts && !c.makesParts() {
					t.Errorf("%s(%d) of %v by %q, offset %d: %d comparisons, want at most %d", row.method, row.id, row.where, row.terms, offset, n, most)
				}
				equal(t, fmt.Sprintf("%s(%d) of %v by %q: keys", row.method, row.id, row.where, row.terms), row.keys, c.keysOf())
			}
		}
	}
}

// The counts of values take two searches for each value and for each run of the query, and
// read only a few records of each value.
func TestCostOfGroups(t *testing.T) {
	c := newCountingStore(t, manyEntries, nil)
	c.countComparisons("number", "text", "text,number")
	for _, row := range []struct {
		where  []ordering.Condition
		field  string
		groups int64
		size   int
	}{
		{nil, "number", 1000, 100},
		{[]ordering.Condition{ordering.Equal("text", "odd")}, "number", 500, 100},
		{[]ordering.Condition{ordering.Equal("text", "odd"), ordering.AtLeast("number", 900)}, "number", 50, 100},
		{[]ordering.Condition{ordering.OneOf("text", "even", "odd", "none")}, "text", 2, manyEntries / 2},
	} {
		c.reset()
		groups, err := of(c).Groups(within(t), Query{Where: conditions(t, row.where...), Terms: parse(row.field)})
		must(t, err)
		n := int64(0)
		groups(func(first *Entry, size int) bool {
			if n++; size != row.size {
				t.Errorf("%v by %s: group %d has %d records, want %d", row.where, row.field, n, size, row.size)
			}
			return true
		})
		if n != row.groups {
			t.Errorf("%v by %s: %d groups, want %d", row.where, row.field, n, row.groups)
		}
		if keys := c.keysOf()[row.field]; keys > 3*row.groups {
			t.Errorf("%v by %s: %d keys were computed for %d groups", row.where, row.field, keys, n)
		}
		if most := (row.groups + 1) * 4 * searchCost; c.comparisons.Load() > most {
			t.Errorf("%v by %s: %d comparisons, want at most %d", row.where, row.field, c.comparisons.Load(), most)
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
		{"no condition is selective", []ordering.Condition{odd, ordering.Less("number", 990)}, "number", map[string]int64{}, 495 * 100}, // the index by text decides
		{"no condition is selective, another order", []ordering.Condition{even, ordering.Less("number", 400)}, "note", map[string]int64{}, 200 * 100},
		{"one condition is selective enough, by id", []ordering.Condition{noted, ordering.Less("number", 500)}, "-id", map[string]int64{"number": n / 10}, 50 * 100},
		{"no condition is selective, by id", []ordering.Condition{ordering.Less("number", 900), ordering.NotNull("text")}, "-id", map[string]int64{}, 900 * 100},
	} {
		q := Query{Where: conditions(t, row.list...), Terms: parse(row.terms), Window: pagination.Window{Limit: 10, Offset: 3}}
		c.reset()
		_, count, err := of(c).Page(within(t), q)
		if count != row.count || err != nil {
			t.Errorf("%s: count %d, %v, want %d", row.reason, count, err, row.count)
		}
		if diff := cmp.Diff(row.keys, c.keysOf()); diff != "" {
			plan, _ := of(c).Explain(within(t), q)
			t.Errorf("%s: %s: keys (-want +got):\n%s", row.reason, plan, diff)
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
	equal(t, "order", want, found(t, c, Query{Where: q.Where, Terms: q.Terms}))
	if bytes := allocated(func() { of(c).Page(within(t), q) }); bytes > n*size/4 {
		t.Errorf("a page allocates %d bytes, want at most a quarter of the %d of the texts", bytes, n*size)
	}
}

// A query that waits for its sort holds a bit for each entry that it may sort.
func TestMemoryOfWaitingSort(t *testing.T) {
	const n = 50_000
	c := newCountingStore(t, n, nil)
	q := Query{Where: conditions(t, ordering.NotNull("number")), Terms: parse("text,-number")}
	for range maxSorts {
		release, _ := c.Current().slots.take(t.Context(), q.Terms)
		defer release()
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 2 { // the first makes the index by number
		ctx, cancel := context.WithCancel(t.Context())
		seen := 0
		q.Match = func(*Entry) bool {
			if seen++; seen == n {
				cancel() // the query takes a slot next
			}
			return true
		}
		runtime.ReadMemStats(&before)
		if _, _, err := of(c).Page(ctx, q); err != context.Canceled {
			t.Fatalf("a query that waits for a slot: %v, want %v", err, context.Canceled)
		}
		runtime.ReadMemStats(&after)
	}
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > n {
		t.Errorf("a query that waits for its sort allocates %d bytes for %d entries", bytes, n)
	}
}

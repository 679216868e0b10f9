package store

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// A finder is a store, a state or a batch.
type finder interface {
	pager
	First(ctx context.Context, q Query) (*Entry, error)
	Position(ctx context.Context, id int, q Query) (int, error)
	Scan(ctx context.Context, q Query) (func(yield func(*Entry) bool), error)
	Explain(ctx context.Context, q Query) (string, error)
}

// conditions returns the conditions of a query.
func conditions(t testing.TB, list ...ordering.Condition) (where []Condition) {
	t.Helper()
	for _, c := range list {
		ranges, err := c.Ranges(nil)
		if err != nil {
			t.Fatal(err)
		}
		where = append(where, Condition{c.Field(), ranges})
	}
	return where
}

// A counted is a store that counts the calls of Field.Key for each field, and the
// comparisons in the indexes that were passed to countComparisons.
type counted struct {
	*Store
	keys        map[string]*atomic.Int64
	comparisons *atomic.Int64
}

// newCounted returns a store of n records. The number of record id is id % 1000, its text
// is "even" or "odd", and its note is that of record id.
func newCounted(t testing.TB, n int, note func(id int) *string) *counted {
	t.Helper()
	schema := newSchema(0)
	c := &counted{keys: map[string]*atomic.Int64{}, comparisons: new(atomic.Int64)}
	plain, fields := schema.Field, map[string]Field{}
	for _, name := range []string{"id", "number", "text", "note", "slow"} {
		f, _ := plain(name)
		calls := new(atomic.Int64)
		c.keys[name] = calls
		key := f.Key
		f.Key = func(e *Entry) ordering.Key { calls.Add(1); return key(e) }
		fields[name] = f
	}
	schema.Field = func(name string) (Field, bool) { f, ok := fields[name]; return f, ok }
	c.Store = New(schema)
	err := c.Replace(func(*State) ([]*Entry, error) {
		entries := make([]*Entry, n)
		for i := range entries {
			id := i + 1
			r := &record{Entry: Entry{id}, number: int64(id % 1000), text: []string{"even", "odd"}[id%2]}
			if note != nil {
				r.note = note(id)
			}
			entries[i] = &r.Entry
		}
		return entries, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// reset sets all counts to zero.
func (c *counted) reset() {
	c.comparisons.Store(0)
	for _, n := range c.keys {
		n.Store(0)
	}
}

// keysOf returns the numbers of calls of Field.Key for the fields that had any.
func (c *counted) keysOf() map[string]int64 {
	calls := map[string]int64{}
	for name, n := range c.keys {
		if n.Load() > 0 {
			calls[name] = n.Load()
		}
	}
	return calls
}

// countComparisons gives the store indexes by id and by the fields that count their
// comparisons.
func (c *counted) countComparisons(fields ...string) {
	primary := countingTree(newPrimary(), c.comparisons)
	primary.fill(c.Current().Entries())
	var indexes []namedIndex
	for _, name := range fields {
		terms := parse(name)
		x := newIndex(c.schema.resolve(terms), terms)
		switch tree := x.(type) {
		case *tree[int64]:
			x = countingTree(tree, c.comparisons)
		case *tree[string]:
			x = countingTree(tree, c.comparisons)
		}
		x.fill(c.Current().Entries())
		indexes = append(indexes, namedIndex{terms: terms, index: x, used: new(atomic.Int64)})
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.replace(func(s *State) { s.primary, s.indexes = primary, indexes })
	c.reset()
}

// countingTree returns an empty tree like x that counts its comparisons.
func countingTree[K any](x *tree[K], calls *atomic.Int64) *tree[K] {
	k := *x.kind
	less, compare := k.less, k.compare
	k.less = func(a, b item[K]) bool { calls.Add(1); return less(a, b) }
	k.compare = func(a, b item[K]) int { calls.Add(1); return compare(a, b) }
	return newTree(&k)
}

// selected returns the ids of the entries that satisfy a predicate, in the order of terms.
func selected(entries []*Entry, terms string, holds func(r *record) bool) []int {
	entries = slices.DeleteFunc(slices.Clone(entries), func(e *Entry) bool { return !holds(recordOf(e)) })
	if terms == "" {
		terms = "id"
	}
	return sorted(entries, terms)
}

// found returns the ids of all records of a query, and checks Page for some windows,
// First, Scan and Position against them.
func found(t testing.TB, p finder, q Query) []int {
	t.Helper()
	q.Window = allRecords
	entries, count, err := p.Page(within(t), q)
	if err != nil || count != len(entries) {
		t.Fatalf("%d entries, count %d, %v", len(entries), count, err)
	}
	all := ids(entries)
	for _, w := range []pagination.Window{{}, {Limit: 3}, {Limit: 2, Offset: count / 2}, {Limit: 5, Offset: count - 1}, {Limit: 1, Offset: count}} {
		q.Window = w
		page, n, err := p.Page(within(t), q)
		if want := pagination.Slice(all, w); err != nil || n != count || !slices.Equal(ids(page), want) {
			t.Errorf("page %+v has ids %v, count %d, %v, want %v, %d", w, ids(page), n, err, want, count)
		}
	}
	first, err := p.First(within(t), q)
	if err != nil || count == 0 && first != nil || count > 0 && idOf(first) != all[0] {
		t.Errorf("First() = %d, %v of %v", idOf(first), err, all)
	}
	scan, err := p.Scan(within(t), q)
	if err != nil {
		t.Fatal(err)
	}
	var scanned []*Entry
	scan(func(e *Entry) bool { scanned = append(scanned, e); return true })
	if !slices.Equal(ids(scanned), all) {
		t.Errorf("Scan() yields %v, want %v", ids(scanned), all)
	}
	for at, id := range all {
		if got, err := p.Position(within(t), id, q); got != at || err != nil {
			t.Errorf("Position(%d) = %d, %v, want %d", id, got, err, at)
		}
	}
	return all
}

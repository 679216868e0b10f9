package store

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
)

// A record is a stored record of the tests.
type record struct {
	Entry
	number  int64
	text    string
	note    *string  // nil means null
	gate    *gate    // may be nil; passed by every computation of the "slow" key
	members []string // only for newMemberType
}

func recordOf(e *Entry) *record { return (*record)(unsafe.Pointer(e)) }

// newType returns a type whose records all have the same fields.
func newType(history int) *Type {
	fields := []Field{
		{Name: "id", Kind: ordering.IntegerKey, Key: func(e *Entry) sortkey.Key { return sortkey.Int(int64(e.ID)) }},
		{Name: "number", Kind: ordering.IntegerKey, Key: func(e *Entry) sortkey.Key { return sortkey.Int(recordOf(e).number) }},
		{Name: "text", Kind: ordering.TextKey, Key: func(e *Entry) sortkey.Key { return sortkey.Text(recordOf(e).text) }},
		{Name: "note", Key: func(e *Entry) sortkey.Key {
			if note := recordOf(e).note; note != nil {
				return sortkey.Text(*note)
			}
			return sortkey.Null()
		}},
		{Name: "slow", Key: func(e *Entry) sortkey.Key {
			recordOf(e).gate.pass()
			return sortkey.Int(recordOf(e).number)
		}},
	}
	return &Type{ID: "id", History: history, Field: func(name string) (Field, bool) {
		i := slices.IndexFunc(fields, func(f Field) bool { return f.Name == name })
		if i < 0 {
			return Field{}, false
		}
		return fields[i], true
	}}
}

// newMemberType returns a type whose records may have different fields. The
// key of each member is the record's number. Computing it passes the gate.
func newMemberType() *Type {
	return &Type{
		ID: "id",
		Field: func(name string) (Field, bool) {
			return Field{Name: name, Key: func(e *Entry) sortkey.Key {
				recordOf(e).gate.pass()
				switch {
				case name == "id":
					return sortkey.Int(int64(e.ID))
				case slices.Contains(recordOf(e).members, name):
					return sortkey.Int(recordOf(e).number)
				}
				return sortkey.Null()
			}}, true
		},
		Members: func(e *Entry) iter.Seq[string] { return slices.Values(recordOf(e).members) },
	}
}

// newStore returns a store with n records. Its invariants are checked at the end
// of the test.
func newStore(t testing.TB, typ *Type, n int) *Store {
	t.Helper()
	c := New(typ)
	for i := range n {
		put(c, &record{number: int64(i % 7), text: strconv.Itoa(i * 7919 % 1000)})
	}
	t.Cleanup(func() {
		if err := c.Check(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// put stores a record. If it has no id, put assigns the next one.
func put(c *Store, r *record) *Entry {
	_, err := c.Write(func(s *State) (Change, error) {
		if r.ID == 0 {
			r.ID = s.LastID() + 1
		}
		return Change{s.Get(r.ID), &r.Entry}, nil
	})
	if err != nil {
		panic(err)
	}
	return &r.Entry
}

// remove deletes a record.
func remove(c *Store, id int) {
	_, err := c.Write(func(s *State) (Change, error) { return Change{Old: s.Get(id)}, nil })
	if err != nil {
		panic(err)
	}
}

// putAll stores records in one batch.
func putAll(c *Store, records ...*record) {
	err := c.Batch(func(tx *Tx) error {
		for _, r := range records {
			if r.ID == 0 {
				r.ID = tx.LastID() + 1
			}
			tx.Write(Change{tx.Get(r.ID), &r.Entry})
		}
		return nil
	})
	if err != nil {
		panic(err)
	}
}

// manyRecords returns more records than are written one by one.
func manyRecords() []*record {
	records := make([]*record, fewChanges+1)
	for i := range records {
		records[i] = &record{}
	}
	return records
}

func entriesOf(records ...*record) []*Entry {
	entries := make([]*Entry, len(records))
	for i, r := range records {
		entries[i] = &r.Entry
	}
	return entries
}

func parse(terms string) []ordering.Term { return ordering.Parse(terms, nil) }

var allRecords = pagination.Window{Limit: 1 << 20}

// A pager is a store or a state.
type pager interface {
	Page(ctx context.Context, q Query) ([]*Entry, int, error)
}

// ordered returns the ids of all records, as p orders them.
func ordered(t testing.TB, p pager, terms string) []int {
	t.Helper()
	entries, count, err := p.Page(within(t), Query{Terms: parse(terms), Window: allRecords})
	if err != nil || count != len(entries) {
		t.Fatalf("by %q: %d entries, count %d, %v", terms, len(entries), count, err)
	}
	return ids(entries)
}

func ids(entries []*Entry) []int {
	list := make([]int, len(entries))
	for i, e := range entries {
		list[i] = e.ID
	}
	return list
}

// within returns a context with a timeout that no passing test reaches.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// sorted returns the ids of entries in the order of terms, without using keys:
// null is greater than any other value, and ties break by id in the direction of
// the first term.
func sorted(entries []*Entry, terms string) []int {
	entries = slices.Clone(entries)
	slices.SortFunc(entries, func(a, b *Entry) int {
		tie := 1
		for i, term := range strings.Split(terms, ",") {
			name, desc := strings.CutPrefix(term, "-")
			sign := 1
			if desc {
				sign = -1
			}
			if i == 0 {
				tie = sign
			}
			if c := sign * compareField(recordOf(a), recordOf(b), name); c != 0 {
				return c
			}
		}
		return tie * cmp.Compare(a.ID, b.ID)
	})
	return ids(entries)
}

func compareField(a, b *record, name string) int {
	switch {
	case name == "text":
		return cmp.Compare(a.text, b.text)
	case name == "number" || name == "slow":
		return cmp.Compare(a.number, b.number)
	case name == "id":
		return cmp.Compare(a.ID, b.ID)
	case name == "note" && a.note != nil && b.note != nil:
		return cmp.Compare(*a.note, *b.note)
	case name == "note" && a.note != b.note && a.note == nil:
		return 1
	case name == "note" && a.note != b.note:
		return -1
	}
	return 0
}

// random returns a random number generator and logs its seed. The environment
// variable BACKLIST_MODEL_SEED sets the seed.
func random(t testing.TB) *rand.Rand {
	seed := rand.Uint64()
	if text := os.Getenv("BACKLIST_MODEL_SEED"); text != "" {
		var err error
		if seed, err = strconv.ParseUint(text, 10, 64); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("BACKLIST_MODEL_SEED=%d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// randomRecord returns a record whose fields have few different values, so that
// there are ties.
func randomRecord(rng *rand.Rand, id int) *record {
	r := &record{Entry: Entry{id}, number: rng.Int64N(9) - 4, text: strings.Repeat("ab", rng.IntN(4))}
	if rng.IntN(3) > 0 {
		note := strconv.Itoa(rng.IntN(5))
		r.note = &note
	}
	return r
}

// indexed returns the orderings of the indexes of the published state, sorted.
func indexed(c *Store) []string {
	var all []string
	for _, x := range c.Current().indexes {
		all = append(all, ordering.Format(x.terms))
	}
	slices.Sort(all)
	return all
}

// taken returns the number of slots that are taken.
func (s slots) taken() int { return len(s[0]) + len(s[1]) }

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
func (c *countingStore) reset() {
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

// countComparisons gives the store indexes by id and by the fields that count their
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
		case *tree[string]:
			x = countingTree(tree, c.comparisons)
		}
		x.fill(c.Current().Entries())
		indexes = append(indexes, orderingIndex{terms: terms, index: x, used: new(atomic.Int64)})
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
		if want := paged(all, w); err != nil || n != count || !slices.Equal(ids(page), want) {
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

// A gate blocks the first goroutine that computes the slow key of its record
// until leave is closed.
type gate struct {
	entered, leave chan struct{}
	once           sync.Once
	panics, exits  bool
}

func newGate() *gate { return &gate{entered: make(chan struct{}), leave: make(chan struct{})} }

// panickingGate returns a gate that panics at once.
func panickingGate() *gate {
	g := newGate()
	g.panics = true
	close(g.leave)
	return g
}

// exitingGate returns a gate that calls runtime.Goexit at once, as t.FailNow does.
func exitingGate() *gate {
	g := newGate()
	g.exits = true
	close(g.leave)
	return g
}

// pass blocks, panics or ends its goroutine on its first call. g may be nil.
func (g *gate) pass() {
	if g == nil {
		return
	}
	g.once.Do(func() {
		close(g.entered)
		<-g.leave
		if g.panics {
			panic("no key")
		}
		if g.exits {
			runtime.Goexit()
		}
	})
}

// stopAt puts a gate into a stored record, so that the next goroutine that
// computes its slow key blocks. No other goroutine may be computing keys.
func stopAt(c *Store, id int) *gate {
	g := newGate()
	recordOf(c.Get(id)).gate = g
	return g
}

// begin reads all records by terms in a new goroutine. It returns a channel that
// receives their ids, an error, or a string if the read panics.
func begin(ctx context.Context, p pager, terms string) <-chan any {
	result := make(chan any, 1)
	go func() {
		defer func() {
			if reason := recover(); reason != nil {
				result <- fmt.Sprint("panic: ", reason)
			}
		}()
		entries, _, err := p.Page(ctx, Query{Terms: parse(terms), Window: allRecords})
		if err != nil {
			result <- err
			return
		}
		result <- ids(entries)
	}()
	return result
}

// waiting waits until n readers wait for builds of the store or, if p is a state,
// for its sorts.
func waiting(t *testing.T, c *Store, p pager, n int) {
	t.Helper()
	waitFor(t, fmt.Sprint(n, " waiting readers"), func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		total := 0
		for _, b := range c.published.Load().builds {
			total += b.waiting
		}
		if s, ok := p.(*State); ok {
			s.sorted.mu.Lock()
			defer s.sorted.mu.Unlock()
			for _, o := range s.sorted.all {
				total += o.waiting
			}
		}
		return total == n
	})
}

// wantError checks that a result of begin is an error that wraps want.
func wantError(t *testing.T, got any, want error) {
	t.Helper()
	if err, _ := got.(error); !errors.Is(err, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

// waitFor waits until done returns true. what describes the awaited condition.
func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	for ctx := within(t); !done(); time.Sleep(time.Millisecond) {
		if ctx.Err() != nil {
			t.Fatalf("timed out waiting for %s", what)
		}
	}
}

// ascendingKeys returns a list of keys of every kind in ascending order, as the documentation of
// package ordering describes it. The tests compare keys by their positions in the
// list, and so without the code of package ordering.
func ascendingKeys() []sortkey.Key {
	number, text, list := sortkey.Number, sortkey.Text, sortkey.List
	day := time.Date(2024, 5, 1, 0, 0, 0, 0, time.UTC)
	keys := []sortkey.Key{
		sortkey.Bool(false), sortkey.Bool(true),
		sortkey.Float(math.NaN()), sortkey.Float(math.Inf(-1)), number("-1e300"),
		number("-9223372036854775809"), number("-9223372036854775808.5"), sortkey.Int(math.MinInt64),
		number("-9223372036854775807.5"), sortkey.Int(math.MinInt64 + 1),
		sortkey.Int(-2), number("-1.5"), sortkey.Int(-1), number("-0.5"), sortkey.Int(0), number("0.5"),
	}
	for i := range int64(12) {
		keys = append(keys, sortkey.Int(i+1), sortkey.Float(float64(i)+1.5))
	}
	return append(keys,
		sortkey.Int(math.MaxInt64-1), number("9223372036854775806.5"), sortkey.Int(math.MaxInt64),
		number("9223372036854775807.5"), number("9223372036854775808"), sortkey.Uint(math.MaxUint64),
		number("1e300"), sortkey.Float(math.Inf(1)),
		sortkey.Time(time.Time{}), sortkey.Time(day), sortkey.Time(day.Add(1)), sortkey.Time(day.Add(time.Second)),
		text(""), text("\x00"), text("\x00\x00"), text("\x00\x01"), text("\x00\xff"), text("a"), text("a\x00"),
		text("a\x00b"), text("a\x01"), text("ab"), text("a\xff"), text("a\xff\x00"), text("b"), text("é"), text("\xff"), text("\xff\xff"),
		list(), list(sortkey.Bool(true)), list(sortkey.Int(1)), list(sortkey.Int(1), sortkey.Int(0)), list(sortkey.Int(2)),
		list(text("a")), list(text("a"), text("b")), list(text("a\x00")), list(list()), list(sortkey.Null()),
		sortkey.Object(""), sortkey.Object(`{"a":1}`), sortkey.Object(`{"b":0}`), sortkey.Object(`{}`),
		sortkey.Null(),
	)
}

// A rankedEntry is an entry with the position of its key in ascendingKeys.
type rankedEntry struct {
	*Entry
	at int
}

func compareRankedEntries(a, b rankedEntry) int {
	return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.ID, b.ID))
}

// A testSequence is a sequence whose keys are in ascendingKeys, and its entries in order.
type testSequence struct {
	reason  string
	make    func(entries []*Entry) sequence
	entries []rankedEntry
}

// testSequences returns a sequence of every kind, with about n entries. Several entries
// have the same key, and some have ids near the largest int.
func testSequences(n int) []testSequence {
	keys := ascendingKeys()
	field := Field{Name: "f", Key: func(e *Entry) sortkey.Key { return keys[recordOf(e).number] }}
	tree := func(kind ordering.Kind) func([]*Entry) sequence {
		return func(entries []*Entry) sequence {
			f := field
			f.Kind = kind
			x := newIndex([]Field{f}, parse("f"))
			x.fill(entries)
			return x
		}
	}
	isInt := func(k sortkey.Key) bool { _, ok := k.AsInt(); return ok }
	isBool := func(k sortkey.Key) bool { return isInt(k) && k.Compare(sortkey.Bool(true)) <= 0 }
	isText := func(k sortkey.Key) bool { _, ok := k.AsText(); return ok }
	all := func(sortkey.Key) bool { return true }
	return []testSequence{
		{"numbers", tree(ordering.IntegerKey), rankedEntries(n, func(k sortkey.Key) bool { return isInt(k) && !isBool(k) })},
		{"booleans", tree(ordering.BoolKey), rankedEntries(n, isBool)},
		{"texts", tree(ordering.TextKey), rankedEntries(n, isText)},
		{"encoded keys", tree(ordering.AnyKey), rankedEntries(n, all)},
		{"ids", func(entries []*Entry) sequence { x := newPrimary(); x.fill(entries); return x }, rankedIDs(n)},
		{"sorted entries", func(entries []*Entry) sequence {
			entries = slices.Clone(entries)
			slices.SortFunc(entries, func(a, b *Entry) int {
				return cmp.Or(cmp.Compare(recordOf(a).number, recordOf(b).number), cmp.Compare(a.ID, b.ID))
			})
			return &sortedEntries{entries: entries, key: field.Key}
		}, rankedEntries(n, all)},
	}
}

// rankedEntries returns n entries, sorted, whose keys are those of ascendingKeys that are
// wanted. Each fifth such key has no entry.
func rankedEntries(n int, wanted func(sortkey.Key) bool) (list []rankedEntry) {
	var places []int
	for at, k := range ascendingKeys() {
		if wanted(k) && (at%5 > 0 || at < 2) {
			places = append(places, at)
		}
	}
	for i := range n {
		id := i + 1
		if i%4 == 3 {
			id = math.MaxInt - i + 3 // the first is the largest int
		}
		at := places[i*7919%len(places)]
		list = append(list, rankedEntry{&(&record{Entry: Entry{id}, number: int64(at)}).Entry, at})
	}
	slices.SortFunc(list, compareRankedEntries)
	return list
}

// rankedIDs returns at most n entries, sorted, whose ids are in ascendingKeys.
func rankedIDs(n int) (list []rankedEntry) {
	for at, k := range ascendingKeys() {
		id, ok := k.AsInt()
		if ok && at > 1 && id > 0 && id <= math.MaxInt && id%4 != 2 && len(list) < n {
			list = append(list, rankedEntry{&(&record{Entry: Entry{int(id)}}).Entry, at})
		}
	}
	return list
}

// sequence returns the sequence of the entries.
func (l testSequence) sequence() sequence {
	var entries []*Entry
	for _, e := range l.entries {
		entries = append(entries, e.Entry)
	}
	slices.SortFunc(entries, compareIDs)
	return l.make(entries)
}

// paged returns the items inside a window.
func paged[T any](items []T, w pagination.Window) []T {
	start, end := w.Bounds(len(items))
	return items[start:end]
}

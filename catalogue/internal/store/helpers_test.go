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
	"reflect"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	gocmp "github.com/google/go-cmp/cmp"

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

// manyCores returns so many that a sort that a gate stops does not stop others.
func manyCores() Cores { return make(Cores, 100) }

// newType returns a type whose records all have the same fields.
func newType(history int) *Type {
	fields := []Field{
		{Name: "id", Kind: reflect.Int, Key: func(e *Entry) sortkey.Key { return sortkey.Int(int64(e.ID)) }},
		{Name: "number", Kind: reflect.Int, Key: func(e *Entry) sortkey.Key { return sortkey.Int(recordOf(e).number) }},
		{Name: "text", Kind: reflect.String, Key: func(e *Entry) sortkey.Key { return sortkey.Text(recordOf(e).text) }},
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
	return &Type{ID: "id", History: history, Cores: manyCores(), Field: func(name string) (Field, bool) {
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
		ID:    "id",
		Cores: manyCores(),
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
		Members: func(e *Entry) iter.Seq2[string, string] {
			return func(yield func(name, value string) bool) {
				for _, name := range recordOf(e).members {
					if !yield(name, "") {
						return
					}
				}
			}
		},
		FieldOf: ordering.Snake,
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
		must(t, c.Check())
	})
	return c
}

// Check is for tests, as that of the current state.
func (c *Store) Check() error { return c.Current().Check() }

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

// A finder has a method for each thing that a query can want of a source.
type finder struct{ Source }

// of returns the finder of a store, a state or a batch.
func of(s Source) finder { return finder{s} }

// apply makes a change of an index.
func apply(x index, ch Change) {
	x.prepare([]Change{ch})
	x.apply(x)
}

// replace replaces the records of stores.
func replace(all ...Replacement) error {
	var stores []*Store
	for _, r := range all {
		stores = append(stores, r.Store)
	}
	return Replace(stores, func() ([]Replacement, error) { return all, nil })
}

func (f finder) Page(ctx context.Context, q Query) (Entries, int, error) {
	return Page(ctx, f.Source, q, q.Terms)
}

func (f finder) Count(ctx context.Context, q Query) (int, error) {
	q.Want = WantCount
	a, err := f.Answer(ctx, q)
	return a.N, err
}

func (f finder) First(ctx context.Context, q Query) (*Entry, error) {
	q.Want = WantFirst
	a, err := f.Answer(ctx, q)
	return a.First(), err
}

func (f finder) Position(ctx context.Context, id int, q Query) (int, error) {
	q.Want, q.ID = WantPosition, id
	a, err := f.Answer(ctx, q)
	return a.N, err
}

func (f finder) Scan(ctx context.Context, q Query) (func(yield func(*Entry) bool), error) {
	q.Want = WantScan
	a, err := f.Answer(ctx, q)
	return a.Scan, err
}

func (f finder) Groups(ctx context.Context, q Query) (func(yield func(first *Entry, n int) bool), error) {
	q.Want = WantGroups
	a, err := f.Answer(ctx, q)
	return a.Groups, err
}

func (f finder) After(ctx context.Context, token string, n int, q Query) (Entries, string, error) {
	q.Want, q.Token, q.Window = WantAfter, token, pagination.Window{Limit: n}
	a, err := f.Answer(ctx, q)
	return a.Entries, a.Next, err
}

func (f finder) Explain(ctx context.Context, q Query) (string, error) {
	q.Want = WantExplain
	a, err := f.Answer(ctx, q)
	return a.Text, err
}

// ordered returns the ids of all records, as p orders them.
func ordered(t testing.TB, p Source, terms string) []int {
	t.Helper()
	entries, count, err := of(p).Page(within(t), Query{Terms: parse(terms), Window: allRecords})
	if err != nil || count != entries.Len() {
		t.Fatalf("by %q: %d entries, count %d, %v", terms, entries.Len(), count, err)
	}
	return ids(entries.list())
}

func (es Entries) list() []*Entry { return es.appendTo(nil) }

func ids(entries []*Entry) []int {
	list := make([]int, len(entries))
	for i, e := range entries {
		list[i] = e.ID
	}
	return list
}

// within returns a context with a timeout that no passing test reaches.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
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
	case name == "note":
		return 0
	}
	has, other := slices.Contains(a.members, name), slices.Contains(b.members, name)
	switch {
	case has && other:
		return cmp.Compare(a.number, b.number)
	case has:
		return -1
	case other:
		return 1
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

func (s slots) taken() int { return len(s[0]) + len(s[1]) }

func conditions(t testing.TB, list ...ordering.Condition) (where []Condition) {
	t.Helper()
	for _, c := range list {
		ranges, err := c.Ranges(nil)
		must(t, err)
		where = append(where, Condition{c.Field(), ranges})
	}
	return where
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
// First, Scan, Position and walks by tokens against them.
func found(t testing.TB, p Source, q Query) []int {
	t.Helper()
	q.Window = allRecords
	entries, count, err := of(p).Page(within(t), q)
	if err != nil || count != entries.Len() {
		t.Fatalf("%d entries, count %d, %v", entries.Len(), count, err)
	}
	all := ids(entries.list())
	for _, w := range []pagination.Window{{}, {Limit: 3}, {Limit: 2, Offset: count / 2}, {Limit: 5, Offset: count - 1}, {Limit: 1, Offset: count}} {
		q.Window = w
		page, n, err := of(p).Page(within(t), q)
		if want := paged(all, w); err != nil || n != count || !slices.Equal(ids(page.list()), want) {
			t.Errorf("page %+v has ids %v, count %d, %v, want %v, %d", w, ids(page.list()), n, err, want, count)
		}
	}
	if n, err := of(p).Count(within(t), q); n != count || err != nil {
		t.Errorf("Count() = %d, %v, want %d", n, err, count)
	}
	first, err := of(p).First(within(t), q)
	if err != nil || count == 0 && first != nil || count > 0 && idOf(first) != all[0] {
		t.Errorf("First() = %d, %v of %v", idOf(first), err, all)
	}
	scan, err := of(p).Scan(within(t), q)
	must(t, err)
	var scanned []*Entry
	scan(func(e *Entry) bool { scanned = append(scanned, e); return true })
	if !slices.Equal(ids(scanned), all) {
		t.Errorf("Scan() yields %v, want %v", ids(scanned), all)
	}
	for at, id := range all {
		if got, err := of(p).Position(within(t), id, q); got != at || err != nil {
			t.Errorf("Position(%d) = %d, %v, want %d", id, got, err, at)
		}
	}
	for _, n := range []int{0, 1 + count/3, 2} {
		if got := walked(t, p, q, n, count); !slices.Equal(got, all) {
			t.Errorf("a walk by tokens, %d at a time, finds %v, want %v", n, got, all)
		}
	}
	return all
}

// walked returns the ids that a walk by tokens finds, n at a time. It stops after more than most.
func walked(t testing.TB, p Source, q Query, n, most int) (all []int) {
	t.Helper()
	for token := ""; ; {
		page, next, err := of(p).After(within(t), token, n, q)
		if err != nil || n > 0 && page.Len() > n || page.Len() == 0 && next != "" {
			t.Errorf("after %q: %v, %q, %v", token, ids(page.list()), next, err)
		}
		all = append(all, ids(page.list())...)
		if token = next; token == "" || len(all) > most || err != nil {
			return all
		}
	}
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
func panickingGate() *gate { return &gate{entered: make(chan struct{}), leave: closed(), panics: true} }

// exitingGate returns a gate that calls runtime.Goexit at once, as t.FailNow does.
func exitingGate() *gate { return &gate{entered: make(chan struct{}), leave: closed(), exits: true} }

func closed() chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
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

// begin begins a page of all records in the order of terms, as beginQuery does.
func begin(ctx context.Context, p Source, terms string) <-chan any {
	return beginQuery(ctx, p, Query{Terms: parse(terms)})
}

// beginQuery begins a page of all records of a query in a new goroutine. It returns a channel that
// receives their ids, an error, or a string if the query panics.
func beginQuery(ctx context.Context, p Source, q Query) <-chan any {
	result := make(chan any, 1)
	go func() {
		defer func() {
			if reason := recover(); reason != nil {
				result <- fmt.Sprint("panic: ", reason)
			}
		}()
		q.Window = allRecords
		entries, count, err := of(p).Page(ctx, q)
		switch {
		case err != nil:
			result <- err
		case count != entries.Len():
			result <- fmt.Sprintf("%d entries, count %d", entries.Len(), count)
		default:
			result <- ids(entries.list())
		}
	}()
	return result
}

// callMethod calls one method of a finder and returns its error.
func callMethod(ctx context.Context, p Source, method string, q Query) (err error) {
	switch method {
	case "Page":
		_, _, err = of(p).Page(ctx, q)
	case "First":
		_, err = of(p).First(ctx, q)
	case "Position":
		_, err = of(p).Position(ctx, 1, q)
	case "Scan":
		_, err = of(p).Scan(ctx, q)
	case "Explain":
		_, err = of(p).Explain(ctx, q)
	}
	return err
}

// errorsOf returns the error of each method for a query.
func errorsOf(t *testing.T, p Source, q Query) map[string]error {
	all := map[string]error{}
	for _, method := range []string{"Page", "First", "Position", "Scan", "Explain"} {
		all[method] = callMethod(within(t), p, method, q)
	}
	return all
}

// waiting waits until n readers wait for builds or sorts.
func waiting(t *testing.T, n int) {
	t.Helper()
	waitFor(t, fmt.Sprint(n, " waiting readers"), func() bool {
		stacks, waits := make([]byte, 1<<20), 0
		for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") { // one may wait in a wait
			state, _, _ := strings.Cut(stack, "\n") // wait also returns at once, and is no wait then
			if strings.Contains(state, "[select") && strings.Contains(stack, "(*task).wait(") {
				waits++
			}
		}
		return waits == n
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

func paged[T any](items []T, w pagination.Window) []T {
	start, end := w.Bounds(len(items))
	return items[start:end]
}

// allocated returns the least number of bytes that three calls of f allocate, because goroutines of the
// runtime and of other tests allocate, too.
func allocated(f func()) (least uint64) {
	least = math.MaxUint64
	for range 3 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		least = min(least, after.TotalAlloc-before.TotalAlloc)
	}
	return least
}

// equal reports how what the test got differs from what it wants.
func equal(t testing.TB, what string, want, got any, opts ...gocmp.Option) {
	t.Helper()
	if diff := gocmp.Diff(want, got, opts...); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// must ends the test if its preparation failed.
func must(t testing.TB, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

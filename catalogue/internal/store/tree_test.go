package store

import (
	"fmt"
	"math"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"
	"weak"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering/sortkey"
)

// Removed entries and their texts are collected, unless a split node still refers
// to them. Forks count such entries, too.
func TestRemovedTextsAreCollected(t *testing.T) {
	const n = 500
	alternate := func(id int) bool { return (id-1)/((fullNode+1)/2)%2 == 1 } // every other node
	for _, row := range []struct {
		reason string
		remove func(c *Store)
		kept   int
	}{
		{"the last record deleted", func(c *Store) { remove(c, n) }, 0},
		{"the last record updated", func(c *Store) { put(c, &record{Entry: Entry{n}, text: "z"}) }, 0},
		{"some deleted in a small batch", func(c *Store) {
			c.Batch(func(tx *Tx) error {
				for id := n - fewChanges + 1; id <= n; id++ {
					tx.Write(Change{Old: tx.Get(id)})
				}
				return nil
			})
		}, 0},
		{"a quarter deleted in a large batch", func(c *Store) {
			c.Batch(func(tx *Tx) error {
				for id := 2; id <= n; id += 4 {
					tx.Write(Change{Old: tx.Get(id)})
				}
				return nil
			})
		}, 0},
		{"many deleted one by one after a fork", func(c *Store) {
			c.Current()
			for id := range n {
				if alternate(id + 1) {
					remove(c, id+1)
				}
			}
		}, n / 16},
		{"a sixth updated one by one after a fork", func(c *Store) {
			c.Current()
			for id := range n / 3 {
				if alternate(id + 1) {
					put(c, &record{Entry: Entry{id + 1}})
				}
			}
		}, n / 8},
		{"many updated one by one after a fork", func(c *Store) {
			c.Current()
			for id := range n {
				if alternate(id + 1) {
					put(c, &record{Entry: Entry{id + 1}})
				}
			}
		}, n / 8},
	} {
		t.Run(row.reason, func(t *testing.T) {
			c := newStore(t, newType(0), 0)
			ordered(t, c, "text")
			var entries []weak.Pointer[Entry]
			var texts []weak.Pointer[byte]
			for i := range n {
				text := fmt.Sprintf("%0100d", i)
				texts = append(texts, weak.Make(unsafe.StringData(text)))
				entries = append(entries, weak.Make(put(c, &record{text: text})))
			}
			row.remove(c)
			runtime.GC()
			runtime.GC()
			kept := 0
			for i, p := range entries {
				if e := c.Get(i + 1); (e == nil || p.Value() != e) && (p.Value() != nil || texts[i].Value() != nil) {
					kept++
				}
			}
			if kept > row.kept {
				t.Errorf("%d removed entries or their texts are kept, want at most %d", kept, row.kept)
			}
			runtime.KeepAlive(c)
		})
	}
}

// All methods that write to a tree lead to the same entries and keys.
func TestTreeWrites(t *testing.T) {
	rng := random(t)
	for _, terms := range []string{"number", "text", "note", "text,-number", "note,number,text"} {
		for _, n := range []int{0, 1, 30, 70, 700, 5000} {
			var before, after []*Entry
			var changes []Change
			for id := range n {
				old, new := &randomRecord(rng, id+1).Entry, &randomRecord(rng, id+1).Entry
				switch rng.IntN(6) {
				case 0:
					before, changes = append(before, old), append(changes, Change{Old: old})
				case 1:
					after, changes = append(after, new), append(changes, Change{New: new})
				case 2:
					before, after, changes = append(before, old), append(after, new), append(changes, Change{old, new})
				default:
					before, after = append(before, old), append(after, old)
				}
			}
			empty := newIndex(newType(0).resolve(parse(terms)), parse(terms))
			filled := func(entries []*Entry) index { x := empty.empty(); x.fill(entries); return x }
			trees := map[string]index{"set": filled(before), "merge": filled(before), "fill": filled(after), "build": empty.empty()}
			for _, ch := range changes {
				apply(trees["set"], ch)
			}
			forked := trees["merge"].fork()
			forked.setAll(changes)
			if want, got := sorted(before, terms), inOrder(trees["merge"]); !slices.Equal(want, got) {
				t.Fatalf("the original of a fork, by %s (-want +got):\n%s", terms, cmp.Diff(want, got))
			}
			trees["merge"] = forked
			size := trees["fill"].keySize()
			if err := trees["build"].build(after, size, NewCores()); err != nil {
				t.Fatalf("build(limit %d) = %v", size, err)
			}
			want := sorted(after, terms)
			for method, x := range trees {
				if got := inOrder(x); !slices.Equal(want, got) || x.len() != len(want) {
					t.Errorf("%s of %d by %s (-want +got):\n%s", method, n, terms, cmp.Diff(want, got))
				}
				if err := x.check(); err != nil || x.keySize() != size {
					t.Errorf("%s of %d by %s: %v; keys of %d bytes, want %d", method, n, terms, err, x.keySize(), size)
				}
			}
			if list, err := empty.empty().sort(t.Context(), after, size, NewCores(), cut{}); err != nil || !slices.Equal(want, ids(list)) {
				t.Errorf("sort of %d by %s, %v (-want +got):\n%s", n, terms, err, cmp.Diff(want, ids(list)))
			}
		}
	}
}

// inOrder returns the ids of the entries of an index.
func inOrder(x index) []int {
	return ids(x.page(nil, 0, x.len(), false))
}

// parallel calls f once for each number and panics if a call does.
func TestParallel(t *testing.T) {
	for _, n := range []int{0, 1, 2, 100} {
		calls := make([]int, n)
		parallel(n, func(i int) { calls[i]++ })
		if slices.ContainsFunc(calls, func(n int) bool { return n != 1 }) {
			t.Errorf("parallel(%d) made the calls %v, want one each", n, calls)
		}
		reason := func() (reason any) {
			defer func() { reason = recover() }()
			parallel(n, func(i int) {
				if i == n/2 {
					panic(fmt.Sprint("call ", i))
				}
			})
			return nil
		}()
		if n > 0 && reason != fmt.Sprint("call ", n/2) {
			t.Errorf("parallel(%d) panicked with %v, want call %d", n, reason, n/2)
		}
	}
}

// ascendingKeys returns a list of keys of every kind in ascending order, as the documentation of
// package ordering describes it. The tests compare keys by their positions in the
// list, and so without the code of package ordering.
func ascendingKeys() []sortkey.Key {
	number, text, list := sortkey.Decimal, sortkey.Text, sortkey.List
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
		number("9223372036854775807.5"), number("9223372036854775808"), sortkey.Decimal("18446744073709551615"),
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
	if a.at != b.at {
		return a.at - b.at
	}
	return compareIDs(a.Entry, b.Entry)
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
	tree := func(kind reflect.Kind) func([]*Entry) sequence {
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
	isTime := func(k sortkey.Key) bool { _, ok := k.AsTime(); return ok }
	all := func(sortkey.Key) bool { return true }
	return []testSequence{
		{"numbers", tree(reflect.Int), rankedEntries(n, func(k sortkey.Key) bool { return isInt(k) && !isBool(k) })},
		{"booleans", tree(reflect.Bool), rankedEntries(n, isBool)},
		{"times", tree(reflect.Struct), rankedEntries(n, isTime)},
		{"texts", tree(reflect.String), rankedEntries(n, isText)},
		{"encoded keys", tree(reflect.Invalid), rankedEntries(n, all)},
		{"ids", func(entries []*Entry) sequence { x := newPrimary(); x.fill(entries); return x }, rankedIDs(n)},
		{"sorted entries", func(entries []*Entry) sequence {
			entries = slices.Clone(entries)
			slices.SortFunc(entries, func(a, b *Entry) int {
				return compareRankedEntries(rankedEntry{a, int(recordOf(a).number)}, rankedEntry{b, int(recordOf(b).number)})
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

func (l testSequence) sequence() sequence {
	var entries []*Entry
	for _, e := range l.entries {
		entries = append(entries, e.Entry)
	}
	slices.SortFunc(entries, compareIDs)
	return l.make(entries)
}

// The keys of ascendingKeys are in ascending order, which the other tests rely on.
func TestAscendingKeys(t *testing.T) {
	keys := ascendingKeys()
	for i := range keys {
		for j := range keys {
			if got, want := keys[i].Compare(keys[j]), i-j; (got < 0) != (want < 0) || (got > 0) != (want > 0) {
				t.Errorf("key %d compared to key %d is %d", i, j, got)
			}
		}
	}
}

// boundAt returns the bound before or after the entries with a key.
func boundAt(k sortkey.Key, after bool) bound {
	if after {
		return bound{key: k, id: beforeNext}
	}
	return bound{key: k}
}

// The rank of a bound of any kind, and the position of an entry, in a sequence of any kind are
// the number of entries before it: for the first searches, which have no parts, for later ones,
// and after writes.
func TestRank(t *testing.T) {
	keys := ascendingKeys()
	for _, n := range []int{0, 1, 2, 7, 64, 400} {
		for _, l := range testSequences(n) {
			x := l.sequence()
			for pass := range 12 {
				for at, k := range keys {
					for _, after := range []bool{false, true} {
						if pass == 0 {
							dropParts(x) // so that this is the first search
						}
						want := 0
						for _, e := range l.entries {
							if e.at < at || after && e.at == at {
								want++
							}
						}
						if got := x.rank(boundAt(k, after)); got != want {
							t.Errorf("%s, %d entries, pass %d: rank of key %d, after %v, is %d, want %d", l.reason, len(l.entries), pass, at, after, got, want)
						}
					}
				}
				for want, e := range l.entries {
					if got := x.position(e.Entry); got != want {
						t.Fatalf("%s, %d entries, pass %d: the position of id %d is %d, want %d", l.reason, n, pass, e.ID, got, want)
					}
				}
				if pass == 10 {
					l.entries = withoutSome(x, l.entries)
				}
			}
		}
	}
}

// dropParts drops the parts, if x is a tree.
func dropParts(x sequence) {
	switch x := x.(type) {
	case *tree[struct{}]:
		x.parts.drop()
	case *tree[int64]:
		x.parts.drop()
	case *tree[instant]:
		x.parts.drop()
	case *tree[text]:
		x.parts.drop()
	}
}

// withoutSome removes each third entry from a tree and returns the others. It changes
// nothing if x is no tree.
func withoutSome(x sequence, entries []rankedEntry) (rest []rankedEntry) {
	tree, ok := x.(index)
	if !ok {
		return entries
	}
	for i, e := range entries {
		if i%3 == 1 {
			ch := Change{Old: e.Entry}
			apply(tree, ch)
		} else {
			rest = append(rest, e)
		}
	}
	return rest
}

// idOf returns the id of an entry, or 0 if it is nil.
func idOf(e *Entry) int {
	if e == nil {
		return 0
	}
	return e.ID
}

// TestText checks that texts compare as strings, whatever the part is that an item has.
func TestText(t *testing.T) {
	list := []string{"", "\x00", "\x00\x00", "a", "a\x00", "ab", "abcdef", "abcdef\x00", "abcdefg", "abcdefh", "é", "日本語", "\xff"}
	for _, n := range []int{longText - 1, longText, longText + 1, 2 * longText} {
		list = append(list, strings.Repeat("a", n), strings.Repeat("a", n)+"b")
	}
	for _, a := range list {
		for _, b := range list {
			if textOf(a).String() != a || textOf(a).compare(textOf(b)) != strings.Compare(a, b) {
				t.Errorf("%.9q with %d bytes and %.9q with %d: compare returns %d, want %d", a, len(a), b, len(b), textOf(a).compare(textOf(b)), strings.Compare(a, b))
			}
		}
	}
}

package store

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"testing"
	"unsafe"
	"weak"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// The trees keep at most an eighth as many removed entries as there are records.
func TestRemovedEntriesAreCollected(t *testing.T) {
	type writes struct {
		insert, update, remove int  // relative frequencies
		batch                  int  // largest number of changes; 0 means single writes
		fork                   bool // freeze the state after each write
	}
	for _, row := range []struct {
		reason string
		n      int // records at the start
		writes
	}{
		{"inserts", 100, writes{insert: 1}},
		{"updates", 400, writes{update: 1}},
		{"deletes", 400, writes{remove: 1}},
		{"all kinds of writes", 400, writes{insert: 2, update: 2, remove: 2}},
		{"all kinds of writes, in forks", 3000, writes{insert: 2, update: 2, remove: 2, fork: true}},
		{"inserts and deletes, in forks", 400, writes{insert: 2, remove: 2, fork: true}},
		{"small batches", 400, writes{insert: 2, update: 2, remove: 2, batch: fewChanges}},
		{"large batches", 400, writes{insert: 2, update: 2, remove: 2, batch: 100, fork: true}},
	} {
		t.Run(row.reason, func(t *testing.T) {
			rng := random(t)
			c := newStore(t, newType(0), 0)
			for _, terms := range []string{"number", "text,number", "note"} {
				ordered(t, c, terms)
			}
			all := map[weak.Pointer[Entry]]bool{}
			for range row.n {
				all[weak.Make(put(c, randomRecord(rng, 0)))] = true
			}
			for range 3 {
				for range 120 {
					w := row.writes
					c.Batch(func(tx *Tx) error {
						for range 1 + rng.IntN(max(w.batch, 1)) {
							write(tx, rng, w.insert, w.update, w.remove, all)
						}
						return nil
					})
					if w.fork {
						c.Current()
					}
				}
				runtime.GC()
				runtime.GC()
				kept := 0
				for p := range all {
					if e := p.Value(); e == nil {
						delete(all, p)
					} else if c.Get(e.ID) != e {
						kept++
					}
				}
				// The write after the one that exceeds an eighth compacts the trees.
				if limit := c.Len()/8 + max(row.batch, 1) + 1; kept > limit {
					t.Errorf("%d removed entries are kept for %d records, want at most %d", kept, c.Len(), limit)
				}
			}
			runtime.KeepAlive(c)
		})
	}
}

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

// write makes a random change in a batch and adds new entries to all.
func write(tx *Tx, rng *rand.Rand, insert, update, remove int, all map[weak.Pointer[Entry]]bool) {
	id := 1 + rng.IntN(tx.LastID())
	for range 100 {
		if tx.Get(id) != nil {
			break
		}
		id = id%tx.LastID() + 1
	}
	old := tx.Get(id)
	switch n := rng.IntN(insert + update + remove); {
	case n < insert:
		e := &randomRecord(rng, tx.LastID()+1).Entry
		all[weak.Make(e)] = true
		tx.Write(Change{New: e})
	case n < insert+update && old != nil:
		e := &randomRecord(rng, id).Entry
		all[weak.Make(e)] = true
		tx.Write(Change{old, e})
	case old != nil:
		tx.Write(Change{Old: old})
	}
}

// All methods that write to a tree lead to the same entries and keys.
func TestTreeWrites(t *testing.T) {
	rng := random(t)
	never := func() bool { return false }
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
				trees["set"].set(ch, trees["set"].keys(ch))
			}
			forked := trees["merge"].fork()
			forked.merge(changes)
			if want, got := sorted(before, terms), inOrder(trees["merge"]); !slices.Equal(want, got) {
				t.Fatalf("the original of a fork, by %s (-want +got):\n%s", terms, cmp.Diff(want, got))
			}
			trees["merge"] = forked
			size := trees["fill"].keySize()
			if complete, small := trees["build"].build(after, size, never); !complete || !small {
				t.Fatalf("build(limit %d) = %v, %v, want true, true", size, complete, small)
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
			if list, small := empty.empty().sort(after, size, never); !small || !slices.Equal(want, ids(list)) {
				t.Errorf("sort of %d by %s, %v (-want +got):\n%s", n, terms, small, cmp.Diff(want, ids(list)))
			}
		}
	}
}

// inOrder returns the ids of the entries of an index.
func inOrder(x index) []int {
	var list []int
	x.scan(false, func(e *Entry) bool { list = append(list, e.ID); return true })
	return list
}

// build and sort do nothing if the keys are too large or they are stopped.
func TestBuildAndSortLimits(t *testing.T) {
	rng := random(t)
	for _, n := range []int{5, 20_000} {
		entries := make([]*Entry, n)
		for i := range entries {
			entries[i] = &randomRecord(rng, i+1).Entry
		}
		terms := parse("text,number")
		empty := newIndex(newType(0).resolve(terms), terms)
		full := empty.empty()
		full.fill(entries)
		size := full.keySize()
		for _, row := range []struct {
			reason string
			limit  int
			stop   bool
			small  bool
		}{
			{"a byte too large", size - 1, false, false},
			{"much too large", 10, false, false},
			{"limit zero", 0, false, false},
			{"stopped", size, true, true},
			{"no limit, stopped", -1, true, true},
		} {
			stopped := func() bool { return row.stop }
			x := empty.empty()
			if complete, small := x.build(entries, row.limit, stopped); complete || small != row.small || x.len() != 0 {
				t.Errorf("%s: build = %v, %v with %d entries, want false, %v with none", row.reason, complete, small, x.len(), row.small)
			}
			if list, small := empty.empty().sort(entries, row.limit, stopped); list != nil || small != row.small {
				t.Errorf("%s: sort = %d entries, %v, want none, %v", row.reason, len(list), small, row.small)
			}
		}
	}
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

// The rank of a bound of any kind in a sequence of any kind is the number of entries
// before it: for the first searches, which remember nothing, for later ones, and after
// a write.
func TestRank(t *testing.T) {
	keys := ascendingKeys()
	for _, n := range []int{0, 1, 2, 7, 64, 400} {
		for _, l := range testSequences(n) {
			x := l.sequence()
			for pass := range 4 {
				for at, k := range keys {
					for _, after := range []bool{false, true} {
						if pass == 0 {
							dropCaches(x) // so that this is the first search
						}
						want := 0
						for _, e := range l.entries {
							if e.at < at || after && e.at == at {
								want++
							}
						}
						if got := x.rank(bound{k, after}); got != want {
							t.Errorf("%s, %d entries, pass %d: rank of key %d, after %v, is %d, want %d", l.reason, len(l.entries), pass, at, after, got, want)
						}
					}
				}
				if pass == 2 {
					l.entries = withoutSome(x, l.entries)
				}
			}
		}
	}
}

// dropCaches drops what searches remember, if x is a tree.
func dropCaches(x sequence) {
	if x, ok := x.(interface{ dropCaches() }); ok {
		x.dropCaches()
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
			tree.set(ch, tree.keys(ch))
		} else {
			rest = append(rest, e)
		}
	}
	return rest
}

// First returns the first or last entry of a range with bounds of any kinds.
func TestFirstOfRange(t *testing.T) {
	keys := ascendingKeys()
	for _, n := range []int{0, 1, 60} {
		for _, l := range testSequences(n) {
			x, ok := l.sequence().(index)
			if !ok {
				continue // sorted entries are only searched by rank
			}
			step := 3
			if n < 2 {
				step = 13
			}
			for i := 0; i < 4*len(keys)*len(keys); i += step {
				from, to := i/4%len(keys), i/4/len(keys)
				r := ordering.Range{From: keys[from], To: keys[to], FromExcluded: i%2 == 1, ToIncluded: i/2%2 == 1}
				var want []int // the ids in the range
				for _, e := range l.entries {
					if (e.at > from || e.at == from && !r.FromExcluded) && (e.at < to || e.at == to && r.ToIncluded) {
						want = append(want, e.ID)
					}
				}
				first, last := 0, 0
				if len(want) > 0 {
					first, last = want[0], want[len(want)-1]
				}
				if gotFirst, gotLast := idOf(x.first(r, false)), idOf(x.first(r, true)); gotFirst != first || gotLast != last {
					t.Fatalf("%s, %d entries: from key %d (excluded %v) to key %d (included %v): first %d and last %d, want %d and %d",
						l.reason, len(l.entries), from, r.FromExcluded, to, r.ToIncluded, gotFirst, gotLast, first, last)
				}
			}
		}
	}
}

// idOf returns the id of an entry, or 0 if it is nil.
func idOf(e *Entry) int {
	if e == nil {
		return 0
	}
	return e.ID
}

// The position of an entry is the number of entries before it.
func TestPositionInSequence(t *testing.T) {
	for _, n := range []int{1, 2, 300, 9000} { // the last is more than there are probes
		for _, l := range testSequences(n) {
			x := l.sequence()
			step := max(1, len(l.entries)/500)
			for pass := range 2 {
				for want := 0; want < len(l.entries); want += step {
					if got := x.position(l.entries[want].Entry); got != want {
						t.Fatalf("%s, %d entries, pass %d: the position of id %d is %d, want %d", l.reason, n, pass, l.entries[want].ID, got, want)
					}
				}
			}
		}
	}
}

// The positions of an entry and of a bound are found while the remembered items of
// larger indexes come and go with writes.
func TestSearchBetweenWrites(t *testing.T) {
	rng := random(t)
	for _, n := range []int{10, 3000, 9000} {
		x, _ := counting(n)
		want := x.walk(nil, 0, n, false)
		for round := range 40 {
			for range rng.IntN(3 * minSearches) {
				at := rng.IntN(len(want))
				number := recordOf(want[at]).number
				got := []int{x.position(want[at]), x.rank(bound{sortkey.Int(number), false}), x.rank(bound{sortkey.Int(number), true})}
				if diff := cmp.Diff([]int{at, at, at + 1}, got); diff != "" {
					t.Fatalf("%d entries, round %d: positions of entry %d (-want +got):\n%s", n, round, at, diff)
				}
			}
			if len(want) > 2 {
				at := rng.IntN(len(want))
				ch := Change{Old: want[at]}
				x.set(ch, x.keys(ch))
				want = append(want[:at:at], want[at+1:]...)
			}
		}
		if err := x.check(); err != nil {
			t.Error(fmt.Errorf("%d entries: %w", n, err))
		}
	}
}

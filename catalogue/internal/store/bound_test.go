package store

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
)

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
func withoutSome(x sequence, entries []ranked) (rest []ranked) {
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
			x := l.sequence()
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
				got := []int{x.position(want[at]), x.rank(bound{ordering.Int(number), false}), x.rank(bound{ordering.Int(number), true})}
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

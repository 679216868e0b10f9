package store

import (
	"math/rand/v2"
	"testing"

	"github.com/gobacklist/backlist/ordering"
)

// The ranges of two conditions on one field intersect like the sets of their keys, and
// the result is sorted, without overlaps and without empty ranges.
func TestIntersect(t *testing.T) {
	rng := random(t)
	keys := ascendingKeys()
	for i := range 5000 {
		a, inA := randomRanges(rng, keys)
		b, inB := randomRanges(rng, keys)
		both := intersect(a, b)
		for at, k := range keys {
			got := 0
			for _, r := range both {
				if r.Contains(k) {
					got++
				}
			}
			want := 0
			if inA[at] && inB[at] {
				want = 1
			}
			if got != want {
				t.Fatalf("case %d: key %d is in %d ranges of the intersection of %v and %v, want %d", i, at, got, a, b, want)
			}
		}
		checkRanges(t, both)
	}
}

// checkRanges checks that ranges are sorted, do not overlap and are not empty.
func checkRanges(t *testing.T, ranges []ordering.Range) {
	t.Helper()
	for i, r := range ranges {
		if c := r.From.Compare(r.To); c > 0 || c == 0 && (r.FromExcluded || !r.ToIncluded) {
			t.Errorf("range %d of %v is empty", i, ranges)
		}
		if i == 0 {
			continue
		}
		before := ranges[i-1]
		if c := before.To.Compare(r.From); c > 0 || c == 0 && before.ToIncluded && !r.FromExcluded {
			t.Errorf("ranges %d and %d of %v overlap", i-1, i, ranges)
		}
	}
}

// randomRanges returns sorted ranges that do not overlap, and the positions of the keys
// that they contain. Bounds have even positions, so that keys with odd positions are
// between bounds. Some ranges are adjacent.
func randomRanges(rng *rand.Rand, keys []ordering.Key) (ranges []ordering.Range, in map[int]bool) {
	in = map[int]bool{}
	at, free := 0, true // the last bound, and whether no range contains it
	for at+2 < len(keys) && rng.IntN(12) > 0 {
		from := at + 2*rng.IntN(4)
		to := min(from+2*rng.IntN(4), (len(keys)-1)/2*2)
		if from > to {
			break
		}
		r := ordering.Range{From: keys[from], To: keys[to], FromExcluded: rng.IntN(2) == 0, ToIncluded: rng.IntN(2) == 0}
		if from == at && !free {
			r.FromExcluded = true
		}
		if from == to {
			if r.FromExcluded {
				at = to + 2
				continue
			}
			r.ToIncluded = true
		}
		for i := from; i <= to; i++ {
			if (i > from || !r.FromExcluded) && (i < to || r.ToIncluded) {
				in[i] = true
			}
		}
		ranges = append(ranges, r)
		at, free = to, !r.ToIncluded
	}
	return ranges, in
}

// Several conditions on one field leave the ranges of the caller as they are.
func TestMergeLeavesConditions(t *testing.T) {
	c := newStore(t, newSchema(0), 20)
	where := conditions(t, ordering.OneOf("number", 1, 2, 3), ordering.Less("number", 3), ordering.Greater("number", 1))
	before := where[0].Ranges[0]
	for range 2 {
		entries, count, err := c.Page(within(t), Query{Where: where, Window: allRecords})
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if recordOf(e).number != 2 {
				t.Errorf("id %d has the number %d, want 2", e.ID, recordOf(e).number)
			}
		}
		if count != 3 { // of the numbers i % 7
			t.Errorf("count %d, want 3", count)
		}
	}
	if len(where) != 3 || len(where[0].Ranges) != 3 || where[0].Ranges[0] != before || where[0].Ranges[0].From.Compare(ordering.Int(1)) != 0 {
		t.Errorf("the conditions are %v now", where)
	}
}

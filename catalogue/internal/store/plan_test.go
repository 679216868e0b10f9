package store

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
	"github.com/gobacklist/backlist/pagination"
)

// Explain describes the range that is read, the filters, and whether there is a sort.
func TestExplain(t *testing.T) {
	c := newStore(t, newType(0), 70) // ten records for each number from 0 to 6
	for _, row := range []struct {
		reason string
		list   []ordering.Condition
		terms  string
		want   string
	}{
		{"no condition", nil, "", "all 70 records, in order"},
		{"no condition, in an order", nil, "-number,text", "all 70 records, in order"},
		{"one condition in its order", []ordering.Condition{ordering.Less("number", 2)}, "-number", "range of number: 20 of 70 records, in order"},
		{"one value, by id", []ordering.Condition{ordering.Equal("number", 2)}, "-id", "range of number: 10 of 70 records, in order"},
		{"one value, in its order and by id", []ordering.Condition{ordering.Equal("number", 2)}, "number,-id", "range of number: 10 of 70 records, in order"},
		{"one value, the order ends with the ids", []ordering.Condition{ordering.Equal("number", 2)}, "-number,id", "range of number: 10 of 70 records, in order"},
		{"the default order is by id", []ordering.Condition{ordering.Equal("number", 2)}, "", "range of number: 10 of 70 records, in order"},
		{"a range of ids", []ordering.Condition{ordering.Greater("id", 60)}, "-id", "range of id: 10 of 70 records, in order"},
		{"several values are not in the order of the ids", []ordering.Condition{ordering.OneOf("number", 1, 2)}, "note", "range of number: 20 of 70 records, then sorted"},
		{"another order", []ordering.Condition{ordering.Equal("number", 2)}, "text", "range of number: 10 of 70 records, then sorted"},
		{"more terms after the field", []ordering.Condition{ordering.Equal("number", 2)}, "number,text", "range of number: 10 of 70 records, then sorted"},
		{"the smallest range is read", []ordering.Condition{ordering.Less("number", 3), ordering.Equal("id", 5)}, "id", "range of id: 1 of 70 records, filtered by number, in order"},
		{"in the order of the larger range", []ordering.Condition{ordering.Less("number", 3), ordering.Equal("id", 5)}, "number", "range of id: 1 of 70 records, filtered by number, then sorted"},
		{"two filters", []ordering.Condition{ordering.NotNull("number"), ordering.NotNull("text"), ordering.Less("id", 8)}, "id",
			"range of id: 7 of 70 records, filtered by number and text, in order"},
		{"three filters", []ordering.Condition{ordering.IsNull("note"), ordering.NotNull("number"), ordering.NotNull("text"), ordering.Less("id", 8)}, "-text",
			"range of id: 7 of 70 records, filtered by note and number and text, then sorted"},
		{"several conditions on one field", []ordering.Condition{ordering.Less("number", 3), ordering.Greater("number", 1)}, "number", "range of number: 10 of 70 records, in order"},
		{"no record", []ordering.Condition{ordering.Greater("number", 6)}, "number", "range of number: 0 of 70 records, in order"},
		{"no condition is selective", []ordering.Condition{ordering.Less("number", 6), ordering.NotNull("text")}, "-id", "all 70 records, filtered by number and text, in order"},
		{"not selective, but the order has no index", []ordering.Condition{ordering.Less("number", 6)}, "note,text", "range of number: 60 of 70 records, then sorted"},
	} {
		for what, p := range map[string]finder{"store": c, "state": c.Current(), "old state": oldStateOf(c)} {
			q := Query{Where: conditions(t, row.list...), Terms: parse(row.terms)}
			got, err := p.Explain(within(t), q)
			if got != row.want || err != nil {
				t.Errorf("%s, %s: Explain() = %q, %v, want %q", row.reason, what, got, err, row.want)
			}
		}
	}
}

// oldStateOf returns the current state of a clone of a store, which has a later state.
func oldStateOf(c *Store) *State { return oldState(Clone(c)[0]) }

// A condition or a term names a field that no record has. The error names it, for a
// store, its states and its batches, and the records that have the field are found
// otherwise.
func TestFindUnknownField(t *testing.T) {
	c := newStore(t, newMemberType(), 0)
	put(c, &record{number: 2, members: []string{"common"}})
	rare := put(c, &record{number: 1, members: []string{"common", "rare"}})
	q := Query{Where: conditions(t, ordering.Equal("rare", 1))}
	if diff := cmp.Diff([]int{2}, found(t, c, q)); diff != "" {
		t.Errorf("with the member (-want +got):\n%s", diff)
	}
	old := c.Current()
	remove(c, rare.ID)
	for _, field := range []string{"rare", "common"} {
		q := Query{Where: conditions(t, ordering.NotNull(field)), Terms: parse("rare")}
		err := c.Batch(func(tx *Tx) error {
			for what, p := range map[string]finder{"store": c, "state": c.Current(), "batch": tx} {
				for method, err := range errorsOf(t, p, q) {
					if !errors.Is(err, ordering.ErrUnknownField) || !strings.Contains(err.Error(), `"rare"`) {
						t.Errorf("%s of the %s with a condition on %s: error %v, want %v", method, what, field, err, ordering.ErrUnknownField)
					}
				}
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if diff := cmp.Diff([]int{2}, found(t, old, q)); diff != "" {
		t.Errorf("the earlier state (-want +got):\n%s", diff)
	}
	q.Terms, q.Lenient = parse("no_such,-id"), true
	if diff := cmp.Diff([]int{2}, found(t, old, q)); diff != "" {
		t.Errorf("an unknown term of a lenient query (-want +got):\n%s", diff)
	}
	q.Where = conditions(t, ordering.NotNull("no_such"))
	if _, _, err := old.Page(within(t), q); !errors.Is(err, ordering.ErrUnknownField) {
		t.Errorf("an unknown condition of a lenient query: error %v, want %v", err, ordering.ErrUnknownField)
	}
}

// errorsOf returns the error of each method for a query.
func errorsOf(t *testing.T, p finder, q Query) map[string]error {
	all := map[string]error{}
	_, _, all["Page"] = p.Page(within(t), q)
	_, all["First"] = p.First(within(t), q)
	_, all["Position"] = p.Position(within(t), 1, q)
	_, all["Scan"] = p.Scan(within(t), q)
	_, all["Explain"] = p.Explain(within(t), q)
	return all
}

// Conditions on fields whose keys are too large for an index are found by sorting the
// records of each state.
func TestFindLargeKeys(t *testing.T) {
	large := strings.Repeat("x", 2*maxPerRecord)
	c := newStore(t, newType(0), 0)
	for i := range 30 {
		note := fmt.Sprint(large, i%3)
		put(c, &record{number: int64(i % 5), text: "t", note: &note})
	}
	put(c, &record{number: 2})
	q := Query{Where: conditions(t, ordering.Equal("note", large+"1"), ordering.Less("number", 3))}
	holds := func(r *record) bool { return r.note != nil && *r.note == large+"1" && r.number < 3 }
	undo := errors.New("undo")
	for range 2 {
		old := oldState(c)
		for _, terms := range []string{"", "-id", "note", "-note", "number,note"} {
			q.Terms = parse(terms)
			for what, p := range map[string]finder{"store": c, "state": c.Current(), "old state": old} {
				if diff := cmp.Diff(selected(c.Current().Entries(), terms, holds), found(t, p, q)); diff != "" {
					t.Errorf("%s by %q (-want +got):\n%s", what, terms, diff)
				}
			}
			err := c.Batch(func(tx *Tx) error {
				if diff := cmp.Diff(selected(c.Current().Entries(), terms, holds), found(t, tx, q)); diff != "" {
					t.Errorf("batch by %q (-want +got):\n%s", terms, diff)
				}
				note := large + "1"
				tx.Write(Change{New: &(&record{Entry: Entry{1000}, note: &note}).Entry})
				if !slices.Contains(found(t, tx, q), 1000) {
					t.Errorf("batch by %q: a record that was written after a query is not found", terms)
				}
				return undo
			})
			if err != undo {
				t.Fatal(err)
			}
		}
	}
	if diff := cmp.Diff([]string{"number"}, indexed(c)); diff != "" {
		t.Errorf("indexes (-want +got):\n%s", diff)
	}
}

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
				if ordering.InRanges([]ordering.Range{r}, k) {
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
func randomRanges(rng *rand.Rand, keys []sortkey.Key) (ranges []ordering.Range, in map[int]bool) {
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
	c := newStore(t, newType(0), 20)
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
	if len(where) != 3 || len(where[0].Ranges) != 3 || where[0].Ranges[0] != before || where[0].Ranges[0].From.Compare(sortkey.Int(1)) != 0 {
		t.Errorf("the conditions are %v now", where)
	}
}

// A function of a query restricts the records together with conditions, whatever the
// order.
func TestPageMatch(t *testing.T) {
	c := newCountingStore(t, 40, nil)
	even := Condition{Field: "text", Ranges: []ordering.Range{{From: sortkey.Text("even"), To: sortkey.Text("even"), ToIncluded: true}}}
	third := func(e *Entry) bool { return e.ID%3 == 0 }
	for _, row := range []struct {
		reason string
		where  []Condition
		terms  string
		want   []int
	}{
		{"all records, by id", nil, "", []int{3, 6, 9, 12}},
		{"all records, in descending order", nil, "-id", []int{39, 36, 33, 30}},
		{"all records, in an order without an index", nil, "-number", []int{39, 36, 33, 30}},
		{"a condition", []Condition{even}, "", []int{6, 12, 18, 24}},
		{"a condition in another order", []Condition{even}, "-number", []int{36, 30, 24, 18}},
	} {
		q := Query{Where: row.where, Terms: parse(row.terms), Window: pagination.Window{Limit: 4}, Match: third}
		for range 2 { // the second time there are indexes
			entries, count, err := c.Page(t.Context(), q)
			var ids []int
			for _, e := range entries {
				ids = append(ids, e.ID)
			}
			all := 13
			if row.where != nil {
				all = 6
			}
			if diff := cmp.Diff(row.want, ids); err != nil || count != all || diff != "" {
				t.Errorf("%s: error %v, count %d, want %d, ids (-want +got):\n%s", row.reason, err, count, all, diff)
			}
		}
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, _, err := c.Page(ended, Query{Match: third}); !errors.Is(err, context.Canceled) {
		t.Errorf("Page with an ended context: error %v", err)
	}
}

package store

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// counting returns an index by number of n records and a pointer to the number of
// comparisons that the index has made.
func counting(n int) (*tree[int64], *int) {
	calls := new(int)
	k := *newNumbers(func(e *Entry) int64 { return recordOf(e).number }, pivotNumber).kind
	less := k.less
	k.less = func(a, b item[int64]) bool { *calls++; return less(a, b) }
	t := newTree(&k)
	var entries []*Entry
	for i := range n {
		entries = append(entries, &(&record{Entry: Entry{i + 1}, number: int64(n - i)}).Entry)
	}
	t.fill(entries)
	*calls = 0
	return t, calls
}

// A page is read from arrays, without comparisons, after the documented number of
// pages. A write drops the arrays.
func TestPageFromArrays(t *testing.T) {
	for _, row := range []struct {
		reason    string
		n, offset int
		limit     int
		parts     int // number of parts that the page overlaps
	}{
		{"a small index", 20, 5, 10, 1},
		{"exactly one part", partLen, 0, partLen, 1},
		{"the end of a part", 1000, partLen - 3, 3, 1},
		{"two parts", 1000, partLen - 3, 20, 2},
		{"two parts of a large index", 9000, 70*partLen - 3, 20, 2},
		{"the last part", 1000, 990, 100, 1},
		{"the end of the last part", 10 * partLen, 10*partLen - 4, 100, 1},
	} {
		for _, desc := range []bool{false, true} {
			t.Run(fmt.Sprint(row.reason, ", descending ", desc), func(t *testing.T) {
				x, calls := counting(row.n)
				want := x.walk(nil, 0, row.n, false)
				offset := row.offset
				if desc {
					slices.Reverse(want)
					offset = max(0, row.n-row.offset-row.limit)
				}
				end := min(offset+row.limit, row.n)
				want = want[offset:end]
				first := x.page(nil, offset, row.limit, desc)
				if diff := cmp.Diff(ids(want), ids(first)); diff != "" {
					t.Fatalf("the first page (-want +got):\n%s", diff)
				}
				made := 1
				for ; ; made++ {
					*calls = 0
					if diff := cmp.Diff(ids(want), ids(x.page(nil, offset, row.limit, desc))); diff != "" {
						t.Fatalf("page %d (-want +got):\n%s", made+1, diff)
					}
					if *calls == 0 || made > 1000 {
						break
					}
				}
				// The page that makes the directory is the first counted for a part. The page
				// that makes an array is the first counted for the next part.
				if want := 4 + row.n/1024 - 1 + row.parts*(partPages-1) + 1; made != want {
					t.Errorf("%d pages were read from the tree, want %d", made, want)
				}
				dst := make([]*Entry, 0, row.limit)
				if n := testing.AllocsPerRun(50, func() { x.page(dst, offset, row.limit, desc) }); n != 0 || *calls != 0 {
					t.Errorf("a page made %v allocations and %d comparisons, want none", n, *calls)
				}
				e := want[0]
				x.set(Change{e, e}, x.keys(Change{e, e}))
				if *calls = 0; len(x.page(dst, offset, row.limit, desc)) == 0 || *calls == 0 {
					t.Error("a page after a write was not read from the tree")
				}
			})
		}
	}
}

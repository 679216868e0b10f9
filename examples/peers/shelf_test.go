package main

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// All shelves show the same pages, which are those of records sorted anew.
func TestShelvesAgree(t *testing.T) {
	const n = 100
	records, fresh := smalls(1, n), smalls(n+1, 10)
	own, bare, slice := newTyped(smallKind()).(*typed[small]), newTrees(smallKind()).(*trees[small]), newStock(smallKind()).(*stock)
	shelves := []shelf[small]{own, bare, slice}
	for _, s := range shelves {
		s.load(records)
		for i := range fresh {
			s.insert(&fresh[i])
		}
		s.delete(7)
		s.delete(n + 3)
	}
	want := slices.DeleteFunc(slices.Concat(records, fresh), func(r small) bool { return r.ID == 7 || r.ID == n+3 })
	slices.SortFunc(want, func(a, b small) int { return compareDate(&a, &b) })
	for _, offset := range []int{0, 1, pageSize, len(want) - 5, len(want), len(want) + 1} {
		for _, s := range shelves {
			if count := s.page(offset); count != len(want) {
				t.Fatalf("%T: want %d records, got %d", s, len(want), count)
			}
		}
		var ours []*small
		for i := range own.seen.Len() {
			ours = append(ours, own.seen.At(i))
		}
		start, end := bounds(offset, len(want))
		for name, got := range map[string][]*small{"backlist": ours, "btree": bare.seen, "slice": slice.seen} {
			page := make([]small, len(got))
			for i, r := range got {
				page[i] = *r
			}
			if diff := cmp.Diff(want[start:end:end], page); diff != "" {
				t.Errorf("%s at offset %d: %s", name, offset, diff)
			}
		}
	}
}

// Records that a shelf lost or changed are found.
func TestShelvesDiffer(t *testing.T) {
	records := plainOf(newData(30).records)
	for _, row := range []struct {
		reason string
		spoil  func(shelf[plain])
	}{
		{"a record is missing", func(s shelf[plain]) { s.delete(5) }},
		{"a record is another", func(s shelf[plain]) { r := records[4]; r.Labels = []int{99}; s.update(&r) }},
	} {
		for _, make := range []func(kind[plain]) shelf[plain]{newTyped[plain], newTrees[plain]} {
			s := make(plainKind())
			s.load(records)
			if err := samePlains([]shelf[plain]{s}, records); err != nil {
				t.Fatal(err)
			}
			row.spoil(s)
			if err := samePlains([]shelf[plain]{s}, records); !errors.Is(err, errDiffers) {
				t.Errorf("%s: want an error, got %v", row.reason, err)
			}
		}
	}
}

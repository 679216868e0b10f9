package main

import (
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestTypedStoresAgree compares the pages of all stores with sorted records.
func TestTypedStoresAgree(t *testing.T) {
	const n = 100
	records, fresh := newSmallRecords(1, n), newSmallRecords(n+1, 10)
	own, bare, slice := newTypedBacklist(smallType()).(*typedBacklist[small]), newTypedBTree(smallType()).(*typedBTree[small]), newSmallSlice(smallType()).(*smallSlice)
	stores := []typedStore[small]{own, bare, slice}
	for _, s := range stores {
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
		for _, s := range stores {
			if count := s.page(offset); count != len(want) {
				t.Fatalf("%T: want %d records, got %d", s, len(want), count)
			}
		}
		var shown []*small
		for i := range own.seen.Len() {
			shown = append(shown, own.seen.At(i))
		}
		start, end := bounds(offset, len(want))
		for name, got := range map[string][]*small{"backlist": shown, "btree": bare.seen, "slice": slice.seen} {
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

func TestComparePlain(t *testing.T) {
	records := plainEvents(newData(30).records)
	for _, row := range []struct {
		reason string
		change func(typedStore[plain])
	}{
		{"a record is missing", func(s typedStore[plain]) { s.delete(5) }},
		{"a record has changed", func(s typedStore[plain]) { r := records[4]; r.Labels = []int{99}; s.update(&r) }},
	} {
		for _, make := range []func(recordType[plain]) typedStore[plain]{newTypedBacklist[plain], newTypedBTree[plain]} {
			s := make(plainType())
			s.load(records)
			if err := comparePlain([]typedStore[plain]{s}, records); err != nil {
				t.Fatal(err)
			}
			row.change(s)
			if err := comparePlain([]typedStore[plain]{s}, records); !errors.Is(err, errDiffers) {
				t.Errorf("%s: err = %v, want %v", row.reason, err, errDiffers)
			}
		}
	}
}

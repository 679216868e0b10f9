package pagination_test

import (
	"math"
	"testing"

	"github.com/gobacklist/backlist/pagination"
	"github.com/google/go-cmp/cmp"
)

func TestBounds(t *testing.T) {
	type bounds struct{ Start, End int }
	for _, tt := range []struct {
		reason string
		window pagination.Window
		count  int
		want   bounds
	}{
		{"middle page", pagination.Window{Limit: 10, Offset: 20}, 60, bounds{20, 30}},
		{"short last page", pagination.Window{Limit: 21, Offset: 42}, 50, bounds{42, 50}},
		{"full last page", pagination.Window{Limit: 10, Offset: 50}, 60, bounds{50, 60}},
		{"at the end", pagination.Window{Limit: 10, Offset: 60}, 60, bounds{60, 60}},
		{"past the end", pagination.Window{Limit: 10, Offset: 1000}, 60, bounds{60, 60}},
		{"no records", pagination.Window{Limit: 10}, 0, bounds{0, 0}},
		{"negative count", pagination.Window{Limit: 10, Offset: 5}, -7, bounds{0, 0}},
		{"smallest count", pagination.Window{Limit: 10}, math.MinInt, bounds{0, 0}},
		{"no limit", pagination.Window{Offset: 5}, 60, bounds{5, 60}},
		{"zero window", pagination.Window{}, 60, bounds{0, 60}},
		{"negative limit", pagination.Window{Limit: -3, Offset: 5}, 60, bounds{5, 60}},
		{"smallest limit", pagination.Window{Limit: math.MinInt, Offset: 5}, 60, bounds{5, 60}},
		{"negative offset", pagination.Window{Limit: 10, Offset: -5}, 60, bounds{0, 10}},
		{"smallest offset", pagination.Window{Limit: 10, Offset: math.MinInt}, 60, bounds{0, 10}},
		{"largest limit", pagination.Window{Limit: math.MaxInt, Offset: 1}, 60, bounds{1, 60}},
		{"largest offset", pagination.Window{Limit: 10, Offset: math.MaxInt}, 60, bounds{60, 60}},
		{"largest limit, offset and count", pagination.Window{Limit: math.MaxInt, Offset: math.MaxInt}, math.MaxInt, bounds{math.MaxInt, math.MaxInt}},
		{"sum that overflows", pagination.Window{Limit: math.MaxInt, Offset: 2}, math.MaxInt, bounds{2, math.MaxInt}},
		{"last record of the longest list", pagination.Window{Limit: 5, Offset: math.MaxInt - 1}, math.MaxInt, bounds{math.MaxInt - 1, math.MaxInt}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			start, end := tt.window.Bounds(tt.count)
			if diff := cmp.Diff(tt.want, bounds{start, end}); diff != "" {
				t.Errorf("%+v.Bounds(%d) (-want +got):\n%s", tt.window, tt.count, diff)
			}
		})
	}
}

// TestBoundsOfSmallWindows checks all small windows of short lists.
func TestBoundsOfSmallWindows(t *testing.T) {
	for count := range 6 {
		for limit := -1; limit < 8; limit++ {
			for offset := -1; offset < 8; offset++ {
				var want []int
				for i := range count {
					if i >= offset && (limit <= 0 || i < max(offset, 0)+limit) {
						want = append(want, i)
					}
				}
				w := pagination.Window{Limit: limit, Offset: offset}
				start, end := w.Bounds(count)
				var got []int
				for i := start; i < end; i++ {
					got = append(got, i)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%+v.Bounds(%d) (-want +got):\n%s", w, count, diff)
				}
				if start < 0 || start > end || end > count {
					t.Errorf("%+v.Bounds(%d) = %d, %d", w, count, start, end)
				}
			}
		}
	}
}

func TestSlice(t *testing.T) {
	for _, tt := range []struct {
		reason string
		items  []string
		window pagination.Window
		want   []string
	}{
		{"middle", []string{"a", "b", "c", "d"}, pagination.Window{Limit: 2, Offset: 1}, []string{"b", "c"}},
		{"end", []string{"a", "b", "c"}, pagination.Window{Limit: 9, Offset: 1}, []string{"b", "c"}},
		{"past the end", []string{"a"}, pagination.Window{Limit: 9, Offset: 4}, []string{}},
		{"zero window", []string{"a"}, pagination.Window{}, []string{"a"}},
		{"nil", nil, pagination.Window{Limit: 9, Offset: 4}, nil},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			if diff := cmp.Diff(tt.want, pagination.Slice(tt.items, tt.window)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSliceHasNoSpareCapacity(t *testing.T) {
	items := []int{0, 1, 2, 3}
	cut := pagination.Slice(items, pagination.Window{Limit: 2, Offset: 1})
	cut[0] = 10
	_ = append(cut, 30)
	if diff := cmp.Diff([]int{0, 10, 2, 3}, items); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}

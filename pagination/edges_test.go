package pagination_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/gobacklist/backlist/pagination"
	"github.com/google/go-cmp/cmp"
)

// edges are the ints beside which sums and differences leave the range, on 32
// bits as on 64.
var edges = [...]int{
	math.MinInt, math.MinInt + 1, math.MinInt / 2, -21, -1, 0, 1, 2, 21,
	math.MaxInt / 2, math.MaxInt/2 + 1, math.MaxInt - 21, math.MaxInt - 1, math.MaxInt,
}

// paging is what follows from a window and a count. An offset below zero says
// that there is no such page.
type paging struct{ Start, End, Next, Previous int }

// modelPaging counts with numbers that have no end.
func modelPaging(w pagination.Window, count int) paging {
	zero := new(big.Int)
	atLeastZero := func(n int) *big.Int {
		if n < 0 {
			return zero
		}
		return big.NewInt(int64(n))
	}
	smaller := func(a, b *big.Int) *big.Int {
		if a.Cmp(b) < 0 {
			return a
		}
		return b
	}
	offset, limit, total := atLeastZero(w.Offset), atLeastZero(w.Limit), atLeastZero(count)
	behind := new(big.Int).Add(offset, limit)
	end := smaller(behind, total)
	if limit.Sign() == 0 { // no limit
		end = total
	}
	p := paging{
		Start:    int(smaller(offset, total).Int64()),
		End:      int(end.Int64()),
		Next:     -1,
		Previous: -1,
	}
	if limit.Sign() > 0 && behind.Cmp(total) < 0 {
		p.Next = int(behind.Int64())
	}
	if limit.Sign() > 0 && offset.Sign() > 0 {
		p.Previous = 0
		if before := new(big.Int).Sub(offset, limit); before.Sign() > 0 {
			p.Previous = int(before.Int64())
		}
	}
	return p
}

// pagingOf asks the package. The list has items without size, so that it can be
// as long as a list can be.
func pagingOf(t *testing.T, w pagination.Window, count int) paging {
	t.Helper()
	p := paging{Next: -1, Previous: -1}
	p.Start, p.End = w.Bounds(count)

	list := make([]struct{}, max(count, 0))
	if got := len(pagination.Slice(list, w)); got != p.End-p.Start {
		t.Errorf("%+v of %d: Slice has %d items, Bounds are %d and %d", w, count, got, p.Start, p.End)
	}

	limits := pagination.Limits{Max: -1}
	offsetIn := func(link string) int {
		if link == "" {
			return -1
		}
		got := limits.Window(pagination.ParseQuery(parseURL(t, link).RawQuery))
		if got.Limit != w.Limit {
			t.Errorf("%+v of %d: the limit of %q is %d", w, count, link, got.Limit)
		}
		return got.Offset
	}
	next, previous := pagination.Links("/b/", pagination.Query{}, w, count)
	p.Next, p.Previous = offsetIn(next), offsetIn(previous)
	return p
}

func TestArithmeticAtTheEdges(t *testing.T) {
	for _, limit := range edges {
		for _, offset := range edges {
			for _, count := range edges {
				w := pagination.Window{Limit: limit, Offset: offset}
				if diff := cmp.Diff(modelPaging(w, count), pagingOf(t, w, count)); diff != "" {
					t.Errorf("%+v of %d (-want +got):\n%s", w, count, diff)
				}
			}
		}
	}
}

// Numbers beside the largest and the smallest int, as text.
func TestLimitsAtTheEdges(t *testing.T) {
	beside := func(n int, by int64) string {
		sum := new(big.Int).Add(big.NewInt(int64(n)), big.NewInt(by))
		return sum.String()
	}
	unlimited := pagination.Limits{Default: 7, Max: -1}
	for _, tt := range []struct {
		reason string
		text   string
		want   pagination.Window
	}{
		{"one below the largest", beside(math.MaxInt, -1), pagination.Window{Limit: math.MaxInt - 1, Offset: math.MaxInt - 1}},
		{"the largest", beside(math.MaxInt, 0), pagination.Window{Limit: math.MaxInt, Offset: math.MaxInt}},
		{"one more counts as the largest", beside(math.MaxInt, 1), pagination.Window{Limit: math.MaxInt, Offset: math.MaxInt}},
		{"ten more, which wraps to a small number", beside(math.MaxInt, 10), pagination.Window{Limit: math.MaxInt, Offset: math.MaxInt}},
		{"the largest of 32 bits without sign", "4294967295", pagination.Window{Limit: min(math.MaxUint32, math.MaxInt), Offset: min(math.MaxUint32, math.MaxInt)}},
		{"2^32+5, which wraps to 5 on 32 bits", "4294967301", pagination.Window{Limit: min(1<<32+5, math.MaxInt), Offset: min(1<<32+5, math.MaxInt)}},
		{"2^64+5, which wraps to 5 on 64 bits", "18446744073709551621", pagination.Window{Limit: math.MaxInt, Offset: math.MaxInt}},
		{"the smallest", beside(math.MinInt, 0), pagination.Window{Limit: 7}},
		{"one less", beside(math.MinInt, -1), pagination.Window{Limit: 7}},
		{"ten less, which wraps to a large number", beside(math.MinInt, -10), pagination.Window{Limit: 7}},
	} {
		if diff := cmp.Diff(tt.want, unlimited.Parse(tt.text, tt.text)); diff != "" {
			t.Errorf("%s: Parse(%q) (-want +got):\n%s", tt.reason, tt.text, diff)
		}
	}
	for _, tt := range []struct {
		reason string
		limits pagination.Limits
		limit  string
		want   int
	}{
		{"the largest maximum", pagination.Limits{Max: math.MaxInt}, beside(math.MaxInt, 1), math.MaxInt},
		{"the smallest maximum is none", pagination.Limits{Max: math.MinInt}, beside(math.MaxInt, 0), math.MaxInt},
		{"the largest default, cut", pagination.Limits{Default: math.MaxInt, Max: 3}, "", 3},
		{"the largest default", pagination.Limits{Default: math.MaxInt, Max: -1}, "", math.MaxInt},
		{"the smallest default is no limit", pagination.Limits{Default: math.MinInt, Max: -1}, "", math.MaxInt},
	} {
		if got := tt.limits.Parse(tt.limit, "").Limit; got != tt.want {
			t.Errorf("%s: %+v.Parse(%q) has limit %d, want %d", tt.reason, tt.limits, tt.limit, got, tt.want)
		}
	}
}

// An empty list has one empty page, wherever one asks, and no next one.
func TestPagesOfNothing(t *testing.T) {
	for _, limit := range edges {
		for _, offset := range edges {
			for _, count := range []int{0, -1, math.MinInt} {
				w := pagination.Window{Limit: limit, Offset: offset}
				if start, end := w.Bounds(count); start != 0 || end != 0 {
					t.Errorf("%+v.Bounds(%d) = %d, %d", w, count, start, end)
				}
				if dst, ok := pagination.AppendNext(nil, "/b/", pagination.Query{}, w, count); ok || len(dst) > 0 {
					t.Errorf("%+v of %d: next is %q", w, count, dst)
				}
			}
		}
	}
}

// FuzzWindow: the pages and their neighbours are where unbounded arithmetic
// puts them, and a next page begins where this one ends.
func FuzzWindow(f *testing.F) {
	f.Add(10, 20, 60)
	f.Add(10, 50, 60)
	f.Add(21, 42, 50)
	f.Add(-1, -1, -1)
	f.Add(0, 5, 0)
	f.Add(math.MaxInt, math.MaxInt, math.MaxInt)
	f.Add(math.MaxInt, 2, math.MaxInt)
	f.Add(math.MinInt, math.MinInt, math.MinInt)
	f.Fuzz(func(t *testing.T, limit, offset, count int) {
		w := pagination.Window{Limit: limit, Offset: offset}
		got := pagingOf(t, w, count)
		if diff := cmp.Diff(modelPaging(w, count), got); diff != "" {
			t.Errorf("%+v of %d (-want +got):\n%s", w, count, diff)
		}
		if got.Next >= 0 {
			behind := pagingOf(t, pagination.Window{Limit: limit, Offset: got.Next}, count)
			if behind.Start != got.End || behind.Previous != max(offset, 0) {
				t.Errorf("%+v of %d: %+v, and behind it %+v", w, count, got, behind)
			}
		}
	})
}

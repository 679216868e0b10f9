package pagination_test

import (
	"math"
	"math/big"
	"testing"

	"github.com/gobacklist/backlist/pagination"
	"github.com/google/go-cmp/cmp"
)

// edges are ints whose sums and differences may overflow, for 32 and 64 bits.
var edges = [...]int{
	math.MinInt, math.MinInt + 1, math.MinInt / 2, -21, -1, 0, 1, 2, 21,
	math.MaxInt / 2, math.MaxInt/2 + 1, math.MaxInt - 21, math.MaxInt - 1, math.MaxInt,
}

// paging holds the bounds of a window and the offsets of its neighbours. An offset of
// -1 means that there is no such page.
type paging struct{ Start, End, Next, Previous int }

// modelPaging computes the paging with big integers.
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
	next := new(big.Int).Add(offset, limit)
	end := smaller(next, total)
	if limit.Sign() == 0 { // no limit
		end = total
	}
	p := paging{
		Start:    int(smaller(offset, total).Int64()),
		End:      int(end.Int64()),
		Next:     -1,
		Previous: -1,
	}
	if limit.Sign() > 0 && next.Cmp(total) < 0 {
		p.Next = int(next.Int64())
	}
	if limit.Sign() > 0 && offset.Sign() > 0 {
		p.Previous = 0
		if before := new(big.Int).Sub(offset, limit); before.Sign() > 0 {
			p.Previous = int(before.Int64())
		}
	}
	return p
}

// pagingOf computes the paging with the package. The items of the list have no size, so
// that it can have any length.
func pagingOf(t *testing.T, w pagination.Window, count int) paging {
	t.Helper()
	p := paging{Next: -1, Previous: -1}
	p.Start, p.End = w.Bounds(count)

	list := make([]struct{}, max(count, 0))
	if got := len(pagination.Slice(list, w)); got != p.End-p.Start {
		t.Errorf("%+v of %d: Slice returned %d items, Bounds = %d, %d", w, count, got, p.Start, p.End)
	}

	limits := pagination.Limits{Max: -1}
	offsetIn := func(link string) int {
		if link == "" {
			return -1
		}
		got := limits.Window(pagination.ParseQuery(parseURL(t, link).RawQuery))
		if got.Limit != w.Limit {
			t.Errorf("%+v of %d: limit of %q = %d, want %d", w, count, link, got.Limit, w.Limit)
		}
		return got.Offset
	}
	next, previous := pagination.Links("/b/", pagination.Query{}, w, count)
	p.Next, p.Previous = offsetIn(next), offsetIn(previous)
	return p
}

func TestWindowArithmeticDoesNotOverflow(t *testing.T) {
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

func TestLimitsParseOutOfRange(t *testing.T) {
	plus := func(n int, by int64) string {
		sum := new(big.Int).Add(big.NewInt(int64(n)), big.NewInt(by))
		return sum.String()
	}
	unlimited := pagination.Limits{Default: 7, Max: -1}
	for _, tt := range []struct {
		reason string
		text   string
		want   pagination.Window
	}{
		{"MaxInt-1", plus(math.MaxInt, -1), pagination.Window{Limit: math.MaxInt - 1, Offset: math.MaxInt - 1}},
		{"MaxInt", plus(math.MaxInt, 0), pagination.Window{Limit: math.MaxInt, Offset: math.MaxInt}},
		{"MaxInt+1", plus(math.MaxInt, 1), pagination.Window{Limit: math.MaxInt, Offset: math.MaxInt}},
		{"MaxInt+10", plus(math.MaxInt, 10), pagination.Window{Limit: math.MaxInt, Offset: math.MaxInt}},
		{"MaxUint32", "4294967295", pagination.Window{Limit: min(math.MaxUint32, math.MaxInt), Offset: min(math.MaxUint32, math.MaxInt)}},
		{"2^32+5, which wraps to 5 on 32 bits", "4294967301", pagination.Window{Limit: min(1<<32+5, math.MaxInt), Offset: min(1<<32+5, math.MaxInt)}},
		{"2^64+5, which wraps to 5 on 64 bits", "18446744073709551621", pagination.Window{Limit: math.MaxInt, Offset: math.MaxInt}},
		{"MinInt", plus(math.MinInt, 0), pagination.Window{Limit: 7}},
		{"MinInt-1", plus(math.MinInt, -1), pagination.Window{Limit: 7}},
		{"MinInt-10", plus(math.MinInt, -10), pagination.Window{Limit: 7}},
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
		{"largest Max", pagination.Limits{Max: math.MaxInt}, plus(math.MaxInt, 1), math.MaxInt},
		{"smallest Max", pagination.Limits{Max: math.MinInt}, plus(math.MaxInt, 0), math.MaxInt},
		{"largest Default above Max", pagination.Limits{Default: math.MaxInt, Max: 3}, "", 3},
		{"largest Default", pagination.Limits{Default: math.MaxInt, Max: -1}, "", math.MaxInt},
		{"smallest Default", pagination.Limits{Default: math.MinInt, Max: -1}, "", math.MaxInt},
	} {
		if got := tt.limits.Parse(tt.limit, "").Limit; got != tt.want {
			t.Errorf("%s: %+v.Parse(%q).Limit = %d, want %d", tt.reason, tt.limits, tt.limit, got, tt.want)
		}
	}
}

func TestPageOfEmptyList(t *testing.T) {
	for _, limit := range edges {
		for _, offset := range edges {
			for _, count := range []int{0, -1, math.MinInt} {
				w := pagination.Window{Limit: limit, Offset: offset}
				if start, end := w.Bounds(count); start != 0 || end != 0 {
					t.Errorf("%+v.Bounds(%d) = %d, %d, want 0, 0", w, count, start, end)
				}
				if dst, ok := pagination.AppendNext(nil, "/b/", pagination.Query{}, w, count); ok || len(dst) > 0 {
					t.Errorf("%+v of %d: next = %q, want none", w, count, dst)
				}
			}
		}
	}
}

// FuzzWindow checks windows and their neighbours against big integers, and that the next
// page begins where the window ends.
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
			next := pagingOf(t, pagination.Window{Limit: limit, Offset: got.Next}, count)
			if next.Start != got.End || next.Previous != max(offset, 0) {
				t.Errorf("%+v of %d: paging %+v, of the next page %+v", w, count, got, next)
			}
		}
	})
}

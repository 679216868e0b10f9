package pagination_test

import (
	"math"
	"math/big"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/pagination"
)

func itoa(n int) string { return strconv.Itoa(n) }

func TestPage(t *testing.T) {
	type envelope = pagination.Envelope[string]
	abc := []string{"a", "b", "c"}
	for _, tt := range []struct {
		reason string
		items  []string
		url    *url.URL
		limits pagination.Limits
		want   envelope
	}{
		{"middle of the list", abc, parseURL(t, "https://h.example/b/?limit=1&offset=1&x=y"), pagination.Limits{},
			envelope{3, "https://h.example/b/?limit=1&offset=2&x=y", "https://h.example/b/?limit=1&x=y", []string{"b"}}},
		{"relative URL", abc, parseURL(t, "/b/?limit=2"), pagination.Limits{},
			envelope{3, "/b/?limit=2&offset=2", "", []string{"a", "b"}}},
		{"fragment and user information", abc, parseURL(t, "http://me:secret@h.example:8080/b?limit=2#f%20g"), pagination.Limits{},
			envelope{3, "http://h.example:8080/b?limit=2&offset=2", "", []string{"a", "b"}}},
		{"escaped path", abc, parseURL(t, "/a%2Fb/%C3%A9/?limit=2"), pagination.Limits{},
			envelope{3, "/a%2Fb/%C3%A9/?limit=2&offset=2", "", []string{"a", "b"}}},
		{"host without scheme", abc, parseURL(t, "//h.example/b?limit=2"), pagination.Limits{},
			envelope{3, "//h.example/b?limit=2&offset=2", "", []string{"a", "b"}}},
		{"path that begins with two slashes", abc, parseURL(t, "https://h.example//b?limit=2"), pagination.Limits{},
			envelope{3, "https://h.example//b?limit=2&offset=2", "", []string{"a", "b"}}},
		{"empty query", abc, parseURL(t, "/b?"), pagination.Limits{Default: 2},
			envelope{3, "/b?limit=2&offset=2", "", []string{"a", "b"}}},
		{"Max", abc, parseURL(t, "/b?limit=3"), pagination.Limits{Max: 1},
			envelope{3, "/b?limit=1&offset=1", "", []string{"a"}}},
		{"nil URL", abc, nil, pagination.Limits{Default: 2},
			envelope{3, "?limit=2&offset=2", "", []string{"a", "b"}}},
		{"nil items", nil, parseURL(t, "/b"), pagination.Limits{}, envelope{}},
		{"past the end", abc, parseURL(t, "/b?limit=2&offset=9"), pagination.Limits{},
			envelope{3, "", "/b?limit=2&offset=7", []string{}}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			var before url.URL
			if tt.url != nil {
				before = *tt.url
			}
			got := pagination.Page(tt.items, tt.url, tt.limits)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if tt.url != nil && *tt.url != before {
				t.Errorf("Page modified the URL to %v", tt.url)
			}
		})
	}
}

func TestRecordsHaveNoSpareCapacity(t *testing.T) {
	items := []int{0, 1, 2, 3}
	page := pagination.Page(items, parseURL(t, "/b?limit=2&offset=1"), pagination.Limits{})
	page.Records[0] = 10
	_ = append(page.Records, 30)
	if diff := cmp.Diff([]int{0, 10, 2, 3}, items); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
}

// TestPageOfPathLikeHost checks that links never lead to another host and have the path
// of the request.
func TestPageOfPathLikeHost(t *testing.T) {
	for _, tt := range []struct{ reason, target, want string }{
		{"two slashes", "//evil.example/books", "/%2Fevil.example/books"},
		{"three slashes", "///evil.example", "/%2F/evil.example"},
		{"two slashes only", "//", "/%2F"},
		{"user and port", "//me@evil.example:80/", "/%2Fme@evil.example:80/"},
		{"escape in the path", "//evil.example/a%2Fb", "/%2Fevil.example/a%2Fb"},
		{"escaped second slash", "/%2Fevil.example", "/%2Fevil.example"},
		{"backslash", `/\evil.example`, "/%5Cevil.example"},
		{"one slash", "/evil.example//books", "/evil.example//books"},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			u, err := url.ParseRequestURI(tt.target + "?limit=1&offset=1") // as net/http does
			if err != nil {
				t.Fatal(err)
			}
			got := pagination.Page([]string{"a", "b", "c"}, u, pagination.Limits{})
			want := pagination.Envelope[string]{
				Count: 3, Next: tt.want + "?limit=1&offset=2", Previous: tt.want + "?limit=1", Records: []string{"b"},
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			next := parseURL(t, "http://h.example/").ResolveReference(parseURL(t, got.Next))
			if next.Host != "h.example" || next.Path != u.Path {
				t.Errorf("%s leads to host %q, path %q; want h.example, %q", got.Next, next.Host, next.Path, u.Path)
			}
		})
	}
}

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

var nines = strings.Repeat("9", 4301)

// windowOf returns the window of a query with a limit and an offset.
func windowOf(l pagination.Limits, limit, offset string) pagination.Window {
	values := url.Values{"limit": {limit}, "offset": {offset}}
	return l.Window(pagination.ParseQuery(values.Encode()))
}

func TestLimits(t *testing.T) {
	type window = pagination.Window
	for _, tt := range []struct {
		reason        string
		limits        pagination.Limits
		limit, offset string
		want          window
	}{
		{"both absent", pagination.Limits{}, "", "", window{21, 0}},
		{"both present", pagination.Limits{}, "5", "7", window{5, 7}},
		{"maximum", pagination.Limits{}, "1000", "", window{1000, 0}},
		{"above the maximum", pagination.Limits{}, "1001", "", window{1000, 0}},
		{"zero", pagination.Limits{}, "0", "0", window{21, 0}},
		{"negative", pagination.Limits{}, "-5", "-5", window{21, 0}},
		{"minus zero", pagination.Limits{}, "-0", "-0", window{21, 0}},
		{"negative and out of range", pagination.Limits{}, "-" + nines, "-" + nines, window{21, 0}},
		{"out of range", pagination.Limits{Max: -1}, nines, nines, window{math.MaxInt, math.MaxInt}},
		{"out of range and invalid", pagination.Limits{}, nines + "x", nines + "x", window{21, 0}},
		{"plus", pagination.Limits{}, "+5", "+7", window{5, 7}},
		{"leading zeros", pagination.Limits{}, strings.Repeat("0", 4300) + "5", "007", window{5, 7}},
		{"only a sign", pagination.Limits{}, "-", "+", window{21, 0}},
		{"two signs", pagination.Limits{}, "+-5", "++7", window{21, 0}},
		{"minus and another sign", pagination.Limits{}, "-+5", "--7", window{21, 0}},
		{"trailing sign", pagination.Limits{}, "5-", "7+", window{21, 0}},
		{"space after the sign", pagination.Limits{}, "+ 5", "- 7", window{21, 0}},
		{"space around a signed number", pagination.Limits{}, " +5 ", "\t+7\n", window{5, 7}},
		{"ASCII white space", pagination.Limits{}, "\t\n\v\f\r 5", "7\t\n\v\f\r ", window{5, 7}},
		{"Unicode white space", pagination.Limits{}, "\u00855\u00a0", "\u20287\u3000", window{5, 7}},
		{"zero-width characters", pagination.Limits{}, "5\u200b", "\ufeff7", window{21, 0}},
		{"ASCII separators", pagination.Limits{}, "5\x1f", "\x1c7", window{21, 0}},
		{"only space", pagination.Limits{}, " ", "\u3000", window{21, 0}},
		{"two numbers", pagination.Limits{}, "5 6", "7\n8", window{21, 0}},
		{"non-ASCII digits", pagination.Limits{}, "٣", "１", window{21, 0}},
		{"underscores", pagination.Limits{}, "1_0", "1_0", window{21, 0}},
		{"fraction and exponent", pagination.Limits{}, "1.5", "1e2", window{21, 0}},
		{"other bases", pagination.Limits{}, "0x10", "0b1", window{21, 0}},
		{"words", pagination.Limits{}, "null", "inf", window{21, 0}},
		{"invalid UTF-8 and NUL", pagination.Limits{}, "5\xff", "\x007", window{21, 0}},

		{"Default", pagination.Limits{Default: 50}, "", "", window{50, 0}},
		{"negative Default", pagination.Limits{Default: -50}, "", "", window{1000, 0}},
		{"Default above Max", pagination.Limits{Default: 50, Max: 10}, "", "", window{10, 0}},
		{"Default above the default of Max", pagination.Limits{Default: 5000}, "", "", window{1000, 0}},
		{"Max below the default of Default", pagination.Limits{Max: 10}, "abc", "", window{10, 0}},
		{"Max", pagination.Limits{Max: 10}, "11", "11", window{10, 11}},
		{"negative Max", pagination.Limits{Max: -1}, "1001", "", window{1001, 0}},
		{"Default with negative Max", pagination.Limits{Default: 5000, Max: -1}, "", "", window{5000, 0}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			got := windowOf(tt.limits, tt.limit, tt.offset)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestLargestInts uses the largest ints of 32 and 64 bits.
func TestLargestInts(t *testing.T) {
	for _, text := range []string{
		"2147483646", "2147483647", "2147483648", "4294967296",
		"9223372036854775806", "9223372036854775807", "9223372036854775808",
		"18446744073709551616", "92233720368547758070",
	} {
		want := saturated(text)
		got := windowOf(pagination.Limits{Max: -1}, text, text)
		if diff := cmp.Diff(pagination.Window{Limit: want, Offset: want}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}

func TestLimitsWindow(t *testing.T) {
	for _, tt := range []struct {
		reason, query string
		want          pagination.Window
	}{
		{"empty query", "", pagination.Window{Limit: 21}},
		{"repeated", "limit=5&offset=1&limit=6&offset=2", pagination.Window{Limit: 6, Offset: 2}},
		{"last value invalid", "limit=5&offset=1&limit=x&offset", pagination.Window{Limit: 21}},
		{"unescaped UTF-8 white space", "limit=5\u3000&offset=\u20287", pagination.Window{Limit: 5, Offset: 7}},
		{"unescaped Latin-1 white space", "limit=5\xa0&offset=\x857", pagination.Window{Limit: 5, Offset: 7}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			got := pagination.Limits{}.Window(pagination.ParseQuery(tt.query))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// number is the grammar of numbers: ASCII digits with an optional sign and Unicode white
// space.
var number = regexp.MustCompile(`^[\t-\r \x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}]*([+-]?[0-9]+)[\t-\r \x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}]*$`)

// saturated returns the value of a number, at most MaxInt, or -1 if the text is not a
// number or is negative.
func saturated(text string) int {
	m := number.FindStringSubmatch(text)
	if m == nil {
		return -1
	}
	n, _ := new(big.Int).SetString(m[1], 10)
	switch {
	case n.Sign() < 0:
		return -1
	case n.Cmp(big.NewInt(math.MaxInt)) > 0:
		return math.MaxInt
	}
	return int(n.Int64())
}

func FuzzLimits(f *testing.F) {
	f.Add("5", "7", 21, 1000)
	f.Add(" +5 ", "-0", 0, 0)
	f.Add("99999999999999999999", "99999999999999999999x", -1, -1)
	f.Add("\u00a05", "\u200b7", 50, 10)
	f.Add("1_0", "\xff", math.MaxInt, math.MinInt)
	f.Fuzz(func(t *testing.T, limit, offset string, byDefault, maximum int) {
		size := saturated(limit)
		if size < 1 {
			size = byDefault
		}
		switch {
		case size < 0:
			size = math.MaxInt
		case size == 0:
			size = 21
		}
		switch {
		case maximum == 0:
			size = min(size, 1000)
		case maximum > 0:
			size = min(size, maximum)
		}
		want := pagination.Window{Limit: size, Offset: max(saturated(offset), 0)}
		got := windowOf(pagination.Limits{Default: byDefault, Max: maximum}, limit, offset)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

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

// pagingOf computes the paging with the package.
func pagingOf(t *testing.T, w pagination.Window, count int) paging {
	t.Helper()
	p := paging{Next: -1, Previous: -1}
	p.Start, p.End = w.Bounds(count)

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

func TestNumbersOutOfRange(t *testing.T) {
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
		if diff := cmp.Diff(tt.want, windowOf(unlimited, tt.text, tt.text)); diff != "" {
			t.Errorf("%s: window of %q (-want +got):\n%s", tt.reason, tt.text, diff)
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
		if got := windowOf(tt.limits, tt.limit, "").Limit; got != tt.want {
			t.Errorf("%s: %+v, limit %q: Limit = %d, want %d", tt.reason, tt.limits, tt.limit, got, tt.want)
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

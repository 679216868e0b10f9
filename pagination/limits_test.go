package pagination_test

import (
	"math"
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/pagination"
	"github.com/google/go-cmp/cmp"
)

var nines = strings.Repeat("9", 4301)

func TestLimitsParse(t *testing.T) {
	type window = pagination.Window
	for _, tt := range []struct {
		reason        string
		limits        pagination.Limits
		limit, offset string
		want          window
	}{
		{"nothing said", pagination.Limits{}, "", "", window{21, 0}},
		{"both said", pagination.Limits{}, "5", "7", window{5, 7}},
		{"the maximum", pagination.Limits{}, "1000", "", window{1000, 0}},
		{"one more", pagination.Limits{}, "1001", "", window{1000, 0}},
		{"zero is bad as a limit and good as an offset", pagination.Limits{}, "0", "0", window{21, 0}},
		{"below zero both are bad", pagination.Limits{}, "-5", "-5", window{21, 0}},
		{"minus zero is zero", pagination.Limits{}, "-0", "-0", window{21, 0}},
		{"far below zero", pagination.Limits{}, "-" + nines, "-" + nines, window{21, 0}},
		{"too big for an int", pagination.Limits{Max: -1}, nines, nines, window{math.MaxInt, math.MaxInt}},
		{"too big, and yet no number", pagination.Limits{}, nines + "x", nines + "x", window{21, 0}},
		{"plus", pagination.Limits{}, "+5", "+7", window{5, 7}},
		{"leading zeros, however many", pagination.Limits{}, strings.Repeat("0", 4300) + "5", "007", window{5, 7}},
		{"only a sign", pagination.Limits{}, "-", "+", window{21, 0}},
		{"two signs", pagination.Limits{}, "+-5", "++7", window{21, 0}},
		{"two more signs", pagination.Limits{}, "-+5", "--7", window{21, 0}},
		{"a sign behind", pagination.Limits{}, "5-", "7+", window{21, 0}},
		{"space behind the sign", pagination.Limits{}, "+ 5", "- 7", window{21, 0}},
		{"space around the sign's number", pagination.Limits{}, " +5 ", "\t+7\n", window{5, 7}},
		{"space of ASCII", pagination.Limits{}, "\t\n\v\f\r 5", "7\t\n\v\f\r ", window{5, 7}},
		{"space of Unicode", pagination.Limits{}, "\u00855\u00a0", "\u20287\u3000", window{5, 7}},
		{"what looks like space", pagination.Limits{}, "5\u200b", "\ufeff7", window{21, 0}},
		{"separators of ASCII are no space", pagination.Limits{}, "5\x1f", "\x1c7", window{21, 0}},
		{"only space", pagination.Limits{}, " ", "\u3000", window{21, 0}},
		{"two numbers", pagination.Limits{}, "5 6", "7\n8", window{21, 0}},
		{"digits of other scripts", pagination.Limits{}, "٣", "１", window{21, 0}},
		{"underscores", pagination.Limits{}, "1_0", "1_0", window{21, 0}},
		{"no integers", pagination.Limits{}, "1.5", "1e2", window{21, 0}},
		{"other bases", pagination.Limits{}, "0x10", "0b1", window{21, 0}},
		{"words", pagination.Limits{}, "null", "inf", window{21, 0}},
		{"bytes that are no text", pagination.Limits{}, "5\xff", "\x007", window{21, 0}},

		{"another default", pagination.Limits{Default: 50}, "", "", window{50, 0}},
		{"a negative default is no limit", pagination.Limits{Default: -50}, "", "", window{1000, 0}},
		{"a default above the maximum", pagination.Limits{Default: 50, Max: 10}, "", "", window{10, 0}},
		{"a default above the maximum of the zero value", pagination.Limits{Default: 5000}, "", "", window{1000, 0}},
		{"the service's default above the maximum", pagination.Limits{Max: 10}, "abc", "", window{10, 0}},
		{"another maximum", pagination.Limits{Max: 10}, "11", "11", window{10, 11}},
		{"no maximum", pagination.Limits{Max: -1}, "1001", "", window{1001, 0}},
		{"no maximum for the default either", pagination.Limits{Default: 5000, Max: -1}, "", "", window{5000, 0}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			got := tt.limits.Parse(tt.limit, tt.offset)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The largest numbers of both sizes of int, whatever the int of this machine.
func TestLimitsParseAtTheEdgeOfInt(t *testing.T) {
	for _, text := range []string{
		"2147483646", "2147483647", "2147483648", "4294967296",
		"9223372036854775806", "9223372036854775807", "9223372036854775808",
		"18446744073709551616", "92233720368547758070",
	} {
		want := saturated(text)
		got := pagination.Limits{Max: -1}.Parse(text, text)
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
		{"the empty query", "", pagination.Window{Limit: 21}},
		{"the last value counts", "limit=5&offset=1&limit=6&offset=2", pagination.Window{Limit: 6, Offset: 2}},
		{"the last value counts though it is bad", "limit=5&offset=1&limit=x&offset", pagination.Window{Limit: 21}},
		{"unescaped space of Unicode is read as UTF-8", "limit=5\u3000&offset=\u20287", pagination.Window{Limit: 5, Offset: 7}},
		{"unescaped space is read as Latin-1 if it is no UTF-8", "limit=5\xa0&offset=\x857", pagination.Window{Limit: 5, Offset: 7}},
	} {
		t.Run(tt.reason, func(t *testing.T) {
			got := pagination.Limits{}.Window(pagination.ParseQuery(tt.query))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// number is the grammar of DESIGN's numbers; the white space is that of Unicode.
var number = regexp.MustCompile(`^[\t-\r \x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}]*([+-]?[0-9]+)[\t-\r \x{85}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}]*$`)

// saturated is the int that a text stands for, or -1 if it is none or negative.
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
		got := pagination.Limits{Default: byDefault, Max: maximum}.Parse(limit, offset)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

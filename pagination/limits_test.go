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
			got := tt.limits.Parse(tt.limit, tt.offset)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestLimitsParseLargestInts uses the largest ints of 32 and 64 bits.
func TestLimitsParseLargestInts(t *testing.T) {
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
		got := pagination.Limits{Default: byDefault, Max: maximum}.Parse(limit, offset)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

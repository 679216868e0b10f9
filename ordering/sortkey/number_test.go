package sortkey_test

import (
	"math/big"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/ordering/sortkey"
)

// Decimal accepts JSON numbers, also with white space around them, leading zeros and a
// leading plus sign. Any other text is compared as text.
func TestDecimal(t *testing.T) {
	for _, row := range []struct {
		why  string
		text string
		want string // a JSON number, or "" for text
	}{
		{"two places", "12.00", "12"},
		{"a negative number", "-0.5", "-0.5"},
		{"zero", "0", "0"},
		{"minus zero", "-0", "0"},
		{"minus zero with places", "-0.00", "0"},
		{"leading zeros", "007.50", "7.5"},
		{"only zeros", "000", "0"},
		{"a negative number with leading zeros", "-007", "-7"},
		{"leading zeros before the point", "00.5", "0.5"},
		{"a leading plus sign", "+5", "5"},
		{"a plus sign and zeros", "+00.10", "0.1"},
		{"white space", " \t12.5\r\n", "12.5"},
		{"white space that is not ASCII", "\u00a012\u2003", "12"},
		{"an exponent", "1e3", "1000"},
		{"an exponent with a sign", "15E-1", "1.5"},
		{"zero with an exponent", "0e5", "0"},
		{"leading zeros and an exponent", "001e2", "100"},
		{"beyond an int64", "9223372036854775808.01", "9223372036854775808.01"},
		{"nothing", "", ""},
		{"white space alone", "  ", ""},
		{"letters", "abc", ""},
		{"a point without places", "1.", ""},
		{"a point without a whole part", ".5", ""},
		{"a minus and a point", "-.5", ""},
		{"underscores", "1_000", ""},
		{"a comma", "1,5", ""},
		{"digits that are not ASCII", "١٢", ""},
		{"wide digits", "\uff11\uff12", ""},
		{"digits of two kinds", "1٢", ""},
		{"hexadecimal", "0x10", ""},
		{"infinity", "Infinity", ""},
		{"NaN", "NaN", ""},
		{"a sign alone", "-", ""},
		{"a plus alone", "+", ""},
		{"two signs", "--5", ""},
		{"two plus signs", "++5", ""},
		{"a plus and a minus", "+-5", ""},
		{"a minus and a plus", "-+5", ""},
		{"a space after the sign", "- 5", ""},
		{"a space inside", "1 000", ""},
		{"two points", "1.2.3", ""},
		{"an exponent without digits", "1e", ""},
		{"a currency", "5 kr", ""},
		{"a zero and letters", "0abc", ""},
		{"a string in JSON", `"5"`, ""},
		{"a list in JSON", "[5]", ""},
		{"a zero byte", "5\x00", ""},
	} {
		want := sortkey.Text(row.text)
		if row.want != "" {
			want = sortkey.Number(row.want)
		}
		if got := sortkey.Decimal(row.text); got.Compare(want) != 0 {
			t.Errorf("%s: Decimal(%q) = %v, want %v", row.why, row.text, got, want)
		}
	}
}

// decimalText matches the text that the documentation of Decimal accepts, without white
// space.
var decimalText = regexp.MustCompile(`^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]{1,3})?$`)

// modelDecimal returns the value of a text, or nil if it is not a decimal.
func modelDecimal(s string) *big.Rat {
	s = strings.TrimSpace(s)
	if !decimalText.MatchString(s) {
		return nil
	}
	r, _ := new(big.Rat).SetString(strings.TrimPrefix(s, "+"))
	return r
}

// checkDecimals compares two texts with exact arithmetic.
func checkDecimals(t *testing.T, a, b string) {
	t.Helper()
	x, y := modelDecimal(a), modelDecimal(b)
	want := strings.Compare(a, b)
	switch {
	case x != nil && y != nil:
		want = x.Cmp(y)
	case x != nil: // numbers come before text
		want = -1
	case y != nil:
		want = 1
	}
	if got := sortkey.Decimal(a).Compare(sortkey.Decimal(b)); got != want {
		t.Errorf("Decimal(%q) compared to Decimal(%q) is %d, want %d", a, b, got, want)
	}
}

// Random texts of the characters that numbers have compare as their values.
func TestDecimalAgainstModel(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	valid := 0
	random := func() string {
		var b strings.Builder
		b.WriteString([]string{"", "", "", "-", "+", " ", "0", "00"}[rng.IntN(8)])
		for range rng.IntN(4) {
			b.WriteByte("0123456789"[rng.IntN(10)])
		}
		b.WriteString([]string{"", "", ".", ".0", ".50", ".005"}[rng.IntN(6)])
		b.WriteString([]string{"", "", "", "e2", "E-3", "e", " ", "x"}[rng.IntN(8)])
		if modelDecimal(b.String()) != nil {
			valid++
		}
		return b.String()
	}
	for range 20_000 {
		checkDecimals(t, random(), random())
	}
	if valid < 10_000 {
		t.Errorf("only %d of 40000 texts are decimals", valid)
	}
}

// FuzzDecimal compares any two texts.
func FuzzDecimal(f *testing.F) {
	for _, s := range [][2]string{{"12.00", "12"}, {"-0", "0"}, {" +5", "4.99"}, {"abc", "1e3"}, {"1.", ".5"}, {"+-5", "-5"}, {"", "0"}} {
		f.Add(s[0], s[1])
	}
	long := regexp.MustCompile(`[eE][+-]?[0-9]{4}`) // exponents too large for the model
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a) > 60 || len(b) > 60 || long.MatchString(a) || long.MatchString(b) {
			t.Skip()
		}
		checkDecimals(t, a, b)
	})
}

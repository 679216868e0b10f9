package sortkey_test

import (
	"math/big"
	"regexp"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/ordering/sortkey"
)

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

// FuzzDecimal compares each two of these texts, and any two. Decimal accepts JSON numbers, also
// with white space around them, leading zeros and a leading plus sign. Any other text is
// compared as text.
func FuzzDecimal(f *testing.F) {
	texts := []string{
		"12.00", "-0.5", "0", "-0", "-0.00", "007.50", "000", "-007", "00.5", "+5", "+00.10", " \t12.5\r\n", "\u00a012\u2003",
		"1e3", "15E-1", "0e5", "001e2", "9223372036854775808.01", // numbers
		"", "  ", "abc", "1.", ".5", "-.5", "1_000", "1,5", "0x10", "Infinity", "NaN", "0abc", `"5"`, "[5]", "5\x00", "5 kr",
		"١٢", "\uff11\uff12", "1٢", // digits that are not ASCII
		"-", "+", "--5", "++5", "+-5", "-+5", "- 5", "1 000", "1.2.3", "1e",
	}
	for _, a := range texts {
		for _, b := range texts {
			f.Add(a, b)
		}
	}
	long := regexp.MustCompile(`[eE][+-]?[0-9]{4}`) // exponents too large for the model
	f.Fuzz(func(t *testing.T, a, b string) {
		if len(a) > 60 || len(b) > 60 || long.MatchString(a) || long.MatchString(b) {
			t.Skip()
		}
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
	})
}

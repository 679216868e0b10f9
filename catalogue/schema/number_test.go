package schema

import (
	"encoding/json"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// The numbers that filters accept, apart from exponents beyond Python's.
var numberForm = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$`)

// filtered returns the canonical form of a value in a filter.
func filtered(kind Kind, value string) (text, message string) {
	text, message = Field{Kind: kind}.filterValue("exact", value, &checker{})
	if message != "" {
		text = ""
	}
	return text, message
}

// checkFilterNumber compares the canonical forms of a number with package big.
func checkFilterNumber(t *testing.T, text string) {
	t.Helper()
	const tooLarge = "Ensure this value is less than or equal to 1e+50."
	message, exact := "Enter a number.", new(big.Rat)
	if number := strings.TrimSpace(text); numberForm.MatchString(number) {
		message = ""
		exact.SetString(number)
		if exact.Cmp(new(big.Rat).SetFloat64(1e50)) > 0 {
			message = tooLarge
		}
	}
	for _, kind := range []Kind{Integer, Float, Decimal} {
		got, gotMessage := filtered(kind, text)
		if gotMessage != message {
			t.Fatalf("kind %d: message of %q is %q, want %q", kind, text, gotMessage, message)
		}
		if message != "" {
			continue
		}
		value, ok := new(big.Rat).SetString(got)
		if !ok || !json.Valid([]byte(got)) {
			t.Fatalf("kind %d: %q becomes %q, which is not a number", kind, text, got)
		}
		want := exact
		switch kind {
		case Integer:
			want = cutRat(exact)
		case Float:
			nearest, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
			if err == nil {
				want = new(big.Rat).SetFloat64(nearest)
				again, _ := strconv.ParseFloat(got, 64)
				value = new(big.Rat).SetFloat64(again)
			}
		}
		if value.Cmp(want) != 0 {
			t.Fatalf("kind %d: %q becomes %q, want %s", kind, text, got, want.RatString())
		}
	}
}

// cutRat returns a number cut toward zero, but at least -1e51.
func cutRat(r *big.Rat) *big.Rat {
	n := new(big.Rat).SetInt(new(big.Int).Quo(r.Num(), r.Denom()))
	least := new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(51), nil))
	if least.Neg(least); n.Cmp(least) < 0 {
		return least
	}
	return n
}

func TestFilterNumbers(t *testing.T) {
	for _, text := range []string{
		"0", "-0", "+0", "00", "0.0", ".0", "0.", ".", "", "-", "+", "e", "e5", ".e5", "1e", "1e+", "1e-", "1e1.5", "--1", "+-1",
		"1", "-1", "+1", "007", "90.7", "-90.7", "0.9", "-0.9", "9e1", "9E+1", "907e-1", "907e-3", "907e-4", "100", "1e2", "120e-1",
		"1e50", "1e51", "1.00000000000000007e50", "1.00000000000000008e50", "1" + zeroes(50), "1" + zeroes(51), "0.1e51", "10e49",
		"100000000000000007629769841091887003294964970946560", "100000000000000007629769841091887003294964970946561",
		"100000000000000007629769841091887003294964970946560.1", "99999999999999999e34",
		"-1e51", "-9e51", "-1e52", "-1e50", "-1.5e51", "-" + strings.Repeat("9", 60), "1e-51", "1e-52", "1e-60", "-1e-400", "-1e400", "-1.5e308", "4.9e-324",
		"0.1", "0.30000000000000004", "9007199254740993", "1_0", "0x10", "1,5", "NaN", "nan", "sNaN", "inf", "-Infinity", "١", "１", "1 2", " 1 ", "\u00a01\u2003", "1\x00",
	} {
		checkFilterNumber(t, text)
	}
	random := rand.New(rand.NewPCG(1, 2))
	for range 30_000 {
		text := make([]byte, random.IntN(12))
		for i := range text {
			const set = "0123456789059..--+eE "
			text[i] = set[random.IntN(len(set))]
		}
		if i := strings.IndexAny(string(text), "eE"); i >= 0 && len(text)-i > 5 {
			text = text[:i+5] // package big expands the exponent
		}
		checkFilterNumber(t, string(text))
	}
}

// TestFilterLongNumbers checks numbers that cannot be expanded.
func TestFilterLongNumbers(t *testing.T) {
	for _, row := range []struct {
		text                         string
		integer, float, decimal, err string
		reason                       string
	}{
		{"1e-999999999999999999", "0", "0", "0.1e-999999999999999998", "", "the smallest exponent"},
		{"-1e999999999999999999", "-1" + zeroes(51), "-0.1e1000000000000000000", "-0.1e1000000000000000000", "", "the largest exponent"},
		{"1e-1000000000000000000", "", "", "", "Enter a number.", "a smaller exponent"},
		{"-1e1000000000000000000", "", "", "", "Enter a number.", "a larger exponent"},
		{"0.001e-9223372036854775808", "", "", "", "Enter a number.", "the least int64"},
		{"1e99999999999999999999", "", "", "", "Enter a number.", "out of range for an int64"},
		{"0e999999999999999999", "0", "0", "0", "", "zero with an exponent"},
		{zeroes(1<<16) + "." + zeroes(1<<16) + "1e65537", "1", "1", "1", "", "many zeros"},
	} {
		for kind, want := range map[Kind]string{Integer: row.integer, Float: row.float, Decimal: row.decimal} {
			if got, message := filtered(kind, row.text); got != want || message != row.err {
				t.Errorf("%s: kind %d: %q, %q, want %q, %q", row.reason, kind, got, message, want, row.err)
			}
		}
	}
}

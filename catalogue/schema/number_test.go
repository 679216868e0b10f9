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
	text, message = Field{Kind: kind}.filterValue("exact", value, Checks{})
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

func TestInteger(t *testing.T) {
	const (
		tooSmall = "Ensure this value is greater than or equal to 0."
		tooBig   = "Ensure this value is less than or equal to 2147483647."
	)
	zero, high := 0, 2147483647
	runField(t, Field{Kind: Integer, Min: &zero, Max: &high}, []row{
		ok(`0`, `0`, "lower bound"),
		ok(`2147483647`, `2147483647`, "upper bound"),
		bad(`-1`, "below the lower bound", tooSmall),
		bad(`2147483648`, "above the upper bound", tooBig),
		bad(`99999999999999999999`, "out of range for an int64", tooBig),
		bad(`"-99999999999999999999"`, "out of range for an int64", tooSmall),
		bad(`"99999999999999999999x"`, "not an integer, and out of range before that", badInteger),
		ok(`90.0`, `90`, "number without fraction"),
		bad(`90.5`, "fraction", badInteger),
		ok(`90.00000000000000001`, `90`, "number without fraction in a float64"),
		ok(`1e2`, `100`, "exponent"),
		bad(`1e16`, "a number that Python writes with an exponent", badInteger),
		bad(`1e999`, "out of range for a float64", badInteger),
		ok(`-0`, `0`, "negative zero"),
		ok(`-0.0`, `0`, "negative zero"),
		bad(`-1.0`, "below the lower bound", tooSmall),
		ok(`" 90 "`, `90`, "trimmed"),
		ok(`"\u00a090\u2003\n"`, `90`, "Unicode white space"),
		bad(`"\u001f90"`, "white space in Python that int() does not accept", badInteger),
		ok(`"90.0\u001f"`, `90`, "white space in Python after the point"),
		ok(`"90.0"`, `90`, "point and zeros"),
		ok(`"90. "`, `90`, "point"),
		bad(`"90.01"`, "fraction", badInteger),
		bad(`"90.0.0"`, "two points", badInteger),
		bad(`"."`, "only a point", badInteger),
		bad(`".0"`, "no digit before the point", badInteger),
		ok(`"+9"`, `9`, "sign"),
		ok(`"-0"`, `0`, "sign"),
		bad(`"+-9"`, "two signs", badInteger),
		bad(`"- 9"`, "space after the sign", badInteger),
		ok(`"007"`, `7`, "leading zeros"),
		bad(`"1e2"`, "exponent in a string", badInteger),
		bad(`"1_0"`, "underscore", badInteger),
		bad(`"٣"`, "not an ASCII digit", badInteger),
		bad(`"0x1"`, "hexadecimal", badInteger),
		bad(`"x"`, "word", badInteger),
		bad(`""`, "empty", badInteger),
		bad(`"nan"`, "not a number", badInteger),
		bad(`true`, "boolean", badInteger),
		bad(`[1]`, "list", badInteger),
		bad(`{}`, "object", badInteger),
		bad(`null`, "null", notNull),
		bad(quotedTimes("9", 1000), "1000 characters", tooBig),
		bad(quotedTimes("9", 1001), "1001 characters", large),
		bad(quotedTimes(" ", 1001), "1001 characters before trimming", large),
		bad(quotedTimes("é", 1000), "1000 characters of two bytes", badInteger),
		bad(strings.Repeat("9", 1001), "number of 1001 digits", tooBig),
	})
	runField(t, Field{Kind: Integer, Nullable: true}, []row{
		ok(`9223372036854775807`, `9223372036854775807`, "largest int64"),
		ok(`"-9223372036854775808"`, `-9223372036854775808`, "smallest int64"),
		bad(`9223372036854775808`, "out of range", "Ensure this value is less than or equal to 9223372036854775807."),
		bad(`-9223372036854775809`, "out of range", "Ensure this value is greater than or equal to -9223372036854775808."),
		ok(`null`, `null`, "null"),
		bad(`""`, "an empty string is not null", badInteger),
	})
}

func TestFloat(t *testing.T) {
	runField(t, Field{Kind: Float, Nullable: true}, []row{
		ok(`7`, `7.0`, "integer"),
		ok(`0`, `0.0`, "zero"),
		ok(`-0`, `0.0`, "negative zero as an integer"),
		ok(`-0.0`, `0.0`, "negative zero"),
		ok(`"-0"`, `0.0`, "negative zero in a string"),
		ok(`-1e-400`, `0.0`, "negative and too small"),
		ok(`"7.5"`, `7.5`, "string"),
		ok(`" 1e3 "`, `1000.0`, "trimmed"),
		ok(`"\u00a07\n"`, `7.0`, "Unicode white space"),
		bad(`"\u001f7"`, "white space in Python that float() does not accept", badNumber),
		ok(`".5"`, `0.5`, "no digit before the point"),
		ok(`"5."`, `5.0`, "no digit after the point"),
		ok(`"+5E-1"`, `0.5`, "sign and exponent"),
		ok(`1e15`, `1000000000000000.0`, "large number"),
		ok(`9999999999999998`, `9999999999999998.0`, "largest number without exponent"),
		ok(`1e16`, `1e+16`, "smallest number with exponent"),
		ok(`0.0001`, `0.0001`, "small number"),
		ok(`1e-5`, `1e-05`, "exponent of two digits"),
		ok(`1.5e-100`, `1.5e-100`, "exponent of three digits"),
		ok(`-1e300`, `-1e+300`, "large number"),
		ok(`123456789012345678`, `1.2345678901234568e+17`, "rounded"),
		ok(`0.30000000000000004`, `0.30000000000000004`, "17 digits"),
		ok(`1e-400`, `0.0`, "rounded to zero"),
		bad(`1e999`, "out of range", badNumber),
		bad(`"-1e999"`, "out of range", badNumber),
		bad(strings.Repeat("9", 400), "out of range", badNumber),
		bad(`"nan"`, "not a number", badNumber),
		bad(`"-Infinity"`, "infinity", badNumber),
		bad(`"inf"`, "infinity", badNumber),
		bad(`"0x1p3"`, "hexadecimal", badNumber),
		bad(`"1_0"`, "underscore", badNumber),
		bad(`"٣"`, "not an ASCII digit", badNumber),
		bad(`"1,5"`, "comma", badNumber),
		bad(`"1 5"`, "space", badNumber),
		bad(`"1e"`, "no exponent", badNumber),
		bad(`"1e+-5"`, "two signs", badNumber),
		bad(`"--1"`, "two signs", badNumber),
		bad(`"."`, "no digits", badNumber),
		bad(`"x"`, "word", badNumber),
		bad(`""`, "empty", badNumber),
		bad(`"\u0000"`, "null character", badNumber),
		ok(`true`, `1.0`, "boolean"),
		ok(`false`, `0.0`, "boolean"),
		bad(`[]`, "list", badNumber),
		bad(`{}`, "object", badNumber),
		ok(`null`, `null`, "null"),
		ok(quotedTimes("0", 1000), `0.0`, "1000 characters"),
		bad(quotedTimes("0", 1001), "1001 characters", large),
	})
}

func TestDecimal(t *testing.T) {
	const (
		total  = "Ensure that there are no more than 8 digits in total."
		places = "Ensure that there are no more than 2 decimal places."
		whole  = "Ensure that there are no more than 6 digits before the decimal point."
	)
	runField(t, Field{Kind: Decimal, Digits: 8, Places: 2}, []row{
		ok(`12`, `"12.00"`, "integer"),
		ok(`12.5`, `"12.50"`, "number"),
		ok(`12.340`, `"12.34"`, "the shortest text of a number counts"),
		ok(`1e3`, `"1000.00"`, "exponent"),
		ok(`"12.3"`, `"12.30"`, "string"),
		bad(`12.345`, "three places", places),
		bad(`"12.340"`, "three places with a zero", places),
		bad(`"0.001"`, "three places", places),
		ok(`"999999.99"`, `"999999.99"`, "largest"),
		ok(`"-999999.99"`, `"-999999.99"`, "smallest"),
		bad(`"1000000"`, "seven digits before the point", whole),
		bad(`"12345678.9"`, "nine digits in total", total),
		bad(`"12345.6789"`, "nine digits in total, four places", total),
		bad(`"1234567.8"`, "eight digits in total, seven before the point", whole),
		bad(`"1234.5678"`, "eight digits in total, four places", places),
		bad(`100000000`, "nine digits in total", total),
		bad(`1e22`, "23 digits in total", total),
		bad(`1e999`, "out of range for a float64", badNumber),
		ok(`"1e3"`, `"1000.00"`, "exponent"),
		ok(`"1.2e1"`, `"12.00"`, "exponent"),
		bad(`"1E+6"`, "seven digits before the point", whole),
		ok(`"1e-2"`, `"0.01"`, "two places"),
		bad(`"1e-9"`, "nine places are nine digits in total", total),
		bad(`"0.000000001"`, "nine places are nine digits in total", total),
		bad(`"1e99999999999"`, "large exponent", total),
		bad(`"1e9223372036854775807"`, "exponent of the largest int64", total),
		bad(`"--5"`, "two signs", badNumber),
		bad(`"1e-99999999999"`, "large negative exponent", total),
		ok(`"0e5"`, `"0.00"`, "zero with an exponent"),
		bad(`"0e8"`, "zeros count as digits before the point", total),
		ok(`"-5"`, `"-5.00"`, "negative"),
		ok(`"-0.01"`, `"-0.01"`, "negative"),
		ok(`"-0"`, `"0.00"`, "zero has no sign"),
		ok(`-0.0`, `"0.00"`, "zero has no sign"),
		ok(`" 7 "`, `"7.00"`, "trimmed"),
		ok(`"\u001f7"`, `"7.00"`, "white space in Python"),
		ok(`"+7"`, `"7.00"`, "sign"),
		ok(`".5"`, `"0.50"`, "no digit before the point"),
		ok(`"5."`, `"5.00"`, "no digit after the point"),
		ok(`"00000000001.5"`, `"1.50"`, "leading zeros"),
		bad(`"NaN"`, "not a number", badNumber),
		bad(`"sNaN"`, "not a number", badNumber),
		bad(`"Infinity"`, "infinity", badNumber),
		bad(`"-inf"`, "infinity", badNumber),
		bad(`"1,5"`, "comma", badNumber),
		bad(`"1_0"`, "underscore", badNumber),
		bad(`"٣"`, "not an ASCII digit", badNumber),
		bad(`"1.2.3"`, "two points", badNumber),
		bad(`"1e"`, "no exponent", badNumber),
		bad(`"1e5x"`, "text after the exponent", badNumber),
		bad(`"x"`, "word", badNumber),
		bad(`""`, "empty", badNumber),
		bad(`true`, "boolean", badNumber),
		bad(`[]`, "list", badNumber),
		bad(`{}`, "object", badNumber),
		bad(`null`, "null", notNull),
		ok(quotedTimes("0", 1000), `"0.00"`, "1000 characters"),
		bad(quotedTimes("0", 1001), "1001 characters", large),
		ok(`"  `+strings.Repeat("0", 1000)+`"`, `"0.00"`, "1000 characters after trimming"),
		bad(strings.Repeat("9", 1001), "number of 1001 digits", large),
	})
	runField(t, Field{Kind: Decimal, Digits: 3, Nullable: true}, []row{
		ok(`5`, `"5"`, "no places"),
		ok(`"-120"`, `"-120"`, "no places"),
		ok(`"-0"`, `"0"`, "zero has no sign"),
		bad(`1.5`, "one place", "Ensure that there are no more than 0 decimal places."),
		ok(`""`, `null`, "empty"),
		ok(`" "`, `null`, "trimmed"),
		ok(`null`, `null`, "null"),
	})
}

func quotedTimes(text string, n int) string { return `"` + strings.Repeat(text, n) + `"` }

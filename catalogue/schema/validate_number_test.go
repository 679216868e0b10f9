package schema

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	badInteger = "A valid integer is required."
	badNumber  = "A valid number is required."
	large      = "String value too large."
)

// runField validates the value of every row as the only member of a body.
func runField(t *testing.T, f Field, rows []row) {
	t.Helper()
	f.Name = "value"
	d := Description{Name: "film", Fields: []Field{f}}
	for _, row := range rows {
		record, err := d.Validate([]byte(`{"value":`+row.value+`}`), Checks{Exists: exists})
		var want error
		if row.messages != nil {
			want = FieldErrors{{"value", row.messages}}
		}
		if diff := cmp.Diff(want, err); diff != "" {
			t.Errorf("%s (%s): error (-want +got):\n%s", excerpt(row.value), row.reason, diff)
		}
		if got, _ := record.Get("value"); got != row.want {
			t.Errorf("%s (%s): got %s, want %s", excerpt(row.value), row.reason, got, row.want)
		}
	}
}

func quotedTimes(text string, n int) string { return `"` + strings.Repeat(text, n) + `"` }

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

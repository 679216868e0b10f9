package schema

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// cleanDecimal accepts a number, or a string that contains one, that has at most
// f.Digits digits, f.Places of them after the point. The empty string counts as null if
// the field is nullable.
func (f Field) cleanDecimal(value string) (text, message string) {
	written := value
	switch kindOf(value) {
	case jsonInt:
	case jsonFloat:
		written = pythonFloat(value)
	case jsonString:
		written = strings.TrimFunc(unquote(value), isSpace)
	default:
		return "", notANumber
	}
	if written == "" && f.Nullable {
		return "null", ""
	}
	if utf8.RuneCountInString(written) > maxNumber {
		return "", tooLarge
	}
	n, ok := parseDecimal(written)
	if !ok {
		return "", notANumber
	}
	total, whole, places := n.lengths()
	switch {
	case total > f.Digits:
		return "", fmt.Sprintf("Ensure that there are no more than %d digits in total.", f.Digits)
	case places > f.Places:
		return "", fmt.Sprintf("Ensure that there are no more than %d decimal places.", f.Places)
	case whole > f.Digits-f.Places:
		return "", fmt.Sprintf("Ensure that there are no more than %d digits before the decimal point.", f.Digits-f.Places)
	}
	return `"` + n.text(f.Places) + `"`, ""
}

// A decimal is a number: its digits, times ten to the power of the exponent.
type decimal struct {
	negative bool
	digits   string // without leading zeros, except for the number 0
	exponent int
}

// parseDecimal parses a number as Python does, but rejects infinity and NaN, underscores
// and other digits than those of ASCII. The exponent is limited to a billion.
func parseDecimal(text string) (n decimal, ok bool) {
	const maxExponent = 1_000_000_000
	rest := strings.TrimLeft(text, "+-")
	if len(text)-len(rest) > 1 {
		return n, false
	}
	n.negative = strings.HasPrefix(text, "-")
	mantissa := upTo(rest, "eE")
	if mantissa != rest {
		power := rest[len(mantissa)+1:]
		if !isInteger(power) {
			return n, false
		}
		exponent, _ := strconv.Atoi(power)
		n.exponent = max(-maxExponent, min(exponent, maxExponent)) // even if out of range
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	n.digits = whole + fraction
	if n.digits == "" || strings.Trim(n.digits, "0123456789") != "" {
		return n, false
	}
	n.digits = "0" + strings.TrimLeft(n.digits, "0")
	if len(n.digits) > 1 {
		n.digits = n.digits[1:]
	}
	n.exponent -= len(fraction)
	return n, true
}

// lengths returns the number of digits in total, before and after the point, as the
// framework counts them.
func (n decimal) lengths() (total, whole, places int) {
	length := len(n.digits)
	switch {
	case n.exponent >= 0:
		return length + n.exponent, length + n.exponent, 0
	case length > -n.exponent:
		return length, length + n.exponent, -n.exponent
	}
	return -n.exponent, 0, -n.exponent
}

// text returns the number with the given number of places, which it must not exceed.
// Zero has no sign.
func (n decimal) text(places int) string {
	digits := strings.TrimLeft(n.digits+strings.Repeat("0", n.exponent+places), "0")
	sign := ""
	if n.negative && digits != "" {
		sign = "-"
	}
	digits = strings.Repeat("0", max(0, places+1-len(digits))) + digits
	point := len(digits) - places
	if places == 0 {
		return sign + digits
	}
	return sign + digits[:point] + "." + digits[point:]
}

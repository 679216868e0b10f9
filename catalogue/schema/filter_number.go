package schema

import (
	"math"
	"strconv"
	"strings"
)

// A filterNumber is the number ±0.digits × 10^point. The digits neither begin nor end
// with 0. Zero has no digits and is not negative.
type filterNumber struct {
	negative bool
	digits   string
	point    int64
}

// The largest number of a filter is 1e50 as a float64, which is a little more than 1e50.
const (
	maxFilterDigits = "10000000000000000762976984109188700329496497094656"
	maxFilterPoint  = 51

	// maxFilterExponent is the largest exponent of a decimal in Python.
	maxFilterExponent = 999999999999999999
)

// filterNumber returns the canonical form of a number for a field of the kind.
func (k Kind) filterNumber(text string) (value, message string) {
	n, ok := readFilterNumber(strings.TrimFunc(text, isSpace))
	switch {
	case !ok:
		return "", "Enter a number."
	case !n.negative && (n.point > maxFilterPoint || n.point == maxFilterPoint && n.digits > maxFilterDigits):
		return "", "Ensure this value is less than or equal to 1e+50."
	case k == Integer:
		return n.integer(), ""
	case k == Float:
		return n.float(), ""
	}
	return n.decimal(), ""
}

// readFilterNumber reads ASCII digits with an optional sign, point and exponent.
func readFilterNumber(text string) (n filterNumber, ok bool) {
	if text != "" && (text[0] == '+' || text[0] == '-') {
		n.negative, text = text[0] == '-', text[1:]
	}
	if i := strings.IndexAny(text, "eE"); i >= 0 {
		exponent, err := strconv.ParseInt(text[i+1:], 10, 64)
		if err != nil || exponent > maxFilterExponent || exponent < -maxFilterExponent {
			return n, false
		}
		text, n.point = text[:i], exponent
	}
	whole, fraction, _ := strings.Cut(text, ".")
	all := whole + fraction
	if all == "" || strings.Trim(all, "0123456789") != "" {
		return n, false
	}
	digits := strings.TrimLeft(all, "0")
	if digits == "" {
		return filterNumber{}, true
	}
	n.point += int64(len(whole) - (len(all) - len(digits)))
	n.digits = strings.TrimRight(digits, "0")
	return n, true
}

// integer returns the number cut toward zero, as Django does for a column of integers.
// A number of more than 51 digits, which can only be negative, becomes -1e51: no integer
// is less than either.
func (n filterNumber) integer() string {
	switch {
	case n.point <= 0:
		return "0"
	case n.point > maxFilterPoint:
		n.digits, n.point = "1", maxFilterPoint+1
	}
	return n.sign() + n.whole()
}

// float returns the shortest text of the nearest float64. A number that is less than all
// float64 keeps its digits.
func (n filterNumber) float() string {
	text := n.decimal()
	f, _ := strconv.ParseFloat(text, 64) // the error is that f is infinite
	if math.IsInf(f, 0) {
		return text
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// decimal returns the number as a JSON number, without an exponent if that is short.
func (n filterNumber) decimal() string {
	const short = 51
	switch {
	case n.digits == "":
		return "0"
	case n.point > short || n.point < -short:
		return n.sign() + "0." + n.digits + "e" + strconv.FormatInt(n.point, 10)
	case n.point <= 0:
		return n.sign() + "0." + strings.Repeat("0", int(-n.point)) + n.digits
	case n.point >= int64(len(n.digits)):
		return n.sign() + n.whole()
	}
	return n.sign() + n.whole() + "." + n.digits[n.point:]
}

// whole returns the digits before the point, of which there is at least one.
func (n filterNumber) whole() string {
	if missing := int(n.point) - len(n.digits); missing > 0 {
		return n.digits + strings.Repeat("0", missing)
	}
	return n.digits[:n.point]
}

func (n filterNumber) sign() string {
	if n.negative {
		return "-"
	}
	return ""
}

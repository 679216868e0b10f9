package schema

import (
	"cmp"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

const (
	notANumber = "A valid number is required."
	tooLarge   = "String value too large."
)

// maxNumber is the maximum number of code points of a string that contains a number.
const maxNumber = 1000

// cleanInteger accepts an integer, or a string that contains one. Both may end in a point
// and zeros, unless there are Choices.
func (f Field) cleanInteger(value string, checks *checker) (text string, messages []string) {
	if f.Choices != nil {
		return f.cleanChoice(value, checks)
	}
	if n, err := strconv.ParseInt(value, 10, 64); err == nil {
		return strconv.FormatInt(n, 10), f.outside(value)
	}
	written, message := numberText(value)
	if message == tooLarge {
		return invalid(tooLarge)
	}
	digits := strings.TrimSpace(withoutZeros(written))
	switch {
	case isInteger(digits):
	case checks.as.has(namesBig) && checks.depth == 0 && f.isBig():
		return invalid("A valid biginteger is required.")
	default:
		return invalid("A valid integer is required.")
	}
	n, err := strconv.ParseInt(digits, 10, 64) // the error is that n is out of range
	f.Min = cmp.Or(f.Min, strconv.FormatInt(math.MinInt64, 10))
	f.Max = cmp.Or(f.Max, strconv.FormatInt(math.MaxInt64, 10))
	messages = f.outside(digits)
	if err != nil && messages == nil { // Max is that of a uint64
		n, _ := strconv.ParseUint(strings.TrimPrefix(digits, "+"), 10, 64)
		return strconv.FormatUint(n, 10), nil
	}
	if err != nil {
		return "", messages
	}
	return strconv.FormatInt(n, 10), messages
}

// isBig reports whether the bounds of an Integer allow more than 32 bits.
func (f Field) isBig() bool {
	return f.Min == "" || f.Max == "" || compareNumbers(f.Min, strconv.Itoa(math.MinInt32)) < 0 || compareNumbers(f.Max, strconv.Itoa(math.MaxInt32)) > 0
}

// outside returns the messages about the bounds of a number.
func (f Field) outside(number string) (messages []string) {
	if f.Max != "" && compareNumbers(number, f.Max) > 0 {
		messages = append(messages, "Ensure this value is less than or equal to "+f.Max+".")
	}
	if f.Min != "" && compareNumbers(number, f.Min) < 0 {
		messages = append(messages, "Ensure this value is greater than or equal to "+f.Min+".")
	}
	return messages
}

// compareNumbers compares the values of two decimal numbers.
func compareNumbers(a, b string) int {
	x, errX := strconv.ParseInt(a, 10, 64)
	y, errY := strconv.ParseInt(b, 10, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	return sortkey.Decimal(a).Compare(sortkey.Decimal(b))
}

// withoutZeros removes a final point that only zeros and white space follow.
func withoutZeros(text string) string {
	i := strings.LastIndexByte(text, '.')
	if i >= 0 && strings.TrimLeft(strings.TrimRightFunc(text[i+1:], isSpace), "0") == "" {
		return text[:i]
	}
	return text
}

// numberText returns the text of a number in Python, or the value of a string.
func numberText(value string) (text, message string) {
	switch jsontext.KindOf(value) {
	case jsontext.Int:
		return value, ""
	case jsontext.Float:
		return pythonFloat(value), ""
	case jsontext.String:
		text = jsontext.Unquote(value)
		if utf8.RuneCountInString(text) > maxNumber {
			return "", tooLarge
		}
		return text, ""
	}
	return "", notANumber
}

// cleanFloat accepts a number, a boolean, or a string that contains a number.
func (f Field) cleanFloat(value string, checks *checker) (text string, messages []string) {
	switch value {
	case "true":
		return "1.0", f.outside("1")
	case "false":
		return "0.0", f.outside("0")
	}
	n, err := strconv.ParseFloat(value, 64)
	if err == nil && jsontext.KindOf(value) == jsontext.Float {
		return f.cleanFinite(n)
	}
	written, message := numberText(value)
	if message != "" {
		return invalid("%s", message)
	}
	written = strings.TrimSpace(written)
	n, err = strconv.ParseFloat(written, 64)
	switch _, ok := parseDecimal(written); {
	case err != nil && jsontext.KindOf(value) == jsontext.Int && checks.as.has(namesLarge):
		return invalid("Integer value too large to convert to float")
	case !ok || err != nil:
		return invalid(notANumber)
	}
	return f.cleanFinite(n)
}

func (f Field) cleanFinite(n float64) (text string, messages []string) {
	if n == 0 {
		n = 0 // not -0, which databases do not keep
	}
	text = formatFloat(n)
	return text, f.outside(text)
}

// cleanDecimal accepts a number, or a string that contains one, that has at most
// f.Digits digits, f.Places of them after the point. The empty string counts as null if
// the field is nullable.
func (f Field) cleanDecimal(value string, _ *checker) (text string, messages []string) {
	written := value
	switch jsontext.KindOf(value) {
	case jsontext.Int:
	case jsontext.Float:
		written = pythonFloat(value)
	case jsontext.String:
		written = strings.TrimFunc(jsontext.Unquote(value), isSpace)
	default:
		return invalid(notANumber)
	}
	switch {
	case written == "" && f.Nullable:
		return "null", nil
	case utf8.RuneCountInString(written) > maxNumber:
		return invalid(tooLarge)
	}
	n, ok := parseDecimal(written)
	if !ok || !n.representable() {
		return invalid(notANumber)
	}
	total, whole, places := n.lengths()
	switch {
	case total > f.Digits:
		return invalid("Ensure that there are no more than %d digits in total.", f.Digits)
	case places > f.Places:
		return invalid("Ensure that there are no more than %d decimal places.", f.Places)
	case whole > f.Digits-f.Places:
		return invalid("Ensure that there are no more than %d digits before the decimal point.", f.Digits-f.Places)
	}
	text = n.text(f.Places)
	return `"` + text + `"`, f.outside(text)
}

// A decimal is a number as it is written: the digits before and after the point and a
// power of ten.
type decimal struct {
	sign   string // "-" or empty
	digits string // without leading zeros, except for the number 0
	places int    // number of digits after the point
	power  int64  // limited to 2^61
}

// parseDecimal parses a number as Python does, but rejects infinity and NaN, underscores and
// digits beyond ASCII.
func parseDecimal(text string) (n decimal, ok bool) {
	const maxPower = 1 << 61
	rest := strings.TrimLeft(text, "+-")
	if len(text)-len(rest) > 1 {
		return n, false
	}
	n.sign = strings.TrimSuffix(text[:len(text)-len(rest)], "+")
	mantissa := rest
	if at := strings.IndexAny(rest, "eE"); at >= 0 {
		power := rest[at+1:]
		mantissa = rest[:at]
		if !isInteger(power) {
			return n, false
		}
		n.power, _ = strconv.ParseInt(power, 10, 64)
		n.power = max(-maxPower, min(n.power, maxPower)) // even if out of range
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	n.digits, n.places = whole+fraction, len(fraction)
	if n.digits == "" || strings.Trim(n.digits, "0123456789") != "" {
		return n, false
	}
	n.digits = strings.TrimLeft(n.digits, "0")
	if n.digits == "" {
		n.digits = "0"
	}
	return n, true
}

// representable reports whether Python has a decimal for the number.
func (n decimal) representable() bool {
	return n.point()-int64(len(n.digits)) > -2*maxDecimalPower && n.point() <= maxDecimalPower+1
}

// point returns the power of ten by which 0.digits is multiplied.
func (n decimal) point() int64 { return int64(len(n.digits)) + n.power - int64(n.places) }

// exponent returns the power of ten by which the digits are multiplied. It is limited to a
// billion, which is more than any field allows.
func (n decimal) exponent() int {
	const most = 1_000_000_000
	return int(max(-most, min(n.power, most))) - n.places
}

// lengths returns the number of digits in total, before and after the point, as the
// framework counts them.
func (n decimal) lengths() (total, whole, places int) {
	length, exponent := len(n.digits), n.exponent()
	switch {
	case exponent >= 0:
		return length + exponent, length + exponent, 0
	case length > -exponent:
		return length, length + exponent, -exponent
	}
	return -exponent, 0, -exponent
}

// text returns the number with the given number of places, which it must not exceed.
// Zero has no sign.
func (n decimal) text(places int) string {
	digits := strings.TrimLeft(n.digits+strings.Repeat("0", n.exponent()+places), "0")
	if digits == "" {
		n.sign = ""
	}
	digits = strings.Repeat("0", max(0, places+1-len(digits))) + digits
	point := len(digits) - places
	if places == 0 {
		return n.sign + digits
	}
	return n.sign + digits[:point] + "." + digits[point:]
}

// numberFilter returns a function that reads a number of a filter and returns its text.
func numberFilter(text func(decimal) string) func(Field, string, string, *checker) (string, string) {
	return func(_ Field, _, value string, _ *checker) (string, string) {
		n, message := filterNumber(value)
		return text(n), message
	}
}

// The largest number of a filter is 1e50 as a float64, which is a little more than 1e50.
const (
	maxFilterDigits = "10000000000000000762976984109188700329496497094656"
	maxFilterPoint  = 51

	// maxDecimalPower is the largest exponent of a decimal in Python.
	maxDecimalPower = 999_999_999_999_999_999
)

// filterNumber reads a number of a filter, whose digits do not end with 0: zero has none. The number
// is zero if there is a message.
func filterNumber(text string) (n decimal, message string) {
	n, ok := parseDecimal(strings.TrimFunc(text, isSpace))
	if !ok || n.power > maxDecimalPower || n.power < -maxDecimalPower {
		return decimal{}, "Enter a number."
	}
	significant := strings.TrimRight(n.digits, "0")
	if significant == "" {
		return decimal{}, ""
	}
	n.digits, n.places = significant, n.places-len(n.digits)+len(significant)
	if point := n.point(); n.sign == "" && (point > maxFilterPoint || point == maxFilterPoint && n.digits > maxFilterDigits) {
		return decimal{}, "Ensure this value is less than or equal to 1e+50."
	}
	return n, ""
}

// integer returns the number cut toward zero, as Django does for a column of integers.
// A number of more than 51 digits, which can only be negative, becomes -1e51: no integer
// is less than either.
func (n decimal) integer() string {
	switch {
	case n.point() <= 0:
		return "0"
	case n.point() > maxFilterPoint:
		n = decimal{sign: "-", digits: "1", power: maxFilterPoint}
	}
	return n.sign + n.whole()
}

// float returns the shortest text of the nearest float64. A number that is less than all
// float64 keeps its digits.
func (n decimal) float() string {
	text := n.json()
	f, _ := strconv.ParseFloat(text, 64) // the error is that f is infinite
	if math.IsInf(f, 0) {
		return text
	}
	return strconv.FormatFloat(f, 'g', -1, 64)
}

// json returns the number as a JSON number, without an exponent if that is short.
func (n decimal) json() string {
	const short = 51
	switch point := n.point(); {
	case n.digits == "":
		return "0"
	case point > short || point < -short:
		return n.sign + "0." + n.digits + "e" + strconv.FormatInt(point, 10)
	case point <= 0:
		return n.sign + "0." + strings.Repeat("0", int(-point)) + n.digits
	case point >= int64(len(n.digits)):
		return n.sign + n.whole()
	default:
		return n.sign + n.whole() + "." + n.digits[point:]
	}
}

// whole returns the digits before the point, at least one.
func (n decimal) whole() string {
	if missing := int(n.point()) - len(n.digits); missing > 0 {
		return n.digits + strings.Repeat("0", missing)
	}
	return n.digits[:n.point()]
}

package schema

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

const (
	notANumber = "A valid number is required."
	tooLarge   = "String value too large."
)

// maxNumber is the maximum number of code points of a string that contains a number.
const maxNumber = 1000

// cleanInteger accepts an integer, or a string that contains one. Both may end in a point
// and zeros.
func (f Field) cleanInteger(value string) (text string, messages []string) {
	written, message := numberText(value)
	if message == notANumber {
		message = "A valid integer is required."
	}
	if message != "" {
		return "", []string{message}
	}
	digits := strings.TrimSpace(withoutZeros(written))
	if !isInteger(digits) {
		return "", []string{"A valid integer is required."}
	}
	n, err := strconv.ParseInt(digits, 10, 64) // the error is that n is out of range
	low, high := int64(math.MinInt64), int64(math.MaxInt64)
	if f.Min != nil {
		low = int64(*f.Min)
	}
	if f.Max != nil {
		high = int64(*f.Max)
	}
	if n > high || err != nil && n > 0 {
		messages = append(messages, fmt.Sprintf("Ensure this value is less than or equal to %d.", high))
	}
	if n < low || err != nil && n < 0 {
		messages = append(messages, fmt.Sprintf("Ensure this value is greater than or equal to %d.", low))
	}
	if err != nil {
		return "", messages
	}
	return strconv.FormatInt(n, 10), messages
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
	switch kindOf(value) {
	case jsonInt:
		return value, ""
	case jsonFloat:
		return pythonFloat(value), ""
	case jsonString:
		text = unquote(value)
		if utf8.RuneCountInString(text) > maxNumber {
			return "", tooLarge
		}
		return text, ""
	}
	return "", notANumber
}

// cleanFloat accepts a number, a boolean, or a string that contains a number.
func cleanFloat(value string) (text, message string) {
	switch value {
	case "true":
		return "1.0", ""
	case "false":
		return "0.0", ""
	}
	written, message := numberText(value)
	if message != "" {
		return "", message
	}
	written = strings.TrimSpace(written)
	n, err := strconv.ParseFloat(written, 64)
	if _, ok := parseDecimal(written); !ok || err != nil {
		return "", notANumber
	}
	if n == 0 {
		n = 0 // not -0, which databases do not keep
	}
	return formatFloat(n), ""
}

// pythonFloat returns the text of a JSON number with a point or exponent in Python.
func pythonFloat(number string) string {
	n, _ := strconv.ParseFloat(number, 64) // infinite if it is out of range
	return formatFloat(n)
}

// formatFloat returns the shortest text for a number, as Python does: with a point or an
// exponent.
func formatFloat(n float64) string {
	switch abs := math.Abs(n); {
	case math.IsInf(n, 0):
		return strings.TrimPrefix(strings.ToLower(strconv.FormatFloat(n, 'g', -1, 64)), "+")
	case abs >= 1e16 || abs < 1e-4 && abs > 0:
		return strconv.FormatFloat(n, 'e', -1, 64)
	}
	text := strconv.FormatFloat(n, 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return text
}

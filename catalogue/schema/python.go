package schema

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/ordering"
)

// pythonText returns what Python's str returns for a value.
func pythonText(value string) string {
	if jsontext.KindOf(value) == jsontext.String {
		return jsontext.Unquote(value)
	}
	return pythonRepr(value)
}

// pythonRepr returns what Python's repr returns for a value. Names are in snake_case.
func pythonRepr(value string) string {
	switch jsontext.KindOf(value) {
	case jsontext.Null:
		return "None"
	case jsontext.Bool:
		return strings.ToUpper(value[:1]) + value[1:]
	case jsontext.Int:
		if value == "-0" {
			return "0"
		}
	case jsontext.Float:
		return pythonFloat(value)
	case jsontext.String:
		return pythonQuote(jsontext.Unquote(value))
	case jsontext.List:
		var items []string
		for item := range jsontext.Elements(value) {
			items = append(items, pythonRepr(item))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case jsontext.Object:
		var items []string
		for name, member := range jsontext.Members(value) {
			items = append(items, pythonQuote(ordering.Snake(name))+": "+pythonRepr(member))
		}
		return "{" + strings.Join(items, ", ") + "}"
	}
	return value
}

// pythonQuote returns a text quoted as Python does: in single quotes, unless it contains these
// and no double quotes.
func pythonQuote(text string) string {
	quote := '\''
	if strings.Contains(text, "'") && !strings.Contains(text, `"`) {
		quote = '"'
	}
	b := []rune{quote}
	for _, r := range strings.ToValidUTF8(text, "\ufffd") {
		escape := strings.IndexRune("\n\r\t", r)
		switch {
		case escape >= 0:
			b = append(b, '\\', rune("nrt"[escape]))
		case r == '\\', r == quote:
			b = append(b, '\\', r)
		case unicode.IsPrint(r):
			b = append(b, r)
		case r < 0x100:
			b = append(b, []rune(fmt.Sprintf(`\x%02x`, r))...)
		default:
			b = append(b, []rune(strings.Trim(strconv.QuoteRuneToASCII(r), "'"))...)
		}
	}
	return string(append(b, quote))
}

// pythonFloat returns the text of a JSON number with a point or exponent in Python.
func pythonFloat(number string) string {
	n, err := strconv.ParseFloat(number, 64)
	switch {
	case err == nil:
		return formatFloat(n)
	case n < 0:
		return "-inf"
	}
	return "inf"
}

// formatFloat returns the text of a finite number in Python.
func formatFloat(n float64) string { return string(jsontext.AppendFloat(nil, n, 64)) }

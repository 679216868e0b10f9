package schema

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gobacklist/backlist/ordering"
)

// cleanChoice accepts a value whose text in Python is one of the choices.
func (f Field) cleanChoice(value string) (text, message string) {
	if value == `""` && f.Blank {
		return value, ""
	}
	chosen := pythonText(value)
	if !slices.Contains(f.Choices, chosen) {
		return "", `"` + strings.ToValidUTF8(chosen, "\ufffd") + `" is not a valid choice.`
	}
	return string(appendQuoted(nil, chosen)), ""
}

// pythonText returns the text that Python has for a JSON value.
func pythonText(value string) string {
	if kindOf(value) == jsonString {
		return unquote(value)
	}
	return string(appendPython(nil, value))
}

// appendPython appends the literal of a JSON value in Python.
func appendPython(dst []byte, value string) []byte {
	switch kindOf(value) {
	case jsonNull:
		return append(dst, "None"...)
	case jsonBool:
		return append(dst, capital(value)...)
	case jsonInt:
		if value == "-0" {
			value = "0"
		}
		return append(dst, value...)
	case jsonFloat:
		return append(dst, pythonFloat(value)...)
	case jsonString:
		return appendPythonString(dst, unquote(value))
	case jsonObject:
		return appendPythonDict(dst, value)
	}
	dst = append(dst, '[')
	separator := ""
	for item := range elements(value) {
		dst = appendPython(append(dst, separator...), item)
		separator = ", "
	}
	return append(dst, ']')
}

// appendPythonDict appends the literal of an object. Its names are in snake_case, as the
// service's parser converts them. If a name is repeated, the last value counts.
func appendPythonDict(dst []byte, object string) []byte {
	var names []string
	values := map[string]string{}
	for quoted, value := range members(object) {
		name := ordering.Snake(unquote(quoted))
		if _, found := values[name]; !found {
			names = append(names, name)
		}
		values[name] = value
	}
	dst = append(dst, '{')
	separator := ""
	for _, name := range names {
		dst = append(appendPythonString(append(dst, separator...), name), ": "...)
		dst = appendPython(dst, values[name])
		separator = ", "
	}
	return append(dst, '}')
}

// appendPythonString appends the literal of a result of unquote.
func appendPythonString(dst []byte, text string) []byte {
	quote := '\''
	if strings.Contains(text, `'`) && !strings.Contains(text, `"`) {
		quote = '"'
	}
	dst = append(dst, byte(quote))
	for i, r := range text {
		switch {
		case r == utf8.RuneError && strings.HasPrefix(text[i:], "\xed"):
			r, _ = firstSurrogate(text[i:])
			dst = fmt.Appendf(dst, `\u%04x`, r)
		case r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd"): // the rest of a surrogate
		case r == quote || r == '\\':
			dst = append(dst, '\\', byte(r))
		case strings.ContainsRune("\t\n\r", r):
			dst = append(dst, '\\', "tnr"[strings.IndexRune("\t\n\r", r)])
		case unicode.IsPrint(r):
			dst = utf8.AppendRune(dst, r)
		case r < 0x100:
			dst = fmt.Appendf(dst, `\x%02x`, r)
		case r < 0x10000:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			dst = fmt.Appendf(dst, `\U%08x`, r)
		}
	}
	return append(dst, byte(quote))
}

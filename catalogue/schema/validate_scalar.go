package schema

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// cleanTime accepts a string that contains a date-time.
func cleanTime(value string) (text, message string) {
	if kindOf(value) != jsonString {
		return "", wrongTimeFormat
	}
	d, message := parseDateTime(unquote(value))
	if message != "" {
		return "", message
	}
	return `"` + string(d.appendWire(nil)) + `"`, ""
}

// cleanDate accepts a string that contains a date. Month and day have one or two digits.
func cleanDate(value string) (text, message string) {
	const wrongFormat = "Date has wrong format. Use one of these formats instead: YYYY-MM-DD."
	if kindOf(value) != jsonString {
		return "", wrongFormat
	}
	in := timeReader{rest: strings.TrimSuffix(unquote(value), "\n")}
	year := in.number(4, 4)
	in.one("-")
	month := in.number(1, 2)
	in.one("-")
	day := in.number(1, 2)
	t := time.Date(year, time.Month(month), day, 0, 0, 0, 0, time.UTC)
	if in.invalid || in.rest != "" || year < 1 || t.Day() != day || int(t.Month()) != month {
		return "", wrongFormat
	}
	return t.Format(`"2006-01-02"`), ""
}

// cleanBool accepts true, false, the numbers 1 and 0, and the strings that the framework
// accepts. Some of them are null.
func (f Field) cleanBool(value string) (text, message string) {
	word := value
	switch kindOf(value) {
	case jsonString:
		word = unquote(value)
		if f.Nullable && slices.Contains([]string{"null", "Null", "NULL", ""}, word) {
			return "null", ""
		}
	case jsonInt, jsonFloat:
		word = digit(value)
	}
	switch word {
	case "t", "T", "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON", "1":
		return "true", ""
	case "f", "F", "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF", "0":
		return "false", ""
	}
	return "", "Must be a valid boolean."
}

// digit returns "1" or "0" for a number with that value, and otherwise "".
func digit(number string) string {
	switch n, _ := strconv.ParseFloat(number, 64); n {
	case 0:
		return "0"
	case 1:
		return "1"
	}
	return ""
}

// cleanTextList accepts a list of strings and trims them. The message is about the first
// invalid string.
func cleanTextList(value string) (text, message string) {
	if kind := kindOf(value); kind != jsonList {
		return "", notAList(kind)
	}
	list := []byte{'['}
	for item := range elements(value) {
		clean, messages := Field{Kind: Text}.clean(item, Checks{})
		if messages != nil {
			return "", messages[0]
		}
		if len(list) > 1 {
			list = append(list, ',')
		}
		list = append(list, clean...)
	}
	return string(append(list, ']')), ""
}

// cleanJSON accepts any value that a record can hold.
func cleanJSON(value string) (text, message string) {
	clean, err := canonical([]byte(value))
	if err != nil {
		return "", "Value must be valid JSON."
	}
	return string(clean), ""
}

// notAList returns the message for a value that should be a list.
func notAList(kind jsonKind) string {
	return `Expected a list of items but got type "` + string(kind) + `".`
}

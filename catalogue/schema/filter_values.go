package schema

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/ordering"
)

// test returns the test of a parameter with the given values. ok is false if the
// parameter counts as absent or if message is not empty.
func (f Field) test(lookup string, given []string, exists func(string, int) bool) (t Test, ok bool, message string) {
	t = Test{Field: ordering.Snake(f.Name), Lookup: lookup}
	last := validUTF8(given[len(given)-1])
	switch {
	case f.Kind == References:
		t.Values, message = f.filterIDs(given, exists)
	case last == "":
		return Test{}, false, ""
	case lookup == "in":
		t.Values, _, message = f.filterItems(lookup, last, exists)
	case lookup == "range":
		var items int
		t.Values, items, message = f.filterItems(lookup, last, exists)
		if message == "" && items != 2 {
			message = "Range query expects two values."
		} else if len(t.Values) != 2 {
			t.Lookup, t.Values = "in", nil // nothing is in a range without a bound
		}
	default:
		var value string
		if value, message = f.filterValue(lookup, last, exists); value == "" {
			return Test{}, false, message
		}
		t.Values = []string{value}
	}
	return t, message == "", message
}

// filterItems returns the values in a text that is separated by commas, and the number
// of items. Only text can be empty; other kinds skip empty items.
func (f Field) filterItems(lookup, text string, exists func(string, int) bool) (values []string, items int, message string) {
	isText := slices.Contains(f.Kind.lookups(), "contains")
	for item := range strings.SplitSeq(text, ",") {
		items++
		value := ""
		if item != "" {
			if value, message = f.filterValue(lookup, item, exists); message != "" {
				return nil, items, message
			}
		}
		if value != "" || isText {
			values = append(values, value)
		}
	}
	return values, items, ""
}

// filterValue returns the canonical form of a value that is not empty, or "" if it counts
// as absent.
func (f Field) filterValue(lookup, text string, exists func(string, int) bool) (value, message string) {
	if lookup == "isnull" {
		return filterBool(text), ""
	}
	switch f.Kind {
	case Boolean:
		return filterBool(text), ""
	case Integer, Float, Decimal:
		return f.Kind.filterNumber(text)
	case Date:
		return filterDate(text)
	case Timestamp:
		return filterTime(text)
	case Reference:
		id, ok := f.filterID(strings.TrimSpace(text), exists)
		if !ok {
			return "", "Select a valid choice. That choice is not one of the available choices."
		}
		return strconv.Itoa(id), ""
	}
	if f.Kind == Choice && lookup == "exact" {
		if !slices.Contains(f.Choices, text) {
			return "", notAvailable(text)
		}
		return text, ""
	}
	if strings.IndexByte(text, 0) >= 0 {
		return "", "Null characters are not allowed."
	}
	return strings.TrimFunc(text, isSpace), ""
}

// filterBool returns true or false for a text that means one of them, and otherwise
// "". Django REST framework converts to lower case without trimming.
func filterBool(text string) string {
	switch strings.ToLower(text) {
	case "true", "1":
		return "true"
	case "false", "0":
		return "false"
	}
	return ""
}

// filterIDs returns the ids of a parameter for a list of ids. Django checks that all
// values are integers before it looks for the first one that is not an id. It compares
// their text, so that "01" is not the id 1.
func (f Field) filterIDs(given []string, exists func(string, int) bool) (ids []string, message string) {
	for _, text := range given {
		if _, ok := integer(strings.TrimSpace(text)); !ok {
			return nil, fmt.Sprintf("“%s” is not a valid value.", validUTF8(text))
		}
	}
	for _, text := range given {
		if id, ok := f.filterID(text, exists); !ok || strconv.Itoa(id) != text {
			return nil, notAvailable(text)
		}
	}
	return slices.Clone(given), ""
}

// filterID returns the id of an existing record. The ids of a field that refers to no
// collection are not checked.
func (f Field) filterID(text string, exists func(string, int) bool) (id int, ok bool) {
	id, ok = integer(text)
	return id, ok && id > 0 && (f.Refers == "" || exists(f.Refers, id))
}

// notAvailable returns the message for a value that is not one of the choices.
func notAvailable(value string) string {
	return fmt.Sprintf("Select a valid choice. %s is not one of the available choices.", value)
}

// validUTF8 returns a value of a query in valid UTF-8. Invalid UTF-8 becomes U+FFFD.
func validUTF8(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

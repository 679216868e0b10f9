package schema

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/ordering"
)

// cleanReference accepts the id of an existing record. The empty string counts as null.
func (f Field) cleanReference(value string, checks Checks) (text, message string) {
	if value == `""` {
		_, messages := f.clean("null", checks)
		return "null", strings.Join(messages, " ")
	}
	id, message := f.reference(value, checks)
	return strconv.Itoa(id), message
}

// cleanReferences accepts a list of ids of existing records, or an object, whose names
// are the ids. It sorts the ids and removes duplicates. The message is about the first
// invalid id.
func (f Field) cleanReferences(value string, checks Checks) (text, message string) {
	items, message := items(value)
	if message != "" {
		return "", message
	}
	ids := make([]int, 0, len(items))
	for _, item := range items {
		id, message := f.reference(item, checks)
		if message != "" {
			return "", message
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	list := []byte{'['}
	for i, id := range slices.Compact(ids) {
		if i > 0 {
			list = append(list, ',')
		}
		list = strconv.AppendInt(list, int64(id), 10)
	}
	return string(append(list, ']')), ""
}

// items returns the elements of a list, or the names of an object, converted to
// snake_case as the service does.
func items(value string) (items []string, message string) {
	switch kind := kindOf(value); kind {
	case jsonList:
		return slices.Collect(elements(value)), ""
	case jsonObject:
		for quoted := range members(value) {
			name := ordering.Snake(unquote(quoted))
			items = append(items, string(appendQuoted(nil, name)))
		}
		return items, ""
	default:
		return nil, notAList(kind)
	}
}

// reference returns the id of an existing record. The value is a number, which is
// truncated to an integer, or a string that contains an integer. A number out of range
// for an int is not the id of a record.
func (f Field) reference(value string, checks Checks) (id int, message string) {
	shown := value
	switch kind := kindOf(value); kind {
	case jsonNull:
		shown = "None"
	case jsonInt:
		id, _ = integer(value)
	case jsonFloat:
		id = truncated(value)
	case jsonString:
		var ok bool
		shown = unquote(value)
		if id, ok = integer(strings.TrimSpace(shown)); !ok {
			return 0, wrongType(kind)
		}
	default:
		return 0, wrongType(kind)
	}
	if id < 1 || !checks.exists(f.Refers, id) {
		return 0, fmt.Sprintf(`Invalid pk "%s" - object does not exist.`, shown)
	}
	return id, ""
}

// wrongType returns the message for a value that cannot be an id.
func wrongType(kind jsonKind) string {
	return fmt.Sprintf("Incorrect type. Expected pk value, received %s.", kind)
}

// integer returns the value of a text of ASCII digits with an optional sign and reports
// whether text is one. If the number is out of range for an int, it returns 0, which is
// not the id of a record.
func integer(text string) (n int, ok bool) {
	if !isInteger(text) {
		return 0, false
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, true
	}
	return n, true
}

// isInteger reports whether text is ASCII digits with an optional sign. Package strconv
// reports that a number is out of range before it has read all of the text.
func isInteger(text string) bool {
	if text != "" && (text[0] == '+' || text[0] == '-') {
		text = text[1:]
	}
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// truncated returns a number truncated to an integer, or 0 if it is out of range.
func truncated(number string) int {
	f, _ := strconv.ParseFloat(number, 64)
	if math.Abs(f) >= math.MaxInt {
		return 0
	}
	return int(f)
}

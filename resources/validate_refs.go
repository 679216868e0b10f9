package resources

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/ordering"
)

// cleanReference takes the id of a record that exists. The empty string counts
// as null.
func (f Field) cleanReference(value string, exists func(string, int) bool) (text, message string) {
	if value == `""` {
		_, messages := f.clean("null", exists)
		return "null", strings.Join(messages, " ")
	}
	id, message := f.reference(value, exists)
	return strconv.Itoa(id), message
}

// cleanReferences takes a list of ids of records that exist, and an object for
// its names. They come out ascending, each once; the first that is wrong is
// told.
func (f Field) cleanReferences(value string, exists func(string, int) bool) (text, message string) {
	items, message := items(value)
	if message != "" {
		return "", message
	}
	ids := make([]int, 0, len(items))
	for _, item := range items {
		id, message := f.reference(item, exists)
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

// items gives the elements of a list, or the names of an object, which the
// service turns to snake_case first.
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

// reference reads the id of a record that exists: an integer, a number, whose
// fraction is cut off, or a string with an integer in it. Numbers too large for
// an int are the ids of no record.
func (f Field) reference(value string, exists func(string, int) bool) (id int, message string) {
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
		if id, ok = integer(strings.TrimFunc(shown, isSpace)); !ok {
			return 0, wrongType(kind)
		}
	default:
		return 0, wrongType(kind)
	}
	if id < 1 || !exists(f.Refers, id) {
		return 0, fmt.Sprintf(`Invalid pk "%s" - object does not exist.`, shown)
	}
	return id, ""
}

// wrongType is what is said of a value that cannot be an id.
func wrongType(kind jsonKind) string {
	return fmt.Sprintf("Incorrect type. Expected pk value, received %s.", kind)
}

// integer returns the value of ASCII digits with at most one sign before them, and
// reports whether text is that and nothing more: white space, underscores and other
// digits are refused. A number beyond an int is 0, which is the id of no record.
func integer(text string) (n int, ok bool) {
	n, err := strconv.Atoi(text)
	if err != nil {
		return 0, errors.Is(err, strconv.ErrRange)
	}
	return n, true
}

// truncated is a number without its fraction; beyond an int it is 0.
func truncated(number string) int {
	f, _ := strconv.ParseFloat(number, 64)
	if math.Abs(f) >= math.MaxInt {
		return 0
	}
	return int(f)
}

package schema

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A family is a set of kinds of fields that have the same lookups.
type family uint8

const (
	texts family = 1 << iota
	numbers
	moments // and other values with an order that is not that of text
	truths
	links // references
	lists // of references
	others
)

// A kindRow describes a kind of field.
type kindRow struct {
	name string        // in the metadata of Django REST framework
	word string        // of the tag backlist, for a string
	json jsontext.Kind // of the values; empty: any
	of   family        // of its lookups

	// clean returns the JSON to store for a value in a request that is not null, or the
	// messages if it is invalid. It returns both if the value has the right type but is
	// not in the range of the field. It is nil for kinds
	// with parts; see Field.cleanParts.
	clean func(f Field, value string, checks *checker) (text string, messages []string)

	// filter returns the canonical form of a value of a filter, which is not empty. It
	// returns neither a value nor a message if the parameter counts as absent.
	filter func(f Field, lookup, value string, checks *checker) (text, message string)

	// key returns the sort key of the canonical form. If nil, it is the key of a text.
	key func(value string) sortkey.Key
}

var kinds = [...]kindRow{
	Integer:     {"integer", "", jsontext.Int, numbers, Field.cleanInteger, numberFilter(decimal.integer), sortkey.Decimal},
	Text:        {"string", "", jsontext.String, texts, cleanForm(notText, "", anyText), filterText, nil},
	Slug:        {"slug", "slug", jsontext.String, texts, cleanForm(notSlug, notSlug, validSlug), filterText, nil},
	Timestamp:   {"datetime", "", jsontext.String, moments, cleanTime, filterTime, timeKey},
	Boolean:     {"boolean", "", jsontext.Bool, truths, Field.cleanBool, filterBool, boolKey},
	URL:         {"url", "url", jsontext.String, texts, cleanForm(notURL, notURL, validURL), filterText, nil},
	Reference:   {"field", "", jsontext.Int, links, Field.cleanReference, Field.filterReference, sortkey.Decimal},
	References:  {"field", "", jsontext.List, lists, Field.cleanReferences, Field.filterListed, sortkey.Decimal}, // see Field.filterIDs
	Array:       {"list", "", jsontext.List, others, nil, nil, nil},
	JSON:        {"field", "", "", others, cleanJSON, nil, nil},
	Float:       {"float", "", jsontext.Float, numbers, Field.cleanFloat, numberFilter(decimal.float), sortkey.Decimal},
	Decimal:     {"decimal", "decimal", jsontext.String, numbers, Field.cleanDecimal, numberFilter(decimal.json), sortkey.Decimal},
	Date:        {"date", "date", jsontext.String, moments, cleanDate, filterDate, nil},
	TimeOfDay:   {"time", "time", jsontext.String, moments, cleanClock, filterClock, clockKey},
	Interval:    {"field", "duration", jsontext.String, moments, cleanDuration, filterDuration, durationKey},
	Choice:      {"choice", "choices", jsontext.String, texts, Field.cleanChoice, filterText, nil},
	Email:       {"email", "email", jsontext.String, texts, cleanForm(notEmail, notEmail, validEmail), filterText, nil},
	UUID:        {"string", "uuid", jsontext.String, moments, cleanUUID, filterUUID, nil},
	UnicodeSlug: {"slug", "unicodeslug", jsontext.String, texts, cleanForm(notSlug, notUnicodeSlug, validUnicodeSlug), filterText, nil},
	Regex:       {"regex", "", jsontext.String, texts, Field.cleanRegex, filterText, nil},
	Map:         {"nested object", "", jsontext.Object, others, nil, nil, nil},
	Object:      {"nested object", "", jsontext.Object, others, nil, nil, nil},
}

// row returns the row of the kind, or the row of JSON if the kind is unknown.
func (k Kind) row() *kindRow {
	if k == 0 || int(k) >= len(kinds) {
		k = JSON
	}
	return &kinds[k]
}

// String returns the name of the kind in the metadata of Django REST framework, such as "datetime".
// References, lists of them and JSON are "field" there.
func (k Kind) String() string { return k.row().name }

// Type returns the type of a field in the metadata, such as "datetime".
func (f Framework) Type(field Field) string {
	switch {
	case field.Method:
		return Kind(JSON).String()
	case field.Choices != nil:
		return "choice"
	case f.has(namesInterval) && field.Kind == Interval:
		return "duration"
	}
	return field.Kind.String()
}

// SortKey returns the sort key of a value of a [Test] of the field: numbers, decimals, booleans,
// date-times, times and durations compare by value, and text that is Fold without regard to case. A
// Reference By a text has the order of the text to which it refers.
func (f Field) SortKey(value string) sortkey.Key {
	switch key := f.Kind.row().key; {
	case f.By != "":
	case key != nil:
		return key(value)
	case f.Fold:
		return sortkey.Fold(value)
	}
	return sortkey.Text(value)
}

// Order returns the function that converts the sort key of a value in JSON or in Go to that of the
// field, or nil if both are always equal. They differ for times, which compare by the microsecond,
// and for text that does not compare as text.
func (f Field) Order() func(sortkey.Key) sortkey.Key {
	row := f.Kind.row()
	if row.json != jsontext.String || row.key == nil && !f.Fold {
		return nil
	}
	return func(k sortkey.Key) sortkey.Key {
		if t, ok := k.AsTime(); ok {
			return sortkey.Time(t.Truncate(time.Microsecond))
		}
		if text, ok := k.AsText(); ok {
			return f.SortKey(text)
		}
		return k
	}
}

func boolKey(value string) sortkey.Key { return sortkey.Bool(value == "true") }

// Scalar reports whether values are neither lists nor objects.
func (k Kind) Scalar() bool { return k.row().of&(lists|others) == 0 }

// isText reports whether the values are text, which can be blank and be searched.
func (k Kind) isText() bool { return k.row().of == texts }

// cleanBool accepts true, false, the numbers 1 and 0, and the strings that the framework
// accepts. Some of them are null.
func (f Field) cleanBool(value string, checks *checker) (text string, messages []string) {
	word := value
	switch jsontext.KindOf(value) {
	case jsontext.String:
		word = jsontext.Unquote(value)
		if checks.as.has(lowersBools) {
			word = strings.ToLower(word)
		}
		if f.Nullable && slices.Contains([]string{"null", "Null", "NULL", ""}, word) {
			return "null", nil
		}
	case jsontext.Int, jsontext.Float:
		switch n, _ := strconv.ParseFloat(value, 64); n {
		case 0:
			word = "0"
		case 1:
			word = "1"
		default:
			word = ""
		}
	}
	switch word {
	case "t", "T", "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON", "1":
		return "true", nil
	case "f", "F", "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF", "0":
		return "false", nil
	}
	return invalid("Must be a valid boolean.")
}

// filterBool returns true or false for a text that means one of them, and otherwise
// "". Django REST framework converts to lower case without trimming.
func filterBool(_ Field, _, value string, _ *checker) (text, message string) {
	switch strings.ToLower(value) {
	case "true", "1":
		return "true", ""
	case "false", "0":
		return "false", ""
	}
	return "", ""
}

var errNotStorable = errors.New("cannot be stored")

// cleanJSON accepts any value that a record can hold. It stores what the framework does: numbers
// as Python writes them, and names as membersOf returns them.
func cleanJSON(_ Field, value string, checks *checker) (text string, messages []string) {
	clean, err := appendFree(nil, value, !checks.snake)
	if err != nil {
		return invalid("Value must be valid JSON.")
	}
	return string(clean), nil
}

// appendFree appends a JSON value as cleanJSON stores it.
func appendFree(b []byte, value string, camel bool) (_ []byte, err error) {
	switch jsontext.KindOf(value) {
	case jsontext.Object:
		start := len(b)
		b = append(b, '{')
		for _, m := range membersOf(value, camel) {
			if _, found := jsontext.FirstSurrogate(m.name); found {
				return nil, errNotStorable
			}
			if len(b) > start+1 {
				b = append(b, ',')
			}
			if b, err = appendFree(append(jsontext.AppendString(b, m.name), ':'), m.value, camel); err != nil {
				return nil, err
			}
		}
		return append(b, '}'), nil
	case jsontext.List:
		start := len(b)
		b = append(b, '[')
		for item := range jsontext.Elements(value) {
			if len(b) > start+1 {
				b = append(b, ',')
			}
			if b, err = appendFree(b, item, camel); err != nil {
				return nil, err
			}
		}
		return append(b, ']'), nil
	case jsontext.String:
		text := jsontext.Unquote(value)
		if _, found := jsontext.FirstSurrogate(text); found {
			return nil, errNotStorable
		}
		return jsontext.AppendString(b, text), nil
	case jsontext.Float:
		if n, _ := strconv.ParseFloat(value, 64); math.IsInf(n, 0) {
			return nil, errNotStorable
		}
		return append(b, pythonFloat(value)...), nil
	case jsontext.Int:
		if value == "-0" {
			value = "0"
		}
	}
	return append(b, bytes.TrimSpace([]byte(value))...), nil
}

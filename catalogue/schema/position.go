package schema

import (
	"strings"
	"time"
)

// Position returns the text of a value of the field as str of Python writes it, which is what
// cursors of Django REST framework have: None for null, True and False, and date-times as
// "2024-05-10 16:00:00+00:00", in UTC. The value is JSON; text that is absent is null. O(len).
func (f Field) Position(value string) string {
	switch {
	case value == "" || value == "null":
		return "None"
	case f.Kind == Boolean:
		return strings.ToUpper(value[:1]) + value[1:]
	case f.Kind == Float:
		return pythonFloat(value)
	case kindOf(value) != jsonString:
		return value
	}
	text := unquote(value)
	d, message := parseDateTime(text, Framework{})
	switch {
	case f.Kind != Timestamp || message != "":
		return text
	case d.Nanosecond() == 0:
		return d.UTC().Format("2006-01-02 15:04:05-07:00")
	}
	return d.UTC().Format("2006-01-02 15:04:05.000000-07:00")
}

// ParsePosition returns the value of a [Test] for a text of [Field.Position], or for another one
// that the version of the framework accepts in its place: a date-time in another form, which is in UTC if it has
// no offset, or only its date, and t, f, 1 and 0 for a boolean. ok is false for all other texts,
// for None unless it is text, and for kinds without an order. O(len).
func (f Field) ParsePosition(text string, as Framework) (value string, ok bool) {
	switch kind := f.Kind.row(); {
	case f.Kind == Boolean:
		word, found := map[string]string{"True": "true", "t": "true", "1": "true", "False": "false", "f": "false", "0": "false"}[text]
		return word, found
	case f.Kind == Timestamp:
		return parseMoment(text, as)
	case f.Kind == Date:
		day, ok := parseDate(text, as)
		return day.Format(time.DateOnly), ok
	case f.Kind == Decimal && strings.EqualFold(text, "NaN"):
		return text, true // which is greater than all numbers
	case kind.json == jsonString && f.Kind != Decimal || f.By != "":
		return text, strings.IndexByte(text, 0) < 0
	case kind.json == jsonInt:
		number := strings.TrimFunc(text, isSpace)
		return number, isInteger(number)
	case f.Kind == Decimal || f.Kind == Float:
		number := strings.TrimFunc(text, isSpace)
		_, ok = parseDecimal(number)
		return number, ok
	}
	return "", false
}

// parseMoment returns a date-time in the form of filters.
func parseMoment(text string, as Framework) (value string, ok bool) {
	for _, suffix := range []string{"", "Z", "T00:00Z"} {
		if _, message := parseDateTime(text+suffix, as); message == "" {
			value, _ = filterTime(Field{}, "", text+suffix, &checker{as: as})
			return value, true
		}
	}
	return "", false
}

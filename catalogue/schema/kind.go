package schema

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A Kind is the kind of values that a field holds.
type Kind uint8

// The kinds of fields. The zero Kind is invalid.
const (
	_          Kind = iota
	Integer         // a JSON integer
	Text            // a string
	Slug            // ASCII letters, digits, _ and -
	Timestamp       // a [DateTime]
	Boolean         // true or false
	URL             // a string with an http, https, ftp or ftps URL
	Reference       // the id of a record
	References      // a list of ids
	TextList        // a list of strings
	JSON            // any JSON value
	Float           // a JSON number
	Decimal         // a string with a number that has a fixed number of places, such as "12.00"
	Date            // a string with a date, such as "2024-05-10"
	Choice          // one of a list of strings
)

// A kindRow describes a kind of field.
type kindRow struct {
	name    string   // in the metadata of Django REST framework
	word    string   // of the tag backlist, for a string
	json    jsonKind // of the values; empty: any
	lookups []string // of filters

	// clean returns the JSON to store for a value in a request that is not null, or the
	// messages if it is invalid. It returns both if the value has the right type but is
	// not in the range of the field.
	clean func(f Field, value string, checks *checker) (text string, messages []string)

	// filter returns the canonical form of a value of a filter, which is not empty. It
	// returns neither a value nor a message if the parameter counts as absent.
	filter func(f Field, lookup, value string, checks *checker) (text, message string)

	// key returns the sort key of the canonical form. If nil, it is the key of a text.
	key func(value string) sortkey.Key
}

var (
	orderLookups = []string{"exact", "in", "gt", "gte", "lt", "lte", "range", "isnull"}
	textLookups  = []string{"exact", "iexact", "contains", "icontains", "startswith", "istartswith", "in", "isnull"}
)

var kinds = [...]kindRow{
	Integer:    {"integer", "", jsonInt, orderLookups, Field.cleanInteger, numberFilter(filterNumber.integer), sortkey.Decimal},
	Text:       {"string", "", jsonString, textLookups, Field.cleanText, filterText, nil},
	Slug:       {"slug", "slug", jsonString, textLookups, Field.cleanSlug, filterText, nil},
	Timestamp:  {"datetime", "", jsonString, orderLookups, cleanTime, filterTime, timeKey},
	Boolean:    {"boolean", "", jsonBool, []string{"exact", "isnull"}, Field.cleanBool, filterBool, boolKey},
	URL:        {"url", "url", jsonString, textLookups, Field.cleanURL, filterText, nil},
	Reference:  {"field", "", jsonInt, []string{"exact", "in", "isnull"}, Field.cleanReference, Field.filterReference, sortkey.Decimal},
	References: {"field", "", jsonList, []string{"exact"}, Field.cleanReferences, nil, sortkey.Decimal}, // see Field.filterIDs
	TextList:   {"list", "", jsonList, nil, cleanTextList, nil, nil},
	JSON:       {"field", "", "", nil, cleanJSON, nil, nil},
	Float:      {"float", "", jsonFloat, orderLookups, cleanFloat, numberFilter(filterNumber.float), sortkey.Decimal},
	Decimal:    {"decimal", "decimal", jsonString, orderLookups, Field.cleanDecimal, numberFilter(filterNumber.decimal), sortkey.Decimal},
	Date:       {"date", "date", jsonString, orderLookups, cleanDate, filterDate, nil},
	Choice:     {"choice", "choices", jsonString, textLookups, Field.cleanChoice, Field.filterChoice, nil},
}

// row returns the row of the kind, or the row of JSON if the kind is unknown.
func (k Kind) row() *kindRow {
	if k == 0 || int(k) >= len(kinds) {
		k = JSON
	}
	return &kinds[k]
}

// String returns the name of the kind in the metadata of Django REST framework, such as
// "datetime". References, lists of them and JSON are "field" there. O(1).
func (k Kind) String() string { return k.row().name }

// Key returns the sort key of a value of a [Test] of the kind: numbers, decimals, booleans
// and date-times are compared by value. O(len).
func (k Kind) Key(value string) sortkey.Key {
	if key := k.row().key; key != nil {
		return key(value)
	}
	return sortkey.Text(value)
}

// TextKey returns the function for the sort keys of Decimal or Timestamp, whose values are
// strings in JSON but compare by another value. For all other kinds it returns nil. O(1).
func (k Kind) TextKey() func(string) sortkey.Key {
	if row := k.row(); row.json == jsonString {
		return row.key
	}
	return nil
}

func boolKey(value string) sortkey.Key { return sortkey.Bool(value == "true") }

// lookups returns the lookups of filters.
func (k Kind) lookups() []string { return k.row().lookups }

// isText reports whether the values are text, which can be blank and be searched.
func (k Kind) isText() bool { return slices.Contains(k.row().lookups, "contains") }

// invalid returns a message about an invalid value.
func invalid(format string, args ...any) (text string, messages []string) {
	return "", []string{fmt.Sprintf(format, args...)}
}

const (
	isNull  = "This field may not be null."
	isBlank = "This field may not be blank."
	hasNull = "Null characters are not allowed."
)

// cleanText accepts a string, which it trims, or a number, whose digits it keeps.
func (f Field) cleanText(value string, _ *checker) (text string, messages []string) {
	return f.cleanString(value, "Not a valid string.", func(string) bool { return true })
}

// cleanSlug cleans a text that must be a slug.
func (f Field) cleanSlug(value string, _ *checker) (text string, messages []string) {
	return f.cleanString(value, `Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.`, validSlug)
}

// cleanURL cleans a text that must be a URL.
func (f Field) cleanURL(value string, _ *checker) (text string, messages []string) {
	return f.cleanString(value, "Enter a valid URL.", validURL)
}

// cleanString returns all messages about the characters of a string at once, and also the
// text if only its form is invalid.
func (f Field) cleanString(value, wrong string, valid func(string) bool) (text string, messages []string) {
	clean, ok := stringOf(value)
	switch {
	case !ok:
		return invalid("%s", wrong)
	case clean == "" && f.Blank:
		return `""`, nil
	case clean == "":
		return invalid(isBlank)
	}
	if strings.IndexByte(clean, 0) >= 0 {
		messages = append(messages, hasNull)
	}
	if r, found := firstSurrogate(clean); found {
		messages = append(messages, fmt.Sprintf("Surrogate characters are not allowed: U+%04X.", r))
	}
	storable := messages == nil
	if !valid(clean) {
		messages = append(messages, wrong)
	}
	if !storable {
		return "", messages
	}
	return string(appendQuoted(nil, clean)), messages
}

// stringOf returns the text of a string or number. ok is false for other values and for
// numbers out of range for a float64.
func stringOf(value string) (text string, ok bool) {
	switch kindOf(value) {
	case jsonString:
		return strings.TrimFunc(unquote(value), isSpace), true
	case jsonInt, jsonFloat:
		_, err := strconv.ParseFloat(value, 64)
		return value, err == nil
	}
	return "", false
}

// isSpace reports whether r is white space that Python's str.strip removes. Python's int and
// float, which read ids and numbers, remove only the white space of package unicode.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f
}

// validSlug reports whether text is not empty and consists of ASCII letters, digits, _
// and -.
func validSlug(text string) bool {
	for _, r := range text {
		if !isLetter(r) && !isDigit(r) && r != '_' && r != '-' {
			return false
		}
	}
	return text != ""
}

func isLetter(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' }
func isDigit(r rune) bool  { return '0' <= r && r <= '9' }

// filterText trims a text. It also trims the values of a choice, except in exact.
func filterText(_ Field, _, value string, _ *checker) (text, message string) {
	if strings.IndexByte(value, 0) >= 0 {
		return "", hasNull
	}
	return strings.TrimFunc(value, isSpace), ""
}

// cleanBool accepts true, false, the numbers 1 and 0, and the strings that the framework
// accepts. Some of them are null.
func (f Field) cleanBool(value string, _ *checker) (text string, messages []string) {
	word := value
	switch kindOf(value) {
	case jsonString:
		word = unquote(value)
		if f.Nullable && slices.Contains([]string{"null", "Null", "NULL", ""}, word) {
			return "null", nil
		}
	case jsonInt, jsonFloat:
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

// cleanChoice accepts a value whose text in Python is one of the choices. Messages show
// lists and objects as they were sent.
func (f Field) cleanChoice(value string, _ *checker) (text string, messages []string) {
	if value == `""` && f.Blank {
		return value, nil
	}
	chosen := value
	switch kindOf(value) {
	case jsonBool:
		chosen = strings.ToUpper(value[:1]) + value[1:]
	case jsonInt:
		if value == "-0" {
			chosen = "0"
		}
	case jsonFloat:
		chosen = pythonFloat(value)
	case jsonString:
		chosen = unquote(value)
	}
	if !slices.Contains(f.Choices, chosen) {
		if kind := kindOf(value); kind == jsonList || kind == jsonObject {
			var compact bytes.Buffer
			_ = json.Compact(&compact, []byte(value)) // value is valid
			chosen = compact.String()
		}
		return invalid(`"%s" is not a valid choice.`, strings.ToValidUTF8(chosen, "\ufffd"))
	}
	return string(appendQuoted(nil, chosen)), nil
}

func (f Field) filterChoice(lookup, value string, checks *checker) (text, message string) {
	switch {
	case lookup != "exact":
		return filterText(f, lookup, value, checks)
	case !slices.Contains(f.Choices, value):
		return "", notAvailable(value)
	}
	return value, ""
}

// notAvailable returns the message for a value that is not one of the choices.
func notAvailable(value string) string {
	return fmt.Sprintf("Select a valid choice. %s is not one of the available choices.", value)
}

// cleanTextList accepts a list of strings and trims them. The message is about the first
// invalid string.
func cleanTextList(_ Field, value string, checks *checker) (text string, messages []string) {
	if kind := kindOf(value); kind != jsonList {
		return invalid(notAList, kind)
	}
	list := []byte{'['}
	for item := range elements(value) {
		if kindOf(item) == jsonNull {
			return invalid(isNull)
		}
		clean, messages := Field{}.cleanText(item, checks)
		if messages != nil {
			return "", messages[:1]
		}
		if len(list) > 1 {
			list = append(list, ',')
		}
		list = append(list, clean...)
	}
	return string(append(list, ']')), nil
}

const notAList = `Expected a list of items but got type "%s".`

// cleanJSON accepts any value that a record can hold.
func cleanJSON(_ Field, value string, _ *checker) (text string, messages []string) {
	clean, err := canonical([]byte(value))
	if err != nil {
		return invalid("Value must be valid JSON.")
	}
	return string(clean), nil
}

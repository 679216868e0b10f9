package schema

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
)

// ErrInvalid is matched by all errors about invalid JSON, records, descriptions and date-times.
var ErrInvalid = errors.New("schema: invalid")

// A MemberError reports an invalid member of a record. It wraps [ErrInvalid] and Err.
type MemberError struct {
	Member string // name in JSON
	Err    error  // what is wrong with the member
}

// Error returns a text with the name of the member and the text of Err.
func (e *MemberError) Error() string {
	return fmt.Sprintf("%v record: member %q: %v", ErrInvalid, e.Member, e.Err)
}

// Unwrap returns [ErrInvalid] and Err.
func (e *MemberError) Unwrap() []error { return []error{ErrInvalid, e.Err} }

var errRepeated = errors.New("is repeated")

// A SyntaxError reports where a text first violates the grammar of JSON, is not UTF-8, has a byte
// order mark, or is nested too deeply. It matches [ErrInvalid].
type SyntaxError struct {
	Reason string // what is wrong, without the position
	Line   int    // starting at 1; lines end at "\n"
	Column int    // starting at 1, in code points
}

// Error returns the text for the response to a request, in the form of Django REST framework: "JSON
// parse error - ", the reason and the position.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("JSON parse error - %s: line %d column %d", e.Reason, e.Line, e.Column)
}

// Is reports whether target is [ErrInvalid].
func (e *SyntaxError) Is(target error) bool { return target == ErrInvalid }

// CheckSyntax returns a [*SyntaxError] if data is not exactly one JSON value, with or without white
// space around it, is not UTF-8, or is nested more than 10,000 levels deep. It accepts repeated
// names and unpaired surrogates.
func CheckSyntax(data []byte) error {
	if syntax := jsontext.Check(data, jsontext.MaxTextDepth); syntax != nil {
		return (*SyntaxError)(syntax)
	}
	return nil
}

// AppendQuote appends text to dst as a JSON string, as records have it. It escapes quotes,
// backslashes, control characters, U+2028 and U+2029, but not <, > and &. Each byte that is not
// UTF-8 becomes U+FFFD.
func AppendQuote(dst []byte, text string) []byte { return jsontext.AppendString(dst, text) }

// excerpt returns the beginning of a text, for error messages.
func excerpt(text string) string {
	if len(text) <= 40 {
		return text
	}
	return strings.ToValidUTF8(text[:40], "") + "…"
}

// nonField is the name of the field for errors about the whole body.
const nonField = "nonFieldErrors"

// A FieldError has Messages, Fields or Items about one field of an object in a request.
type FieldError struct {
	Field    string       // JSON name, or nonFieldErrors
	Messages []string     // about the value
	Fields   FieldErrors  // of an object, or of a list by index
	Items    []FieldError // of each object of a list; empty if valid
}

// FieldErrors lists the errors of an object in a request, in the order of its fields. It matches
// [ErrInvalid].
type FieldErrors []FieldError

// Invalid returns an error for a rule: messages about an object as a whole or about the value of a
// field. Without messages it returns nil.
func Invalid(messages ...string) error {
	if len(messages) == 0 {
		return nil
	}
	return wholeError(messages...)
}

// wholeError returns the errors of an object with messages about all of it.
func wholeError(messages ...string) FieldErrors {
	return FieldErrors{{Field: nonField, Messages: messages}}
}

// ok reports whether nothing is wrong.
func (e FieldError) ok() bool { return e.Messages == nil && e.Fields == nil && e.Items == nil }

// take appends the error of a field with a name, and reports whether nothing is wrong.
func (e *FieldErrors) take(name string, wrong FieldError) (ok bool) {
	if ok = wrong.ok(); !ok {
		wrong.Field = name
		*e = append(*e, wrong)
	}
	return ok
}

// Error returns a text with all messages, each after the path of its field, such as "address.city"
// and "lines.0.sku".
func (e FieldErrors) Error() string {
	var texts []string
	for _, f := range e {
		texts = f.appendTexts(texts, f.Field)
	}
	return ErrInvalid.Error() + " record: " + strings.Join(texts, "; ")
}

func (e FieldError) appendTexts(texts []string, path string) []string {
	if e.Messages != nil {
		texts = append(texts, path+": "+strings.Join(e.Messages, " "))
	}
	for _, f := range e.Fields {
		texts = f.appendTexts(texts, path+"."+f.Field)
	}
	for i, item := range e.Items {
		texts = item.appendTexts(texts, path+"."+strconv.Itoa(i))
	}
	return texts
}

// Is reports whether target is [ErrInvalid].
func (e FieldErrors) Is(target error) bool { return target == ErrInvalid }

// MarshalJSON returns {"name":["This field is required."],…} in field order, escaped as Django REST
// framework does. The errors of an object inside the object are an object too, and those of a list
// of objects are a list. A single error without a Field is the list of its messages. The error is
// always nil.
func (e FieldErrors) MarshalJSON() ([]byte, error) {
	if len(e) == 1 && e[0].Field == "" {
		return e[0].appendJSON(nil), nil
	}
	return e.appendJSON(nil), nil
}

func (e FieldErrors) appendJSON(b []byte) []byte {
	b = append(b, '{')
	for i, f := range e {
		if i > 0 {
			b = append(b, ',')
		}
		b = f.appendJSON(append(jsontext.AppendString(b, f.Field), ':'))
	}
	return append(b, '}')
}

func (e FieldError) appendJSON(b []byte) []byte {
	switch {
	case e.Items != nil:
		return appendList(b, e.Items, func(b []byte, item FieldError) []byte { return item.appendJSON(b) })
	case e.Messages != nil:
		return appendList(b, e.Messages, jsontext.AppendString)
	}
	return e.Fields.appendJSON(b)
}

// appendList appends a JSON list whose items the function appends.
func appendList[T any](b []byte, items []T, appendItem func([]byte, T) []byte) []byte {
	b = append(b, '[')
	for i, item := range items {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendItem(b, item)
	}
	return append(b, ']')
}

// invalid returns a message about an invalid value.
func invalid(format string, args ...any) (text string, messages []string) {
	return "", []string{fmt.Sprintf(format, args...)}
}

const isNull = "This field may not be null."

// notAvailable returns the message for a value that is not one of the choices.
func notAvailable(value string) string {
	return fmt.Sprintf("Select a valid choice. %s is not one of the available choices.", value)
}

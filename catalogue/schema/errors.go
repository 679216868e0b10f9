package schema

import (
	"errors"
	"fmt"
	"strings"
)

// ErrInvalid is matched by all errors about invalid JSON, records, descriptions and
// date-times.
var ErrInvalid = errors.New("schema: invalid")

// A MemberError reports an invalid member of a record. It matches [ErrInvalid] and
// wraps Err.
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

// A SyntaxError reports the first place where a text is not acceptable JSON: it
// violates the grammar, is not UTF-8, has a byte order mark, or is nested too deeply. It
// matches [ErrInvalid].
type SyntaxError struct {
	Reason string // what is wrong, without the position
	Line   int    // starting at 1; lines end at "\n"
	Column int    // starting at 1, in code points
}

// Error returns the text for the response to a request, in the form of Django REST framework:
// "JSON parse error - " followed by the reason and the position.
func (e *SyntaxError) Error() string {
	return fmt.Sprintf("JSON parse error - %s: line %d column %d", e.Reason, e.Line, e.Column)
}

// Is reports whether target is [ErrInvalid].
func (e *SyntaxError) Is(target error) bool { return target == ErrInvalid }

// nonField is the name of the field for errors about the whole body.
const nonField = "nonFieldErrors"

// A FieldError lists the errors of one field of an object in a request.
type FieldError struct {
	Field    string // name in JSON, or nonFieldErrors for the whole body
	Messages []string
}

// FieldErrors lists the errors of an object in a request, in the order of its fields. It
// matches [ErrInvalid].
type FieldErrors []FieldError

// Error returns a text with all messages, preceded by the names of their fields.
func (e FieldErrors) Error() string {
	fields := make([]string, len(e))
	for i, f := range e {
		fields[i] = f.Field + ": " + strings.Join(f.Messages, " ")
	}
	return ErrInvalid.Error() + " record: " + strings.Join(fields, "; ")
}

// Is reports whether target is [ErrInvalid].
func (e FieldErrors) Is(target error) bool { return target == ErrInvalid }

// MarshalJSON returns {"name":["This field is required."],…} in field order, escaped as
// Django REST framework does. Without errors it returns {}. The error is always nil. O(size).
func (e FieldErrors) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, f := range e {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(appendQuoted(b, f.Field), ":["...)
		for j, m := range f.Messages {
			if j > 0 {
				b = append(b, ',')
			}
			b = appendQuoted(b, m)
		}
		b = append(b, ']')
	}
	return append(b, '}'), nil
}

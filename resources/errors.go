package resources

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrInvalid is matched by every error about the content of JSON, of a
	// record or of a date-time given to this package.
	ErrInvalid = errors.New("resources: invalid")
	// ErrNoMember is matched when a record has no member of that name.
	ErrNoMember = errors.New("resources: no such member")
)

// A MemberError says which member of a record's JSON is bad, and why. It matches
// [ErrInvalid] and what Err matches.
type MemberError struct {
	Member string // name in the JSON
	Err    error
}

// Error names the member.
func (e *MemberError) Error() string {
	return fmt.Sprintf("%v record: member %q: %v", ErrInvalid, e.Member, e.Err)
}

// Is says that a MemberError is an [ErrInvalid].
func (e *MemberError) Is(target error) bool { return target == ErrInvalid }

// Unwrap gives Err.
func (e *MemberError) Unwrap() error { return e.Err }

// What can be wrong with a member.
var (
	errRepeated = errors.New("comes twice")
	errUnknown  = errors.New("is unknown")
	errNull     = errors.New("may not be null")
	errNullItem = errors.New("may not hold null")
)

// A SyntaxError says where and why a text is not JSON: broken grammar, bytes
// that are not UTF-8, a byte order mark, or nesting beyond a limit. It is about the
// first of them in the text.
type SyntaxError struct {
	Reason string // what is wrong, without the place
	Line   int    // from 1; lines end at "\n"
	Column int    // from 1, counted in code points
}

// Detail is the text to answer a request with, in the framework's form:
// "JSON parse error - ", the reason and the place.
func (e *SyntaxError) Detail() string {
	return fmt.Sprintf("JSON parse error - %s: line %d column %d", e.Reason, e.Line, e.Column)
}

// Error is the detail.
func (e *SyntaxError) Error() string { return e.Detail() }

// Is says that a SyntaxError is an [ErrInvalid].
func (e *SyntaxError) Is(target error) bool { return target == ErrInvalid }

// nonField is the name under which errors about the whole body stand.
const nonField = "nonFieldErrors"

// A FieldError holds what is wrong with one field.
type FieldError struct {
	Field    string // wire name, or nonFieldErrors for the whole body
	Messages []string
}

// FieldErrors holds what is wrong with a posted object, in field order.
type FieldErrors []FieldError

// Error lists every message behind its field's name.
func (e FieldErrors) Error() string {
	fields := make([]string, len(e))
	for i, f := range e {
		fields[i] = f.Field + ": " + strings.Join(f.Messages, " ")
	}
	return ErrInvalid.Error() + " record: " + strings.Join(fields, "; ")
}

// Is says that FieldErrors are an [ErrInvalid].
func (e FieldErrors) Is(target error) bool { return target == ErrInvalid }

// MarshalJSON writes {"name":["This field is required."],…} in field order,
// characters as the service writes them; no errors are {}. It gives no error.
// O(size).
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

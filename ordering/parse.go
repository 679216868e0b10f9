package ordering

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// The errors of this package are wrapped by errors that name the term or the field.
var (
	// ErrUnknownField is returned when a term, a condition or a key function names a
	// field that does not exist.
	ErrUnknownField = errors.New("unknown field")
	// ErrEmptyTerm is returned by [ParseStrict] when a term has no name.
	ErrEmptyTerm = errors.New("empty term")
	// ErrInvalidFields is returned by [NewFields] and [FieldsOf] when the type is not
	// a struct, a field has no name or no key, two fields have the same name, or a key
	// function is nil or takes another type than its field has.
	ErrInvalidFields = errors.New("invalid fields")
	// ErrInvalidCondition is returned for the zero [Condition] and for one that has a
	// value of the wrong type, a value that equals nothing, or two values in the wrong
	// order.
	ErrInvalidCondition = errors.New("invalid condition")
)

// Parse parses an ordering as the service does: names separated by commas, each with
// an optional leading minus and optional white space around both. It drops terms
// with an empty name, terms whose name valid rejects, and repeated fields. If no terms
// are left, Parse returns nil, which means the default order. If valid is nil, every
// non-empty name is valid.
//
// Parse calls valid once for each term and is safe for concurrent use if valid is.
// O(len(text) × number of terms returned).
func Parse(text string, valid func(name string) bool) []Term {
	var terms []Term
	for part := range strings.SplitSeq(text, ",") {
		t := parseTerm(part)
		if t.Field == "" || valid != nil && !valid(t.Field) || mentions(terms, t.Field) {
			continue
		}
		if terms == nil { // with room for the id that httpapi appends
			terms = make([]Term, 0, min(strings.Count(text, ","), maxRoom)+2)
		}
		terms = append(terms, t)
	}
	return terms
}

// maxRoom bounds the memory allocated for a text that is all commas.
const maxRoom = 8

// ParseStrict is like [Parse] but returns an error instead of dropping a term. The
// error wraps [ErrUnknownField] if valid rejects the name, and [ErrEmptyTerm] if the
// name is empty. It names the term. If text is empty or white space, ParseStrict
// returns nil, which means the default order. Repeated fields are dropped. The cost is
// that of Parse.
func ParseStrict(text string, valid func(name string) bool) ([]Term, error) {
	if trim(text) == "" {
		return nil, nil
	}
	var terms []Term
	for part := range strings.SplitSeq(text, ",") {
		t := parseTerm(part)
		if t.Field == "" {
			return nil, fmt.Errorf("ordering %q: %w: %q", text, ErrEmptyTerm, part)
		}
		if valid != nil && !valid(t.Field) {
			return nil, fmt.Errorf("ordering %q: %w: %q", text, ErrUnknownField, t.Field)
		}
		if !mentions(terms, t.Field) {
			terms = append(terms, t)
		}
	}
	return terms, nil
}

// Terms parses an ordering such as "-start_date,name" without checking the names. It
// is for functions that take terms and report unknown fields themselves. Empty terms
// and repeated fields are dropped. The cost is that of [Parse]; limit the length of
// orderings from untrusted clients.
func Terms(text string) []Term { return Parse(text, nil) }

func parseTerm(part string) Term {
	name, desc := strings.CutPrefix(trim(part), "-")
	return Term{Field: name, Desc: desc}
}

func mentions(terms []Term, field string) bool {
	return slices.ContainsFunc(terms, func(t Term) bool { return t.Field == field })
}

// trim removes leading and trailing white space as Python defines it: that of Unicode,
// and four control characters.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f
	})
}

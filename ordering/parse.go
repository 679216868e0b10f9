package ordering

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Errors of this package; what is returned wraps one of them and says which
// term or field was meant.
var (
	// ErrUnknownField says that a term names no field of the record.
	ErrUnknownField = errors.New("unknown field")
	// ErrEmptyTerm says that there is nothing between two commas, or nothing
	// behind a minus.
	ErrEmptyTerm = errors.New("empty term")
	// ErrFields says that a set of fields cannot be made: not a struct, a
	// nameless field, or one name for two.
	ErrFields = errors.New("bad fields")
)

// Parse reads an ordering as the service does: names joined by commas, each
// with optional white space around it and one optional minus directly in front.
// A term that valid refuses is dropped silently, and so is a second mention of
// a field. The result is nil when nothing is left: the default order. A nil
// valid takes every name that is not empty. O(len(text)); valid is called once
// a term. It may be called concurrently if valid may.
func Parse(text string, valid func(name string) bool) []Term {
	var terms []Term
	for part := range strings.SplitSeq(text, ",") {
		t := parseTerm(part)
		if t.Field == "" || valid != nil && !valid(t.Field) || mentions(terms, t.Field) {
			continue
		}
		if terms == nil { // with room for a caller's closing id, which httpapi appends
			terms = make([]Term, 0, min(strings.Count(text, ","), maxRoom)+2)
		}
		terms = append(terms, t)
	}
	return terms
}

// maxRoom bounds what a text of nothing but commas can have allocated.
const maxRoom = 8

// ParseStrict reads an ordering for a Go program: as [Parse], but a term that
// valid refuses is an [ErrUnknownField] and an empty one an [ErrEmptyTerm],
// each naming the term as it was written. Blank text is no error: it is the
// default order, nil.
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

// Terms returns the terms of an ordering such as "-start_date,name". It is
// [Parse] without a check of the names: what takes the terms checks them. Empty
// terms and repeated fields are dropped. O(len(text)).
func Terms(text string) []Term { return Parse(text, nil) }

func parseTerm(part string) Term {
	name, desc := strings.CutPrefix(trim(part), "-")
	return Term{Field: name, Desc: desc}
}

func mentions(terms []Term, field string) bool {
	return slices.ContainsFunc(terms, func(t Term) bool { return t.Field == field })
}

// trim takes off what the service takes for white space: Unicode's, and the
// four separators that Python adds to it.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f
	})
}

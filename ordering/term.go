package ordering

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// A Term is one part of an ordering: a field and a direction. The zero Term names no
// field.
type Term struct {
	Field string // the name in snake_case or, in Go, as it is written in JSON
	Desc  bool   // descending
}

// Asc returns the ascending term for a field.
func Asc(field string) Term { return Term{Field: field} }

// Desc returns the descending term for a field.
func Desc(field string) Term { return Term{Field: field, Desc: true} }

// String returns the name of the field, with a leading minus if the term is
// descending.
func (t Term) String() string {
	if t.Desc {
		return "-" + t.Field
	}
	return t.Field
}

// Format returns the terms joined by commas, such as "-year,title". It
// returns "" for no terms. O(len).
func Format(terms []Term) string {
	var b strings.Builder
	for i, t := range terms {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(t.String())
	}
	return b.String()
}

// Parse parses an ordering as OrderingFilter of Django REST framework does: names
// separated by commas, each with an optional leading minus and optional white space around
// both. It drops terms with an empty name, terms whose name valid rejects, and repeated
// fields. If no terms are left, Parse returns nil, which means the default order. If valid
// is nil, every non-empty name is valid.
//
// Parse calls valid once for each term and is safe for concurrent use if valid is.
// O(len(text) × number of terms returned), so limit the length of orderings from untrusted
// clients.
func Parse(text string, valid func(name string) bool) []Term {
	var terms []Term
	for part := range strings.SplitSeq(text, ",") {
		t := parseTerm(part)
		if t.Field == "" || valid != nil && !valid(t.Field) || mentions(terms, t.Field) {
			continue
		}
		if terms == nil {
			terms = make([]Term, 0, min(strings.Count(text, ","), maxRoom)+1)
		}
		terms = append(terms, t)
	}
	return terms
}

// maxRoom bounds the memory allocated for a text that is all commas.
const maxRoom = 8

func parseTerm(part string) Term {
	name, desc := strings.CutPrefix(trim(part), "-")
	return Term{Field: name, Desc: desc}
}

func mentions(terms []Term, field string) bool {
	return slices.ContainsFunc(terms, func(t Term) bool { return t.Field == field })
}

// trim removes leading and trailing white space as Python defines it: Unicode's, and four
// control characters.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f
	})
}

// Suggest returns text for an error about an unknown name: "did you mean created_at?"
// if a known name is similar, and otherwise "want one of" followed by at most 20 known
// names. It ignores case and separators, so it suggests created_at for createdAt. If
// known is empty, Suggest returns "there are none".
// O(len(name) × length of the known names).
func Suggest(name string, known []string) string {
	const listed = 20
	switch best := nearest(name, known); {
	case best != "":
		return "did you mean " + best + "?"
	case len(known) == 0:
		return "there are none"
	case len(known) > listed:
		return "want one of " + strings.Join(known[:listed], ", ") + ", …"
	}
	return "want one of " + strings.Join(known, ", ")
}

// nearest returns the known name with the smallest distance to name, the first of
// several. It returns "" if the distance is more than about a third of the characters of
// the shorter name, or all of them, unless the known name begins with three characters or more of name.
func nearest(name string, known []string) (best string) {
	folded, least := fold(name), math.MaxInt
	for _, k := range known {
		other := fold(k)
		n := min(len(folded), len(other))
		begins := n > 2 && n == len(folded) && slices.Equal(folded, other[:n])
		if d := distance(folded, other); d < least && (begins || d <= min((n+2)/3, n-1)) {
			best, least = k, d
		}
	}
	return best
}

// fold returns the letters and digits of a name in lower case.
func fold(name string) []rune {
	return []rune(strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, name))
}

// distance returns the number of insertions, deletions and substitutions that turn a
// into b.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j := range b {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

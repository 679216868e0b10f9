package ordering

import (
	"math"
	"strings"
	"unicode"
)

// Suggest returns text for an error about an unknown name: "did you mean created_at?"
// if a known name is similar, and otherwise "want one of" followed by at most 20 known
// names. It ignores case and separators, so it suggests created_at for createdAt. If
// known is empty, Suggest returns "there are none". O(len(name) × length of the known names).
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
// the shorter name, or all of them.
func nearest(name string, known []string) (best string) {
	folded, least := fold(name), math.MaxInt
	for _, k := range known {
		other := fold(k)
		n := min(len(folded), len(other))
		if d := distance(folded, other); d < least && d <= min((n+2)/3, n-1) {
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

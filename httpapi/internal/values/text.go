// Package values makes up JSON values of the fields of a description, for examples and tests.
package values

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// Text returns a text in which a pattern is found, unless that depends on word boundaries. next
// returns a number from 0 to n-1, which chooses among n alternatives.
func Text(pattern *regexp.Regexp, next func(n int) int) string {
	re, err := syntax.Parse(pattern.String(), syntax.Perl)
	if err != nil { // of a POSIX pattern
		return ""
	}
	var b strings.Builder
	appendText(&b, re, next)
	return b.String()
}

// appendText appends a text that matches an expression.
func appendText(b *strings.Builder, re *syntax.Regexp, next func(n int) int) {
	least, most := 1, 1 // repetitions
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpCharClass:
		i := 2 * next(len(re.Rune)/2)
		b.WriteRune(oneOf(re.Rune[i], re.Rune[i+1], next))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		b.WriteRune(oneOf('a', 'z', next))
	case syntax.OpAlternate:
		appendText(b, re.Sub[next(len(re.Sub))], next)
		return
	case syntax.OpStar:
		least, most = 0, 3
	case syntax.OpPlus:
		most = 3
	case syntax.OpQuest:
		least = 0
	case syntax.OpRepeat:
		least, most = re.Min, re.Max
		if most < 0 {
			most = least + 3
		}
	}
	for range least + next(most-least+1) {
		for _, sub := range re.Sub {
			appendText(b, sub, next)
		}
	}
}

// oneOf returns a character from low to high, if possible one that is printed.
func oneOf(low, high rune, next func(n int) int) rune {
	if high >= '!' {
		low, high = max(low, '!'), min(high, max(low, '~'))
	}
	return low + rune(next(int(high-low+1)))
}

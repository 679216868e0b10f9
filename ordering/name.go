package ordering

import "strings"

// Camel converts a name from snake_case to camelCase. It removes every underscore
// before an ASCII lower-case letter or digit and converts that letter to upper case. It
// returns a name without underscores unchanged and without allocating. O(len).
func Camel(name string) string {
	if !strings.Contains(name, "_") {
		return name
	}
	var b strings.Builder
	b.Grow(len(name))
	for i := 0; i < len(name); i++ {
		if name[i] == '_' && i+1 < len(name) && (lower(name[i+1]) || digit(name[i+1])) {
			i++
			b.WriteString(strings.ToUpper(name[i : i+1]))
			continue
		}
		b.WriteByte(name[i])
	}
	return b.String()
}

// Snake converts a name from camelCase to snake_case as djangorestframework-camel-case
// does. It inserts an underscore where a word starts, converts the name to lower case, and
// removes leading underscores. A digit directly after a letter starts a word if it is
// followed by another digit, an upper-case letter or the end of the name. Snake is not
// the inverse of [Camel]: it returns "line_1" for both "line_1" and "line1". It does not
// allocate for a name of ASCII lower-case letters and underscores. O(len).
func Snake(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return (r < 'a' || r > 'z') && r != '_' }) {
		return strings.TrimLeft(name, "_")
	}
	var b strings.Builder
	b.Grow(len(name) + 4)
	for i := 0; i < len(name); {
		c := name[i]
		switch {
		case (lower(c) || digit(c)) && startsWord(name, i+1),
			upper(c) && leadsWord(name, i+1) && startsWord(name, i+1):
			b.WriteByte(c)
			b.WriteByte('_')
			b.WriteByte(name[i+1])
			i += 2
		case leadsWord(name, i) && startsWord(name, i):
			b.WriteByte('_')
			b.WriteByte(c)
			i++
		default:
			b.WriteByte(c)
			i++
		}
	}
	return strings.TrimLeft(strings.ToLower(b.String()), "_")
}

// startsWord reports whether the character at i can be the first of a word.
func startsWord(s string, i int) bool {
	if i >= len(s) {
		return false
	}
	if upper(s[i]) {
		return true
	}
	if !digit(s[i]) || i == 0 {
		return false
	}
	last := i+1 == len(s)
	switch {
	case lower(s[i-1]):
		return last || digit(s[i+1]) || upper(s[i+1])
	case upper(s[i-1]):
		return last || digit(s[i+1])
	}
	return false
}

// leadsWord reports whether s[i:] continues as a word does: with an upper-case letter
// or digit before a lower-case letter or digit, or with a digit at the end.
func leadsWord(s string, i int) bool {
	if i >= len(s) || !upper(s[i]) && !digit(s[i]) {
		return false
	}
	if i+1 == len(s) {
		return digit(s[i])
	}
	return lower(s[i+1]) || digit(s[i+1])
}

func lower(c byte) bool { return 'a' <= c && c <= 'z' }
func upper(c byte) bool { return 'A' <= c && c <= 'Z' }
func digit(c byte) bool { return '0' <= c && c <= '9' }

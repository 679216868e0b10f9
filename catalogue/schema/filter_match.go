package schema

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MatchesText reports whether a text satisfies the test. If the lookup is not exact, in or
// a lookup of text, no text does. The lookups iexact, icontains and istartswith compare
// the [unicode.ToUpper] of each code point, so that "ß" is not equal to "SS". MatchesText
// does not allocate. O(len(s) + len of values), expected.
func (t Test) MatchesText(s string) bool {
	return slices.ContainsFunc(t.Values, func(value string) bool {
		switch t.Lookup {
		case "exact", "in":
			return s == value
		case "contains":
			return strings.Contains(s, value)
		case "startswith":
			return strings.HasPrefix(s, value)
		case "iexact":
			rest, ok := cutUpper(s, value)
			return ok && rest == ""
		case "icontains":
			return containsUpper(s, value)
		case "istartswith":
			_, ok := cutUpper(s, value)
			return ok
		}
		return false
	})
}

// containsUpper reports whether s contains word in any letters. It compares word with s at
// each occurrence of its first letter. After many comparisons, it calls searchUpper.
func containsUpper(s, word string) bool {
	if word == "" {
		return true
	}
	first, _ := firstUpper(word)
	for left := 4 * len(s); s != ""; {
		r, size := rune(s[0]), 1
		switch {
		case r >= utf8.RuneSelf:
			r, size = firstUpper(s)
		case 'a' <= r && r <= 'z':
			r -= 'a' - 'A'
		}
		if r == first {
			rest, ok := cutUpper(s, word)
			if ok {
				return true
			}
			if left -= len(s) - len(rest); left < 0 {
				return searchUpper(s, word)
			}
		}
		s = s[size:]
	}
	return false
}

// searchUpper is like containsUpper, but compares a rolling hash of s with that of word,
// as package strings does. It is slower for most texts, but linear for all.
func searchUpper(s, word string) bool {
	const prime = 16777619
	power, want, got := uint32(1), uint32(0), uint32(0)
	end := 0 // of the part of s that got is the hash of
	for rest := word; rest != ""; {
		if end == len(s) {
			return false
		}
		r, size := firstUpper(rest)
		rest = rest[size:]
		last, size := firstUpper(s[end:])
		end += size
		power, want, got = power*prime, want*prime+uint32(r), got*prime+uint32(last)
	}
	for {
		if got == want {
			if _, ok := cutUpper(s, word); ok {
				return true
			}
		}
		if end == len(s) {
			return false
		}
		first, size := firstUpper(s)
		last, lastSize := firstUpper(s[end:])
		got = got*prime + uint32(last) - power*uint32(first)
		s, end = s[size:], end+lastSize-size
	}
}

// cutUpper returns s without a prefix in any letters. If s does not begin with it, ok is
// false, and rest is where s differs.
func cutUpper(s, prefix string) (rest string, ok bool) {
	for prefix != "" {
		if s == "" {
			return "", false
		}
		a, sizeA := firstUpper(s)
		b, sizeB := firstUpper(prefix)
		if a != b {
			return s, false
		}
		s, prefix = s[sizeA:], prefix[sizeB:]
	}
	return s, true
}

// firstUpper returns the first code point of s in upper case and its length in s.
func firstUpper(s string) (r rune, size int) {
	if c := s[0]; c < utf8.RuneSelf {
		if 'a' <= c && c <= 'z' {
			c -= 'a' - 'A'
		}
		return rune(c), 1
	}
	r, size = utf8.DecodeRuneInString(s)
	return unicode.ToUpper(r), size
}

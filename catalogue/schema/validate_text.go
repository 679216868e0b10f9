package schema

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// cleanText accepts a string, which it trims, or a number, whose digits it keeps. It
// returns all messages about the characters of a string at once, and also the text if
// only its form is invalid.
func (f Field) cleanText(value string) (text string, messages []string) {
	clean, ok := stringOf(value)
	switch {
	case !ok:
		return "", []string{f.Kind.invalid()}
	case clean == "" && f.Blank:
		return `""`, nil
	case clean == "":
		return "", []string{"This field may not be blank."}
	}
	if strings.IndexByte(clean, 0) >= 0 {
		messages = append(messages, "Null characters are not allowed.")
	}
	if r, found := firstSurrogate(clean); found {
		messages = append(messages, fmt.Sprintf("Surrogate characters are not allowed: U+%04X.", r))
	}
	storable := messages == nil
	if f.Kind == Slug && !validSlug(clean) || f.Kind == URL && !validURL(clean) {
		messages = append(messages, f.Kind.invalid())
	}
	if !storable {
		return "", messages
	}
	return string(appendQuoted(nil, clean)), messages
}

// invalid returns the message for an invalid value of the kind.
func (k Kind) invalid() string {
	switch k {
	case Slug:
		return `Enter a valid "slug" consisting of letters, numbers, underscores or hyphens.`
	case URL:
		return "Enter a valid URL."
	}
	return "Not a valid string."
}

// stringOf returns the text of a string or number. ok is false for other values and for
// numbers out of range for a float64.
func stringOf(value string) (text string, ok bool) {
	switch kindOf(value) {
	case jsonString:
		return strings.TrimFunc(unquote(value), isSpace), true
	case jsonInt, jsonFloat:
		_, err := strconv.ParseFloat(value, 64)
		return value, err == nil
	}
	return "", false
}

// isSpace reports whether r is white space that Python's str.strip removes. Its int and
// float, which read ids and numbers, remove only that of package unicode.
func isSpace(r rune) bool {
	return unicode.IsSpace(r) || 0x1c <= r && r <= 0x1f
}

// validSlug reports whether text is not empty and consists of ASCII letters, digits, _
// and -.
func validSlug(text string) bool {
	for _, r := range text {
		if !isLetter(r) && !isDigit(r) && r != '_' && r != '-' {
			return false
		}
	}
	return text != ""
}

func isLetter(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' }
func isDigit(r rune) bool  { return '0' <= r && r <= '9' }

package browse

import (
	"html"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// maxSeen is the maximum number of visible characters of a text.
const maxSeen = 72

// cut shortens a text to maxSeen characters of its first line, at a space if possible.
// It reports whether the text is whole.
func cut(text string) (seen string, whole bool) {
	if utf8.RuneCountInString(text) <= maxSeen && !strings.Contains(text, "\n") {
		return text, true
	}
	line, _, _ := strings.Cut(text, "\n")
	end, runes := len(line), 0
	for i := range line {
		if runes == maxSeen {
			end = i
			break
		}
		runes++
	}
	if space := strings.LastIndexByte(line[:end], ' '); end < len(line) && space > end*2/3 {
		end = space
	}
	return strings.TrimRight(line[:end], " ") + "…", false
}

// isMarkup reports whether a text is an HTML fragment, starting and ending with a tag.
func isMarkup(text string) bool {
	text = strings.TrimSpace(text)
	return len(text) > 2 && text[0] == '<' && (text[1] == '!' || isLetter(text[1])) && strings.HasSuffix(text, ">")
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// stripTags returns the text of an HTML fragment, for readability. It is not a
// sanitizer: the result must be escaped like any other text.
func stripTags(fragment string) string {
	var words strings.Builder
	for {
		before, rest, ok := strings.Cut(fragment, "<")
		words.WriteString(before)
		if !ok {
			break
		}
		tag, after, ok := strings.Cut(rest, ">")
		if !ok {
			words.WriteString("<" + rest)
			break
		}
		if !isInline(tag) {
			words.WriteByte(' ')
		}
		fragment = after
	}
	return strings.Join(strings.Fields(html.UnescapeString(words.String())), " ")
}

// isInline reports whether a tag is that of an inline element, which does not separate
// words.
func isInline(tag string) bool {
	name := strings.TrimPrefix(tag, "/")
	if end := strings.IndexFunc(name, func(r rune) bool { return !unicode.IsLetter(r) }); end >= 0 {
		name = name[:end]
	}
	switch strings.ToLower(name) {
	case "a", "abbr", "b", "cite", "code", "em", "i", "mark", "q", "s", "small", "span", "strong", "sub", "sup", "u":
		return true
	}
	return false
}

// isDecimal reports whether a text is a number with a decimal point, such as a price.
func isDecimal(text string) bool {
	whole, places, ok := strings.Cut(strings.TrimPrefix(text, "-"), ".")
	return ok && isDigits(whole) && isDigits(places)
}

func isDigits(text string) bool {
	return text != "" && strings.Trim(text, "0123456789") == ""
}

// readableTime formats a date or a date-time with offset for display.
func readableTime(text string) (seen string, ok bool) {
	if len(text) == len(time.DateOnly) {
		day, err := time.Parse(time.DateOnly, text)
		return day.Format("2 Jan 2006"), err == nil
	}
	if len(text) < len("2006-01-02T15:04:05Z") || text[10] != 'T' {
		return "", false
	}
	t, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "", false
	}
	zone := "-07:00"
	if strings.HasSuffix(text, "Z") {
		zone = "UTC"
	}
	return t.Format("2 Jan 2006, 15:04 " + zone), true
}

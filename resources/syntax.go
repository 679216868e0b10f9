package resources

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxDepth is how deep objects and lists may be nested.
const maxDepth = 200

// checkSyntax says what keeps data from being one JSON value in UTF-8, nested
// no deeper than depth; nil if nothing does.
func checkSyntax(data []byte, depth int) *SyntaxError {
	if bytes.HasPrefix(data, []byte("\xef\xbb\xbf")) {
		return syntaxError(data, 0, "unexpected byte order mark")
	}
	if at := invalidUTF8(data); at >= 0 {
		return syntaxError(data, at, fmt.Sprintf("invalid UTF-8, byte 0x%02x", data[at]))
	}
	if at := tooDeep(data, depth); at >= 0 {
		return depthError(data, at, depth)
	}
	if json.Valid(data) {
		return nil
	}
	at, reason := syntaxReason(data)
	return syntaxError(data, at, reason)
}

// CheckDepth returns a [*SyntaxError] for the first list or object of a JSON text
// that is nested deeper than the limit; nil if there is none. It asks nothing else
// of the text, which may be no JSON. A limit of 0 or less leaves room for no list
// and no object. [Collection.Validate] has a limit of 200 of its own. O(len), without
// allocation.
func CheckDepth(text []byte, limit int) error {
	if at := tooDeep(text, limit); at >= 0 {
		return depthError(text, at, limit)
	}
	return nil
}

func depthError(data []byte, at, limit int) *SyntaxError {
	return syntaxError(data, at, fmt.Sprintf("nested deeper than the limit of %d", limit))
}

// syntaxError counts lines and columns up to the byte at.
func syntaxError(data []byte, at int, reason string) *SyntaxError {
	before := data[:at]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return &SyntaxError{
		Reason: reason,
		Line:   bytes.Count(before, []byte{'\n'}) + 1,
		Column: utf8.RuneCount(line) + 1,
	}
}

// invalidUTF8 is the place of the first byte that is not UTF-8, or -1.
func invalidUTF8(data []byte) int {
	if utf8.Valid(data) {
		return -1
	}
	for i := 0; ; {
		r, size := utf8.DecodeRune(data[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
}

// tooDeep is the place of the first bracket beyond the limit, or -1.
func tooDeep(data []byte, limit int) int {
	depth := 0
	for i := 0; i < len(data); i++ {
		switch data[i] {
		case '"':
			i = stringEnd(data, i) - 1
		case '{', '[':
			if depth++; depth > limit {
				return i
			}
		case '}', ']':
			depth--
		}
	}
	return -1
}

// syntaxReason lets encoding/json find the first error of a text that is not
// JSON. It names a character by its first byte alone; we name the character.
func syntaxReason(data []byte) (at int, reason string) {
	var value json.RawMessage
	err, ok := json.Unmarshal(data, &value).(*json.SyntaxError)
	if !ok {
		return 0, "not JSON"
	}
	at = int(err.Offset) - 1
	text, found := strings.CutPrefix(err.Error(), "invalid character '")
	if !found || at < 0 || at >= len(data) || text[0] == ' ' && data[at] != ' ' {
		// It tries the end as a blank, for numbers and words cut short.
		return len(data), "unexpected end"
	}
	_, context, _ := strings.Cut(text, "' ")
	r, _ := utf8.DecodeRune(data[at:])
	return at, fmt.Sprintf("unexpected character %q %s", r, context)
}

package resources

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// maxDepth is how deep objects and lists may be nested.
const maxDepth = 200

// checkSyntax returns what keeps data from being one JSON value in UTF-8, nested
// no deeper than limit, and nil if nothing does.
func checkSyntax(data []byte, limit int) *SyntaxError {
	s := scanner{data: data, limit: limit}
	s.whole()
	return s.syntax
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

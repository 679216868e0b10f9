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

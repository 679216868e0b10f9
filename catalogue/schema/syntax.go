package schema

import (
	"bytes"
	"fmt"
	"unicode/utf8"
)

// maxDepth is the maximum depth to which objects and lists can be nested.
const maxDepth = 200

// checkSyntax returns an error if data is not a JSON value in UTF-8 that is nested at
// most limit levels deep.
func checkSyntax(data []byte, limit int) *SyntaxError {
	s := scanner{data: data, limit: limit}
	s.whole()
	return s.syntax
}

func depthError(data []byte, at, limit int) *SyntaxError {
	return syntaxError(data, at, fmt.Sprintf("nested deeper than the limit of %d", limit))
}

// syntaxError returns an error whose position is the byte at index at.
func syntaxError(data []byte, at int, reason string) *SyntaxError {
	before := data[:at]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	return &SyntaxError{
		Reason: reason,
		Line:   bytes.Count(before, []byte{'\n'}) + 1,
		Column: utf8.RuneCount(line) + 1,
	}
}

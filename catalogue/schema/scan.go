package schema

import (
	"bytes"
	"iter"
	"slices"
	"strings"
)

// The functions in this file read JSON that checkSyntax accepts.

// space is the white space of JSON.
const space = " \t\r\n"

// trimSpace removes leading and trailing white space.
func trimSpace(text string) string { return strings.Trim(text, space) }

// A jsonKind is the kind of a value: the name of its type in Python.
type jsonKind string

const (
	jsonNull   jsonKind = "None"
	jsonBool   jsonKind = "bool"
	jsonInt    jsonKind = "int"
	jsonFloat  jsonKind = "float"
	jsonString jsonKind = "str"
	jsonList   jsonKind = "list"
	jsonObject jsonKind = "dict"
)

// kindOf returns the kind of a value. A number with a point or an exponent is a float.
func kindOf(text string) jsonKind {
	switch text[0] {
	case 'n':
		return jsonNull
	case 't', 'f':
		return jsonBool
	case '"':
		return jsonString
	case '[':
		return jsonList
	case '{':
		return jsonObject
	}
	if strings.ContainsAny(text, ".eE") {
		return jsonFloat
	}
	return jsonInt
}

// excerpt returns the beginning of a text, for error messages.
func excerpt(text string) string {
	if len(text) <= 40 {
		return text
	}
	return strings.ToValidUTF8(text[:40], "") + "…"
}

// members returns an iterator over the quoted names and the values of an object.
func members(object string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for at := skipSpace(object, 1); object[at] != '}'; at = skipSpace(object, at) {
			if object[at] == ',' {
				at = skipSpace(object, at+1)
			}
			end := valueEnd(object, at)
			name := object[at:end]
			at = skipSpace(object, skipSpace(object, end)+1) // after the colon
			end = valueEnd(object, at)
			if !yield(name, object[at:end]) {
				return
			}
			at = end
		}
	}
}

// elements returns an iterator over the values of a list.
func elements(list string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for at := skipSpace(list, 1); list[at] != ']'; at = skipSpace(list, at) {
			if list[at] == ',' {
				at = skipSpace(list, at+1)
			}
			end := valueEnd(list, at)
			if !yield(list[at:end]) {
				return
			}
			at = end
		}
	}
}

// skipSpace returns the first index from at on that is not white space.
func skipSpace[T string | []byte](text T, at int) int {
	for at < len(text) && strings.IndexByte(space, text[at]) >= 0 {
		at++
	}
	return at
}

// valueEnd returns the index after the value that starts at the given index.
func valueEnd(text string, at int) int {
	switch text[at] {
	case '"':
		return stringEnd(text, at)
	case '{', '[':
		return nestedEnd(text, at)
	}
	if n := strings.IndexAny(text[at:], ",]}"+space); n >= 0 {
		return at + n
	}
	return len(text)
}

// stringEnd returns the index after the string that starts at the given index, or the
// length of the text if the closing quote is missing.
func stringEnd[T string | []byte](text T, at int) int {
	for at++; at < len(text); at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
	return len(text)
}

// nestedEnd returns the index after the object or list that starts at the given index.
func nestedEnd(text string, at int) int {
	for depth := 0; at < len(text); at++ {
		switch text[at] {
		case '"':
			at = stringEnd(text, at) - 1
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return len(text)
}

// repeated returns a name that is repeated, and whether there is one.
func repeated(names [][]byte) (name []byte, found bool) {
	if len(names) <= 64 { // comparing all pairs is faster than sorting
		for i, name := range names {
			for _, other := range names[:i] {
				if string(name) == string(other) {
					return name, true
				}
			}
		}
		return nil, false
	}
	names = slices.Clone(names)
	slices.SortFunc(names, bytes.Compare)
	for i, name := range names[1:] {
		if string(name) == string(names[i]) {
			return name, true
		}
	}
	return nil, false
}

package resources

import (
	"bytes"
	"iter"
	"slices"
	"strings"
)

// What stands here reads JSON that checkSyntax found nothing wrong with.

// space are the characters that JSON allows between its tokens.
const space = " \t\r\n"

// trimSpace takes JSON's white space off both ends.
func trimSpace(text string) string { return strings.Trim(text, space) }

// A jsonKind is the kind of a value, named as Python names its type.
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

// kindOf tells the kind of a value by its first character; a number with a
// point or an exponent is a float.
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

// excerpt is the front of a text, to show what is meant.
func excerpt(text string) string {
	if len(text) <= 40 {
		return text
	}
	return strings.ToValidUTF8(text[:40], "") + "…"
}

// members gives the quoted names and the values of an object, in order.
func members(object string) iter.Seq2[string, string] {
	return func(yield func(string, string) bool) {
		for at := skipSpace(object, 1); object[at] != '}'; at = skipSpace(object, at) {
			if object[at] == ',' {
				at = skipSpace(object, at+1)
			}
			end := valueEnd(object, at)
			name := object[at:end]
			at = skipSpace(object, skipSpace(object, end)+1) // behind the colon
			end = valueEnd(object, at)
			if !yield(name, object[at:end]) {
				return
			}
			at = end
		}
	}
}

// elements gives the values of a list, in order.
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

// skipSpace is the first place from at on that is no white space.
func skipSpace[T string | []byte](text T, at int) int {
	for at < len(text) && strings.IndexByte(space, text[at]) >= 0 {
		at++
	}
	return at
}

// valueEnd is the place behind the value that starts at the given one.
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

// stringEnd is the place behind the string whose opening quote stands at the
// given one, or the end of a text that lacks the closing quote.
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

// nestedEnd is the place behind the object or list that starts at the given
// one.
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

// repeated finds a name that comes twice.
func repeated(names [][]byte) (name []byte, found bool) {
	if len(names) <= 64 { // sorting costs more than comparing each with each
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

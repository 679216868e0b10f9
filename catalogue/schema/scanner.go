package schema

import (
	"errors"
	"fmt"
	"unicode/utf8"
)

var errSurrogate = errors.New("unpaired surrogate")

// A scanner reads a JSON text in one pass. It checks the grammar of RFC 8259, the UTF-8
// and the depth of nesting, and writes the canonical text: without white space, with
// strings escaped as the service does, and with numbers unchanged.
//
// Its methods read the element that they are named after and report whether that
// succeeded. If not, syntax is the reason, and the scanner must not be used further.
type scanner struct {
	data  []byte
	at    int // index in data of the next byte to read
	limit int // maximum depth of nesting
	depth int // current depth of nesting

	out     []byte // canonical text of data since the last skip, up to written
	written int

	syntax *SyntaxError // why the text is not JSON
	fault  error        // first reason why the JSON cannot be in a record
}

// whole reads a value and white space up to the end of the text.
func (s *scanner) whole() bool {
	return s.value() && s.end()
}

// value reads a value.
func (s *scanner) value() bool {
	switch s.next() {
	case '"':
		return s.text()
	case '{':
		return s.object()
	case '[':
		return s.list()
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return s.number()
	}
	return s.unexpected("at the start of a value")
}

// object reads an object.
func (s *scanner) object() bool {
	var room [8][]byte
	names := room[:0]
	for more := s.open('}'); more; more = s.another('}', "after a member") {
		name, ok := s.name()
		if !ok || !s.value() {
			return false
		}
		names = append(names, name)
	}
	if name, found := repeated(names); found {
		s.blame(fmt.Errorf("name %q is repeated in an object", name))
	}
	return s.syntax == nil
}

// list reads a list.
func (s *scanner) list() bool {
	for more := s.open(']'); more; more = s.another(']', "after an element of a list") {
		if !s.value() {
			return false
		}
	}
	return s.syntax == nil
}

// open reads an opening bracket. It returns true if elements follow, and false, after
// reading the closing bracket, if there are none.
func (s *scanner) open(closing byte) bool {
	if s.depth == s.limit {
		s.syntax = depthError(s.data, s.at, s.limit)
		return false
	}
	s.at++
	if s.next() != closing {
		s.depth++
		return true
	}
	s.at++
	return false
}

// another reads a comma or the closing bracket and reports whether it was a comma.
func (s *scanner) another(closing byte, place string) bool {
	switch s.next() {
	case ',':
		s.at++
		return true
	case closing:
		s.depth--
		s.at++
		return false
	}
	return s.unexpected(place)
}

// number reads a number.
func (s *scanner) number() bool {
	s.take('-')
	ok := s.take('0') || s.digits()
	if ok && s.take('.') {
		ok = s.digits()
	}
	if ok && (s.take('e') || s.take('E')) {
		_ = s.take('+') || s.take('-')
		ok = s.digits()
	}
	return ok || s.unexpected("in a number")
}

// digits reads one or more digits.
func (s *scanner) digits() bool {
	start := s.at
	for c := s.peek(); '0' <= c && c <= '9'; c = s.peek() {
		s.at++
	}
	return s.at > start
}

// word reads true, false or null.
func (s *scanner) word(word string) bool {
	for i := range len(word) {
		if !s.take(word[i]) {
			return s.unexpected("in " + word)
		}
	}
	return true
}

// end reads white space up to the end.
func (s *scanner) end() bool {
	s.next()
	return s.at == len(s.data) || s.unexpected("after the end of the value")
}

// take reads c if it is the next byte.
func (s *scanner) take(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.at++
	return true
}

// peek returns the next byte, or 0 at the end. A valid text does not contain 0.
func (s *scanner) peek() byte {
	if s.at < len(s.data) {
		return s.data[s.at]
	}
	return 0
}

// next reads white space and returns the byte after it, as peek does.
func (s *scanner) next() byte {
	if c := s.peek(); c > ' ' {
		return c
	}
	start := s.at
	s.at = skipSpace(s.data, s.at)
	if s.at > start {
		s.out = append(s.out, s.data[s.written:start]...)
		s.written = s.at
	}
	return s.peek()
}

// blame sets the fault, unless it is set.
func (s *scanner) blame(fault error) {
	if s.fault == nil {
		s.fault = fault
	}
}

// unexpected records a syntax error at the next byte. It returns false.
func (s *scanner) unexpected(place string) bool {
	s.syntax = syntaxError(s.data, s.at, reasonAt(s.data[s.at:], place))
	return false
}

// reasonAt returns the reason for a syntax error at the start of rest.
func reasonAt(rest []byte, place string) string {
	if len(rest) == 0 {
		return "unexpected end"
	}
	switch r, size := utf8.DecodeRune(rest); {
	case r == utf8.RuneError && size == 1:
		return fmt.Sprintf("invalid UTF-8, byte 0x%02x", rest[0])
	case r == '\ufeff':
		return "unexpected byte order mark"
	default:
		return fmt.Sprintf("unexpected character %q %s", r, place)
	}
}

// skip discards the canonical text up to here.
func (s *scanner) skip() {
	if len(s.out) > 0 {
		s.out = s.out[:0]
	}
	s.written = s.at
}

// appendCanonical appends the canonical text since the last skip.
func (s *scanner) appendCanonical(dst []byte) []byte {
	if len(s.out) > 0 {
		dst = append(dst, s.out...)
	}
	return append(dst, s.data[s.written:s.at]...)
}

package resources

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"unicode/utf8"
)

var errHalfPair = errors.New("half a surrogate pair")

// A scanner reads one JSON text from front to end, once. It checks the grammar of
// RFC 8259, that the text is UTF-8, and how deep it is nested, and writes the
// canonical text: no white space, strings escaped as the service does, numbers as
// they are.
//
// Its methods read the thing they are named after and report whether they could;
// if not, syntax says why, and nothing more may be read.
type scanner struct {
	data  []byte
	at    int // how much of data has been read
	limit int // how many objects and lists may be open at a time
	depth int // how many are

	out     []byte // canonical text of data since the last skip, up to written
	written int

	syntax *SyntaxError // why the text is not JSON
	fault  error        // the first thing that is JSON, but may not stand in a record
}

// whole reads a value and the white space around it, up to the end of the text.
func (s *scanner) whole() bool {
	return s.value() && s.end()
}

// value reads any value.
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
		s.blame(fmt.Errorf("name %q comes twice in an object", name))
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

// open reads an opening bracket, and reports whether something else than the
// closing one follows.
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

// another reads a comma or the closing bracket, and reports whether it was a comma.
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

// name reads the name of a member and the colon. It returns the name without its
// quotes and escapes.
func (s *scanner) name() (name []byte, ok bool) {
	if s.next() != '"' {
		return nil, s.unexpected("at the start of a name")
	}
	start := s.at
	if !s.text() {
		return nil, false
	}
	name = s.data[start+1 : s.at-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name = []byte(unquote(string(s.data[start:s.at])))
	}
	return name, s.next() == ':' && s.take(':') || s.unexpected("after a name")
}

// text reads a string.
func (s *scanner) text() bool {
	start := s.at
	differs := false // the canonical string has other bytes
	for s.at++; ; {
		s.at += plainPrefix(s.data[s.at:])
		switch c := s.peek(); {
		case c == '"':
			s.at++
			if differs {
				s.rewrite(start)
			}
			return true
		case c == '\\':
			s.at++
			if c := s.peek(); c == '/' || c == 'u' {
				differs = true
			}
			if !s.escape() {
				return s.unexpected("in an escape")
			}
		case c < utf8.RuneSelf:
			return s.unexpected("in a string")
		default:
			r, size := utf8.DecodeRune(s.data[s.at:])
			if r == utf8.RuneError && size == 1 {
				return s.unexpected("in a string")
			}
			differs = differs || r == '\u2028' || r == '\u2029'
			s.at += size
		}
	}
}

// escape reads what follows a backslash.
func (s *scanner) escape() bool {
	switch s.peek() {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		s.at++
		return true
	case 'u':
		s.at++
		for range 4 {
			if !isHex(s.peek()) {
				return false
			}
			s.at++
		}
		return true
	}
	return false
}

// rewrite writes the canonical form of the string that was read from start on.
func (s *scanner) rewrite(start int) {
	text := unquote(string(s.data[start:s.at]))
	if _, found := firstSurrogate(text); found {
		s.blame(errHalfPair)
	}
	s.out = appendQuoted(append(s.out, s.data[s.written:start]...), text)
	s.written = s.at
}

// plainPrefix returns how many bytes of ASCII text begins with that stand for
// themselves in a string, in steps of eight as far as possible.
func plainPrefix(text []byte) (n int) {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; len(text) >= n+8; n += 8 {
		// The highest bit of a byte is set by what subtracts from it only if the byte
		// is the one looked for, or if a lower byte is: the lowest one found is right.
		w := binary.LittleEndian.Uint64(text[n:])
		found := (w | (w - ones*' ') | ((w ^ ones*'"') - ones) | ((w ^ ones*'\\') - ones)) & highs
		if found != 0 {
			return n + bits.TrailingZeros64(found)/8
		}
	}
	for n < len(text) && ' ' <= text[n] && text[n] < utf8.RuneSelf && text[n] != '"' && text[n] != '\\' {
		n++
	}
	return n
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

// end reads white space up to the end of the text.
func (s *scanner) end() bool {
	s.next()
	return s.at == len(s.data) || s.unexpected("after the end of the value")
}

// take reads c if it comes next.
func (s *scanner) take(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.at++
	return true
}

// peek returns the byte that comes next. At the end it returns 0, which a text
// cannot hold either.
func (s *scanner) peek() byte {
	if s.at < len(s.data) {
		return s.data[s.at]
	}
	return 0
}

// next reads white space, and returns the byte that comes next.
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

// blame notes a fault, unless there is one.
func (s *scanner) blame(fault error) {
	if s.fault == nil {
		s.fault = fault
	}
}

// unexpected makes what comes next a syntax error. It returns false.
func (s *scanner) unexpected(place string) bool {
	s.syntax = syntaxError(s.data, s.at, reasonAt(s.data[s.at:], place))
	return false
}

// reasonAt says what is wrong with the front of a text.
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

// skip leaves out of the canonical text what has been read.
func (s *scanner) skip() {
	if len(s.out) > 0 {
		s.out = s.out[:0]
	}
	s.written = s.at
}

// appendCanonical appends the canonical text of what has been read since skip.
func (s *scanner) appendCanonical(dst []byte) []byte {
	if len(s.out) > 0 {
		dst = append(dst, s.out...)
	}
	return append(dst, s.data[s.written:s.at]...)
}

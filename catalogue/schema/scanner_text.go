package schema

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

// name reads the name of a member and the colon. It returns the name unquoted.
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
	differs := false // whether the canonical string differs
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

// escape reads the rest of an escape after the backslash.
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

// rewrite writes the canonical form of the string from start to the current position.
func (s *scanner) rewrite(start int) {
	text := unquote(string(s.data[start:s.at]))
	if _, found := firstSurrogate(text); found {
		s.blame(errSurrogate)
	}
	s.out = appendQuoted(append(s.out, s.data[s.written:start]...), text)
	s.written = s.at
}

// plainPrefix returns the length of the longest prefix of text that consists of ASCII
// characters without a special meaning in strings. It checks eight bytes at a time.
func plainPrefix(text []byte) (n int) {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	for ; len(text) >= n+8; n += 8 {
		// The subtractions set the highest bit of each matching byte. A borrow can
		// set it in a byte above a match too, so only the lowest one is reliable.
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

package catalogue

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math/bits"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A scanner reads JSON from its front. What it reads it checks in full, except
// for the values that it skips: value returns those to be checked by the caller.
type scanner struct {
	data []byte
	at   int

	unescaped []byte // memory for text
	seen      []bool // memory for layout.read
}

var (
	errNoObject = errors.New("want a JSON object")
	errBroken   = errors.New("the JSON is broken") // checkSyntax says where
)

func (s *scanner) skipSpace() {
	for s.at < len(s.data) && (s.data[s.at] == ' ' || s.data[s.at] == '\n' || s.data[s.at] == '\r' || s.data[s.at] == '\t') {
		s.at++
	}
}

// take skips c, and white space in front of it. If something else comes next,
// it reports false.
func (s *scanner) take(c byte) bool {
	if s.at >= len(s.data) || s.data[s.at] != c {
		s.skipSpace()
	}
	if s.at >= len(s.data) || s.data[s.at] != c {
		return false
	}
	s.at++
	return true
}

// takeWord is take for several bytes.
func (s *scanner) takeWord(word string) bool {
	s.skipSpace()
	if len(s.data)-s.at < len(word) || string(s.data[s.at:s.at+len(word)]) != word {
		return false
	}
	s.at += len(word)
	return true
}

// end reports whether nothing but white space is left.
func (s *scanner) end() bool {
	s.skipSpace()
	return s.at == len(s.data)
}

// text reads a string. The bytes are valid until the next call. It reports
// false for anything else, and for an escape with a code, which may be half of
// a surrogate pair.
func (s *scanner) text() (text []byte, ok bool) {
	if !s.take('"') {
		return nil, false
	}
	start, text := s.at, s.unescaped[:0]
	for {
		s.at = plainEnd(s.data, s.at)
		if s.at == len(s.data) || s.data[s.at] < ' ' || s.data[s.at] >= utf8.RuneSelf {
			return nil, false
		}
		part := s.data[start:s.at]
		if s.data[s.at] == '"' {
			s.at++
			if len(text) == 0 {
				return part, true
			}
			s.unescaped = append(text, part...)
			return s.unescaped, true
		}
		if s.at+1 == len(s.data) {
			return nil, false
		}
		i := strings.IndexByte(`"\/bfnrt`, s.data[s.at+1])
		if i < 0 {
			return nil, false
		}
		text = append(append(text, part...), "\"\\/\b\f\n\r\t"[i])
		s.at += 2
		start = s.at
	}
}

// plainEnd returns the place of the first byte from at on that ends the plain
// part of a string: a quote, a backslash, a control character, or a byte that is
// not UTF-8. It returns len(data) if there is none. ASCII is looked at in words
// of eight bytes; the lowest byte that sets its high bit is the first special one.
func plainEnd(data []byte, at int) int {
	const ones = 0x0101010101010101
	for {
		for at+8 <= len(data) {
			w := binary.LittleEndian.Uint64(data[at:])
			special := (w | (w - ones*' ') | (w ^ ones*'"' - ones) | (w ^ ones*'\\' - ones)) & (ones << 7)
			if special != 0 {
				at += bits.TrailingZeros64(special) / 8
				break
			}
			at += 8
		}
		if at == len(data) || data[at] < ' ' || data[at] == '"' || data[at] == '\\' {
			return at
		}
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at
		}
		at += size
	}
}

// integer reads an integer without point or exponent. It reports false for
// anything else, and for what is no int.
func (s *scanner) integer() (n int, ok bool) {
	s.skipSpace()
	start := s.at
	if s.at < len(s.data) && s.data[s.at] == '-' {
		s.at++
	}
	first := s.at
	for s.at < len(s.data) && s.data[s.at]-'0' <= 9 {
		n = n*10 + int(s.data[s.at]-'0')
		s.at++
	}
	digits := s.at - first
	if digits == 0 || digits > 1 && s.data[first] == '0' ||
		s.at < len(s.data) && (s.data[s.at] == '.' || s.data[s.at]|' ' == 'e') {
		return 0, false
	}
	if digits > 9 { // more than an int of 32 bits holds
		n, err := strconv.Atoi(string(s.data[start:s.at]))
		return n, err == nil
	}
	if first > start {
		n = -n
	}
	return n, true
}

// value skips the value that comes next and returns its bytes, which may be any:
// it only looks for the end that a value has if it is valid.
func (s *scanner) value() []byte {
	s.skipSpace()
	start, depth := s.at, 0
	for s.at < len(s.data) {
		switch s.data[s.at] {
		case '"':
			s.at = stringEnd(s.data, s.at)
			if depth == 0 {
				return s.data[start:s.at]
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return s.data[start:s.at]
			}
			if depth == 0 {
				s.at++
				return s.data[start:s.at]
			}
		case ',', ' ', '\n', '\r', '\t':
			if depth == 0 {
				return s.data[start:s.at]
			}
		}
		s.at++
	}
	return s.data[start:]
}

// stringEnd returns the place after the string whose opening quote is at the
// given one, or len(data).
func stringEnd(data []byte, at int) int {
	for start := at + 1; ; {
		n := bytes.IndexByte(data[start:], '"')
		if n < 0 {
			return len(data)
		}
		quote, escapes := start+n, 0
		for i := quote - 1; i >= start && data[i] == '\\'; i-- {
			escapes++
		}
		start = quote + 1
		if escapes%2 == 0 {
			return start
		}
	}
}

// object reads an object: f is called with the name of each member and reads the
// value. A name that comes twice is an error.
func (s *scanner) object(f func(name string) error) error {
	if !s.take('{') {
		return errNoObject
	}
	seen := map[string]bool{}
	for !s.take('}') {
		if len(seen) > 0 && !s.take(',') {
			return errBroken
		}
		var name string
		if json.Unmarshal(s.value(), &name) != nil || !s.take(':') {
			return errBroken
		}
		if seen[name] {
			return fmt.Errorf("key %q comes twice", name)
		}
		seen[name] = true
		if err := f(name); err != nil {
			return err
		}
	}
	return nil
}

// checkSyntax says where data is no JSON, if it is none.
func checkSyntax(data []byte) error {
	var whole json.RawMessage
	err := json.Unmarshal(data, &whole)
	var syntax *json.SyntaxError
	if !errors.As(err, &syntax) {
		return err
	}
	before := data[:min(int(syntax.Offset), len(data))]
	line := 1 + bytes.Count(before, []byte("\n"))
	column := len(before) - 1 - bytes.LastIndexByte(before, '\n')
	return fmt.Errorf("line %d, byte %d: %w", line, column, err)
}

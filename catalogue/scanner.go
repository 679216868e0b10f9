package catalogue

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A scanner reads JSON sequentially. It checks what it reads, except the values that the
// method value returns.
type scanner struct {
	data []byte
	at   int
	opts LoadOptions

	memory []byte // reused by text
	seen   []bool // reused by layout.read
}

var (
	errNoObject = errors.New("want a JSON object")
	errBroken   = errors.New("invalid JSON") // checkSyntax finds the place
)

func (s *scanner) skipSpace() {
	for s.at < len(s.data) && (s.data[s.at] == ' ' || s.data[s.at] == '\n' || s.data[s.at] == '\r' || s.data[s.at] == '\t') {
		s.at++
	}
}

// take skips white space and a token, and reports whether the token was there.
func (s *scanner) take(token string) bool {
	s.skipSpace()
	if len(s.data)-s.at < len(token) || string(s.data[s.at:s.at+len(token)]) != token {
		return false
	}
	s.at += len(token)
	return true
}

// text reads a string. It reports false for other values, and for a string with a \u
// escape, which may be half of a surrogate pair.
func (s *scanner) text() (text string, ok bool) {
	if !s.take(`"`) {
		return "", false
	}
	start, read := s.at, s.memory[:0]
	for ; s.at < len(s.data); s.at++ {
		switch c := s.data[s.at]; {
		case c == '"':
			s.memory = append(read, s.data[start:s.at]...)
			s.at++
			return string(s.memory), utf8.Valid(s.memory)
		case c == '\\' && s.at+1 < len(s.data):
			i := strings.IndexByte(`"\/bfnrt`, s.data[s.at+1])
			if i < 0 {
				return "", false
			}
			read = append(append(read, s.data[start:s.at]...), "\"\\/\b\f\n\r\t"[i])
			s.at++
			start = s.at + 1
		case c < ' ':
			return "", false
		}
	}
	return "", false
}

// integer reads a number without fraction and exponent. It reports false for other
// values.
func (s *scanner) integer() (n int, ok bool) {
	value := string(s.value())
	n, err := strconv.Atoi(value)
	digits := strings.TrimPrefix(value, "-")
	return n, err == nil && digits[0] != '+' && (digits[0] != '0' || digits == "0")
}

// value skips the next value and returns its bytes. It looks only for the end that a
// valid value would have: the caller must check that the bytes are one valid value.
func (s *scanner) value() []byte {
	s.skipSpace()
	start, depth, quoted := s.at, 0, false
	for ; s.at < len(s.data); s.at++ {
		switch c := s.data[s.at]; {
		case quoted:
			if c == '\\' {
				s.at++
			}
			quoted = c != '"'
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			depth++
		case depth == 0 && strings.IndexByte(",:]} \n\r\t", c) >= 0:
			return s.data[start:s.at]
		case c == '}' || c == ']':
			depth--
		}
	}
	s.at = len(s.data)
	return s.data[start:]
}

// skip skips a value. It returns an error if the value is invalid.
func (s *scanner) skip() error {
	if !json.Valid(s.value()) {
		return errBroken
	}
	return nil
}

// object reads an object. It calls f with the name of each member; f must read the value.
// A repeated name is an error.
func (s *scanner) object(f func(name string) error) error {
	if !s.take("{") {
		return errNoObject
	}
	seen := map[string]bool{}
	for !s.take("}") {
		var name string
		if len(seen) > 0 && !s.take(",") || json.Unmarshal(s.value(), &name) != nil || !s.take(":") {
			return errBroken
		}
		if seen[name] {
			return fmt.Errorf("key %q is repeated", name)
		}
		seen[name] = true
		if err := f(name); err != nil {
			return err
		}
	}
	return nil
}

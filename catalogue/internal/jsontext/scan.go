package jsontext

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

var errSurrogate = errors.New("unpaired surrogate")

// Space is the white space of JSON.
const Space = " \t\r\n"

// A Scanner reads a JSON text in one pass. It checks the grammar of RFC 8259, the UTF-8 and the
// depth of nesting. The Scanner of Rewrite also writes the canonical text: without white space,
// with strings escaped as by AppendString, and with numbers unchanged.
//
// Its methods read the element that they are named after and report whether that succeeded. If not,
// Syntax is the reason, and the Scanner must not be used further.
type Scanner struct {
	Syntax *SyntaxError // why the text is not JSON
	Fault  error        // first reason why the JSON cannot be in an open record

	data  []byte
	at    int // index in data of the next byte to read
	limit int // maximum depth of nesting
	depth int // current depth of nesting

	writes  bool
	out     []byte // canonical text of data since the last Skip, up to written
	written int
}

// The maximum depths to which objects and lists can be nested: of an open record, and of other
// texts, which is that of encoding/json.
const (
	MaxDepth     = 200
	MaxTextDepth = 10_000
)

// A SyntaxError is the first place where a text is not JSON in UTF-8.
type SyntaxError struct {
	Reason       string // without the position
	Line, Column int    // from 1, in code points
}

// Scan returns a Scanner of a text whose objects and lists are nested at most limit levels deep.
func Scan(data []byte, limit int) Scanner { return Scanner{data: data, limit: limit} }

// Rewrite returns a Scanner that also writes the canonical text, which takes several times the
// memory of data if that has many escapes.
func Rewrite(data []byte, limit int) Scanner { return Scanner{data: data, limit: limit, writes: true} }

// Check returns an error if data is not one JSON value, with or without white space around it.
func Check(data []byte, limit int) *SyntaxError {
	s := Scan(data, limit)
	s.Whole()
	return s.Syntax
}

// Whole reads a value and white space up to the end of the text.
func (s *Scanner) Whole() bool {
	return s.Value() && s.End()
}

// Raw reads a value and returns its text as it is written.
func (s *Scanner) Raw() (text []byte, ok bool) {
	s.Next()
	s.Skip()
	start := s.at
	ok = s.Value()
	return s.data[start:s.at], ok
}

// Take reads a token, after white space, and reports whether it was there.
func (s *Scanner) Take(token string) bool {
	s.Next()
	if len(s.data)-s.at < len(token) || string(s.data[s.at:s.at+len(token)]) != token {
		return false
	}
	s.at += len(token)
	return true
}

// At returns the index of the next byte to read.
func (s *Scanner) At() int { return s.at }

// Value reads a value.
func (s *Scanner) Value() bool {
	switch s.Next() {
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

func (s *Scanner) object() bool {
	var room [8][]byte
	names := room[:0]
	for more := s.Open('}'); more; more = s.Another('}') {
		name, ok := s.Name()
		if !ok || !s.Value() {
			return false
		}
		names = append(names, name)
	}
	if name, found := Repeated(names); found {
		s.blame(fmt.Errorf("name %q is repeated in an object", name))
	}
	return s.Syntax == nil
}

func (s *Scanner) list() bool {
	for more := s.Open(']'); more; more = s.Another(']') {
		if !s.Value() {
			return false
		}
	}
	return s.Syntax == nil
}

// Open reads the opening bracket that is next. It returns true if elements follow, and false, after
// reading the closing bracket, if there are none.
func (s *Scanner) Open(closing byte) bool {
	if s.depth == s.limit {
		s.errorAt(fmt.Sprintf("nested deeper than the limit of %d", s.limit))
		return false
	}
	s.at++
	if s.Next() != closing {
		s.depth++
		return true
	}
	s.at++
	return false
}

// Another reads a comma or the closing bracket and reports whether it was a comma.
func (s *Scanner) Another(closing byte) bool {
	switch s.Next() {
	case ',':
		s.at++
		return true
	case closing:
		s.depth--
		s.at++
		return false
	}
	if closing == '}' {
		return s.unexpected("after a member")
	}
	return s.unexpected("after an element of a list")
}

// Members returns an iterator over the names and the values of the members of an object, in order
// and without the white space around them. Other JSON has no members. The iterator stops at a
// syntax error.
func Members(object string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		s := Scan([]byte(object), MaxTextDepth)
		if s.Next() != '{' {
			return
		}
		for more := s.Open('}'); more; more = s.Another('}') {
			s.Next()
			at := s.at + 1
			unquoted, ok := s.Name()
			if !ok {
				return
			}
			name := object[at : at+len(unquoted)]
			if name != string(unquoted) {
				name = string(unquoted)
			}
			if text, ok := s.Raw(); !ok || !yield(name, object[s.at-len(text):s.at]) {
				return
			}
		}
	}
}

// Elements returns an iterator over the values of a list, as Members does over those of an object.
func Elements(list string) iter.Seq[string] {
	return func(yield func(value string) bool) {
		s := Scan([]byte(list), MaxTextDepth)
		if s.Next() != '[' {
			return
		}
		for more := s.Open(']'); more; more = s.Another(']') {
			if text, ok := s.Raw(); !ok || !yield(list[s.at-len(text):s.at]) {
				return
			}
		}
	}
}

// number reads a number. An integer can have any number of digits, as in Python.
func (s *Scanner) number() bool {
	start, large := s.at, false
	s.accept('-')
	ok := s.accept('0') || s.digits()
	if ok && s.accept('.') {
		large = s.at-start > 300 // fewer digits are less than the largest float64
		ok = s.digits()
	}
	if ok && (s.accept('e') || s.accept('E')) {
		large = true
		_ = s.accept('+') || s.accept('-')
		ok = s.digits()
	}
	if ok && large {
		if _, err := strconv.ParseFloat(string(s.data[start:s.at]), 64); err != nil {
			s.blame(errors.New("a number is beyond a float64"))
		}
	}
	return ok || s.unexpected("in a number")
}

// digits reads one or more digits.
func (s *Scanner) digits() bool {
	rest := s.data[s.at:]
	n := 0
	for n < len(rest) && '0' <= rest[n] && rest[n] <= '9' {
		n++
	}
	s.at += n
	return n > 0
}

// word reads true, false or null.
func (s *Scanner) word(word string) bool {
	for i := range len(word) {
		if !s.accept(word[i]) {
			return s.unexpected("in " + word)
		}
	}
	return true
}

// End reads white space up to the end.
func (s *Scanner) End() bool {
	s.Next()
	return s.at == len(s.data) || s.unexpected("after the end of the value")
}

// accept reads c if it is the next byte.
func (s *Scanner) accept(c byte) bool {
	if s.peek() != c {
		return false
	}
	s.at++
	return true
}

// peek returns the next byte, or 0 at the end. A valid text does not contain 0.
func (s *Scanner) peek() byte {
	if s.at < len(s.data) {
		return s.data[s.at]
	}
	return 0
}

// Next reads white space and returns the byte after it, as peek does.
func (s *Scanner) Next() byte {
	if c := s.peek(); c > ' ' {
		return c
	}
	start := s.at
	for s.at < len(s.data) && strings.IndexByte(Space, s.data[s.at]) >= 0 {
		s.at++
	}
	if s.at > start && s.writes {
		s.out = append(s.out, s.data[s.written:start]...)
		s.written = s.at
	}
	return s.peek()
}

// blame sets the fault, unless it is set.
func (s *Scanner) blame(fault error) {
	if s.Fault == nil {
		s.Fault = fault
	}
}

// unexpected records a syntax error at the next byte. It returns false.
func (s *Scanner) unexpected(place string) bool {
	s.errorAt(reasonAt(s.data[s.at:], place))
	return false
}

// errorAt records a syntax error at the next byte.
func (s *Scanner) errorAt(reason string) {
	before := s.data[:s.at]
	line := before[bytes.LastIndexByte(before, '\n')+1:]
	s.Syntax = &SyntaxError{reason, bytes.Count(before, []byte{'\n'}) + 1, utf8.RuneCount(line) + 1}
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

// Skip discards the canonical text up to here.
func (s *Scanner) Skip() {
	if len(s.out) > 0 {
		s.out = s.out[:0]
	}
	s.written = s.at
}

// AppendCanonical appends the canonical text since the last skip, for a Scanner of Rewrite.
func (s *Scanner) AppendCanonical(dst []byte) []byte {
	if len(s.out) > 0 {
		dst = append(dst, s.out...)
	}
	return append(dst, s.data[s.written:s.at]...)
}

// Name reads the name of a member and the colon. It returns the name unquoted.
func (s *Scanner) Name() (name []byte, ok bool) {
	if s.Next() != '"' {
		return nil, s.unexpected("at the start of a name")
	}
	start := s.at
	if !s.text() {
		return nil, false
	}
	name = s.data[start+1 : s.at-1]
	if bytes.IndexByte(name, '\\') >= 0 {
		name = []byte(Unquote(string(s.data[start:s.at])))
	}
	return name, s.Next() == ':' && s.accept(':') || s.unexpected("after a name")
}

// text reads a string.
func (s *Scanner) text() bool {
	start := s.at
	differs := false // whether the canonical string differs
	for s.at++; ; {
		s.at += PlainPrefix(s.data[s.at:])
		switch c := s.peek(); {
		case c == '"':
			s.at++
			if differs && s.writes {
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
func (s *Scanner) escape() bool {
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
func (s *Scanner) rewrite(start int) {
	text := Unquote(string(s.data[start:s.at]))
	if _, found := FirstSurrogate(text); found {
		s.blame(errSurrogate)
	}
	s.out = AppendString(append(s.out, s.data[s.written:start]...), text)
	s.written = s.at
}

// Repeated returns a name that is repeated, and whether there is one.
func Repeated(names [][]byte) (name []byte, found bool) {
	if len(names) <= 64 { // comparing all pairs is faster
		for i, name := range names {
			if slices.ContainsFunc(names[:i], func(other []byte) bool { return bytes.Equal(name, other) }) {
				return name, true
			}
		}
		return nil, false
	}
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if seen[string(name)] {
			return name, true
		}
		seen[string(name)] = true
	}
	return nil, false
}

// A Kind is the kind of a value: the name of its type in Python.
type Kind string

// The kinds of values.
const (
	Null   Kind = "None"
	Bool   Kind = "bool"
	Int    Kind = "int"
	Float  Kind = "float"
	String Kind = "str"
	List   Kind = "list"
	Object Kind = "dict"
)

// KindOf returns the kind of a valid value without white space before it. A number with a point or
// an exponent is a Float.
func KindOf(text string) Kind {
	switch text[0] {
	case 'n':
		return Null
	case 't', 'f':
		return Bool
	case '"':
		return String
	case '[':
		return List
	case '{':
		return Object
	}
	if strings.ContainsAny(text, ".eE") {
		return Float
	}
	return Int
}

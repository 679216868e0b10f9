package schema

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
)

var errSurrogate = errors.New("unpaired surrogate")

// A scanner reads a JSON text in one pass. It checks the grammar of RFC 8259, the UTF-8
// and the depth of nesting, and writes the canonical text: without white space, with
// strings escaped as by jsontext.AppendString, and with numbers unchanged.
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
		s.syntax = syntaxError(s.data, s.at, fmt.Sprintf("nested deeper than the limit of %d", s.limit))
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

// members returns an iterator over the names and values of the object that is next. It
// stops at a syntax error.
func (s *scanner) members() iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		s.next()
		for more := s.open('}'); more; more = s.another('}', "after a member") {
			name, ok := s.name()
			s.next()
			start := s.at
			if !ok || !s.value() || !yield(string(name), string(s.data[start:s.at])) {
				return
			}
		}
	}
}

// Members returns an iterator over the names and the values of the members of a JSON object, in
// order, without the white space around them. Other JSON has no members. The iterator stops
// at a syntax error. O(len).
func Members(object string) iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		s := scanner{data: []byte(object), limit: maxDepth}
		if s.next() != '{' {
			return
		}
		for more := s.open('}'); more; more = s.another('}', "after a member") {
			s.next()
			at := s.at + 1
			unquoted, ok := s.name()
			if !ok {
				return
			}
			name := object[at : at+len(unquoted)]
			if name != string(unquoted) {
				name = string(unquoted)
			}
			s.next()
			start := s.at
			if !s.value() || !yield(name, object[start:s.at]) {
				return
			}
		}
	}
}

// elements returns an iterator over the values of a list, which must be valid.
func elements(list string) iter.Seq[string] {
	return func(yield func(value string) bool) {
		s := scanner{data: []byte(list), limit: maxDepth}
		for more := s.open(']'); more; more = s.another(']', "after an element of a list") {
			s.next()
			start := s.at
			if !s.value() || !yield(list[start:s.at]) {
				return
			}
		}
	}
}

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
	for s.at < len(s.data) && strings.IndexByte(space, s.data[s.at]) >= 0 {
		s.at++
	}
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
		s.at += jsontext.PlainPrefix(s.data[s.at:])
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
	s.out = jsontext.AppendString(append(s.out, s.data[s.written:start]...), text)
	s.written = s.at
}

// maxDepth is the maximum depth to which objects and lists can be nested.
const maxDepth = 200

// maxTextDepth is the maximum depth for CheckSyntax. That of encoding/json is the same.
const maxTextDepth = 10_000

// CheckSyntax returns a [*SyntaxError] if data is not exactly one JSON value, with or
// without white space around it, is not UTF-8, or is nested more than 10,000 levels deep.
// It accepts repeated names and unpaired surrogates. O(len).
func CheckSyntax(data []byte) error {
	if err := checkSyntax(data, maxTextDepth); err != nil {
		return err
	}
	return nil
}

// checkSyntax returns an error if data is not a JSON value in UTF-8 that is nested at
// most limit levels deep.
func checkSyntax(data []byte, limit int) *SyntaxError {
	s := scanner{data: data, limit: limit}
	s.whole()
	return s.syntax
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

// repeated returns a name that is repeated, and whether there is one.
func repeated(names [][]byte) (name []byte, found bool) {
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

// unquote returns the value of a JSON string with quotes. An unpaired surrogate is
// encoded as in WTF-8: as three bytes that do not occur in valid UTF-8.
func unquote(quoted string) string {
	text := quoted[1 : len(quoted)-1]
	if strings.IndexByte(text, '\\') < 0 {
		return text
	}
	b := make([]byte, 0, len(text))
	for text != "" {
		if text[0] != '\\' {
			b = append(b, text[0])
			text = text[1:]
			continue
		}
		var r rune
		r, text = escape(text)
		b = appendRune(b, r)
	}
	return string(b)
}

// escape decodes the escape at the start of text, or two escapes if they are a
// surrogate pair.
func escape(text string) (r rune, rest string) {
	if i := strings.IndexByte(`bfnrt`, text[1]); i >= 0 {
		return rune("\b\f\n\r\t"[i]), text[2:]
	}
	if text[1] != 'u' {
		return rune(text[1]), text[2:]
	}
	r, rest = hexRune(text[2:6]), text[6:]
	if strings.HasPrefix(rest, `\u`) {
		if pair := utf16.DecodeRune(r, hexRune(rest[2:6])); pair != utf8.RuneError {
			return pair, rest[6:]
		}
	}
	return r, rest
}

// hexRune returns the value of four hexadecimal digits.
func hexRune(digits string) rune {
	n, _ := strconv.ParseUint(digits, 16, 16) // the syntax has been checked
	return rune(n)
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f'
}

// appendRune appends the UTF-8 encoding of a rune, which can be an unpaired surrogate.
func appendRune(b []byte, r rune) []byte {
	if utf16.IsSurrogate(r) {
		return append(b, 0xe0|byte(r>>12), 0x80|byte(r>>6)&0x3f, 0x80|byte(r)&0x3f)
	}
	return utf8.AppendRune(b, r)
}

// firstSurrogate returns the first unpaired surrogate in a result of unquote.
func firstSurrogate(text string) (r rune, found bool) {
	for i := 0; i+2 < len(text); i++ {
		if text[i] == 0xed && text[i+1] >= 0xa0 {
			return 0xd000 | rune(text[i+1]&0x3f)<<6 | rune(text[i+2]&0x3f), true
		}
	}
	return 0, false
}

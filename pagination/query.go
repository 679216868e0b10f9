package pagination

import (
	"encoding/hex"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Query is a parsed query string. It is immutable and safe for concurrent use. The
// zero value is the empty query.
//
// Unlike [net/url.ParseQuery], it keeps what DRF keeps: pairs that contain a semicolon or
// an invalid escape, and the order of the pairs.
type Query struct {
	// pairs are the pairs as they are written in links, in the order of the query.
	pairs []pair
	// text are the pairs as Get reads them, or nil if they are the same.
	text []pair
}

// A pair is a name and a value.
type pair [2]string

// ParseQuery parses a raw query: the part of a URL after the '?', as in
// [net/url.URL.RawQuery]. It never fails:
//
//   - Pairs are separated by '&' only. Empty parts are dropped. A part without '=' is
//     a name with an empty value.
//   - '+' is a space, and percent escapes are UTF-8. Each maximal subpart, in the sense
//     of the Unicode standard, that is not UTF-8 becomes U+FFFD. An invalid escape is
//     literal text.
//   - Unescaped bytes above 0x7F are interpreted in two ways, as in DRF. In links they
//     are Latin-1. For [Query.Get] they are UTF-8 if the whole raw query is valid
//     UTF-8, and otherwise Latin-1.
//   - Everything else is literal text, including '#' and control characters.
//
// Names and values that need no decoding share memory with raw. The pairs take many times
// the memory of a query of short ones, so limit the length of queries from untrusted
// clients. O(len(raw)).
func ParseQuery(raw string) Query {
	n := countParts(raw)
	if n == 0 {
		return Query{}
	}
	q := Query{pairs: parsePairs(raw, n, true)}
	if !isASCII(raw) && utf8.ValidString(raw) {
		q.text = parsePairs(raw, n, false)
	}
	return q
}

// Get returns the last value of the given name, decoded, and reports whether the query
// has the name. Names are compared decoded and are case-sensitive. Get does not
// allocate. O(number of pairs).
func (q Query) Get(name string) (value string, ok bool) {
	for _, p := range slices.Backward(q.readable()) {
		if p[0] == name {
			return p[1], true
		}
	}
	return "", false
}

// Values returns all values of the given name, decoded as by Get, in the order of the query, or nil if
// it does not have the name. They must not be modified. Values allocates only if the query has the name
// more than once. O(number of pairs).
func (q Query) Values(name string) (values []string) {
	pairs := q.readable()
	for i := range pairs {
		if p := &pairs[i]; p[0] != name {
			continue
		} else if values == nil {
			values = p[1:]
		} else {
			values = append(values, p[1])
		}
	}
	return values
}

// All returns an iterator over the names and values, decoded as by Get, in the order of
// the query.
func (q Query) All() iter.Seq2[string, string] {
	return func(yield func(name, value string) bool) {
		for _, p := range q.readable() {
			if !yield(p[0], p[1]) {
				return
			}
		}
	}
}

// readable returns the pairs as Get reads them.
func (q Query) readable() []pair {
	if q.text != nil {
		return q.text
	}
	return q.pairs
}

// Encode returns the query as [AppendLink] writes it, but with the parameters of the page
// unchanged. The pairs are sorted by name, by code point; values of the same name keep
// their order. A space is encoded as '+'. ASCII letters and digits and "_.-~" are not
// escaped. Everything else is percent-encoded UTF-8 in upper case. The empty query is
// "". Parsing the result and encoding it again yields the same text. O(len) to encode,
// plus O(n log² n) to sort n pairs.
func (q Query) Encode() string {
	var room [fewPairs]pair
	dst := appendPairs(nil, q.sorted(room[:0]))
	return string(dst[:max(len(dst)-1, 0)])
}

// fewPairs is the number of pairs that are sorted without allocation.
const fewPairs = 16

// sorted appends the pairs to room, which is empty, and sorts them by name.
func (q Query) sorted(room []pair) []pair {
	pairs := append(room, q.pairs...)
	slices.SortStableFunc(pairs, func(a, b pair) int {
		return strings.Compare(a[0], b[0])
	})
	return pairs
}

// countParts returns the number of non-empty parts. Counting the '&' instead would
// allocate 32 bytes for each byte of a query that is all '&'.
func countParts(raw string) int {
	n := 0
	before := byte('&')
	for _, c := range []byte(raw) {
		if c != '&' && before == '&' {
			n++
		}
		before = c
	}
	return n
}

// parsePairs parses the n non-empty parts of raw.
func parsePairs(raw string, n int, latin1 bool) []pair {
	pairs := make([]pair, 0, n)
	for len(raw) > 0 {
		var part string
		part, raw, _ = strings.Cut(raw, "&")
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		pairs = append(pairs, pair{unescape(name, latin1), unescape(value, latin1)})
	}
	return pairs
}

// unescape decodes a name or a value of a raw query. The result is valid UTF-8. Escaped bytes are UTF-8,
// and so are others unless they are Latin-1.
func unescape(s string, latin1 bool) string {
	if isPlain(s) {
		return s
	}
	buf := make([]byte, 0, len(s))
	for i := 0; i < len(s); i++ {
		switch c := s[i]; {
		case c == '+':
			buf = append(buf, ' ')
		case c == '%' && i+2 < len(s) && isHex(s[i+1:i+3]):
			buf = append(buf, 0)
			hex.Decode(buf[len(buf)-1:], []byte(s[i+1:i+3]))
			i += 2
		case c >= utf8.RuneSelf && latin1:
			buf = utf8.AppendRune(buf, rune(c)) // Latin-1 is the start of Unicode
		default:
			buf = append(buf, c)
		}
	}
	return toValid(buf)
}

// toValid replaces each maximal ill-formed subpart of b with U+FFFD, as browsers and
// Python do. bytes.ToValidUTF8 replaces runs of invalid bytes instead, and a
// conversion to runes each byte.
func toValid(b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	valid := make([]byte, 0, len(b)+2*utf8.UTFMax)
	for len(b) > 0 {
		r, size := utf8.DecodeRune(b)
		for r == utf8.RuneError && size < len(b) && !utf8.FullRune(b[:size+1]) {
			size++ // up to the longest prefix of a rune
		}
		valid = utf8.AppendRune(valid, r)
		b = b[size:]
	}
	return string(valid)
}

// appendPairs appends "name=value&" for each pair, escaped.
func appendPairs(dst []byte, pairs []pair) []byte {
	for _, p := range pairs {
		dst = appendEscaped(dst, p[0])
		dst = append(dst, '=')
		dst = appendEscaped(dst, p[1])
		dst = append(dst, '&')
	}
	return dst
}

// appendEscaped appends s, escaped as in links.
func appendEscaped(dst []byte, s string) []byte {
	const hex = "0123456789ABCDEF"
	for _, c := range []byte(s) {
		switch {
		case isUnreserved(c):
			dst = append(dst, c)
		case c == ' ':
			dst = append(dst, '+')
		default:
			dst = append(dst, '%', hex[c>>4], hex[c&15])
		}
	}
	return dst
}

// isPlain reports whether s needs no decoding.
func isPlain(s string) bool {
	for _, c := range []byte(s) {
		if c == '%' || c == '+' || c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isASCII(s string) bool {
	for _, c := range []byte(s) {
		if c >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func isUnreserved(c byte) bool {
	return isAlphanumeric(c) || c == '_' || c == '.' || c == '-' || c == '~'
}

func isAlphanumeric(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || isDigit(c)
}

func isHex(s string) bool { return strings.Trim(s, "0123456789abcdefABCDEF") == "" }

// An ownPair is a pair that replaces those with its name in a link, or removes them unless it is set.
type ownPair struct {
	name   string
	number int // the value, unless it is text
	text   string
	isText bool
	set    bool
}

// appendLink appends the query of a link, with the pairs of the style, which are sorted by name.
func appendLink(dst []byte, q Query, own ...ownPair) []byte {
	var room [fewPairs]pair
	rest := q.sorted(room[:0])
	dst = append(dst, '?')
	for _, p := range own {
		var before []pair
		before, rest = cut(rest, p.name)
		if dst = appendPairs(dst, before); p.set {
			dst = append(appendEscaped(dst, p.name), '=')
			if !p.isText {
				dst = strconv.AppendInt(dst, int64(p.number), 10) // Itoa would allocate
			}
			dst = append(appendEscaped(dst, p.text), '&')
		}
	}
	dst = appendPairs(dst, rest)
	return dst[:len(dst)-1] // without the last '&', or the '?'
}

// cut returns the sorted pairs before and after those with the given name.
func cut(pairs []pair, name string) (before, after []pair) {
	start := 0
	for start < len(pairs) && pairs[start][0] < name {
		start++
	}
	end := start
	for end < len(pairs) && pairs[end][0] == name {
		end++
	}
	return pairs[:start], pairs[end:]
}

// parseInt parses a number with optional white space around it. It returns the nearest int
// for a number out of range, which Atoi would report without checking the characters that
// follow.
func parseInt(s string) (n int, ok bool) {
	s = strings.TrimSpace(s)
	digits := strings.TrimPrefix(s, "-")
	negative := len(digits) < len(s)
	if !negative {
		digits = strings.TrimPrefix(s, "+")
	}
	if digits == "" {
		return 0, false
	}
	for _, c := range []byte(digits) {
		if !isDigit(c) {
			return 0, false
		}
		d := int(c - '0')
		if n > (math.MaxInt-d)/10 {
			n = math.MaxInt // and remains so for all digits that follow
			continue
		}
		n = n*10 + d
	}
	if negative {
		n = -n
	}
	return n, true
}

// parsePython parses a number as Python's int does. It returns the nearest int for a number out
// of range.
func parsePython(s string) (n int, ok bool) {
	s = strings.Map(asciiDigit, strings.TrimSpace(s))
	for i := range len(s) {
		if s[i] == '_' && (i == 0 || i+1 == len(s) || !isDigit(s[i-1]) || !isDigit(s[i+1])) {
			return 0, false
		}
	}
	return parseInt(strings.ReplaceAll(s, "_", ""))
}

// asciiDigit returns the ASCII digit of the same value as a digit of any script, and other code
// points unchanged. The digits of a script follow each other from 0 to 9.
func asciiDigit(r rune) rune {
	if !unicode.IsDigit(r) {
		return r
	}
	n := rune(0)
	for unicode.IsDigit(r - n - 1) {
		n++
	}
	return '0' + n%10
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

package pagination

import (
	"iter"
	"slices"
	"strings"
	"unicode/utf8"
)

// The parameters that this package reads and writes.
const (
	limitName  = "limit"
	offsetName = "offset"
)

// A Query is a parsed query string. It is immutable and safe for concurrent use. The
// zero value is the empty query.
//
// Unlike [net/url.ParseQuery], it keeps what the service keeps: pairs that contain a
// semicolon or an invalid escape, and the order of the pairs.
type Query struct {
	// pairs are the pairs as they are written in links, in the order of the query.
	pairs []pair
	// text are the pairs as Get reads them, or nil if they are the same.
	text []pair
}

type pair struct{ name, value string }

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
// ParseQuery allocates once for all pairs, or twice if raw is not ASCII, and a few more
// times for each name or value that needs decoding; all others share memory with raw. A
// pair takes up to 64 bytes, so limit the length of queries from untrusted clients.
// O(len(raw)).
func ParseQuery(raw string) Query {
	n := countParts(raw)
	if n == 0 {
		return Query{}
	}
	q := Query{pairs: parsePairs(raw, n, asLatin1)}
	if !isASCII(raw) && utf8.ValidString(raw) {
		q.text = parsePairs(raw, n, asUTF8)
	}
	return q
}

// Get returns the last value of the given name, decoded, and reports whether the query
// has the name. Names are compared decoded and are case-sensitive. Get does not
// allocate. O([Query.Len]).
func (q Query) Get(name string) (value string, ok bool) {
	pairs := q.pairs
	if q.text != nil {
		pairs = q.text
	}
	for _, p := range slices.Backward(pairs) {
		if p.name == name {
			return p.value, true
		}
	}
	return "", false
}

// All returns an iterator over the names and values, decoded as by Get, in the order of
// the query.
func (q Query) All() iter.Seq2[string, string] {
	pairs := q.pairs
	if q.text != nil {
		pairs = q.text
	}
	return func(yield func(name, value string) bool) {
		for _, p := range pairs {
			if !yield(p.name, p.value) {
				return
			}
		}
	}
}

// Len returns the number of pairs in the query. A repeated name counts each time. Empty
// parts do not count. O(1).
func (q Query) Len() int { return len(q.pairs) }

// Encode returns the query as it appears in [Links], but with limit and offset
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
		return strings.Compare(a.name, b.name)
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
func parsePairs(raw string, n int, high encoding) []pair {
	pairs := make([]pair, 0, n)
	for len(raw) > 0 {
		var part string
		part, raw, _ = strings.Cut(raw, "&")
		if part == "" {
			continue
		}
		name, value, _ := strings.Cut(part, "=")
		pairs = append(pairs, pair{unescape(name, high), unescape(value, high)})
	}
	return pairs
}

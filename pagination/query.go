package pagination

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// The parameters that this package reads, and sets in links.
const (
	limitName  = "limit"
	offsetName = "offset"
)

// Query is a parsed query string. It never changes, so it may be copied and used
// concurrently. The zero value is the empty query.
//
// It exists because [net/url.ParseQuery] drops what the service keeps: pairs with
// a semicolon or a broken escape in them, and the order of the pairs.
type Query struct {
	// pairs is the query as links write it, in its own order.
	pairs []pair
	// text is the query as Get reads it; nil if that is the same.
	text []pair
}

type pair struct{ name, value string }

// ParseQuery reads a raw query, which stands behind the '?' of a URL, as
// [net/url.URL.RawQuery] holds it. It never fails:
//
//   - It is split at '&' only, and empty parts are dropped. A part without '=' is
//     a name with an empty value.
//   - '+' is a space, and percent escapes are UTF-8. Bytes that are not become
//     U+FFFD, one for each maximal subpart in the sense of the Unicode standard.
//     A broken escape is text.
//   - Bytes above 0x7F that should have been escaped, and are not, are read twice
//     over, as by DRF. In links they are Latin-1. For [Query.Get] they are UTF-8
//     if the whole raw query is, else Latin-1.
//   - All else is text, '#' and control characters included.
//
// The cost is O(len(raw)). There is one allocation, and a few more for each name and
// value that needs decoding; the rest of the query shares memory with raw. A pair
// takes 32 bytes, so check the length of what strangers send.
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

// Get returns the last value of a name, decoded, and whether there is any. Names
// are compared decoded and with their case. The cost is O([Query.Len]), without
// allocation.
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

// Len returns the number of pairs in the query. Names that are repeated count
// each time, empty parts not at all. The cost is O(1).
func (q Query) Len() int { return len(q.pairs) }

// Encode returns the query as [Links] write it, but with limit and offset as they
// are: sorted by name, by code point, values of one name in their order, and
// escaped anew. A space is '+'; letters and digits of ASCII and "_.-~" stand for
// themselves; all else is percent escapes of UTF-8, in upper case. The empty query
// is "". What Encode returns parses and encodes to itself. The cost is that of
// writing it and of a stable sort: O(n log² n) for n pairs.
func (q Query) Encode() string {
	var room [fewPairs]pair
	dst := appendPairs(nil, q.sorted(room[:0]))
	return string(dst[:max(len(dst)-1, 0)])
}

// fewPairs is how many pairs can be sorted without allocation.
const fewPairs = 16

// sorted appends the pairs to room, which is empty, in the order of links.
func (q Query) sorted(room []pair) []pair {
	pairs := append(room, q.pairs...)
	slices.SortStableFunc(pairs, func(a, b pair) int {
		return strings.Compare(a.name, b.name)
	})
	return pairs
}

// countParts counts the parts between '&' that are not empty. Counting the '&'
// would be shorter, but a query of nothing else would then cost 32 times its size.
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

// parsePairs parses the n parts of raw that are not empty.
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

package pagination

import (
	"math"
	"strings"
)

// The defaults of the service.
const (
	defaultLimit = 21
	defaultMax   = 1000
)

// Limits bounds the size of pages. The zero value is ready to use: a page has as many
// records as the request asks for, at most 1000, or 21 if it has no limit. A negative
// field means no limit.
type Limits struct {
	// Default is the page size for a request without a valid limit. If zero, it
	// is 21. If negative, the page is as large as Max allows.
	Default int
	// Max is the largest page size. A larger limit or Default counts as Max, and
	// links contain Max. If zero, it is 1000.
	Max int
}

// Parse returns the window for the values of limit and offset in a query, decoded, or
// "" if the query has none. It never fails: a limit that is not a positive number
// counts as Default, and an offset that is not a number or is negative counts as 0.
//
// A number consists of ASCII digits, with an optional sign and optional white space
// around it. A number out of range for an int counts as [math.MaxInt]. DRF accepts the
// numbers that Python's int accepts, which include other digits and underscores.
//
// Parse does not allocate. O(length of the texts).
func (l Limits) Parse(limit, offset string) Window {
	var w Window
	w.Limit, _ = parseInt(limit)
	if w.Limit <= 0 {
		w.Limit = l.byDefault()
	}
	w.Limit = min(w.Limit, l.maximum())
	w.Offset, _ = parseInt(offset)
	w.Offset = max(w.Offset, 0)
	return w
}

// Window returns the window that a query requests. It is the result of [Limits.Parse]
// for the last limit and the last offset in the query. For the zero Query it is the
// first page. Window does not allocate. O([Query.Len]).
func (l Limits) Window(q Query) Window {
	limit, _ := q.Get(limitName)
	offset, _ := q.Get(offsetName)
	return l.Parse(limit, offset)
}

func (l Limits) byDefault() int { return bound(l.Default, defaultLimit) }
func (l Limits) maximum() int   { return bound(l.Max, defaultMax) }

// bound returns the effective value of a field of Limits.
func bound(n, byDefault int) int {
	switch {
	case n < 0:
		return math.MaxInt
	case n == 0:
		return byDefault
	}
	return n
}

// parseInt is like strconv.Atoi, but allows white space around the number and returns
// the nearest int for a number out of range. Atoi cannot be used because it reports a
// number out of range without checking the characters that follow.
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
		if c < '0' || c > '9' {
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

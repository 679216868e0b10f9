package pagination

import (
	"math"
	"strings"
)

// What the service does when a program says nothing else.
const (
	defaultLimit = 21
	defaultMax   = 1000
)

// Limits bounds the size of pages. The zero value is ready to use: a page has 21
// records, or as many as the request asks for, up to 1000. A negative field means
// no limit.
type Limits struct {
	// Default is the page size for a request without a usable limit. If zero, it
	// is 21. If negative, the page is as large as Max allows.
	Default int
	// Max is the largest page size. A larger limit counts as Max, and so does a
	// larger Default; links then have Max. If zero, it is 1000.
	Max int
}

// Parse reads a window from the texts of a limit and an offset as they stand,
// decoded, in a query; "" if they do not. It never fails: a limit that is no
// number, zero or negative counts as Default, an offset that is no number or
// negative as 0.
//
// A number is ASCII digits, with a sign in front or not, and white space around
// it or not. One that is too big for an int counts as [math.MaxInt]. DRF takes
// whatever Python's int does, and agrees but for that. The cost is O(length of
// the texts), without allocation.
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

// Window reads the window that a query asks for, from the last limit and the
// last offset in it, as [Limits.Parse] does. Of the zero Query that is the first
// page. The cost is O([Query.Len]), without allocation.
func (l Limits) Window(q Query) Window {
	limit, _ := q.Get(limitName)
	offset, _ := q.Get(offsetName)
	return l.Parse(limit, offset)
}

func (l Limits) byDefault() int { return bound(l.Default, defaultLimit) }
func (l Limits) maximum() int   { return bound(l.Max, defaultMax) }

// bound returns the number that a field of Limits stands for.
func bound(n, byDefault int) int {
	switch {
	case n < 0:
		return math.MaxInt
	case n == 0:
		return byDefault
	}
	return n
}

// parseInt is strconv.Atoi with white space around, and with the nearest int for
// a number out of range. Atoi itself will not do: it stops reading where the
// range ends, and so does not see what is wrong behind.
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
			n = math.MaxInt // and stays so, whatever digits follow
			continue
		}
		n = n*10 + d
	}
	if negative {
		n = -n
	}
	return n, true
}

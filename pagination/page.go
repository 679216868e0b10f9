package pagination

import (
	"math"
	"net/url"
	"strings"
)

// A Window is a part of a list: at most Limit items after the first Offset items.
// The zero Window is the whole list.
//
// A Limit of zero or less means no limit, and a negative Offset counts as 0. A Window
// without a limit has no next or previous link. The methods of [Limits] return only
// windows with a positive Limit and an Offset of at least 0.
type Window struct {
	Limit, Offset int
}

// Bounds returns the indexes of the window's items in a list of count items: from
// start up to but not including end. It guarantees 0 <= start <= end <= count. If
// Offset is past the end of the list, both are count. A negative count counts as 0.
// O(1).
func (w Window) Bounds(count int) (start, end int) {
	count = max(count, 0)
	start = min(max(w.Offset, 0), count)
	if w.Limit <= 0 {
		return start, count
	}
	// start+w.Limit may overflow, count-start cannot.
	return start, start + min(w.Limit, count-start)
}

// next returns the offset of the page after w, if there is one.
func (w Window) next(count int) (offset int, ok bool) {
	offset = max(w.Offset, 0)
	if w.Limit <= 0 || max(count, 0)-offset <= w.Limit {
		return 0, false
	}
	return offset + w.Limit, true
}

// previous returns the offset of the page before w, if there is one. It ignores the
// count: the page before a window far past the end may be past the end too, as in DRF.
func (w Window) previous() (offset int, ok bool) {
	if w.Limit <= 0 || w.Offset <= 0 {
		return 0, false
	}
	return max(w.Offset-w.Limit, 0), true
}

// The defaults of Limits.
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

// Parameters returns the names of the parameters that l reads: limit and offset.
func (l Limits) Parameters() []string { return []string{limitName, offsetName} }

// Window returns the window that a query requests, by its last limit and its last offset.
// It never fails: a limit that is absent or not a positive number counts as Default, and an
// offset that is absent, negative or not a number counts as 0. For the zero Query it is the
// first page.
//
// A number consists of ASCII digits, with an optional sign and optional white space
// around it. A number out of range for an int counts as [math.MaxInt]. DRF accepts the
// numbers that Python's int accepts, which include other digits and underscores.
//
// Window does not allocate. O(length of the query).
func (l Limits) Window(q Query) Window {
	limit, _ := q.Get(limitName)
	offset, _ := q.Get(offsetName)
	var w Window
	w.Limit, _ = parseInt(limit)
	if w.Limit <= 0 {
		w.Limit = bound(l.Default, defaultLimit)
	}
	w.Limit = min(w.Limit, bound(l.Max, defaultMax))
	w.Offset, _ = parseInt(offset)
	w.Offset = max(w.Offset, 0)
	return w
}

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

// Page returns the page of items that the query of a URL requests, bounded by l. A nil u is
// an empty URL, and nil items are an empty list.
//
// The links are absolute if u is. They contain the path of u as it is spelled in u, but
// not its fragment or user information. The URL of a server's request usually has no
// scheme and host. For absolute links, set both in a copy of it. If u has no host and
// its path begins with two slashes, the second slash is written as %2F in the links,
// because the path would otherwise begin with the name of another host.
//
// The records of the page share memory with items but have no spare capacity, so appending
// to them does not overwrite items. If items is nil, so are the records. The cost does not
// depend on the number of items: O(n log² n) for a query of n bytes.
func Page[T any](items []T, u *url.URL, l Limits) Envelope[T] {
	if u == nil {
		u = new(url.URL)
	}
	q := ParseQuery(u.RawQuery)
	w := l.Window(q)
	start, end := w.Bounds(len(items))
	page := Envelope[T]{Count: len(items), Records: items[start:end:end]}
	page.Next, page.Previous = Links(baseOf(*u), q, w, len(items))
	return page
}

// baseOf returns the URL without its query, fragment and user information.
func baseOf(u url.URL) string {
	u.User = nil
	u.RawQuery, u.ForceQuery = "", false
	u.Fragment, u.RawFragment = "", ""
	base := u.String()
	// url.URL does not escape such a path, although it parses as a host.
	if path, found := strings.CutPrefix(base, "//"); found && u.Host == "" {
		return "/%2F" + path
	}
	return base
}

package pagination

import (
	"cmp"
	"strconv"
	"strings"
	"unicode"
)

// A Style is a way to divide lists into pages: [Limits], [Numbers] or [Cursors].
type Style interface {
	// Parameters returns the names of the parameters of a query that determine the page,
	// besides those that select and order records.
	Parameters() []string
}

// Numbers divides lists into pages with numbers, as PageNumberPagination of DRF does. The zero
// value is ready to use: the parameter page has the number of a page of 21 records.
//
// A page number is a [Window], so everything that reads a window of a list can serve it.
type Numbers struct {
	// Limits bounds the size of pages. A request determines it only if Size is set.
	Limits Limits
	// Page is the name of the parameter with the number of the page, which begins at 1. If
	// empty, it is page.
	Page string
	// Size is the name of the parameter with the size of the page, such as page_size. If
	// empty, all pages have the default size.
	Size string
	// Blank determines that an empty number is that of the first page, as in DRF 3.18. If false,
	// there is no such page, as in 3.14.
	Blank bool
}

// Parameters returns the names of the parameters that n reads: Page, and Size if it is set.
func (n Numbers) Parameters() []string { return withSize(n.page(), n.Size) }

// Window returns the window of the page that a query requests in a list of count items. If the
// query has no page, it is the first one. The page last is the last one. The first page of an
// empty list is empty. A negative count counts as 0.
//
// ok is false if the page is not a number or if there is no such page, to which DRF responds
// with 404 and the detail "Invalid page.". The last value of each parameter counts. A size that
// is absent or not a positive number counts as the default size, and a large one as Limits.Max.
//
// If the count is not known yet, call Window with [math.MaxInt], read that window together with
// the count, and call Window with the count. If the result differs, the query requests the last
// page, which remains to be read.
//
// A number is as Python's int accepts it: digits of any script, with an optional sign, white
// space around it, and single underscores between digits. O(length of the query).
func (n Numbers) Window(q Query, count int) (w Window, ok bool) {
	w.Limit = n.Limits.size(q, n.Size)
	last, page := max(count-1, 0)/w.Limit+1, 1
	switch text, sent := q.Get(n.page()); {
	case text == "last":
		page = last
	case sent && (text != "" || !n.Blank):
		page, _ = parsePython(text)
	}
	if page < 1 || page > last {
		return Window{}, false
	}
	w.Offset = (page - 1) * w.Limit
	return w, true
}

// Links returns the URLs of the pages after and before a window that Window returned for a list
// of count records. A URL is "" if there is no such page. The base and q are as for [Links]:
// the URL of the list without query, and the query of the request, of which only the page is
// replaced. The link to the first page has no page, and no '?' if no parameter is left.
func (n Numbers) Links(base string, q Query, w Window, count int) (next, previous string) {
	if offset, ok := w.next(count); ok {
		next = replaced(base, q, n.page(), strconv.Itoa(offset/w.Limit+1))
	}
	switch offset, ok := w.previous(); {
	case ok && offset > 0:
		previous = replaced(base, q, n.page(), strconv.Itoa(offset/w.Limit+1))
	case ok:
		previous = replaced(base, q, n.page())
	}
	return next, previous
}

func (n Numbers) page() string { return cmp.Or(n.Page, "page") }

func withSize(name, size string) []string {
	if size == "" {
		return []string{name}
	}
	return []string{name, size}
}

// size returns the size of the page that a query requests with a parameter, which may be "".
func (l Limits) size(q Query, name string) (size int) {
	if name != "" {
		text, _ := q.Get(name)
		size, _ = parsePython(text)
	}
	if size <= 0 {
		size = bound(l.Default, defaultLimit)
	}
	return min(size, bound(l.Max, defaultMax))
}

// replaced returns a URL with the pairs of q, in which those with a name are replaced by ones
// with the values.
func replaced(base string, q Query, name string, values ...string) string {
	var room [fewPairs]pair
	before, after := cut(q.sorted(room[:0]), name)
	dst := appendPairs(append([]byte(base), '?'), before)
	for _, value := range values {
		dst = appendPairs(dst, []pair{{name, value}})
	}
	dst = appendPairs(dst, after)
	return string(dst[:len(dst)-1]) // without the last '&', or the '?'
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

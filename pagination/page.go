package pagination

import (
	"math"
)

// A Style is a way to divide lists into pages, [Limits], [Numbers] or [Cursors], or not at all, [Whole].
// A nil Style is Limits{}. The functions of a style do not modify their arguments, except that [AppendLink] uses the
// spare capacity of dst.
type Style interface {
	traits() Traits
	bounded(l Limits) Style
	place(q Query, count int) (p Place, ok bool)
	neighbours(p Place, count int, position func(i int) string) (next, previous Place)
	appendLink(dst []byte, q Query, to Place) []byte
}

func styleOf(s Style) Style {
	if s == nil {
		return Limits{}
	}
	return s
}

// TraitsOf returns what is known of a style. O(1).
func TraitsOf(s Style) Traits { return styleOf(s).traits() }

// Bounded returns the style with other bounds of the size of pages. O(1).
func Bounded(s Style, l Limits) Style { return styleOf(s).bounded(l) }

// Requested returns the place of the page that a query requests in a list of count records. If the
// query requests none, it is the first page. The last value of each parameter counts. A size
// that is absent or not a positive number counts as the default size, and a large one as the
// largest. A negative count counts as 0.
//
// ok is false if there is no such page, to which DRF responds with 404: a page of [Numbers] that is
// not a number or past the last, or an invalid cursor. If the count is not known yet, call Requested
// with [math.MaxInt], read the page together with the count, and call Requested with the count. If the
// result differs, the query requests the last page, which remains to be read. O(length of the query).
func Requested(s Style, q Query, count int) (p Place, ok bool) { return styleOf(s).place(q, count) }

// Neighbours returns the places of the pages after and before a page. A place without a Limit
// means that there is no such page.
//
// If the pages are Counted, count is the number of records in the list, and position is not
// called. The page before one far past the end may be past the end too, as in DRF. Otherwise count is
// the number of records that were read, at most Limit and one more, and position returns the position
// of record i of them, in the order in which they were read. O(Limit) calls of position, but few if
// positions differ.
func Neighbours(s Style, p Place, count int, position func(i int) string) (next, previous Place) {
	return styleOf(s).neighbours(p, count, position)
}

// AppendLink appends the query of the link to a page, with its '?', to dst, which ends with the
// URL of the list, and returns the extended slice. The link contains the parameters of q, the
// query of the request, encoded as by [Query.Encode], except that the parameters of the page
// replace the ones in q. If no parameter is left, it appends nothing.
//
// AppendLink does not allocate if dst has room for the link and q has few pairs. O(len) to
// encode, plus O(n log² n) to sort n pairs.
func AppendLink(dst []byte, s Style, q Query, to Place) []byte {
	return styleOf(s).appendLink(dst, q, to)
}

// Traits describes a [Style] to packages that serve, document or test pages.
type Traits struct {
	// Place and Size are the names of the parameters of a query with the place and the size of a
	// page. If Size is empty, requests do not determine the size. If Place is empty, there are no pages.
	Place, Size string

	// Default is the size of a page of which no size is requested, and Max the largest size, which
	// is [math.MaxInt] if there is no limit.
	Default, Max int

	// Members are the names of the members of the JSON of a page, in their order: those of count, next,
	// previous and results that it has. If nil, the JSON is an array of all records, of which there are
	// at most Max.
	Members []string

	// Counted reports whether pages begin after a number of records. Otherwise they begin at a
	// position of the order, which only links have, and a page needs one more record than its size.
	Counted bool

	// Anywhere reports whether a page can begin at any record: the place is the number of records
	// before it.
	Anywhere bool

	// About describes the parameter Place, in a sentence.
	About string

	// NoPage is the detail of the 404 with which DRF responds if there is no such page.
	NoPage string
}

// A Place is where a page begins and how many records it has: at most Limit, after the first Offset
// records of the list. If the place is Positioned, only records after Position count, in the direction
// of the place.
type Place struct {
	Window
	// Position is the text of the first field of the order in some record, as Python's str
	// writes it. In the records of the page, the field is after it.
	Position string
	// Positioned reports whether there is a Position, which may be empty text. Otherwise the
	// page begins at the start of the list, or at its end if Reverse is set.
	Positioned bool
	// Reverse is set if the records are read in the reverse of the order: the page ends
	// before Position.
	Reverse bool
	// Token, if not empty, replaces Position. It is text by which the program finds the record
	// after which the page begins or, if Reverse is set, before which it ends. A cursor contains
	// it unchanged.
	Token string
	// Inexact is set by [Neighbours] if the page, as in DRF, leaves out or repeats some of the
	// records that follow. Links do not contain it.
	Inexact bool
}

// at returns the place of the page of limit records after the first offset.
func at(limit, offset int) Place { return Place{Window: Window{limit, offset}} }

// Link returns the URL of a page, or "" if to has no Limit. The base is the URL of the list without
// query and fragment. It is copied unchanged, so the link is absolute if base is. The rest is as
// [AppendLink] appends it.
func Link(base string, s Style, q Query, to Place) string {
	if to.Limit <= 0 {
		return ""
	}
	return string(AppendLink(append(make([]byte, 0, len(base)+128), base...), s, q, to))
}

// A Window is a part of a list: at most Limit items after the first Offset items.
// The zero Window is the whole list.
//
// A Limit of zero or less means no limit, and a negative Offset counts as 0.
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

// The parameters of Limits.
const (
	limitName  = "limit"
	offsetName = "offset"
)

// The defaults of Limits.
const (
	defaultLimit = 21
	defaultMax   = 1000
)

// Limits divides lists into pages that begin at any record, as LimitOffsetPagination of DRF does,
// and bounds the size of pages of all styles. The zero value is ready to use: a page has as many
// records as the parameter limit asks for, at most 1000, or 21 without it, after as many as the
// parameter offset says. A negative field means no limit.
//
// No query is invalid: a limit that is not a positive number counts as absent, and an offset that is
// negative or not a number as 0. A number consists of ASCII digits, with an optional sign and optional
// white space around it. One out of range for an int counts as [math.MaxInt]. DRF accepts the
// numbers that Python's int accepts, which include other digits and underscores.
type Limits struct {
	// Default is the page size for a request without a valid limit. If zero, it
	// is 21. If negative, the page is as large as Max allows.
	Default int
	// Max is the largest page size. A larger limit or Default counts as Max, and
	// links contain Max. If zero, it is 1000.
	Max int
}

// size returns the size of a page of which n records are requested.
func (l Limits) size(n int) int {
	if n <= 0 {
		n = bound(l.Default, defaultLimit)
	}
	return min(n, bound(l.Max, defaultMax))
}

// requested returns the size of the page that a query requests with a parameter, which may be "".
func (l Limits) requested(q Query, name string) (size int) {
	if name != "" {
		text, _ := q.Get(name)
		size, _ = parsePython(text)
	}
	return l.size(size)
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

func (l Limits) traits() Traits {
	return l.bounding(Traits{Place: offsetName, Size: limitName, Members: counted(), Counted: true, Anywhere: true, About: "The number of records to skip."})
}

// counted returns the members of a page with a count.
func counted() []string { return []string{"count", "next", "previous", "results"} }

func (Limits) bounded(l Limits) Style { return l }

// bounding returns the traits of a style whose sizes are bounded by l.
func (l Limits) bounding(t Traits) Traits {
	t.Default, t.Max = l.size(0), l.size(math.MaxInt)
	return t
}

func (l Limits) place(q Query, _ int) (p Place, ok bool) {
	limit, _ := q.Get(limitName)
	offset, _ := q.Get(offsetName)
	size, _ := parseInt(limit)
	start, _ := parseInt(offset)
	return at(l.size(size), max(start, 0)), true
}

// neighbours returns the places beside one that begins at an offset.
func (Limits) neighbours(p Place, count int, _ func(int) string) (next, previous Place) {
	offset := max(p.Offset, 0)
	if p.Limit > 0 && max(count, 0)-offset > p.Limit {
		next = at(p.Limit, offset+p.Limit)
	}
	if p.Limit > 0 && offset > 0 {
		previous = at(p.Limit, max(offset-p.Limit, 0))
	}
	return next, previous
}

// appendLink appends no offset for the first page.
func (l Limits) appendLink(dst []byte, q Query, to Place) []byte {
	return appendLink(dst, q, ownPair{name: limitName, number: to.Limit, set: true}, ownPair{name: offsetName, number: to.Offset, set: to.Offset > 0})
}

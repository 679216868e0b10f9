package pagination

import "strconv"

// The parameters of Limits.
const (
	limitName  = "limit"
	offsetName = "offset"
)

// Traits returns what is known of the style.
func (l Limits) Traits() Traits {
	return Traits{Place: offsetName, Size: limitName, Limits: l, Counted: true, Anywhere: true, About: "The number of records to skip."}
}

// Sized returns other.
func (l Limits) Sized(other Limits) Style { return other }

// Lenient returns l, of which no query is invalid.
func (l Limits) Lenient() Style { return l }

// Place returns the page that a query requests, by its last limit and its last offset, whatever
// the count is. It never fails: a limit that is absent or not a positive number counts as
// Default, and an offset that is absent, negative or not a number counts as 0.
//
// A number consists of ASCII digits, with an optional sign and optional white space
// around it. A number out of range for an int counts as [math.MaxInt]. DRF accepts the
// numbers that Python's int accepts, which include other digits and underscores.
//
// Place does not allocate. O(length of the query).
func (l Limits) Place(q Query, _ int) (p Place, ok bool) {
	limit, _ := q.Get(limitName)
	offset, _ := q.Get(offsetName)
	size, _ := parseInt(limit)
	start, _ := parseInt(offset)
	return Place{l.size(size), Cursor{Offset: max(start, 0)}}, true
}

// Neighbours returns the places of the pages after and before a page in a list of count records.
// The page before one past the end starts one limit before it and may be past the end too, as in
// DRF.
func (l Limits) Neighbours(p Place, count int, _ func(int) string) (next, previous Place) {
	return p.beside(count)
}

// AppendLink appends the query of the link to a page, with its limit and its offset. The first page
// has no offset.
func (l Limits) AppendLink(dst []byte, q Query, to Place) []byte {
	return appendLink(dst, q, ownPair{pair{limitName, strconv.Itoa(to.Limit)}, true}, ownPair{pair{offsetName, strconv.Itoa(to.Offset)}, to.Offset > 0})
}

package pagination

import (
	"cmp"
	"strconv"
)

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

// Traits returns what is known of the style.
func (n Numbers) Traits() Traits {
	return Traits{Place: n.page(), Size: n.Size, Limits: n.Limits, Counted: true, About: "The number of the page, or last.", NoPage: "Invalid page."}
}

// Sized returns n with other Limits.
func (n Numbers) Sized(l Limits) Style {
	n.Limits = l
	return n
}

// Lenient returns n with Blank set.
func (n Numbers) Lenient() Style {
	n.Blank = true
	return n
}

// Place returns the page that a query requests in a list of count records. The first page of an
// empty list is empty. The page last is the last one. ok is false if the page is not a number or if
// there is no such page.
//
// A number is as Python's int accepts it: digits of any script, with an optional sign, white
// space around it, and single underscores between digits. O(length of the query).
func (n Numbers) Place(q Query, count int) (p Place, ok bool) {
	size := n.Limits.requested(q, n.Size)
	last, page := max(count-1, 0)/size+1, 1
	switch text, sent := q.Get(n.page()); {
	case text == "last":
		page = last
	case sent && (text != "" || !n.Blank):
		page, _ = parsePython(text)
	}
	if page < 1 || page > last {
		return Place{}, false
	}
	return Place{size, Cursor{Offset: (page - 1) * size}}, true
}

// Neighbours returns the places of the pages after and before a page in a list of count records.
func (n Numbers) Neighbours(p Place, count int, _ func(int) string) (next, previous Place) {
	return p.beside(count)
}

// AppendLink appends the query of the link to a page. The first page has no number, and the size
// remains that of q.
func (n Numbers) AppendLink(dst []byte, q Query, to Place) []byte {
	number := to.Offset/max(to.Limit, 1) + 1
	return appendLink(dst, q, ownPair{pair{n.page(), strconv.Itoa(number)}, number > 1})
}

func (n Numbers) page() string { return cmp.Or(n.Page, "page") }

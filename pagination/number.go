package pagination

import (
	"cmp"
)

// Numbers divides lists into pages with numbers, as PageNumberPagination of DRF does. The zero
// value is ready to use: the parameter page has the number of a page of 21 records.
//
// A page number is a [Window], so everything that reads a window of a list can serve it. The page
// last is the last one, and the first page of an empty list is empty. A number is as Python's int
// accepts it: digits of any script, with an optional sign, white space around it, and single
// underscores between digits.
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

func (n Numbers) traits() Traits {
	return n.Limits.bounding(Traits{Place: n.page(), Size: n.Size, Members: counted(), Counted: true, About: "The number of the page, or last.", NoPage: "Invalid page."})
}

func (n Numbers) bounded(l Limits) Style {
	n.Limits = l
	return n
}

func (n Numbers) place(q Query, count int) (p Place, ok bool) {
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
	return at(size, (page-1)*size), true
}

func (n Numbers) neighbours(p Place, count int, _ func(int) string) (next, previous Place) {
	return n.Limits.neighbours(p, count, nil)
}

// appendLink appends no number for the first page. The size remains that of q.
func (n Numbers) appendLink(dst []byte, q Query, to Place) []byte {
	number := to.Offset/max(to.Limit, 1) + 1
	return appendLink(dst, q, ownPair{name: n.page(), number: number, set: number > 1})
}

func (n Numbers) page() string { return cmp.Or(n.Page, "page") }

package pagination

// Whole is a list without pages, as in DRF without a pagination class. The zero value is ready to use:
// the body is a JSON array of all records, of at most 10,000, and no [Envelope]. No parameter of a query
// is one of a page, and there are no links.
//
// The place that [Requested] returns has all records and, as Limit, the most that are sent. A server
// compares it with the count, and responds to a request for a longer list with an error: a part of a
// list would look like the whole. Package httpapi does so with 400.
type Whole struct {
	// Max is the largest number of records of a list. If zero, it is 10,000. If negative, there is no
	// limit, and a client can ask for a response of any size.
	Max int
}

// defaultWhole is the default of Max.
const defaultWhole = 10_000

func (w Whole) traits() Traits {
	most := bound(w.Max, defaultWhole)
	return Traits{Default: most, Max: most, Counted: true, Anywhere: true, About: "There are no pages."}
}

func (Whole) bounded(l Limits) Style { return Whole{l.Max} }

func (w Whole) place(Query, int) (p Place, ok bool) { return at(bound(w.Max, defaultWhole), 0), true }

func (Whole) neighbours(Place, int, func(int) string) (next, previous Place) { return next, previous }

func (Whole) appendLink(dst []byte, q Query, _ Place) []byte { return appendLink(dst, q) }

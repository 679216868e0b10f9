package pagination

// Whole is a list without pages, the default of DRF: a response is a JSON array of all records. The
// parameters of other styles have no effect.
type Whole struct {
	// Max is the largest number of records of a list. A list of more is not sent, in whole or in part:
	// the request is an error. If zero, it is 10,000. If negative, there is no limit.
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

package cataloguetest

import "time"

// pathology is something that a client of a paginated service meets sooner or later.
type pathology struct {
	name    string
	records int // in the collection
	breaks  []placed
	deletes bool // the first record, before the second page

	timeout   time.Duration // of the client's context, if it is not the usual one
	cancelled bool          // before it begins

	right  verdict
	advice string // what to do if it goes wrong
}

// Sizes of collections. Pages have pageSize records.
const (
	fewRecords  = 25 // two pages and a half
	mostRecords = 95
)

// requests is how much a client may ask: a record at a time, each again and again,
// but not for ever.
func (p *pathology) requests() int {
	pages := max((p.records+pageSize-1)/pageSize, 1)
	return 50 * pages
}

// always, on the second page alone, on the third alone, and from the second page on;
// a page here is a request for one, whichever it is.
func always(f Fault) placed     { return placed{Where{Method: "GET"}, f} }
func second(f Fault) placed     { return placed{Where{Method: "GET", Nth: 2}, f} }
func third(f Fault) placed      { return placed{Where{Method: "GET", Nth: 3}, f} }
func fromSecond(f Fault) placed { return placed{Where{Method: "GET", After: 1}, f} }

// pathologies are all of them, in the order in which they are best understood.
func pathologies() []pathology {
	var all []pathology
	all = append(all, healthyOnes()...)
	all = append(all, brokenAnswers()...)
	all = append(all, brokenConnections()...)
	all = append(all, lyingLinks()...)
	return append(all, lyingPages()...)
}

// healthyOnes are no pathologies, but what else goes wrong.
func healthyOnes() []pathology {
	const (
		stop  = "it must end with the page whose next is null, and return what came"
		links = "pages may have fewer records than were asked for: go on where next leads, or by as many records as came, until next is null"
	)
	return []pathology{
		{name: "several-pages", records: fewRecords, advice: links},
		{name: "many-pages", records: mostRecords, advice: links},
		{name: "full-pages", records: 2 * pageSize, advice: stop},
		{name: "one-full-page", records: pageSize, advice: stop},
		{name: "one-record", records: 1, advice: stop},
		{name: "empty", records: 0, advice: "a collection without records is no error: its count is 0 and its results are []"},
	}
}

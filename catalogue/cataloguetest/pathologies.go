package cataloguetest

import "time"

// A pathology is a behaviour of a paginated service that clients must handle.
type pathology struct {
	name    string
	records int // in the collection
	breaks  []scopedFault
	deletes bool // delete the first record before the second page is served

	timeout   time.Duration // of the client's context; 0: the default
	cancelled bool          // cancel the context before the call

	want   verdict
	remedy string // what to do if the client fails
}

// Sizes of collections. Pages have pageSize records.
const (
	fewRecords  = 25 // two and a half pages
	mostRecords = 95
)

// requestLimit is the number of requests that a client may send. It suffices to
// fetch single records and to retry each several times.
func (p *pathology) requestLimit() int {
	pages := max((p.records+pageSize-1)/pageSize, 1)
	return 50 * pages
}

// These functions apply a fault to all pages, to the second or third page only, and
// to the second and all later pages. Pages are counted in the order of the requests.

func always(f Fault) scopedFault     { return scopedFault{Where{Method: "GET"}, f} }
func second(f Fault) scopedFault     { return scopedFault{Where{Method: "GET", Nth: 2}, f} }
func third(f Fault) scopedFault      { return scopedFault{Where{Method: "GET", Nth: 3}, f} }
func fromSecond(f Fault) scopedFault { return scopedFault{Where{Method: "GET", After: 1}, f} }

// pathologies returns all pathologies, simple ones first.
func pathologies() []pathology {
	var all []pathology
	all = append(all, healthyServices()...)
	all = append(all, wrongResponses()...)
	all = append(all, brokenConnections()...)
	all = append(all, wrongLinks()...)
	return append(all, wrongPages()...)
}

// healthyServices are services without a fault. In one, format=api is that of Django REST
// framework.
func healthyServices() []pathology {
	return []pathology{
		{name: simplest, records: fewRecords, remedy: remedyLinks},
		{name: "many-pages", records: mostRecords, remedy: remedyLinks},
		{name: "full-pages", records: 2 * pageSize, remedy: remedyLast},
		{name: "one-full-page", records: pageSize, remedy: remedyLast},
		{name: "one-record", records: 1, remedy: remedyLast},
		{name: "browsable-api", records: fewRecords, breaks: []scopedFault{always(BrowsableAPI())}, remedy: remedyFormat},
		{name: "empty", records: 0, remedy: remedyEmpty},
	}
}

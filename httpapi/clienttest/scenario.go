package clienttest

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/pagination"
)

// A scenario is what happens at a service while a client uses it once.
type scenario struct {
	records int // of the collection at the start
	limit   int // default and maximum limit of a page
	order   int // seed of the order of concurrent requests and responses; 0: that of their URLs
	steps   []step

	// Of situations only.
	collection string // key of the only collection whose requests count; empty: all requests do
	cancelled  bool   // the context is cancelled before the call
}

// A step is one event of a scenario.
type step struct {
	kind kind
	at   int  // number of the request at which it happens, from 1
	rest bool // it happens at all later requests, too
	arg  int  // of the kind, from 0 to 255
}

const maxSteps = 3

// permits reports whether a step can be added. A page that is wrong cannot be told from a
// page that is right after a write, nor from another one that is wrong to match it. So
// scenarios with such a page have only one, and no writes. If pages are apart and cannot overlap, no
// client notices all effects of two writes.
func (s *scenario) permits(st step, apart bool) bool {
	return !slices.ContainsFunc(s.steps, func(other step) bool {
		wrong, writes := st.kind.wrongPage || other.kind.wrongPage, st.kind.write != nil && other.kind.write != nil
		return wrong && st.kind.class() > 0 && other.kind.class() > 0 || writes && apart
	})
}

// generate returns the scenario of a seed, with events of some kinds and at most the given number of
// records. It depends on nothing else.
func generate(seed uint64, kinds []kind, records int, apart bool) scenario {
	rng := rand.New(rand.NewPCG(seed, 0x5701))
	s := scenario{
		records: rng.IntN(records + 1),
		limit:   leastLimit + rng.IntN(mostLimit-leastLimit+1),
		order:   rng.IntN(256),
	}
	requests := s.records/s.limit + 2    // about as many as a client sends
	if class := rng.IntN(4); class < 3 { // events of one class, or of all
		kinds = slices.DeleteFunc(slices.Clone(kinds), func(k kind) bool { return k.class() != class })
	}
	for n := rng.IntN(maxSteps + 1); n > 0 && len(kinds) > 0; n-- {
		st := step{kind: kinds[rng.IntN(len(kinds))], at: 1 + rng.IntN(requests), rest: rng.IntN(4) == 0, arg: rng.IntN(256)}
		st.rest = st.rest && st.kind.write == nil
		if s.permits(st, apart) {
			s.steps = append(s.steps, st)
		}
	}
	return s
}

// String describes the scenario in one line.
func (s scenario) String() string {
	text := fmt.Sprintf("%d records in pages of %d", s.records, s.limit)
	if s.records == 1 {
		text = fmt.Sprintf("1 record in pages of %d", s.limit)
	}
	if s.order > 0 {
		text += fmt.Sprintf("; order %d", s.order)
	}
	for _, st := range s.steps {
		text += fmt.Sprintf("; request %d", st.at)
		if st.rest {
			text += " and later"
		}
		text += ": " + st.kind.name
	}
	return text
}

// A kind is a kind of step. It has either faults or a write.
type kind struct {
	name      string
	faults    func(arg int) []cataloguetest.Fault // of the request
	wrongPage bool                                // the page is wrong, though it may not look so
	// write returns the records after a write, given the records before it.
	write   func(before state, arg int) state
	ofFirst bool   // the argument is the first record of the page, which is sent before the write
	remedy  string // what to do if the client fails because of it
}

// class returns 0 for errors, 1 for wrong pages, and 2 for writes.
func (k *kind) class() int {
	switch {
	case k.wrongPage:
		return 1
	case k.write != nil:
		return 2
	}
	return 0
}

// kinds returns the kinds of all steps at pages of a form. Their order determines the scenario of a
// seed.
func (f form) kinds() []kind {
	return slices.Concat(errorKinds(), connectionKinds(), f.wrongPageKinds(), writeKinds())
}

// withArg makes the faults of a step from its argument.
func withArg(fault func(arg int) cataloguetest.Fault) func(int) []cataloguetest.Fault {
	return func(arg int) []cataloguetest.Fault { return []cataloguetest.Fault{fault(arg)} }
}

// withoutArg returns a function that ignores the argument of a step.
func withoutArg(faults ...cataloguetest.Fault) func(int) []cataloguetest.Fault {
	return func(int) []cataloguetest.Fault { return faults }
}

// failure returns the body of a response with an error.
func failure(status int) string { return fmt.Sprintf(`{"detail":%q}`, http.StatusText(status)) }

func errorKinds() []kind {
	failed := failure(http.StatusInternalServerError)
	again := func(status int, after int) []cataloguetest.Fault {
		return []cataloguetest.Fault{cataloguetest.Status(status, failure(status)), cataloguetest.Header("Retry-After", strconv.Itoa(after))}
	}
	return []kind{
		{name: "status-500", faults: withoutArg(cataloguetest.Status(500, failed)), remedy: remedyStatus},
		{name: "status-404", faults: withoutArg(cataloguetest.Status(404, failure(404))), remedy: remedyStatus},
		{name: "status-503", faults: func(arg int) []cataloguetest.Fault { return again(503, arg%3) }, remedy: remedyStatus},
		{name: "status-429", faults: func(arg int) []cataloguetest.Fault { return again(429, min(arg, 1)) }, remedy: remedyStatus},
		{name: "error-with-status-200", faults: withoutArg(cataloguetest.Status(200, failed)), remedy: remedyShape},
		{name: "html-with-status-200", faults: withoutArg(cataloguetest.Status(200, gatewayPage)), remedy: remedyDecode},
		{name: "no-body-with-status-200", faults: withoutArg(cataloguetest.Status(200, "")), remedy: remedyDecode},
		{name: "wrong-content-type", faults: withoutArg(cataloguetest.Header("Content-Type", "text/html; charset=utf-8")), remedy: remedyContentType},
		{name: "redirect-to-other-host", faults: withoutArg(
			cataloguetest.Status(302, ""), cataloguetest.Header("Location", "https://"+otherHost+"/")), remedy: remedyRedirect},
		{name: "rate-limit", faults: withArg(func(arg int) cataloguetest.Fault { return cataloguetest.RateLimit(wait(arg)) }), remedy: remedyRate},
	}
}

// wait returns how long a rate limit lasts.
func wait(arg int) time.Duration { return time.Duration(1+arg%30) * time.Second }

// stall returns the fault of a service that stops before the response or, if the argument is odd,
// inside its body.
func stall(arg int) cataloguetest.Fault {
	if arg%2 == 0 {
		return cataloguetest.Delay(time.Hour)
	}
	return cataloguetest.Stall(16 * arg)
}

func connectionKinds() []kind {
	return []kind{
		{name: "delay", faults: withArg(func(arg int) cataloguetest.Fault { return cataloguetest.Delay(wait(arg)) }), remedy: remedyContext},
		{name: "stall", faults: withArg(stall), remedy: remedyContext},
		{name: "cut-before-header", faults: withoutArg(cataloguetest.ResetConnection()), remedy: remedyCut},
		{name: "cut-in-body", faults: withArg(func(arg int) cataloguetest.Fault { return cataloguetest.ResetAfter(16 * arg) }), remedy: remedyWhole},
		{name: "truncated-body", faults: withArg(func(arg int) cataloguetest.Fault { return cataloguetest.Truncate(16 * arg) }), remedy: remedyWhole},
	}
}

// wrongPageKinds returns the kinds of wrong pages.
func (f form) wrongPageKinds() []kind {
	return []kind{
		{name: "next-is-self", wrongPage: true, faults: withoutArg(cataloguetest.NextIsSelf()), remedy: remedyLoop},
		{name: "next-cycle", wrongPage: true, faults: withoutArg(nextCycle(f.Place)), remedy: remedyLoop},
		{name: "next-on-other-host", wrongPage: true, faults: withoutArg(nextHost()), remedy: remedyOrigin},
		{name: "next-without-tls", wrongPage: true, faults: withoutArg(nextWithoutTLS()), remedy: remedyOrigin},
		{name: "empty-pages-with-next", wrongPage: true, faults: withoutArg(f.emptyPageWithNext()), remedy: remedyEmptyPage},
		{name: "row-missing", wrongPage: true, faults: withoutArg(cataloguetest.MissingRow()), remedy: remedyCount},
		{name: "row-repeated", wrongPage: true, faults: withoutArg(cataloguetest.RepeatedRow()), remedy: remedyRepeated},
		{name: "row-repeated-for-another", wrongPage: true, faults: withoutArg(cataloguetest.RepeatedRow(), cataloguetest.MissingRow()), remedy: remedyRepeated},
		{name: "count-shrinks", wrongPage: true, faults: withArg(func(arg int) cataloguetest.Fault { return countShrinks(1 + arg%10) }), remedy: remedyShrinks},
	}
}

func writeKinds() []kind {
	return []kind{
		{name: "insert", write: state.insert, remedy: remedyWrites},
		{name: "delete", write: state.delete, remedy: remedyWrites},
	}
}

// deletion deletes the first record of a page after that is read. After the first page, the record that
// would have been the first of the second page moves to the end of the first one, and so the client
// sees it on neither.
func deletion() kind {
	return kind{name: "record-deleted", write: state.delete, ofFirst: true, remedy: remedyDeletion}
}

// gatewayPage is the body of a response of a proxy.
const gatewayPage = "<!doctype html><title>502 Bad Gateway</title><h1>Bad Gateway</h1>"

// otherHost is a host that no client should send a request to.
const otherHost = "elsewhere.example"

type envelope = pagination.Envelope[json.RawMessage]

// nextCycle makes the next link lead back to the first page, on the last page as well.
func nextCycle(place string) cataloguetest.Fault {
	return cataloguetest.Page(func(r *http.Request, page *envelope) { page.Next = linkTo(r, place, "") })
}

// nextHost makes the next link lead to another host.
func nextHost() cataloguetest.Fault {
	return cataloguetest.Page(func(_ *http.Request, page *envelope) {
		if u, err := url.Parse(page.Next); err == nil && page.Next != "" {
			u.Host = otherHost
			page.Next = u.String()
		}
	})
}

// nextWithoutTLS makes the next link lead to the same host without encryption.
func nextWithoutTLS() cataloguetest.Fault {
	return cataloguetest.Page(func(_ *http.Request, page *envelope) {
		page.Next = strings.Replace(page.Next, "https://", "http://", 1)
	})
}

// emptyPageWithNext removes all records of a page that has a next link. If pages have offsets, it
// makes the next link lead to what follows the records, past the end of the list as well.
func (f form) emptyPageWithNext() cataloguetest.Fault {
	return cataloguetest.Page(func(r *http.Request, page *envelope) {
		if f.Anywhere {
			offset, _ := strconv.Atoi(r.URL.Query().Get(f.Place))
			page.Next = linkTo(r, f.Place, strconv.Itoa(offset+max(len(page.Records), 1)))
		}
		if page.Next != "" {
			page.Records = nil
		}
	})
}

// countShrinks reduces the count by the given number on the first page, by twice that number
// on the second, and so on, but not below 0.
func countShrinks(by int) cataloguetest.Fault {
	var pages atomic.Int64
	return cataloguetest.Page(func(_ *http.Request, page *envelope) {
		page.Count = max(page.Count-by*int(pages.Add(1)), 0)
	})
}

// linkTo returns a link to the page of the same list that begins at a place. If that is empty, it
// is the first one.
func linkTo(r *http.Request, place, at string) string {
	query := r.URL.Query()
	query.Set(place, at)
	if at == "" {
		query.Del(place)
	}
	u := url.URL{Scheme: "https", Host: r.Host, Path: r.URL.Path, RawQuery: query.Encode()}
	return u.String()
}

// match returns the requests at which a step happens.
func (s *scenario) match(st step) cataloguetest.Match {
	m := cataloguetest.Match{Nth: st.at}
	if st.rest {
		m.Times = math.MaxInt
	}
	if s.collection != "" {
		m.Method, m.Collection = http.MethodGet, s.collection
	}
	return m
}

// smaller returns scenarios that are smaller by one change, those first that are smallest.
func (s *scenario) smaller() (all []scenario) {
	if s.order > 0 {
		all = append(all, s.with(func(c *scenario) { c.order = 0 }))
	}
	for i := range s.steps {
		all = append(all, s.with(func(c *scenario) { c.steps = slices.Delete(c.steps, i, i+1) }))
	}
	for _, n := range lower(s.records) {
		if s.limit > leastLimit { // of few records, pages are small
			all = append(all, s.with(func(c *scenario) { c.records, c.limit = n, leastLimit }))
		}
		all = append(all, s.with(func(c *scenario) { c.records = n }))
	}
	for i, st := range s.steps {
		if st.rest {
			all = append(all, s.with(func(c *scenario) { c.steps[i].rest = false }))
		}
		for _, at := range lower(st.at - 1) {
			all = append(all, s.with(func(c *scenario) { c.steps[i].at = at + 1 }))
		}
		for _, arg := range lower(st.arg) {
			all = append(all, s.with(func(c *scenario) { c.steps[i].arg = arg }))
		}
	}
	return all
}

// lower returns numbers that are less than n, and at least 0.
func lower(n int) (all []int) {
	for _, m := range []int{0, 1, 2, 3, n / 2, n - 1} {
		if m >= 0 && m < n && !slices.Contains(all, m) {
			all = append(all, m)
		}
	}
	return all
}

// with returns a scenario with a change.
func (s *scenario) with(change func(*scenario)) scenario {
	c := *s
	c.steps = slices.Clone(s.steps)
	change(&c)
	return c
}

// Remedies for clients that fail a situation or a scenario. What is in braces is what the service has;
// see [form].
const (
	remedyStatus      = "check the status before the body, and return an error or retry if it is not 200; after the last attempt, return an error"
	remedyRate        = "wait as long as Retry-After says, or return an error"
	remedyShape       = "a body that is not a page is not the end of the list, even with status 200"
	remedyDecode      = "return the error of decoding the page"
	remedyContentType = "either return an error or accept the page"
	remedyRedirect    = "set CheckRedirect in a copy of the http.Client; the service redirects at most to itself"

	remedyContext = "create each request with the context (http.NewRequestWithContext), end each wait when the context ends, and return its error"
	remedyCut     = "return the error of the request, or retry"
	remedyWhole   = "return the error of reading or decoding the body, or retry; a partial body is not a page"

	remedyLinks     = "pages may have fewer records than requested, and a list may have none; follow {next}, or ask for what follows the records received, until the list ends"
	remedyIDs       = "return the ids of the collection that Options.Collection names, as the service shows them"
	remedyLoop      = "return an error if {next} leads to a page that has been read, or if a record occurs twice"
	remedyBusy      = "wait before a request is sent again, longer each time and at least as long as Retry-After says, and return an error after a few attempts"
	remedyOrigin    = "compare the scheme and host of {next} with those of the first page, and return an error if they differ"
	remedyEmptyPage = "return an error if a page has no records and leads to another"
	remedyCount     = "compare the number of records received with {count}, and return an error if they differ"
	remedyRepeated  = "keep the ids received, drop records that are repeated, and compare the number of those left with {count}"
	remedyShrinks   = "do not stop at {count} before the list ends, and return an error if {count} changes"
	remedyDeletion  = "if {count} changes, a record may have moved from one page to another; start again or return an error"

	remedyWrites = "records move to other pages when others are inserted or deleted, even if the count stays the same; order by id, begin each page with the last record of the page before it unless pages have numbers or cursors, and start again or return an error if that record is no longer there or {count} changes"
	remedyPanic  = "check each part of a response before using it"
	remedyClose  = "call resp.Body.Close for each response, whatever its status, for example in a defer statement; connections whose bodies are not closed are not reused"
	remedyBlock  = "end all goroutines of the call before it returns, and wait for nothing that may not happen without the context"
)

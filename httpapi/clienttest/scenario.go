package clienttest

import (
	"encoding/json"
	"fmt"
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
	most       int    // maximum limit of a page, if it is not limit
	collection string // key of the only collection whose requests count; empty: all requests do
	cancelled  bool   // the context is cancelled before the call
	advice     string // what to do if the client fails; empty: what to do because of a step
}

// A step is one event of a scenario.
type step struct {
	kind kind
	at   int  // number of the request at which it happens, from 1
	rest bool // it happens at all later requests, too
	arg  int  // of the kind, from 0 to 255
}

const (
	maxSteps   = 3
	maxAt      = 64
	leastLimit = 2 // less is no page size that clients must handle
	mostLimit  = 10
	headSize   = 2 // bytes before the first step
	stepSize   = 3 // bytes of a step
)

// A script decodes scenarios. All bytes are a scenario, so that a fuzzer can change them.
type script struct {
	kinds   []kind
	records int  // maximum at the start
	apart   bool // pages cannot overlap, so that no client notices all effects of two writes
}

// decode returns the scenario that some bytes encode: the number of records, the limit, and
// three bytes for each step. A last byte that belongs to no step is the order. Missing bytes are 0. A
// step that no client could handle together with those before it is left out.
func (sc *script) decode(text []byte) scenario {
	byteAt := func(i int) int {
		if i < len(text) {
			return int(text[i])
		}
		return 0
	}
	s := scenario{records: byteAt(0) % (sc.records + 1), limit: leastLimit + byteAt(1)%(mostLimit-leastLimit+1)}
	if rest := len(text) - headSize; rest > 0 && rest%stepSize > 0 {
		s.order = byteAt(len(text) - 1)
		text = text[:headSize+rest-rest%stepSize]
	}
	for i := headSize; i < len(text) && len(s.steps) < maxSteps && len(sc.kinds) > 0; i += stepSize {
		st := step{
			kind: sc.kinds[byteAt(i)%len(sc.kinds)],
			at:   1 + byteAt(i+1)&0x7f%maxAt,
			rest: byteAt(i+1) >= 0x80,
			arg:  byteAt(i + 2),
		}
		if st.kind.write != nil {
			st.rest = false
		}
		if s.permits(st) && !(sc.apart && st.kind.write != nil && s.writes()) {
			s.steps = append(s.steps, st)
		}
	}
	return s
}

func (sc *script) encode(s scenario) []byte {
	text := []byte{byte(s.records), byte(s.limit - leastLimit)}
	for _, st := range s.steps {
		at := byte(st.at - 1)
		if st.rest {
			at |= 0x80
		}
		i := slices.IndexFunc(sc.kinds, func(k kind) bool { return k.name == st.kind.name })
		text = append(text, byte(i), at, byte(st.arg))
	}
	if s.order > 0 {
		text = append(text, byte(s.order))
	}
	return text
}

// permits reports whether a step can be added. A page that is wrong cannot be told from a
// page that is right after a write, nor from another one that is wrong to match it. So
// scenarios with such a page have only one, and no writes.
func (s *scenario) permits(st step) bool {
	for _, other := range s.steps {
		if st.kind.wrongPage && (other.kind.wrongPage || other.kind.write != nil) || st.kind.write != nil && other.kind.wrongPage {
			return false
		}
	}
	return true
}

// generate returns the bytes of a scenario. They depend only on the seed and the script.
func (sc *script) generate(seed uint64) []byte {
	rng := rand.New(rand.NewPCG(seed, 0x5701))
	records, limit := rng.IntN(sc.records+1), rng.IntN(mostLimit-leastLimit+1)
	text := []byte{byte(records), byte(limit)}
	requests := records/(leastLimit+limit) + 2 // about as many as a client sends
	var of []int                               // the kinds of the scenario: one class, or all
	class := rng.IntN(4)
	for i, k := range sc.kinds {
		if class == 3 || class == k.class() {
			of = append(of, i)
		}
	}
	for n := rng.IntN(maxSteps + 1); n > 0 && len(of) > 0; n-- {
		at := byte(min(rng.IntN(requests), maxAt-1))
		if rng.IntN(4) == 0 {
			at |= 0x80
		}
		text = append(text, byte(of[rng.IntN(len(of))]), at, byte(rng.IntN(256)))
	}
	return append(text, byte(rng.IntN(256)))
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
	// harmless steps are no reason for a client to return an error.
	harmless bool
	// write returns the records after a write, given the records before it.
	write   func(before state, arg int) state
	ofFirst bool   // the argument is the first record of the first page
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
	return slices.Concat(f.errorKinds(), connectionKinds(), f.wrongPageKinds(), writeKinds())
}

// withArg makes the faults of a step from its argument.
func withArg(fault func(arg int) cataloguetest.Fault) func(int) []cataloguetest.Fault {
	return func(arg int) []cataloguetest.Fault { return []cataloguetest.Fault{fault(arg)} }
}

// withoutArg returns a function that ignores the argument of a step.
func withoutArg(faults ...cataloguetest.Fault) func(int) []cataloguetest.Fault {
	return func(int) []cataloguetest.Fault { return faults }
}

func (f form) errorKinds() []kind {
	failed := f.failure(http.StatusInternalServerError, "Internal server error.")
	return []kind{
		{name: "status-500", faults: withoutArg(cataloguetest.Status(500, failed)), remedy: remedyStatus},
		{name: "status-404", faults: withoutArg(cataloguetest.Status(404, f.failure(404, "Not found."))), remedy: remedyStatus},
		{name: "status-503", faults: withArg(func(arg int) cataloguetest.Fault {
			return cataloguetest.Unavailable(time.Duration(arg%3) * time.Second)
		}), remedy: remedyStatus},
		{name: "status-429", faults: func(arg int) []cataloguetest.Fault {
			return []cataloguetest.Fault{
				cataloguetest.Status(429, f.failure(429, "Request was throttled.")),
				cataloguetest.Header("Retry-After", strconv.Itoa(min(arg, 1))),
			}
		}, remedy: remedyStatus},
		{name: "error-with-status-200", faults: withoutArg(cataloguetest.Status(200, failed)), remedy: remedyShape},
		{name: "html-with-status-200", faults: withoutArg(cataloguetest.Status(200, gatewayPage)), remedy: remedyDecode},
		{name: "no-body-with-status-200", faults: withoutArg(cataloguetest.Status(200, "")), remedy: remedyDecode},
		{name: "wrong-content-type", faults: withoutArg(cataloguetest.Header("Content-Type", "text/html; charset=utf-8")), remedy: remedyContentType},
		{name: "redirect-to-other-host", faults: withoutArg(
			cataloguetest.Status(302, ""), cataloguetest.Header("Location", "https://"+otherHost+"/")), remedy: remedyRedirect},
		{name: "browsable-api", faults: withoutArg(cataloguetest.BrowsableAPI()), harmless: true, remedy: remedyFormat},
		{name: "rate-limit", faults: withArg(func(arg int) cataloguetest.Fault { return cataloguetest.RateLimit(wait(arg)) }), remedy: remedyRate},
		{name: "rate-limit-date", faults: withArg(func(arg int) cataloguetest.Fault { return cataloguetest.RateLimitDate(wait(arg)) }), remedy: remedyRate},
		{name: "tokens-expire", faults: withArg(func(int) cataloguetest.Fault { return cataloguetest.ExpireTokens() }), remedy: remedyToken},
	}
}

// wait returns how long a rate limit lasts.
func wait(arg int) time.Duration { return time.Duration(1+arg%30) * time.Second }

func connectionKinds() []kind {
	return []kind{
		{name: "delay", faults: withArg(func(arg int) cataloguetest.Fault { return cataloguetest.Delay(wait(arg)) }), remedy: remedyContext},
		{name: "stall", faults: withoutArg(cataloguetest.Delay(time.Hour)), remedy: remedyContext},
		{name: "slow-body", faults: withArg(func(arg int) cataloguetest.Fault { return cataloguetest.Throttle(100+8*arg, time.Millisecond) }), harmless: true, remedy: remedySlow},
		{name: "cut-before-header", faults: withoutArg(cataloguetest.ResetConnection()), remedy: remedyCut},
		{name: "cut-in-body", faults: withArg(func(arg int) cataloguetest.Fault { return cataloguetest.ResetAfter(16 * arg) }), remedy: remedyWhole},
		{name: "truncated-body", faults: withArg(func(arg int) cataloguetest.Fault { return cataloguetest.Truncate(16 * arg) }), remedy: remedyWhole},
	}
}

// wrongPageKinds returns the kinds of wrong pages.
func (f form) wrongPageKinds() []kind {
	return []kind{
		{name: "next-is-self", wrongPage: true, faults: withoutArg(cataloguetest.NextIsSelf()), remedy: remedyLoop},
		{name: "next-cycle", wrongPage: true, faults: withoutArg(nextCycle(f.place())), remedy: remedyLoop},
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
		{name: "swap", write: state.swap, remedy: remedySwap},
		{name: "load", write: state.load, remedy: remedyWrites},
	}
}

// deletion deletes the first record of the first page. After the first request, the record that
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
	place := f.place()
	return cataloguetest.Page(func(r *http.Request, page *envelope) {
		if f.anywhere() {
			offset, _ := strconv.Atoi(r.URL.Query().Get(place))
			page.Next = linkTo(r, place, strconv.Itoa(offset+max(len(page.Records), 1)))
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

func (s *scenario) writes() bool {
	return slices.ContainsFunc(s.steps, func(st step) bool { return st.kind.write != nil })
}

// match returns the requests at which a step happens.
func (s *scenario) match(st step) cataloguetest.Match {
	m := cataloguetest.Match{Nth: st.at}
	if st.rest {
		m = cataloguetest.Match{After: st.at - 1}
	}
	if s.collection != "" {
		m.Method, m.Collection = http.MethodGet, s.collection
	}
	return m
}

// A state is the state of a collection in a scenario. It is never changed.
type state struct {
	present  []bool // which records of the dataset exist
	contents []int  // whose contents each record has, by index; nil: its own
	swapped  [2]int // the records that the last write exchanged, if contents is not nil
}

// newState returns the state with n records: every second one of the dataset, so that
// others can be inserted between them, or the first if that are too many.
func newState(of, n int) state {
	s := state{present: make([]bool, of)}
	for i := range n {
		if 2*n <= of {
			i = 2*i + 1
		}
		s.present[i] = true
	}
	return s
}

// indexes returns the records that exist, or those that do not.
func (s state) indexes(present bool) (list []int) {
	for i, is := range s.present {
		if is == present {
			list = append(list, i)
		}
	}
	return list
}

// set returns a state in which a record exists or does not. All records have their own
// contents.
func (s state) set(i int, present bool) state {
	after := state{present: slices.Clone(s.present)}
	after.present[i] = present
	return after
}

// insert, delete, swap and load return the state after a write. The argument chooses the
// records.

func (s state) insert(arg int) state {
	absent := s.indexes(false)
	if len(absent) == 0 {
		return s
	}
	return s.set(absent[arg%len(absent)], true)
}

func (s state) delete(arg int) state {
	present := s.indexes(true)
	if len(present) == 0 {
		return s
	}
	return s.set(present[arg%len(present)], false)
}

// swap exchanges the contents of two records, except their ids.
func (s state) swap(arg int) state {
	present := s.indexes(true)
	n := len(present)
	if n < 2 {
		return s
	}
	a := arg % n
	b := (a + 1 + arg/n%(n-1)) % n
	after := state{present: s.present, swapped: [2]int{present[a], present[b]}}
	for i := range s.present {
		after.contents = append(after.contents, s.contentsOf(i))
	}
	after.contents[present[a]], after.contents[present[b]] = s.contentsOf(present[b]), s.contentsOf(present[a])
	return after
}

// load replaces all records by others. An argument below 128 replaces one of them only,
// so that their number stays the same; of the records that a greater one loads, about
// seven of eight have existed before.
func (s state) load(arg int) state {
	present, absent := s.indexes(true), s.indexes(false)
	if arg < 128 && len(present) > 0 && len(absent) > 0 {
		return s.set(present[arg%8%len(present)], false).set(absent[arg/8%len(absent)], true)
	}
	rng := rand.New(rand.NewPCG(uint64(arg), 0))
	after := state{present: make([]bool, len(s.present))}
	for i, is := range s.present {
		after.present[i] = is == (rng.IntN(8) > 0)
	}
	return after
}

// contentsOf returns the index of the record whose contents a record has.
func (s state) contentsOf(i int) int {
	if s.contents == nil {
		return i
	}
	return s.contents[i]
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
	// Larger pages are fewer requests.
	for _, limit := range []int{mostLimit, s.limit + 1} {
		if limit > s.limit && limit <= mostLimit && s.records > s.limit {
			all = append(all, s.with(func(c *scenario) { c.limit = limit }))
		}
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
	remedyStatus      = "check the status before the body, and return an error or retry if it is not 200"
	remedyRate        = "wait as long as Retry-After says, which may be a number of seconds or a date, or return an error"
	remedyToken       = "when a cursor or token is no longer valid, begin again at the first page and without the records received, or return an error"
	remedySkipped     = "after the last attempt, return an error; without one of its pages a list is not complete"
	remedyShape       = "a body {shape} is neither a page nor the end of the list, even with status 200"
	remedyDecode      = "return the error of decoding the page"
	remedyContentType = "either return an error or accept the page"
	remedyRedirect    = "set CheckRedirect in a copy of the http.Client; the service redirects at most to itself"
	remedyFormat      = "set the parameter format of the links of the root listing, which is api, to json, or build the URL without it"

	remedyContext = "create each request with the context (http.NewRequestWithContext), end each wait when the context ends, and return its error"
	remedySlow    = "a body may arrive in pieces; read all of it before decoding it"
	remedyCut     = "return the error of the request, or retry"
	remedyWhole   = "return the error of reading or decoding the body, or retry; a partial body is not a page"

	remedyLast      = "stop when {end}, and return the records received"
	remedyLinks     = "pages may have fewer records than requested; {walk}, until {end}"
	remedySizes     = "ask for the same size in all requests, and expect to get less: the size of a page of which none is requested may differ from the largest"
	remedyEmpty     = "a collection without records is not an error; {none}"
	remedyLoop      = "return an error if {next} leads to a page that has been read{twice}"
	remedyBusy      = "wait before a request is sent again, longer each time and at least as long as Retry-After says, and return an error after a few attempts"
	remedyOrigin    = "compare the scheme and host of {next} with those of the first page, and return an error if they differ"
	remedyEmptyPage = "return an error if a page has no records and leads to another{fewer}"
	remedyCount     = "compare the number of records received with {count}, and return an error if they differ"
	remedyRepeated  = "keep the ids received, drop records that are repeated{compare}"
	remedyShrinks   = "do not stop at {count} before {end}, and return an error if {count} changes"
	remedyDeletion  = "if {count} changes, a record may have moved from one page to another; start again or return an error"

	remedyWrites = "records move to other pages when others are inserted or deleted, even if the count stays the same; order by id, begin each page with the last record of the page before it unless pages have numbers or cursors, and start again or return an error if that record is no longer there or {count} changes"
	remedySwap   = "an update can move a record to another page; order by id, which never changes"
	remedyPanic  = "check each part of a response before using it"
	remedyClose  = "call resp.Body.Close for each response, whatever its status, for example in a defer statement; connections whose bodies are not closed are not reused"
	remedyBlock  = "end all goroutines of the call before it returns, and wait for nothing that may not happen without the context"
)

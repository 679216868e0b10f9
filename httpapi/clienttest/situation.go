package clienttest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/pagination"
)

// VerifyClient runs a client through the situations of paginated services: lists of several
// sizes, HTML for format=api, temporary and permanent errors, connections that break or stall,
// and wrong pages, with links that lead to an earlier page or to another host, records that
// are missing or repeated, and counts that change. In each of them the client must
//
//   - return all records, each once, or an error, and no error if nothing is wrong;
//   - not send requests endlessly;
//   - send no request to another host or without encryption;
//   - return when its context ends;
//   - close the bodies of all responses before it returns.
//
// The client may handle an error by returning it or by retrying. It may follow links
// or compute offsets. Pages have at most 10 records, even if the request has a larger
// limit.
//
// Each situation is a subtest with its name, so that it can be run alone:
//
//	go test -run TestMyClient/next-is-self
//
// A subtest that fails logs what the client did wrong, what to do, and its requests. The
// first situation, "several-pages", is a service in which nothing is wrong. If the client
// fails that, the others are skipped, because their results would be meaningless.
//
// A client that panics fails the situation. So does a client that has not returned two
// seconds after the end of its context; its connections are closed and its goroutine is
// abandoned. VerifyClient takes as long as the client, plus a fifth of a second.
//
// VerifyClient calls t.Fatal if fetch is nil, the root is invalid, the collection or a
// situation is unknown, or the collection is not suitable: it must have the action
// [schema.List] and at least 95 records, of which the services have the first in the order of
// their ids.
func VerifyClient(t *testing.T, fetch Fetch, opts Options) {
	t.Helper()
	v, err := newVerification(fetch, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range v.situations {
		var r result
		t.Run(s.name, func(t *testing.T) {
			var err error
			if r, err = v.run(s); err != nil {
				t.Fatal(err)
			}
			if r.problem != "" {
				t.Errorf("%s\n%s", r.problem, formatRequests(r.requests))
			}
		})
		if r.skipsOthers() {
			return
		}
	}
}

// A verification is a client with the situations to run it through.
type verification struct {
	fetch      Fetch
	timeout    time.Duration
	grace      time.Duration // to return after the context has ended
	data       *dataset
	situations []situation
}

func newVerification(fetch Fetch, opts Options) (*verification, error) {
	if fetch == nil {
		return nil, errNilClient
	}
	all := situations()
	var names []string
	for _, s := range all {
		names = append(names, s.name)
	}
	if err := opts.checkSkip("situation", names); err != nil {
		return nil, err
	}
	data, err := newDataset(opts, mostRecords, mostRecords)
	if err != nil {
		return nil, err
	}
	if opts.Timeout <= 0 {
		opts.Timeout = 10 * time.Second
	}
	return &verification{
		fetch:      fetch,
		timeout:    opts.Timeout,
		grace:      2 * time.Second,
		data:       data,
		situations: slices.DeleteFunc(all, func(s situation) bool { return slices.Contains(opts.Skip, s.name) }),
	}, nil
}

// A result is the result of one situation.
type result struct {
	situation string
	problem   string   // what the client did wrong and how to fix it; empty: nothing
	requests  []string // each with its outcome
}

// skipsOthers reports whether the other situations are skipped after the result.
func (r result) skipsOthers() bool { return r.situation == simplest && r.problem != "" }

// run runs the client through one situation. It returns an error if the service
// could not be started.
func (v *verification) run(s situation) (result, error) {
	c, err := v.data.first(s.records)
	if err != nil {
		return result{}, err
	}
	server, err := v.data.serve(c, pageSize, false)
	if err != nil {
		return result{}, err
	}
	defer server.Close()
	faults := s.faults
	d := &deletion{data: v.data, server: server, records: s.records}
	if s.deletes {
		faults = d.faults()
	}
	for _, f := range faults {
		f.match.Collection = v.data.key
		if _, err := server.TryInject(f.match, f.fault); err != nil {
			return result{}, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), v.timeout)
	defer cancel()
	if s.timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, s.timeout)
		defer cancel()
	}
	if s.cancelled {
		cancel()
	}
	origin, err := url.Parse(server.URL)
	if err != nil {
		return result{}, err
	}
	g := &guard{next: server.Client.Transport, origin: origin, limit: requestLimit(s.records, pageSize), cancel: cancel}
	o := v.call(ctx, g, server.URL)
	o.deleted = d.deleted()
	requests, violation := g.close()
	r := result{situation: s.name, requests: requests, problem: v.problem(s, o, g, violation)}
	if n := len(v.situations) - 1; r.skipsOthers() && n > 0 {
		r.problem += fmt.Sprintf(" (%d other situations are skipped, since nothing is wrong in this one)", n)
	}
	return r, nil
}

// An outcome is the outcome of a call to a Fetch.
type outcome struct {
	ids      []int
	err      error
	failure  string // if it did not return normally
	panicked bool   // that is why
	deleted  int    // id of a record that was deleted meanwhile, or 0
}

// start calls a client in a goroutine of its own, because the client may end that.
func (fetch Fetch) start(ctx context.Context, transport http.RoundTripper, url string) <-chan outcome {
	done := make(chan outcome, 1)
	go func() {
		o := outcome{failure: "ended its goroutine, as t.Fatal does, instead of returning an error"}
		defer func() {
			if reason := recover(); reason != nil {
				o.failure, o.panicked = fmt.Sprintf("panicked (%v)", reason), true
			}
			done <- o
		}()
		o.ids, o.err = fetch(ctx, &http.Client{Transport: transport}, url)
		o.failure = ""
	}()
	return done
}

// call calls Fetch and waits for it until the grace period after the end of its
// context.
func (v *verification) call(ctx context.Context, g *guard, url string) outcome {
	done := v.fetch.start(ctx, g, url)
	select {
	case o := <-done:
		return o
	case <-ctx.Done():
	}
	timer := time.NewTimer(v.grace)
	defer timer.Stop()
	select {
	case o := <-done:
		return o
	case <-timer.C:
		return outcome{failure: fmt.Sprintf("did not return within %v after the end of its context", v.grace)}
	}
}

// A situation is a state of a paginated service that clients must handle.
type situation struct {
	name    string
	records int // in the collection
	faults  []injection
	deletes bool // delete the first record before the second page is served

	timeout   time.Duration // of the client's context; 0: the default
	cancelled bool          // cancel the context before the call

	want   verdict
	remedy string // what to do if the client fails
}

// An injection is a fault with the requests that it applies to.
type injection struct {
	match cataloguetest.Match
	fault cataloguetest.Fault
}

// Sizes of collections and pages.
const (
	fewRecords  = 25 // two and a half pages
	mostRecords = 95
	pageSize    = 10 // default and maximum limit of a page
)

// requestLimit is the number of requests that a client may send to read some records in
// pages. A client passes if it fetches single records and retries each several times.
func requestLimit(records, limit int) int {
	return 50 * max((records+limit-1)/limit, 1)
}

// These functions apply faults to all pages, to the nth page only, and to the second and
// all later pages. Pages are counted in the order of the requests.

func always(faults ...cataloguetest.Fault) []injection {
	return plan(cataloguetest.Match{Method: "GET"}, faults)
}

func nth(n int, faults ...cataloguetest.Fault) []injection {
	return plan(cataloguetest.Match{Method: "GET", Nth: n}, faults)
}

func fromSecond(faults ...cataloguetest.Fault) []injection {
	return plan(cataloguetest.Match{Method: "GET", After: 1}, faults)
}

func plan(match cataloguetest.Match, faults []cataloguetest.Fault) (all []injection) {
	for _, f := range faults {
		all = append(all, injection{match, f})
	}
	return all
}

// simplest is the name of the first situation.
const simplest = "several-pages"

// situations returns all situations, simple ones first.
func situations() []situation {
	return []situation{
		// Services without a fault. In one, format=api is handled as in Django REST
		// framework.
		{name: simplest, records: fewRecords, remedy: remedyLinks},
		{name: "many-pages", records: mostRecords, remedy: remedyLinks},
		{name: "full-pages", records: 2 * pageSize, remedy: remedyLast},
		{name: "one-full-page", records: pageSize, remedy: remedyLast},
		{name: "one-record", records: 1, remedy: remedyLast},
		{name: "browsable-api", records: fewRecords, faults: always(cataloguetest.BrowsableAPI()), remedy: remedyFormat},
		{name: "empty", records: 0, remedy: remedyEmpty},

		// Services that send something other than a page.
		{name: "status-500-once", records: fewRecords, faults: nth(2, cataloguetest.Status(500, errorDocument)), want: completesOrFails, remedy: remedyStatus},
		{name: "status-503-once", records: fewRecords, faults: nth(2, cataloguetest.Unavailable(0)), want: completesOrFails, remedy: remedyStatus},
		{name: "status-429-once", records: fewRecords, faults: nth(2, throttled(0)...), want: completesOrFails, remedy: remedyStatus},
		{name: "status-500-always", records: fewRecords, faults: always(cataloguetest.Status(500, errorDocument)), want: fails, remedy: remedyStatus},
		{name: "status-500-from-second-page", records: fewRecords, faults: fromSecond(cataloguetest.Status(500, errorDocument)), want: fails, remedy: remedyStatus},
		// Clients that wait are told not to, so that they fail after their last attempt.
		{name: "status-503-always", records: fewRecords, faults: always(cataloguetest.Unavailable(0)), want: fails, remedy: remedySkipped},
		{name: "status-503-from-second-page", records: fewRecords, faults: fromSecond(cataloguetest.Unavailable(0)), want: fails, remedy: remedySkipped},
		{name: "status-429-always", records: fewRecords, faults: always(throttled(0)...), want: fails, remedy: remedySkipped},
		{name: "status-429-from-second-page", records: fewRecords, faults: fromSecond(throttled(0)...), want: fails, remedy: remedySkipped},
		{name: "error-with-status-200", records: fewRecords, faults: nth(2, cataloguetest.Status(200, errorDocument)), want: completesOrFails, remedy: remedyShape},
		{name: "html-with-status-200", records: fewRecords, faults: nth(2, cataloguetest.Status(200, gatewayPage)), want: completesOrFails, remedy: remedyDecode},
		{name: "wrong-content-type", records: fewRecords, faults: always(asHTML()), want: completesOrFails, remedy: remedyContentType},

		// Services whose responses do not arrive in full.
		// Twice, because net/http retries if the connection has been used before.
		{name: "cut-before-header", records: fewRecords, faults: slices.Concat(nth(2, cataloguetest.ResetConnection()), nth(3, cataloguetest.ResetConnection())), want: completesOrFails, remedy: remedyCut},
		{name: "cut-in-body", records: fewRecords, faults: nth(2, cataloguetest.ResetAfter(300)), want: completesOrFails, remedy: remedyWhole},
		{name: "truncated-body", records: fewRecords, faults: nth(2, cataloguetest.Truncate(300)), want: completesOrFails, remedy: remedyWhole},
		// The chunks are shorter than a page of small records.
		{name: "slow-body", records: fewRecords, faults: always(cataloguetest.Throttle(200, time.Millisecond)), want: completes, remedy: remedySlow},
		{name: "stalled", records: fewRecords, faults: fromSecond(cataloguetest.Delay(time.Hour)), timeout: 100 * time.Millisecond, want: fails, remedy: remedyContext},
		{name: "cancelled", records: fewRecords, cancelled: true, want: fails, remedy: remedyContext},

		// Services whose next links lead to the wrong place.
		{name: "next-is-self", records: fewRecords, faults: fromSecond(cataloguetest.NextIsSelf()), want: completesOrFails, remedy: remedyLoop},
		{name: "next-cycle", records: fewRecords, faults: fromSecond(nextCycle()), want: completesOrFails, remedy: remedyLoop},
		{name: "empty-pages-with-next", records: fewRecords, faults: fromSecond(emptyPageWithNext()), want: completesOrFails, remedy: remedyEmptyPage},
		{name: "next-on-other-host", records: fewRecords, faults: always(nextHost()), want: completesOrFails, remedy: remedyOrigin},
		{name: "next-without-tls", records: fewRecords, faults: always(nextWithoutTLS()), want: completesOrFails, remedy: remedyOrigin},
		{name: "redirect-to-other-host", records: fewRecords, faults: fromSecond(redirect()...), want: completesOrFails, remedy: remedyRedirect},

		// Services whose records do not agree with their count.
		{name: "row-missing", records: fewRecords, faults: fromSecond(cataloguetest.MissingRow()), want: completesOrFails, remedy: remedyCount},
		{name: "row-repeated", records: fewRecords, faults: fromSecond(cataloguetest.RepeatedRow()), want: completesOrFails, remedy: remedyRepeated},
		{name: "row-repeated-for-another", records: fewRecords, faults: fromSecond(cataloguetest.RepeatedRow(), cataloguetest.MissingRow()), want: completesOrFails, remedy: remedyRepeated},
		{name: "count-shrinks", records: fewRecords, faults: fromSecond(countShrinks(5)), want: completesOrFails, remedy: remedyShrinks},
		{name: "record-deleted", records: fewRecords, deletes: true, want: completesOrFails, remedy: remedyDeletion},
	}
}

// Bodies of error responses.
const (
	errorDocument = `{"detail":"Internal server error."}`
	gatewayPage   = "<!doctype html><title>502 Bad Gateway</title><h1>Bad Gateway</h1>"
)

// otherHost is a host that no client should send a request to.
const otherHost = "elsewhere.example"

func throttled(seconds int) []cataloguetest.Fault {
	return []cataloguetest.Fault{cataloguetest.Status(429, `{"detail":"Request was throttled."}`), cataloguetest.Header("Retry-After", strconv.Itoa(seconds))}
}

func redirect() []cataloguetest.Fault {
	return []cataloguetest.Fault{cataloguetest.Status(302, ""), cataloguetest.Header("Location", "https://"+otherHost+"/")}
}

func asHTML() cataloguetest.Fault {
	return cataloguetest.Header("Content-Type", "text/html; charset=utf-8")
}

type envelope = pagination.Envelope[json.RawMessage]

// nextCycle makes the next link lead back to the first page, on the last page as well.
func nextCycle() cataloguetest.Fault {
	return cataloguetest.Page(func(r *http.Request, page *envelope) { page.Next = linkTo(r, 0) })
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

// emptyPageWithNext removes all records and makes the next link lead to what follows them,
// past the end of the list as well.
func emptyPageWithNext() cataloguetest.Fault {
	return cataloguetest.Page(func(r *http.Request, page *envelope) {
		offset, _ := strconv.Atoi(r.URL.Query().Get("offset"))
		page.Next = linkTo(r, offset+max(len(page.Records), 1))
		page.Records = nil
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

// linkTo returns a link to the page of the same list that begins at an offset.
func linkTo(r *http.Request, offset int) string {
	query := r.URL.Query()
	query.Set("offset", strconv.Itoa(offset))
	if offset == 0 {
		query.Del("offset")
	}
	u := url.URL{Scheme: "https", Host: r.Host, Path: r.URL.Path, RawQuery: query.Encode()}
	return u.String()
}

// A deletion deletes the first record of the first page before the second page is served. The
// record that would have been the first of the second page moves to the end of the first
// page, and so is on neither.
type deletion struct {
	data    *dataset
	server  *cataloguetest.Server
	records int // in the collection

	mu    sync.Mutex
	first int // id of the first record on the first page; 0: none
	done  bool
}

// faults returns the faults that make the deletion.
func (d *deletion) faults() []injection {
	match := func(nth int) cataloguetest.Match {
		return cataloguetest.Match{Method: "GET", Path: d.data.path, Nth: nth}
	}
	return []injection{
		{match(1), cataloguetest.Page(func(_ *http.Request, page *envelope) {
			d.mu.Lock()
			defer d.mu.Unlock()
			if len(page.Records) > 0 {
				d.first, _ = idOf(page.Records[0])
			}
		})},
		{match(2), cataloguetest.Do(func() {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.done = d.first != 0 && d.data.delete(d.server.Catalogue, d.records, d.first) == nil
		})},
	}
}

// deleted returns the id of the deleted record, or 0 if none exists.
func (d *deletion) deleted() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.done {
		return 0
	}
	return d.first
}

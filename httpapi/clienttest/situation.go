package clienttest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
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
// The client may handle an error by returning it or by retrying. It may follow links,
// compute offsets or count pages. Pages have at most 10 records, even if the request has a
// larger limit.
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
	data, err := newDataset(opts, mostRecords, mostRecords)
	if err != nil {
		return nil, err
	}
	all := situations(data.style)
	var names []string
	for _, s := range all {
		names = append(names, s.name)
	}
	if err := opts.checkSkip("situation", names); err != nil {
		return nil, err
	}
	skip := append(unnoticed(data.style), opts.Skip...)
	if opts.Timeout <= 0 {
		opts.Timeout = 10 * time.Second
	}
	return &verification{
		fetch:      fetch,
		timeout:    opts.Timeout,
		grace:      2 * time.Second,
		data:       data,
		situations: slices.DeleteFunc(all, func(s situation) bool { return slices.Contains(skip, s.name) }),
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
	server, err := v.data.serve(c, pageSize)
	if err != nil {
		return result{}, err
	}
	defer server.Close()
	var faults []injection
	for _, st := range s.steps {
		for _, fault := range st.kind.faults(st.arg) {
			faults = append(faults, injection{st.match(), fault})
		}
	}
	d := &deletion{data: v.data, server: server, records: s.records}
	if s.deletes {
		faults = d.faults()
	}
	for _, f := range faults {
		f.match.Method, f.match.Collection = "GET", v.data.key
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
	records int    // in the collection
	steps   []step // at pages, in the order of the requests
	deletes bool   // delete the first record before the second page is served

	timeout   time.Duration // of the client's context; 0: the default
	cancelled bool          // cancel the context before the call

	want   verdict
	remedy string // what to do if the client fails; empty: what to do because of the first step
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

// simplest is the name of the first situation.
const simplest = "several-pages"

// situations returns all situations, simple ones first. What happens in them is of the kinds that
// happen in scenarios too: once at the page at, or from that page on.
func situations(style pagination.Style) []situation {
	named := map[string]kind{}
	for _, k := range kinds(style) {
		named[k.name] = k
	}
	once := func(kind string, at, arg int) []step { return []step{{named[kind], at, false, arg}} }
	from := func(kind string, at, arg int) []step { return []step{{named[kind], at, true, arg}} }
	all := []situation{
		// Services without a fault. In one, format=api is handled as in Django REST
		// framework.
		{name: simplest, records: fewRecords, remedy: remedyLinks},
		{name: "many-pages", records: mostRecords, remedy: remedyLinks},
		{name: "full-pages", records: 2 * pageSize, remedy: remedyLast},
		{name: "one-full-page", records: pageSize, remedy: remedyLast},
		{name: "one-record", records: 1, remedy: remedyLast},
		{name: "browsable-api", records: fewRecords, steps: from("browsable-api", 1, 0)},
		{name: "empty", records: 0, remedy: remedyEmpty},

		// Services that send something other than a page.
		{name: "status-500-once", records: fewRecords, steps: once("status-500", 2, 0), want: completesOrFails},
		{name: "status-503-once", records: fewRecords, steps: once("status-503", 2, 0), want: completesOrFails},
		{name: "status-429-once", records: fewRecords, steps: once("status-429", 2, 0), want: completesOrFails},
		{name: "status-500-always", records: fewRecords, steps: from("status-500", 1, 0), want: fails},
		{name: "status-500-from-second-page", records: fewRecords, steps: from("status-500", 2, 0), want: fails},
		// Clients that wait are told not to, so that they fail after their last attempt.
		{name: "status-503-always", records: fewRecords, steps: from("status-503", 1, 0), want: fails, remedy: remedySkipped},
		{name: "status-503-from-second-page", records: fewRecords, steps: from("status-503", 2, 0), want: fails, remedy: remedySkipped},
		{name: "status-429-always", records: fewRecords, steps: from("status-429", 1, 0), want: fails, remedy: remedySkipped},
		{name: "status-429-from-second-page", records: fewRecords, steps: from("status-429", 2, 0), want: fails, remedy: remedySkipped},
		{name: "error-with-status-200", records: fewRecords, steps: once("error-with-status-200", 2, 0), want: completesOrFails},
		{name: "html-with-status-200", records: fewRecords, steps: once("html-with-status-200", 2, 0), want: completesOrFails},
		{name: "wrong-content-type", records: fewRecords, steps: from("wrong-content-type", 1, 0), want: completesOrFails},

		// Services whose responses do not arrive in full.
		// Twice, because net/http retries if the connection has been used before.
		{name: "cut-before-header", records: fewRecords, steps: slices.Concat(once("cut-before-header", 2, 0), once("cut-before-header", 3, 0)), want: completesOrFails},
		{name: "cut-in-body", records: fewRecords, steps: once("cut-in-body", 2, 19), want: completesOrFails},
		{name: "truncated-body", records: fewRecords, steps: once("truncated-body", 2, 19), want: completesOrFails},
		// The chunks are shorter than a page of small records.
		{name: "slow-body", records: fewRecords, steps: from("slow-body", 1, 12), want: completes},
		{name: "stalled", records: fewRecords, steps: from("stall", 2, 0), timeout: 100 * time.Millisecond, want: fails},
		{name: "cancelled", records: fewRecords, cancelled: true, want: fails, remedy: remedyContext},

		// Services whose next links lead to the wrong place.
		{name: "next-is-self", records: fewRecords, steps: from("next-is-self", 2, 0), want: completesOrFails},
		{name: "next-cycle", records: fewRecords, steps: from("next-cycle", 2, 0), want: completesOrFails},
		{name: "empty-pages-with-next", records: fewRecords, steps: from("empty-pages-with-next", 2, 0), want: completesOrFails},
		{name: "next-on-other-host", records: fewRecords, steps: from("next-on-other-host", 1, 0), want: completesOrFails},
		{name: "next-without-tls", records: fewRecords, steps: from("next-without-tls", 1, 0), want: completesOrFails},
		{name: "redirect-to-other-host", records: fewRecords, steps: from("redirect-to-other-host", 2, 0), want: completesOrFails},

		// Services whose records do not agree with their count.
		{name: "row-missing", records: fewRecords, steps: from("row-missing", 2, 0), want: completesOrFails},
		{name: "row-repeated", records: fewRecords, steps: from("row-repeated", 2, 0), want: completesOrFails},
		{name: "row-repeated-for-another", records: fewRecords, steps: from("row-repeated-for-another", 2, 0), want: completesOrFails},
		{name: "count-shrinks", records: fewRecords, steps: from("count-shrinks", 2, 4), want: completesOrFails},
		{name: "record-deleted", records: fewRecords, deletes: true, want: completesOrFails, remedy: remedyDeletion},
	}
	for i := range all {
		if all[i].remedy == "" {
			all[i].remedy = all[i].steps[0].kind.remedy
		}
	}
	return all
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

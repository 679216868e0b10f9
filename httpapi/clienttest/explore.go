package clienttest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/httpapi/internal/fake"
)

// Explore searches for mistakes of a client. It runs fetch once for each of many scenarios.
// In a scenario, a small service has up to three events at certain requests: errors, delays,
// connections that break, pages that are wrong, and records that are inserted or deleted
// while the client reads. Requests that a client sends concurrently are answered
// in any order. In each scenario the client must
//
//   - return an error, or every record that existed from the beginning to the end exactly
//     once and otherwise only records that existed at some time;
//   - return no error if nothing is wrong;
//   - not send requests endlessly, and none to another host or without encryption;
//   - wait before it sends a request again that has failed: ten times at one instant is too often;
//   - return when its context ends, close all response bodies, and leave no goroutine
//     that is blocked.
//
// A scenario in which it does something else is reduced to the smallest one that shows the same
// kind of mistake. The test then fails with what the client did wrong, what to do, the name in
// [Options.Skip] that allows it, the requests, and the seed that repeats the scenario.
// Each kind of mistake is reported once, lost and wrong records first. After a
// mistake that the client makes without any event, the search ends, since others would follow
// from it, unless the mistake is a body that is not closed. A thousand scenarios take a few
// seconds.
//
//	func TestClient(t *testing.T) {
//		clienttest.Explore(t, eventIDs, clienttest.Options{Collection: "events"})
//	}
//
// A scenario depends only on its seed, the collection and Skip, so it is the same in every run
// of the test and on every machine. That a client passes 1000 of them does not prove that it
// passes all: let a scheduled job run more of them, with another seed.
//
// Each scenario runs in a bubble of [testing/synctest], where waiting takes no time. The client
// reaches the service in process, as that of a server of package cataloguetest. Of several goroutines
// that send requests or read responses, one goes on at a time, after all others are blocked. The
// scenario determines which, so it ends in the same way in each run.
//
// fetch must use only goroutines, channels and timers that it has made itself, and hold no mutex
// that another goroutine needs while it waits for a response: otherwise it may never end.
//
// Explore calls t.Fatal if fetch is nil, its ids are neither text nor numbers, the root is
// invalid, the collection or an event is unknown, or the collection is not suitable: it must have
// the action [schema.List] and at least 4 records. It must not be called inside a bubble.
func Explore[ID comparable](t *testing.T, fetch Fetch[ID], opts Options) {
	t.Helper()
	x, err := newExplorer(fetch, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range x.search(t, opts) {
		t.Errorf("%s", x.report(f))
	}
	x.data.reportIgnored(t)
}

const (
	defaultScenarios = 1000
	leastOf          = 4  // records that a collection must have
	mostOf           = 60 // records of a collection that occur in scenarios
)

// An explorer runs a client through scenarios.
type explorer struct {
	fetch   textFetch
	kinds   []kind
	data    *dataset
	timeout time.Duration
}

var errExploring = errors.New("clienttest: called inside a synctest bubble; each scenario has a bubble of its own")

func newExplorer[ID comparable](fetch Fetch[ID], opts Options) (*explorer, error) {
	x, err := newRunner(fetch, opts, leastOf, mostOf)
	if err != nil {
		return nil, err
	}
	x.kinds, err = noticed(opts, "event", x.data.kinds(), func(k kind) string { return k.name }, x.data.unnoticed())
	return x, err
}

// newRunner returns an explorer without a script, which runs scenarios of a collection with at least
// and at most the given numbers of records.
func newRunner[ID comparable](fetch Fetch[ID], opts Options, least, most int) (*explorer, error) {
	texts, err := fetch.texts()
	switch {
	case err != nil:
		return nil, err
	case fake.InBubble():
		return nil, errExploring
	}
	data, err := newDataset(opts, least, most)
	if err != nil {
		return nil, err
	}
	timeout := opts.Timeout
	if timeout <= 0 {
		timeout = time.Minute
	}
	return &explorer{
		fetch:   texts,
		data:    data,
		timeout: timeout + time.Nanosecond, // not at the instant at which a wait of the client ends
	}, nil
}

// grace is the synthetic time in which a client returns after its context has ended.
const grace = 2 * time.Second

// A finding is a scenario in which the client makes a mistake.
type finding struct {
	*trial
	seed uint64
	runs int // scenarios that were tried to reduce it
}

// search returns the findings, those with wrong records first, each kind of mistake once.
func (x *explorer) search(t *testing.T, opts Options) (found []*finding) {
	t.Helper()
	if opts.Scenarios <= 0 {
		opts.Scenarios = defaultScenarios
	}
	known := map[problemKind]bool{"": true}
	for n := range uint64(opts.Scenarios) {
		f := &finding{seed: opts.Seed + n}
		f.trial = x.run(t, generate(f.seed, x.kinds, len(x.data.ids)/2, x.data.apart()))
		kind := f.problem.kind
		if known[kind] {
			continue
		}
		known[kind] = true
		f.trial, f.runs = x.shrink(t, f.trial)
		found = append(found, f)
		if f.cause() == nil && kind != unclosed { // it would be again, or other mistakes follow from it
			break
		}
	}
	slices.SortStableFunc(found, func(a, b *finding) int { return cmp.Compare(a.problem.kind.rank(), b.problem.kind.rank()) })
	return found
}

// run runs the client through a scenario in a bubble.
func (x *explorer) run(t *testing.T, s scenario) *trial {
	t.Helper()
	e := &trial{scenario: s, data: x.data}
	service, err := x.serve(e)
	if err != nil {
		t.Fatalf("clienttest: %v", err)
	}
	defer service.server.Close()
	e.problem = x.bubble(t, e, service)
	e.problem.remedy = x.data.words().Replace(e.problem.remedy)
	return e
}

func (x *explorer) bubble(t *testing.T, e *trial, s *service) (p problem) {
	defer func() {
		if reason := recover(); reason != nil {
			p = problem{blocked, fmt.Sprintf("left goroutines that are blocked forever (%v)", reason), remedyBlock}
		}
	}()
	synctest.Test(t, func(*testing.T) { p = x.play(e, s) })
	return p
}

// play runs the client inside a bubble, and returns what it did wrong.
func (x *explorer) play(e *trial, s *service) problem {
	ctx, cancel := context.WithTimeout(context.Background(), x.timeout)
	defer cancel()
	if e.cancelled {
		cancel()
	}
	_, client, end := fake.Serve(s.server.Handler, true, log.New(io.Discard, "", 0))
	defer end()
	queue, ended := newQueue(e.order), make(chan struct{})
	go queue.run(ended)
	g := &guard{next: client.Transport, queue: queue, origin: s.server.URL, limit: requestLimit(e.records, e.limit), cancel: cancel}
	var expired atomic.Pointer[time.Time]
	context.AfterFunc(ctx, func() {
		now := time.Now()
		expired.Store(&now)
	})
	e.outcome = <-x.fetch.start(ctx, g, s.server.URL)
	close(ended)
	if at := expired.Load(); at != nil {
		e.late = time.Since(*at) > grace
	}
	bodies := g.bodies.problem()
	requests, violation := g.close()
	e.requests = requests
	for _, faults := range s.steps {
		e.happened = append(e.happened, e.deleted || slices.ContainsFunc(faults, func(j *cataloguetest.Injection) bool { return j.Count() > 0 }))
	}
	return e.gravest(violation, bodies)
}

// requestLimit is the number of requests that a client may send to read some records in
// pages. A client passes if it fetches single records and retries each several times.
func requestLimit(records, limit int) int {
	return 50 * max((records+limit-1)/limit, 1)
}

type service struct {
	server *cataloguetest.Server
	steps  [][]*cataloguetest.Injection // the faults of each step
}

// serve returns the service of a scenario. It is called outside the bubble: what is made
// there may be used inside as well, but not the other way round.
func (x *explorer) serve(e *trial) (*service, error) {
	before := newState(len(x.data.ids), e.records)
	e.state, e.throughout, e.ever = before, slices.Clone(before), slices.Clone(before)
	c := x.data.catalogue.Clone()
	if err := x.data.write(c, before); err != nil {
		return nil, err
	}
	server, err := x.data.serve(c, e.limit)
	if err != nil {
		return nil, err
	}
	s := &service{server: server}
	for i, st := range e.steps {
		s.steps = append(s.steps, nil)
		for _, fault := range x.faults(e, st, s.server.Catalogue) {
			j, err := s.server.TryInject(e.match(st), fault)
			if err != nil {
				return nil, err
			}
			s.steps[i] = append(s.steps[i], j)
		}
	}
	return s, nil
}

// faults returns the faults of a step. A write changes the records that exist when it happens.
func (x *explorer) faults(e *trial, st step, c *catalogue.Catalogue) []cataloguetest.Fault {
	if st.kind.write == nil {
		return st.kind.faults(st.arg)
	}
	write := func(arg int) {
		if after := st.kind.write(e.state, arg); x.data.write(c, after) == nil {
			e.note(after)
		}
	}
	if !st.kind.ofFirst {
		return []cataloguetest.Fault{cataloguetest.Do(func() {
			e.mu.Lock()
			defer e.mu.Unlock()
			write(st.arg)
		})}
	}
	return []cataloguetest.Fault{cataloguetest.Page(func(_ *http.Request, page *envelope) {
		e.mu.Lock()
		defer e.mu.Unlock()
		if len(page.Records) > 0 {
			first := slices.Index(x.data.ids, x.data.idOf(page.Records[0]))
			write(max(slices.Index(e.state.indexes(true), first), 0))
			e.deleted = true
		}
	})}
}

// report describes a finding: the mistake, the scenario and the requests.
func (x *explorer) report(f *finding) string {
	var out strings.Builder
	fmt.Fprintf(&out, "clienttest: Explore: the client %s", f.problem.text)
	if f.problem.remedy != "" {
		fmt.Fprintf(&out, ": %s", f.problem.remedy)
	}
	if cause := f.cause(); cause != nil {
		fmt.Fprintf(&out, "\nIf the client is not meant to handle this, set Options.Skip to []string{%q}, with the events that it already has.", cause.name)
	}
	fmt.Fprintf(&out, "\nThe scenario of seed %d, reduced in %d runs: %s\n%s", f.seed, f.runs, f.scenario, formatRequests(f.requests))
	fmt.Fprintf(&out, "To repeat it, set Options.Seed to %d and Options.Scenarios to 1.", f.seed)
	return out.String()
}

// formatRequests lists requests, one per line, without those in the middle.
func formatRequests(lines []string) string {
	const front, back = 6, 2
	if skipped := len(lines) - front - back; skipped > 1 {
		lines = append(append(lines[:front:front], fmt.Sprintf("… %d more …", skipped)), lines[len(lines)-back:]...)
	}
	if len(lines) == 0 {
		lines = []string{"no requests were sent with the client passed to Fetch"}
	}
	return "\t" + strings.Join(lines, "\n\t") + "\n"
}

// mostRuns is the number of scenarios that are tried to reduce one.
const mostRuns = 2000

// shrink returns the smallest scenario found in which the client makes the same mistake, and
// the number of scenarios that were tried. It takes the first change of a scenario that keeps
// the mistake, until no change keeps it.
func (x *explorer) shrink(t *testing.T, e *trial) (smallest *trial, runs int) {
	for {
		smaller := false
		for _, s := range e.smaller() {
			if runs == mostRuns {
				return e, runs
			}
			runs++
			if next := x.run(t, s); next.problem.kind == e.problem.kind {
				e, smaller = next, true
				break
			}
		}
		if !smaller {
			return e, runs
		}
	}
}

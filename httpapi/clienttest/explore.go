package clienttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
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
// connections that break, pages that are wrong, and records that are inserted, deleted,
// changed or replaced while the client reads. Requests that a client sends concurrently are answered
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
// mistake. The test then fails with what the client did wrong, what to do, the name in
// [Options.Skip] that allows it, the requests, and a Go test that repeats the scenario.
// Each mistake is reported once, and at most ten are, lost and wrong records first. After a
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
// passes all: let a scheduled job run more of them, with another seed. In a fuzz test, the
// fuzzer chooses the scenarios:
//
//	func FuzzClient(f *testing.F) {
//		f.Fuzz(func(t *testing.T, scenario []byte) {
//			clienttest.Explore(t, eventIDs, clienttest.Options{Scenario: scenario})
//		})
//	}
//
// Each scenario runs in a bubble of [testing/synctest], where waiting takes no time. The client
// reaches the service in process, as that of a server of package cataloguetest. Of several goroutines
// that send requests or read responses, one goes on at a time, after all others are blocked. The
// scenario determines which, so it ends in the same way in each run.
//
// fetch must use only goroutines, channels and timers that it has made itself, and hold no mutex
// that another goroutine needs while it waits for a response. If it neither returns nor blocks
// within 30 seconds of real time, the test fails and its goroutine is abandoned.
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
	for _, f := range x.search(t, opts, mostFindings) {
		t.Errorf("%s", x.report(f))
	}
}

const (
	defaultScenarios = 1000
	leastOf          = 4  // records that a collection must have
	mostOf           = 60 // records of a collection that occur in scenarios
	mostFindings     = 10 // mistakes that are reported
)

// An explorer runs a client through scenarios.
type explorer struct {
	fetch    textFetch
	opts     Options
	script   script
	data     *dataset
	timeout  time.Duration
	grace    time.Duration // synthetic time to return after the context has ended
	patience time.Duration // real time that a scenario may take
}

var errExploring = errors.New("clienttest: called inside a synctest bubble; each scenario has a bubble of its own")

func newExplorer[ID comparable](fetch Fetch[ID], opts Options) (*explorer, error) {
	x, err := newRunner(fetch, opts, leastOf, mostOf)
	if err != nil {
		return nil, err
	}
	all := x.data.kinds()
	if err := opts.checkSkip("event", kindNames(all)); err != nil {
		return nil, err
	}
	skip := append(x.data.unnoticed(), opts.Skip...)
	kinds := slices.DeleteFunc(all, func(k kind) bool { return slices.Contains(skip, k.name) })
	x.script = script{kinds, len(x.data.ids) / 2, x.data.apart()}
	return x, nil
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
		fetch:    texts,
		opts:     opts,
		data:     data,
		timeout:  timeout + time.Nanosecond, // not at the instant at which a wait of the client ends
		grace:    2 * time.Second,
		patience: 30 * time.Second,
	}, nil
}

func kindNames(kinds []kind) (names []string) {
	for _, k := range kinds {
		names = append(names, k.name)
	}
	return names
}

// A finding is a scenario in which the client makes a mistake.
type finding struct {
	*trial
	of        string // names the scenario that was found, by its seed
	scenarios int    // that were run before it was found
	runs      int    // scenarios that were tried to reduce it
}

// A mistake tells findings apart: it is the kind of a problem with the event that causes it.
type mistake struct {
	kind  problemKind
	event string // empty: the client makes the mistake without any
}

func (e *trial) mistake() mistake {
	m := mistake{kind: e.problem.kind}
	if cause := e.cause(); cause != nil {
		m.event = cause.name
	}
	return m
}

// search returns the findings, those with wrong records first, each mistake once, and at most
// the given number. Other mistakes never keep it from finding wrong records.
func (x *explorer) search(t *testing.T, opts Options, most int) []*finding {
	t.Helper()
	known := map[mistake]bool{}
	if opts.Scenario != nil {
		if f := x.try(t, opts.Scenario, finding{}, known, false); f != nil {
			return []*finding{f}
		}
		return nil
	}
	if opts.Scenarios <= 0 {
		opts.Scenarios = defaultScenarios
	}
	var wrong, others []*finding
	for n := 0; n < opts.Scenarios && (len(wrong) == 0 || len(wrong)+len(others) < most); n++ {
		seed := opts.Seed + uint64(n)
		f := x.try(t, x.script.generate(seed), finding{of: fmt.Sprintf(" of seed %d", seed), scenarios: n}, known, len(others) >= most)
		switch {
		case f == nil:
			continue
		case f.problem.kind.wrongRecords():
			wrong = append(wrong, f)
		default:
			others = append(others, f)
		}
		if f.problem.kind == stuck || f.cause() == nil && f.problem.kind != unclosed { // it would be again, or other mistakes follow from it
			break
		}
	}
	found := append(wrong, others...)
	return found[:min(most, len(found))]
}

// try runs one scenario. If the client makes a mistake that is not known, it returns f with the
// smallest scenario in which the client makes the same. The mistake is known then. If onlyWrong
// is set, mistakes other than wrong records do not count.
func (x *explorer) try(t *testing.T, text []byte, f finding, known map[mistake]bool, onlyWrong bool) *finding {
	t.Helper()
	f.trial = x.run(t, x.script.decode(text))
	always := mistake{kind: f.problem.kind}
	if f.problem.kind == "" || known[f.mistake()] || known[always] || onlyWrong && !f.problem.kind.wrongRecords() {
		return nil
	}
	known[f.mistake()] = true
	if f.problem.kind == stuck {
		return &f
	}
	before := f.mistake()
	f.trial, f.runs = x.shrink(t, f.trial)
	if after := f.mistake(); after != before && known[after] {
		return nil
	}
	known[f.mistake()] = true
	return &f
}

// run runs the client through a scenario in a bubble. It abandons a client that neither
// returns nor blocks.
func (x *explorer) run(t *testing.T, s scenario) *trial {
	t.Helper()
	e := &trial{scenario: s, data: x.data, grace: x.grace}
	service, err := x.serve(e)
	if err != nil {
		t.Fatalf("clienttest: %v", err)
	}
	defer service.server.Close()
	done := make(chan problem, 1)
	go func() {
		var p problem
		defer func() {
			if reason := recover(); reason != nil {
				p = problem{kind: blocked, text: fmt.Sprintf("left goroutines that are blocked forever (%v)", reason), remedy: remedyBlock}
			}
			done <- p
		}()
		synctest.Test(t, func(*testing.T) { p = x.play(e, service) })
	}()
	patience := time.NewTimer(x.patience)
	defer patience.Stop()
	select {
	case e.problem = <-done:
		e.problem.remedy = x.data.words().Replace(e.problem.remedy)
		return e
	case <-patience.C: // e must no longer be used
		return &trial{scenario: s, data: x.data, problem: problem{kind: stuck, text: fmt.Sprintf("did not return within %v of real time, and was abandoned", x.patience), remedy: remedyBlock}}
	}
}

// play runs the client inside a bubble, and returns what it did wrong.
func (x *explorer) play(e *trial, s *service) problem {
	ctx, cancel := context.WithTimeout(context.Background(), x.timeout)
	defer cancel()
	if e.cancelled {
		cancel()
	}
	_, client, end := fake.Serve(s.server.Handler, s.origin.Scheme, log.New(io.Discard, "", 0))
	defer end()
	queue, ended := newQueue(e.order), make(chan struct{})
	go queue.run(ended)
	g := &guard{next: client.Transport, queue: queue, origin: s.origin, limit: requestLimit(e.records, e.limit), cancel: cancel}
	var expired atomic.Pointer[time.Time]
	context.AfterFunc(ctx, func() {
		now := time.Now()
		expired.Store(&now)
	})
	e.outcome = <-x.fetch.start(ctx, g, s.server.URL)
	close(ended)
	if at := expired.Load(); at != nil {
		e.late = time.Since(*at) > x.grace
	}
	bodies := g.bodies.problem()
	requests, violation := g.close()
	e.requests, e.paths = requests, g.requested()
	for _, faults := range s.steps {
		e.happened = append(e.happened, slices.ContainsFunc(faults, func(j *cataloguetest.Injection) bool { return j.Count() > 0 }))
	}
	return e.gravest(violationOf(g, violation), bodies)
}

// requestLimit is the number of requests that a client may send to read some records in
// pages. A client passes if it fetches single records and retries each several times.
func requestLimit(records, limit int) int {
	return 50 * max((records+limit-1)/limit, 1)
}

type service struct {
	server *cataloguetest.Server
	origin *url.URL
	steps  [][]*cataloguetest.Injection // the faults of each step
}

// serve returns the service of a scenario. It is called outside the bubble: what is made
// there may be used inside as well, but not the other way round.
func (x *explorer) serve(e *trial) (*service, error) {
	before := newState(len(x.data.ids), e.records)
	e.state, e.throughout, e.ever, e.first = before, slices.Clone(before.present), slices.Clone(before.present), -1
	c := x.data.catalogue.Clone()
	if err := x.data.write(c, before); err != nil {
		return nil, err
	}
	server, err := x.data.serve(c, e.limit, e.most)
	if err != nil {
		return nil, err
	}
	s := &service{server: server}
	if s.origin, err = url.Parse(server.URL); err != nil {
		return nil, err
	}
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
	return s, x.observe(e, s)
}

// faults returns the faults of a step. A write changes the records that exist when it happens.
func (x *explorer) faults(e *trial, st step, c *catalogue.Catalogue) []cataloguetest.Fault {
	if st.kind.write == nil {
		return st.kind.faults(st.arg)
	}
	return []cataloguetest.Fault{cataloguetest.Do(func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		arg := st.arg
		if st.kind.ofFirst {
			arg = max(slices.Index(e.state.indexes(true), e.first), 0)
		}
		if after := st.kind.write(e.state, arg); x.data.write(c, after) == nil {
			e.note(after)
		}
	})}
}

// observe keeps the first record of the first page, if a step writes to it.
func (x *explorer) observe(e *trial, s *service) error {
	if !slices.ContainsFunc(e.steps, func(st step) bool { return st.kind.ofFirst }) {
		return nil
	}
	_, err := s.server.TryInject(e.match(step{at: 1}), cataloguetest.Page(func(_ *http.Request, page *envelope) {
		e.mu.Lock()
		defer e.mu.Unlock()
		if len(page.Records) > 0 {
			e.first = slices.Index(x.data.ids, x.data.idOf(page.Records[0]))
		}
	}))
	return err
}

// report describes a finding: the mistake, the scenario, the requests, and a test that repeats
// it.
func (x *explorer) report(f *finding) string {
	var out strings.Builder
	fmt.Fprintf(&out, "clienttest: Explore: the client %s", f.problem.text)
	if f.problem.remedy != "" {
		fmt.Fprintf(&out, ": %s", f.problem.remedy)
	}
	if cause := f.cause(); cause != nil {
		fmt.Fprintf(&out, "\nIf the client is not meant to handle this, set Options.Skip to []string{%q}, with the events that it already has.", cause.name)
	}
	fmt.Fprintf(&out, "\nThe scenario%s", f.of)
	if f.runs > 0 {
		fmt.Fprintf(&out, ", reduced in %d runs", f.runs)
	}
	fmt.Fprintf(&out, ": %s\n%s", f.scenario, formatRequests(f.requests))
	fmt.Fprintf(&out, "A test that repeats it, where fetch is the client:\n\n%s", x.test(f))
	return out.String()
}

// test returns a test that repeats the scenario of a finding.
func (x *explorer) test(f *finding) string {
	var out strings.Builder
	option := func(set bool, format string, value any) {
		if set {
			fmt.Fprintf(&out, "\t\t"+format+"\n", value)
		}
	}
	fmt.Fprintf(&out, "// TestScenario: the client %s.\n", f.problem.text)
	out.WriteString("func TestScenario(t *testing.T) {\n\tclienttest.Explore(t, fetch, clienttest.Options{\n")
	option(true, "Collection: %q,", x.data.key)
	option(x.opts.Catalogue != nil, "Catalogue: %s", "original, // set it to the Catalogue of the Options")
	option(x.opts.Root != "", "Root: %q,", x.opts.Root)
	option(x.opts.Pages != nil, "Pages: %#v,", x.opts.Pages)
	option(x.opts.Codec != nil, "Codec: %s", "codec, // set it to the Codec of the Options")
	option(x.opts.Timeout > 0, "Timeout: %d,", x.opts.Timeout)
	option(len(x.opts.Skip) > 0, "Skip: %#v,", x.opts.Skip)
	encoded := strings.Trim(strings.ReplaceAll(fmt.Sprint(x.script.encode(f.scenario)), " ", ", "), "[]")
	option(true, "Scenario: []byte{%s", encoded+"}, // "+f.scenario.String())
	out.WriteString("\t})\n}\n")
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
// the mistake, until there is none.
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

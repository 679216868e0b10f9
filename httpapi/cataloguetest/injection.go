package cataloguetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
)

// An Injection is a fault that has been injected into a server. It is safe for concurrent use.
type Injection struct {
	owner   *faults
	match   Match
	fault   Fault
	pattern *pathPattern // of match.Path; nil if that is none
	random  *rand.Rand   // decides what is in match.Share; guarded by owner.mu
	at      string       // file and line of the call of Inject or TryInject

	// Numbers of requests, guarded by owner.mu: that match the fields of match, are
	// in its share, are selected by After and Nth, and were changed.
	matched, shared, selected, count int
}

// Count returns the number of requests that the fault has changed. Selected requests
// that it could not change do not count, such as a request for a page to which another
// fault responds with a status. A fault whose Count is zero at the end of the test is
// logged; see [Options.RequireFaults].
func (j *Injection) Count() int {
	j.owner.mu.Lock()
	defer j.owner.mu.Unlock()
	return j.count
}

// Remove removes the fault and leaves the others of the server. Requests that have
// already arrived are not affected. Only the first call has an effect.
func (j *Injection) Remove() {
	j.owner.mu.Lock()
	defer j.owner.mu.Unlock()
	same := func(other *Injection) bool { return other == j }
	j.owner.active = slices.DeleteFunc(j.owner.active, same)
	if j.count > 0 {
		j.owner.added = slices.DeleteFunc(j.owner.added, same)
	}
}

// selects counts a request and reports whether the fault applies to it. The owner must be
// locked.
func (j *Injection) selects(r *http.Request, body []byte) bool {
	if !j.match.matches(r, body, j.owner.paths, j.pattern) {
		return false
	}
	j.matched++
	if j.match.Share > 0 && j.random.Float64() >= j.match.Share {
		return false
	}
	j.shared++
	if !j.match.inRange(j.shared) {
		return false
	}
	j.selected++
	return true
}

// apply applies the fault, and counts the request if it was changed.
func (j *Injection) apply(i *interceptor) {
	if !j.fault.apply(i) {
		return
	}
	j.owner.mu.Lock()
	defer j.owner.mu.Unlock()
	j.count++
	if f := j.owner; f.reported {
		f.fired = append(f.fired, fmt.Sprintf("%d\t%s\t%s\t%s", i.number, lineOf(i.r.Method, i.r.URL), j.fault.name, j.at))
	}
}

// faults is the set of faults of one server. It is safe for concurrent use.
type faults struct {
	paths paths

	mu     sync.Mutex
	active []*Injection // in the order in which they were added
	added  []*Injection // including those that were removed before they changed a response
	number int          // of requests
	fired  []string     // the faults that have changed responses, in columns

	reported bool // at the end of a test; otherwise added and fired are not used
}

func (f *faults) add(match Match, fault Fault, at string) (*Injection, error) {
	if fault.err != nil {
		return nil, fault.err
	}
	if fault.apply == nil {
		return nil, errors.New("the zero Fault is invalid")
	}
	if err := match.check(f.paths); err != nil {
		return nil, err
	}
	j := &Injection{owner: f, match: match, fault: fault, at: at, random: rand.New(rand.NewPCG(match.Seed, 0))}
	if isPattern(match.Path) {
		j.pattern, _ = newPathPattern(match.Path) // has been checked
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active = append(f.active, j)
	if f.reported {
		f.added = append(f.added, j)
	}
	return j, nil
}

// wrap returns a handler that applies the faults to the requests for next.
func (f *faults) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r, body, ok := f.withBody(r)
		if !ok {
			panic(http.ErrAbortHandler) // the client is gone
		}
		number, hits := f.hits(r, body)
		if len(hits) == 0 && !f.paths.translates(r) {
			next.ServeHTTP(w, r)
			return
		}
		i := interceptor{w: w, r: r, number: number, next: next, paths: f.paths}
		i.serve(hits)
	})
}

// withBody returns a request with its body, if a fault needs it. It reports whether it could be read.
func (f *faults) withBody(r *http.Request) (copied *http.Request, body []byte, ok bool) {
	f.mu.Lock()
	needed := slices.ContainsFunc(f.active, func(j *Injection) bool { return j.match.Body != "" })
	f.mu.Unlock()
	if !needed {
		return r, nil, true
	}
	return buffered(r)
}

// hits counts a request for every fault, and returns its number and the faults that apply to it
// in the order of their stages.
func (f *faults) hits(r *http.Request, body []byte) (number int, hits []*Injection) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.number++
	for _, j := range f.active {
		if j.selects(r, body) {
			hits = append(hits, j)
		}
	}
	slices.SortStableFunc(hits, func(a, b *Injection) int { return int(a.fault.stage - b.fault.stage) })
	return f.number, hits
}

// report logs the faults that changed no response, or fails the test if they are required
// to change one, and returns those that did. It reports nothing of a test that was skipped.
func (f *faults) report(tb testing.TB, required bool) (fired []string) {
	tb.Helper()
	if tb.Skipped() {
		return nil
	}
	report := tb.Logf
	if required {
		report = tb.Errorf
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, j := range f.added {
		if j.count == 0 {
			report("cataloguetest: %s: the fault changed no response; requests that matched: %d, of which Share, After and Nth selected %d",
				j.at, j.matched, j.selected)
		}
	}
	return slices.Clone(f.fired)
}

// serve responds to the request. The hits must be in the order of their stages.
func (i *interceptor) serve(hits []*Injection) {
	until := func(last stage) {
		for len(hits) > 0 && hits[0].fault.stage <= last {
			hits[0].apply(i)
			hits = hits[1:]
		}
	}
	until(inPlaceOf)
	i.wait()
	translates := i.response == nil && i.paths.translates(i.r)
	if len(hits) == 0 && i.response == nil && !translates {
		i.next.ServeHTTP(i.w, i.r) // only delayed: not buffered
		return
	}
	if i.response == nil {
		i.response = i.record(i.r)
	}
	until(inPage)
	if translates {
		i.paths.encode(i.r, i.response)
	}
	until(late)
	i.wait()
	until(whileSending)
	i.send()
}

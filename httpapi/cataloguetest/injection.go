package cataloguetest

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net/http"
	"slices"
	"sync"
	"testing"
)

// An Injection is a fault that has been injected into a server. It is safe for concurrent use.
type Injection struct {
	owner  *faults
	match  Match
	fault  Fault
	random *rand.Rand // decides what is in match.Share; guarded by owner.mu
	at     string     // file and line of the call of Inject or TryInject

	// Numbers of requests, guarded by owner.mu: that match the fields of match, are
	// in its share, are selected by Nth and Times, and were changed.
	matched, shared, selected, count int
}

// Count returns the number of requests that the fault has changed. Selected requests that it could
// not change do not count, such as a request for a page to which another fault responds with a
// status.
func (j *Injection) Count() int {
	j.owner.mu.Lock()
	defer j.owner.mu.Unlock()
	return j.count
}

// Remove removes the fault. Requests that have already arrived are not affected. Only the first
// call has an effect.
func (j *Injection) Remove() {
	j.owner.mu.Lock()
	defer j.owner.mu.Unlock()
	j.owner.active = slices.DeleteFunc(j.owner.active, func(other *Injection) bool { return other == j })
}

// selects counts a request and reports whether the fault applies to it. The owner must be
// locked.
func (j *Injection) selects(r *http.Request, body []byte) bool {
	if !j.match.matches(r, body, j.owner.paths) {
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
	if j.fault.apply(i) {
		j.owner.mu.Lock()
		defer j.owner.mu.Unlock()
		j.count++
	}
}

// faults is the set of faults of one server. It is safe for concurrent use.
type faults struct {
	paths paths

	mu     sync.Mutex
	active []*Injection // in the order in which they were added
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
	j := &Injection{owner: f, match: match, fault: fault, at: at, random: rand.New(rand.NewPCG(0, 0))}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active = append(f.active, j)
	return j, nil
}

// wrap returns a handler that applies the faults to the requests for next.
func (f *faults) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r, body, ok := f.buffered(r)
		if !ok {
			panic(http.ErrAbortHandler) // the client is gone
		}
		i := interceptor{w: w, r: r, next: next, paths: f.paths}
		i.serve(f.hits(r, body))
	})
}

// buffered returns a copy of a request whose body is in memory, and that, if there are faults. It
// reports whether it could be read. Of a body that is longer than the service accepts, the rest is not
// read.
func (f *faults) buffered(r *http.Request) (copied *http.Request, body []byte, ok bool) {
	f.mu.Lock()
	needed := len(f.active) > 0
	f.mu.Unlock()
	if !needed || r.Body == nil || r.Body == http.NoBody {
		return r, nil, true
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxBody+1))
	rest := r.Body
	r = r.WithContext(r.Context()) // a copy
	r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(body), rest), rest}
	return r, body, err == nil
}

// hits counts a request for every fault, and returns the faults that apply to it in the order of
// their stages.
func (f *faults) hits(r *http.Request, body []byte) (hits []*Injection) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, j := range f.active {
		if j.selects(r, body) {
			hits = append(hits, j)
		}
	}
	slices.SortStableFunc(hits, func(a, b *Injection) int { return int(a.fault.stage - b.fault.stage) })
	return hits
}

// report fails the test for each fault that changed no response, unless the test was skipped.
func (f *faults) report(tb testing.TB) {
	tb.Helper()
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, j := range f.active {
		if j.count == 0 && !tb.Skipped() {
			tb.Errorf("cataloguetest: %s: the fault changed no response; requests that matched: %d, of which Share, Nth and Times selected %d",
				j.at, j.matched, j.selected)
		}
	}
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
	if len(hits) == 0 && i.response == nil {
		i.next.ServeHTTP(i.w, i.r) // at most delayed: not buffered
		return
	}
	if i.response == nil {
		i.response = i.record(i.r)
	}
	until(late)
	i.wait()
	until(whileSending)
	i.send()
}

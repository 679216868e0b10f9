package cataloguetest

import (
	"errors"
	"net/http"
	"slices"
	"sync"

	"github.com/gobacklist/backlist/pagination"
)

// faults is the set of faults of one house. The zero value is ready to use. It is
// safe for concurrent use.
type faults struct {
	paths  paths
	limits pagination.Limits // of the pages of the service

	mu     sync.Mutex
	active []*Breakage // in the order in which they were added
	added  []*Breakage // including those that were mended before they changed a response

	reported bool // at the end of a test; otherwise added is not used
}

// A scopedFault is a fault and the requests that it applies to.
type scopedFault struct {
	where Where
	fault Fault
}

// A Breakage is a fault that [House.Break] or [House.Inject] has applied. It is safe for concurrent
// use.
type Breakage struct {
	owner *faults
	scopedFault
	pattern pathPattern // of where.Path, if that is one
	at      string      // file and line of the call of Break or Inject

	// Numbers of requests, guarded by owner.mu: that match the fields of where, are
	// in its share, are selected by After and Nth, and were changed.
	matched, shared, selected, count int
}

// Count returns the number of requests that the fault has changed. Selected requests
// that it could not change do not count, such as a request for a page to which another
// fault responds with a status. A fault whose Count is zero at the end of the test is
// logged; see [Options.RequireFaults].
func (b *Breakage) Count() int {
	b.owner.mu.Lock()
	defer b.owner.mu.Unlock()
	return b.count
}

// Mend removes the fault and leaves the others of the house. Requests that have
// already arrived are not affected. Only the first call has an effect.
func (b *Breakage) Mend() {
	b.owner.mu.Lock()
	defer b.owner.mu.Unlock()
	same := func(other *Breakage) bool { return other == b }
	b.owner.active = slices.DeleteFunc(b.owner.active, same)
	if b.count > 0 {
		b.owner.added = slices.DeleteFunc(b.owner.added, same)
	}
}

func (f *faults) add(where Where, fault Fault) (*Breakage, error) {
	if fault.err != nil {
		return nil, fault.err
	}
	if fault.apply == nil {
		return nil, errors.New("the zero Fault is invalid")
	}
	if err := where.check(f.paths); err != nil {
		return nil, err
	}
	b := &Breakage{owner: f, scopedFault: scopedFault{where, fault}}
	if isPattern(where.Path) {
		b.pattern, _ = newPathPattern(where.Path) // has been checked
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active = append(f.active, b)
	if f.reported {
		f.added = append(f.added, b)
	}
	return b, nil
}

func (f *faults) mend() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.active = nil
	f.added = slices.DeleteFunc(f.added, func(b *Breakage) bool { return b.count > 0 })
}

// wrap returns a handler that applies the faults to the requests for next.
func (f *faults) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits := f.hits(r)
		if len(hits) == 0 {
			next.ServeHTTP(w, r)
			return
		}
		i := interceptor{w: w, r: r, next: next, paths: f.paths, limits: f.limits}
		i.serve(hits)
	})
}

// A hit is a fault that applies to a request, and the number of that request among those
// that the fault applies to.
type hit struct {
	*Breakage
	nth int
}

// hits counts a request for every fault, and returns the faults that apply to it
// in the order of their stages.
func (f *faults) hits(r *http.Request) []hit {
	f.mu.Lock()
	defer f.mu.Unlock()
	var hits []hit
	for _, b := range f.active {
		if b.selects(r) {
			hits = append(hits, hit{b, b.selected})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return int(a.fault.stage - b.fault.stage) })
	return hits
}

// selects counts a request and reports whether the fault applies to it.
func (b *Breakage) selects(r *http.Request) bool {
	if !b.where.matches(r, b.owner.paths, b.pattern) {
		return false
	}
	b.matched++
	if !b.where.inShare(b.matched) {
		return false
	}
	b.shared++
	if !b.where.inRange(b.shared) {
		return false
	}
	b.selected++
	return true
}

// apply applies the fault, and counts the request if it was changed.
func (h hit) apply(i *interceptor) {
	if !h.fault.apply(i, h.nth) {
		return
	}
	h.owner.mu.Lock()
	defer h.owner.mu.Unlock()
	h.count++
}

package cataloguetest

import (
	"errors"
	"net/http"
	"slices"
	"sync"
)

// faults are what is wrong with one house. The zero value is nothing. They may be
// used by any number of requests at once.
type faults struct {
	mu     sync.Mutex
	broken []*Breakage // in the order they were made
}

// placed is a fault and its place.
type placed struct {
	where Where
	fault Fault
}

// A Breakage is a fault in its place, as [House.Break] made it. Its methods may be
// called while requests are answered.
type Breakage struct {
	of *faults
	placed

	// Guarded by of.mu: how many requests agreed with where, belonged to its share,
	// were met, and were changed.
	agreed, chosen, met, count int
}

// Count is how many requests the fault has happened to: not those that it met but
// could not change, such as one for a page when another fault answers in its
// place. A test that breaks a house should look that something happened.
func (b *Breakage) Count() int {
	b.of.mu.Lock()
	defer b.of.mu.Unlock()
	return b.count
}

// Mend takes the fault away, for requests that have not arrived. The others of the
// house stay. To mend twice does nothing.
func (b *Breakage) Mend() {
	b.of.mu.Lock()
	defer b.of.mu.Unlock()
	b.of.broken = slices.DeleteFunc(b.of.broken, func(other *Breakage) bool { return other == b })
}

// add puts a fault in its place.
func (f *faults) add(where Where, fault Fault) (*Breakage, error) {
	if fault.err != nil {
		return nil, fault.err
	}
	if fault.do == nil {
		return nil, errors.New("the zero Fault is none")
	}
	if err := where.check(); err != nil {
		return nil, err
	}
	b := &Breakage{of: f, placed: placed{where, fault}}
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = append(f.broken, b)
	return b, nil
}

// mend takes all faults away.
func (f *faults) mend() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.broken = nil
}

// wrap is the handler with the faults in front. While there are none it only
// takes a lock for a moment.
func (f *faults) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		hits := f.meet(r)
		if len(hits) == 0 {
			next.ServeHTTP(w, r)
			return
		}
		m := mishap{w: w, r: r, next: next}
		m.serve(hits)
	})
}

// hit is a fault that meets a request, which is the nth that it meets.
type hit struct {
	*Breakage
	nth int
}

// meet counts a request, once for each fault, whatever the others will do to it,
// and gives the faults that meet it, in the order of their stages.
func (f *faults) meet(r *http.Request) []hit {
	f.mu.Lock()
	defer f.mu.Unlock()
	var hits []hit
	for _, b := range f.broken {
		if b.meets(r) {
			hits = append(hits, hit{b, b.met})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return int(a.fault.stage - b.fault.stage) })
	return hits
}

func (b *Breakage) meets(r *http.Request) bool {
	if !b.where.agrees(r) {
		return false
	}
	b.agreed++
	if !b.where.chooses(b.agreed) {
		return false
	}
	b.chosen++
	if !b.where.meets(b.chosen) {
		return false
	}
	b.met++
	return true
}

// happens makes it so, and counts it if it is.
func (h hit) happens(m *mishap) {
	if !h.fault.do(m, h.nth) {
		return
	}
	h.of.mu.Lock()
	defer h.of.mu.Unlock()
	h.count++
}

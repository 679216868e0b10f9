package main

import (
	"fmt"
	"net/http"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/gobacklist/backlist/catalogue"
)

// errFaultCount is the error of a fault too many.
var errFaultCount = fmt.Errorf("the house has %d faults already; mend some", maxFaults)

// A house is a copy of the service with records, faults and a log of its own. It is safe for
// concurrent use.
type house struct {
	name    string
	service *service

	mu      sync.Mutex // of changes other than requests
	current atomic.Pointer[edition]
}

// newHouse returns a house with the records of start, which is not written to, and the
// faults of the flags.
func newHouse(s *service, name string, start *catalogue.Catalogue) (*house, error) {
	h := &house{name: name, service: s}
	e, err := newEdition(s, name, start)
	h.current.Store(e)
	return h, err
}

// ServeHTTP serves a request of the service.
func (h *house) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.current.Load().fake.Handler.ServeHTTP(w, r)
}

// reset returns to the records and faults at the start, with an empty log, at one instant.
func (h *house) reset() error {
	h.mu.Lock()
	defer h.mu.Unlock()
	next, err := newEdition(h.service, h.name, h.current.Load().start)
	if err != nil {
		return err
	}
	h.current.Swap(next).fake.Close()
	return nil
}

// breakWith applies a fault and returns its number.
func (h *house) breakWith(f fault) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.current.Load()
	if len(e.faults) >= maxFaults {
		return 0, errFaultCount
	}
	if err := e.inject(f); err != nil {
		return 0, err
	}
	return e.last, nil
}

// listFaults returns the faults in the order in which they were added.
func (h *house) listFaults() []activeFault {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.current.Load().faults)
}

// mend removes the faults for which which returns true, and returns their number.
func (h *house) mend(which func(number int) bool) (mended int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.current.Load()
	e.faults = slices.DeleteFunc(slices.Clone(e.faults), func(f activeFault) bool {
		if !which(f.number) {
			return false
		}
		f.Remove()
		mended++
		return true
	})
	return mended
}

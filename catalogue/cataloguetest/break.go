package cataloguetest

import (
	"fmt"
	"path/filepath"
	"runtime"
)

// Break applies fault to the requests that where selects, until it is mended:
//
//	house.Break(cataloguetest.Where{Nth: 2}, cataloguetest.Status(503, ""))
//	house.Break(cataloguetest.Where{Collection: "events", Page: cataloguetest.AtOffset(21)}, cataloguetest.MissingRow())
//
// If several faults apply to one request, they take effect in the order in which a
// response is made: delays and cuts before the response, a status in its place,
// changes to its page, its format, headers, truncation, and finally the way its bytes are
// sent. Faults of the same kind take effect in the order of the calls, so the last of
// two statuses is sent. Each fault counts the requests as they arrive, independently
// of other faults.
//
// At the end of the test, a fault that has changed no response is logged with the place
// where Break was called; see [Options.RequireFaults].
//
// Break calls Fatalf on the testing.TB of the house if where or fault is invalid, or if
// where can match no request. If the house belongs to no test, Break panics instead; see
// [House.Inject].
func (h *House) Break(where Where, fault Fault) *Breakage {
	h.tb.Helper()
	b, err := h.inject(where, fault, caller())
	if err != nil {
		h.tb.Fatalf("cataloguetest: Break: %v", err)
		return nil
	}
	return b
}

// Inject is like [House.Break], but returns an error if where or fault is invalid, or if
// where can match no request. It is meant for programs, whose faults come from a
// configuration or a request.
func (h *House) Inject(where Where, fault Fault) (*Breakage, error) {
	b, err := h.inject(where, fault, caller())
	if err != nil {
		return nil, fmt.Errorf("cataloguetest: %w", err)
	}
	return b, nil
}

// inject applies a fault that was made at the given place.
func (h *House) inject(where Where, fault Fault, at string) (*Breakage, error) {
	b, err := h.faults.add(where, fault)
	if err != nil {
		return nil, err
	}
	b.owner.mu.Lock()
	defer b.owner.mu.Unlock()
	b.at = at
	return b, nil
}

// Mend removes all faults. Requests that have already arrived are not affected.
func (h *House) Mend() { h.faults.mend() }

// caller returns the file and line from which the caller of this function was called.
func caller() string {
	_, file, line, _ := runtime.Caller(2)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}

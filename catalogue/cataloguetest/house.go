package cataloguetest

import (
	"log"
	"net/http"
	"sync/atomic"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

// A House is a fake of the catalogue service that belongs to one test. Houses are
// made by [New] and [NewWith] and closed when their test ends. A House is safe for
// concurrent use.
type House struct {
	// Catalogue holds the records. Changes to it are served at once.
	Catalogue *catalogue.Catalogue
	// Handler serves the collections and records the exchanges. Client reaches it; it
	// may also be called directly.
	Handler http.Handler
	// URL is the address of Handler, without a trailing slash. The events are at
	// URL + "/api/events/", unless Options.Root is set.
	URL string
	// Client sends requests to Handler and reaches no other address. The test may
	// change it.
	Client *http.Client

	tb            testing.TB
	log           exchangeLog
	faults        faults
	requireFaults bool
	initial       *catalogue.Catalogue // the records at the start; never written to
	kept          atomic.Pointer[catalogue.Catalogue]
}

// New returns a house with the sample records, reached in process, that permits
// every write. It is NewWith(tb, Options{}).
func New(tb testing.TB) *House {
	tb.Helper()
	return NewWith(tb, Options{})
}

// NewWith returns a house configured by opts. It is open until the test and its
// subtests have ended. Houses share no mutable state, so tests may run in
// parallel. NewWith calls tb.Fatalf if the options contradict each other, if a
// definition, the root or a fixture is invalid, if Options.Wrap returns nil, or if there
// is no free loopback port.
//
// At the end of the test, requests that are still running lose their connection,
// and the house waits for their handlers. Faults that have changed no response are
// logged. If the test has failed, its last requests are logged, with the bodies of error
// responses, together with the changes to the catalogue.
//
// The first call that needs the sample records generates them, which takes some
// tens of milliseconds. Later calls clone them, at a cost that does not depend on
// their number.
func NewWith(tb testing.TB, opts Options) *House {
	tb.Helper()
	if err := opts.check(); err != nil {
		tb.Fatalf("cataloguetest: %v", err)
	}
	records, initial, err := opts.records()
	if err != nil {
		tb.Fatalf("cataloguetest: %v", err)
	}
	handler, err := httpapi.New(records, httpapi.Options{
		Root:       opts.Root,
		Limits:     opts.Limits,
		Authorizer: opts.authorizer(),
		OnError:    func(r *http.Request, err error) { tb.Logf("%s %s: %v", r.Method, r.URL, err) },
	})
	if err != nil {
		tb.Fatalf("cataloguetest: %v", err)
	}
	h := &House{Catalogue: records, initial: initial, tb: tb, requireFaults: opts.RequireFaults}
	h.faults.paths = pathsOf(records, handler.Root())
	served := opts.wrap(handler)
	if served == nil {
		tb.Fatalf("cataloguetest: options: Wrap returned a nil handler")
	}
	h.Handler = h.log.wrap(h.faults.wrap(served))
	tb.Cleanup(func() { h.report(tb) })
	h.open(tb, opts)
	return h
}

// open serves the house until the test ends.
func (h *House) open(tb testing.TB, opts Options) {
	tb.Helper()
	serve := serveInProcess
	if opts.Server {
		serve = serveLoopback
	}
	url, client, end, err := serve(h.Handler, opts.scheme(), log.New(tb.Output(), "", 0))
	if err != nil {
		tb.Fatalf("cataloguetest: %v", err)
	}
	made := thisSide()
	tb.Cleanup(func() {
		tb.Helper()
		if err := made.check(); err != nil {
			tb.Errorf("%v", err) // the house cannot be closed here
			return
		}
		end()
	})
	h.URL, h.Client = url, client
}

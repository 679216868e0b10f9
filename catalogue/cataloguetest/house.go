package cataloguetest

import (
	"log"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

// A House is a fake of the catalogue service. A house made by [New] or [NewWith] belongs
// to one test and is closed when the test ends. A house made by [Open] belongs to a
// program, which closes it. A House is safe for concurrent use.
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

	tb            failer
	log           exchangeLog
	faults        faults
	requireFaults bool
	initial       *catalogue.Catalogue // the records at the start; never written to
	kept          atomic.Pointer[catalogue.Catalogue]
	made          side
	end           func() // has an effect once
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
	h, err := newHouse(opts, tb.Logf)
	if err != nil {
		tb.Fatalf("cataloguetest: %v", err)
	}
	h.tb, h.requireFaults, h.faults.reported = tb, opts.RequireFaults, true
	tb.Cleanup(func() { h.report(tb) })
	if err := h.open(opts, log.New(tb.Output(), "", 0)); err != nil {
		tb.Fatalf("cataloguetest: %v", err)
	}
	tb.Cleanup(func() {
		tb.Helper()
		if err := h.made.check(); err != nil {
			tb.Errorf("%v", err) // the house cannot be closed here
			return
		}
		h.end()
	})
	return h
}

// newHouse returns a house that is not reached by a client yet. Errors of its collections
// are passed to logf.
func newHouse(opts Options, logf func(format string, args ...any)) (*House, error) {
	if err := opts.check(); err != nil {
		return nil, err
	}
	records, initial, err := opts.records()
	if err != nil {
		return nil, err
	}
	handler, err := httpapi.New(records, httpapi.Options{
		Root:       opts.Root,
		Limits:     opts.Limits,
		Authorizer: opts.authorizer(),
		OnError:    func(r *http.Request, err error) { logf("%s %s: %v", r.Method, r.URL, err) },
	})
	if err != nil {
		return nil, err
	}
	served := opts.wrap(handler)
	if served == nil {
		return nil, errNilWrap
	}
	h := &House{Catalogue: records, initial: initial}
	h.log.max = opts.MaxExchanges
	h.faults.paths, h.faults.limits = pathsOf(records, handler.Root()), handler.Limits()
	h.Handler = h.log.wrap(h.faults.wrap(served))
	return h, nil
}

// open serves the house until its function end is called.
func (h *House) open(opts Options, errorLog *log.Logger) error {
	serve := serveInProcess
	if opts.Server {
		serve = serveLoopback
	}
	url, client, end, err := serve(h.Handler, opts.scheme(), errorLog)
	if err != nil {
		return err
	}
	h.URL, h.Client, h.made, h.end = url, client, thisSide(), sync.OnceFunc(end)
	return nil
}

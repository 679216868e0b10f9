package cataloguetest

import (
	"log"
	"net/http"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

// House is the service as one test has it. It is made by [New] or [NewWith], may
// be used by any number of goroutines at once, and is closed with its test.
type House struct {
	// Catalogue holds the records. What is written to it is served at once.
	Catalogue *catalogue.Catalogue
	// Handler serves the documented paths, and notes what it was asked. It is what
	// Client reaches, and may as well be called directly.
	Handler http.Handler
	// URL is where Handler is served, without a slash at its end: the events are
	// at URL + "/api/events/".
	URL string
	// Client asks it, and reaches nothing else. It is the test's to change.
	Client *http.Client

	tb     testing.TB
	log    journal
	faults faults
	before *catalogue.Catalogue // as Catalogue was; nobody writes to it
}

// New gives a test a house of its own: the sample, reached in this process, open
// to anybody who posts. It is [NewWith] without options.
func New(tb testing.TB) *House {
	tb.Helper()
	return NewWith(tb, Options{})
}

// NewWith gives a test a house of its own as the options want it, until the test
// and its subtests are over. Houses share nothing that can be changed, so tests
// may run in parallel. The test fails at once, saying why, if the options
// contradict each other, if a fixture is bad, or if no loopback port can be had.
//
// At the end of the test requests that are still running lose their connection,
// and their handlers are waited for. If the test has failed its last requests are
// logged, and how the catalogue was changed.
//
// The first call that wants the sample makes it, in some tens of milliseconds;
// each later one forks it, whatever its size.
func NewWith(tb testing.TB, opts Options) *House {
	tb.Helper()
	if err := opts.check(); err != nil {
		tb.Fatalf("cataloguetest: %v", err)
	}
	records, before, err := opts.records()
	if err != nil {
		tb.Fatalf("cataloguetest: %v", err)
	}
	handler, err := httpapi.New(records, httpapi.Options{
		Authorizer: opts.authorizer(),
		OnError:    func(r *http.Request, err error) { tb.Logf("%s %s: %v", r.Method, r.URL, err) },
	})
	if err != nil {
		tb.Fatalf("cataloguetest: %v", err)
	}
	h := &House{Catalogue: records, before: before, tb: tb}
	h.Handler = h.log.wrap(h.faults.wrap(handler))
	tb.Cleanup(func() { h.report(tb) })
	h.open(tb, opts)
	return h
}

// open serves the house until the test is over.
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
	tb.Cleanup(end)
	h.URL, h.Client = url, client
}

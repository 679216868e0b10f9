// Package cataloguetest provides a fake of a service with pages of records, for tests.
//
//	func TestFilmNames(t *testing.T) {
//		server := cataloguetest.NewWith(t, cataloguetest.Options{
//			Definitions: []catalogue.AnyDefinition{Directors, Films},
//			Handler:     httpapi.Options{Root: "/v1/"},
//			File:        "testdata/films.json",
//		})
//		server.Inject(cataloguetest.Match{Nth: 2}, cataloguetest.Status(503, "busy"))
//		names, err := filmNames(t.Context(), server.Client, server.URL)
//		if err == nil {
//			t.Errorf("the second request failed, and there are %d names without an error", len(names))
//		}
//		server.AssertRequests(t, "GET /v1/films/", "GET /v1/films/?limit=21&offset=21")
//	}
//
// In these examples, filmNames and eventNames are the code under test. A [Server] has records and
// an HTTP client that belongs to the test. It is closed when the test ends. Servers share no state,
// so tests can run in parallel.
//
// # Records
//
// [Options].File is a file of records. A server of definitions without a file is empty;
// Records of package resources/sample makes some up. Without both, a server has the 39
// documented collections, with sample records, which are the same in every run. Tests change
// records through server.Catalogue:
//
//	server := cataloguetest.New(t)
//	events, err := resources.Events.In(server.Catalogue)
//	…
//	err = events.Update(1, func(e *resources.Event) error {
//		e.Name = "Renamed"
//		return nil
//	})
//	names, err := eventNames(t.Context(), server.Client, server.URL)
//
// # Services
//
// Pages are those of Django REST framework, by limit and offset. [Options].Handler selects pages by
// number or by cursor, a later version, and what else package httpapi can do. [Options].Wrap adds
// endpoints of the program's own, such as /login, behind the same client, log and faults.
//
// # Requests and faults
//
// [Server.Exchanges] returns every request with its response. [Server.AssertRequests] compares them
// with a list. When a test fails, its last requests are logged, with the bodies of error responses.
// A parameter, a field in an ordering or a member of a body that nothing reads, such as a mistyped
// filter, fails the test, unless [Options].Ignored lists it.
//
// [Server.Inject] applies a [Fault], such as an error status, a delay, a reset connection or a page
// with wrong contents, to the requests that a [Match] selects. A fault that has changed no response
// at the end of the test fails it, unless it has been removed.
//
//	func TestUnavailable(t *testing.T) {
//		synctest.Test(t, func(t *testing.T) { // the delay takes no time
//			server := cataloguetest.New(t)
//			slow := server.Inject(cataloguetest.Match{Nth: 1}, cataloguetest.Delay(time.Hour))
//			server.Inject(
//				cataloguetest.Match{Query: url.Values{"offset": {"21"}}},
//				cataloguetest.Status(503, "busy"))
//
//			_, err := eventNames(t.Context(), server.Client, server.URL)
//			if err == nil || slow.Count() != 1 {
//				t.Errorf("error %v after %d delays", err, slow.Count())
//			}
//		})
//	}
//
// Whether a client reads all records, whatever goes wrong, is tested by
// [github.com/gobacklist/backlist/httpapi/clienttest.VerifyClient].
//
// # Transport
//
// The client reaches its own server in process, without sockets, and nothing else. The connection
// is a net.Pipe between the [http.Transport] and the [http.Server] of net/http. Contexts, timeouts,
// streaming, limits, HEAD and headers therefore behave as they do over a network, with these
// differences: a write blocks until the other side reads, nothing is encrypted, the errors of a
// reset connection have other texts, and there is no HTTP/2.
//
// Code that needs an address instead of a client reaches the same handler, with the same log and
// faults, by a server of package httptest:
//
//	listening := httptest.NewServer(server.Handler)
//	defer listening.Close()
//	names, err := eventNames(t.Context(), listening.Client(), listening.URL)
//
// # Synthetic time
//
// A server works inside a bubble of [testing/synctest.Test] if it is made there with the T of the
// bubble. All its goroutines block durably, so a handler that sleeps and a client that times out
// take no time. If a server is made outside the bubble and used inside, or the other way round, its
// requests return an error with that reason.
package cataloguetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/infer"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/internal/fake"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
	"github.com/gobacklist/backlist/resources/sample"
)

// A Server is a fake of the catalogue service. One made by [New] or [NewWith] belongs to a test and
// is closed when the test ends. One made by [Open] belongs to a program, which closes it. A Server
// is safe for concurrent use.
type Server struct {
	// Catalogue holds the records. Changes to it are served at once.
	Catalogue *catalogue.Catalogue
	// Handler serves the collections and records the exchanges. It may be called directly.
	Handler http.Handler
	// URL is the address of Handler, without a trailing slash. The events are at URL +
	// "/api/events/", unless Options.Handler has a Root.
	URL string
	// Client sends requests to Handler and reaches no other address. The test may change it.
	Client *http.Client

	log    exchangeLog
	faults faults
	tb     testing.TB // nil: the server belongs to no test
	made   fake.Side
	end    func() // has an effect once
}

// New returns NewWith(tb, Options{}): a server with the sample records that permits every write.
func New(tb testing.TB) *Server {
	tb.Helper()
	return NewWith(tb, Options{})
}

// NewWith returns a server configured by opts. It is open until the test and its subtests have
// ended. NewWith calls tb.Fatalf if the options contradict each other, if a definition, the root or
// the file is invalid, or if Options.Wrap returns nil. At the end, running requests lose their
// connection, and the server waits for their handlers. A panic that the handler reports, such as that
// of a rule, fails the test.
//
// The first call generates the sample records in some tens of milliseconds. Later calls clone them
// in O(1).
func NewWith(tb testing.TB, opts Options) *Server {
	tb.Helper()
	s, err := newServer(opts, func(r *http.Request, err error) {
		report := tb.Logf
		if errors.Is(err, httpapi.ErrPanic) {
			report = tb.Errorf
		}
		report("%s %s: %v", r.Method, r.URL, err)
	})
	if err != nil {
		tb.Fatalf("cataloguetest: %v", err)
	}
	s.tb = tb
	tb.Cleanup(func() {
		tb.Helper()
		s.faults.report(tb)
		if !tb.Skipped() {
			s.log.report(tb)
		}
		if tb.Failed() {
			tb.Logf("cataloguetest: %s", formatRequests(s.log.exchanges()))
		}
	})
	s.open(opts, log.New(tb.Output(), "", 0))
	tb.Cleanup(func() {
		tb.Helper()
		if err := s.made.Check(); err != nil {
			tb.Errorf("%v", err) // the server cannot be closed here
			return
		}
		s.end()
	})
	return s
}

// Open returns a server configured by opts that belongs to no test, for a program such as a fake
// service with a port of its own. The caller must call Close. It returns an error where NewWith
// fails the test. Errors that are not sent to clients are logged by package log. Set
// Options.MaxExchanges in a program that runs for long:
//
//	server, err := cataloguetest.Open(cataloguetest.Options{Catalogue: records, MaxExchanges: 1000})
//	if err != nil {
//		return err
//	}
//	defer server.Close()
//	return http.ListenAndServe("127.0.0.1:8080", server.Handler)
func Open(opts Options) (*Server, error) {
	s, err := newServer(opts, func(r *http.Request, err error) { log.Printf("%s %s: %v", r.Method, r.URL, err) })
	if err != nil {
		return nil, fmt.Errorf("cataloguetest: %w", err)
	}
	s.open(opts, log.Default())
	return s, nil
}

// newServer returns a server that is not reached by a client yet.
func newServer(opts Options, onError func(*http.Request, error)) (*Server, error) {
	records, err := opts.records()
	if err != nil {
		return nil, err
	}
	if opts.Handler.Authorizer == nil {
		opts.Handler.Authorizer = httpapi.AllowAll
	}
	if opts.Handler.OnError == nil {
		opts.Handler.OnError = onError
	}
	handler, err := httpapi.New(records, opts.Handler)
	if err != nil {
		return nil, err
	}
	s := &Server{Catalogue: records}
	s.log.max, s.log.ignored, s.log.onIgnored = opts.MaxExchanges, opts.Ignored, opts.OnIgnored
	s.faults.paths = pathsOf(records, opts.Handler.Root, opts.Handler.Pages)
	var served http.Handler = handler
	if opts.Wrap != nil {
		served = opts.Wrap(served)
	}
	if served == nil {
		return nil, errors.New("options: Wrap returned a nil handler")
	}
	s.Handler = s.log.wrap(s.faults.wrap(served))
	return s, nil
}

// open starts the server; s.end stops it.
func (s *Server) open(opts Options, errorLog *log.Logger) {
	url, client, end := fake.Serve(s.Handler, opts.Secure, errorLog)
	s.URL, s.Client, s.made, s.end = url, client, fake.ThisSide(), sync.OnceFunc(end)
}

// Close closes the connections of the server's client and waits for their handlers. Requests that
// the client sends later return an error. Close has no effect on callers of Handler, and none after
// the first call. Servers of a test need not be closed.
func (s *Server) Close() { s.end() }

// Options configures a [Server]. The zero value serves the sample records over http, and permits
// every write. Catalogue may be set neither with Definitions nor with File.
type Options struct {
	// Definitions, if not empty, are the collections of the server, which is empty unless there is a
	// File.
	Definitions []catalogue.AnyDefinition

	// Handler configures the handler of the collections, such as its Root and the style of its
	// Pages. If Authorizer is nil, every request is permitted, and if OnError is nil, a panic
	// fails the test and other errors are logged. If Wrap returns a handler with other pages,
	// Handler.Pages must be those, since faults use it.
	Handler httpapi.Options

	// Catalogue, if not nil, is served itself and not cloned: records that are posted are written
	// to it.
	Catalogue *catalogue.Catalogue

	// File, if not empty, is the path of a JSON file with the records, such as one that
	// [catalogue.Catalogue.Save] writes: an object that maps keys of collections to arrays. Without
	// Definitions, its collections are those that [github.com/gobacklist/backlist/catalogue/infer.Read]
	// guesses, and writes can send any members; to say more about them, call that function, and set
	// Catalogue. With Definitions, their collections are loaded as by [catalogue.Catalogue.LoadFile]. A
	// path that is not absolute begins in the directory of the test's package.
	File string

	// Wrap, if not nil, returns a handler for all requests, given the handler of the collections.
	// It adds endpoints of the program's own, such as "/login", and passes all other requests on. A
	// request goes through the log, the faults, the handler that Wrap returns, and the handler of
	// the collections, in this order. A nil result fails the test.
	Wrap func(http.Handler) http.Handler

	// Ignored are names that requests may have although nothing reads them: parameters, fields in
	// orderings, and members of bodies. The framework ignores such names, so that a client with a
	// mistyped filter receives all records. Others fail the test when it ends, each once and at most
	// 20, with the first request that has the name and the nearest known one.
	//
	// This applies to requests that reach a handler of package httpapi, that of the server or one that
	// Wrap returns, for the path of a collection or a record. Parameters are those of a list. Members
	// are read if a body is valid JSON or a form, and have been described.
	Ignored []string

	// OnIgnored, if not nil, is called with each request that has a name that nothing reads and Ignored
	// lacks, with the name and a hint such as "did you mean artist?", for programs that have called Open.
	// It must not use the server, and is called by one goroutine at a time.
	OnIgnored func(r *http.Request, name, hint string)

	// MaxExchanges is the largest number of exchanges that are kept, the latest ones; assertions
	// apply to these. If zero or negative, all are.
	MaxExchanges int

	// Secure makes URL an https URL. Requests have a TLS state without a certificate.
	Secure bool
}

// records returns the catalogue to serve.
func (o *Options) records() (served *catalogue.Catalogue, err error) {
	switch {
	case o.Catalogue != nil && (o.File != "" || len(o.Definitions) > 0):
		return nil, errors.New("options: Catalogue may be set neither with File nor with Definitions")
	case o.Catalogue != nil:
		return o.Catalogue, nil
	case len(o.Definitions) > 0:
		served, err = catalogue.New(o.Definitions...)
		if err == nil && o.File != "" {
			err = served.LoadFile(o.File, catalogue.LoadOptions{})
		}
		return served, err
	case o.File != "":
		return readFile(o.File)
	}
	if served, err = sampleCatalogue(); err == nil {
		served = served.Clone()
	}
	return served, err
}

// readFile returns the catalogue of a JSON file.
func readFile(name string) (*catalogue.Catalogue, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	base := filepath.Base(name)
	read, err := infer.Read(file, infer.Options{Name: strings.TrimSuffix(base, filepath.Ext(base))})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return read.Catalogue, nil
}

// sampleCatalogue returns the sample records. All calls return the same catalogue,
// which must only be cloned and read.
var sampleCatalogue = sync.OnceValues(func() (*catalogue.Catalogue, error) {
	var file bytes.Buffer
	if err := sample.Write(&file, sample.Options{}); err != nil {
		return nil, err
	}
	c, err := resources.New()
	if err != nil {
		return nil, err
	}
	if err := c.Load(&file, catalogue.LoadOptions{}); err != nil {
		return nil, err
	}
	// Build the index of every collection's default ordering, which clones then share.
	for _, collection := range c.All() {
		if _, err := collection.List(context.Background(), catalogue.Query{Window: pagination.Window{Limit: 1}}); err != nil {
			return nil, err
		}
	}
	return c, nil
})

// Inject applies fault to the requests that match selects, until it is removed:
//
//	server.Inject(cataloguetest.Match{Nth: 2}, cataloguetest.Status(503, ""))
//	server.Inject(cataloguetest.Match{Query: url.Values{"offset": {"21"}}}, cataloguetest.MissingRow())
//
// If several faults apply to one request, they take effect in the order in which a response is
// made: delays and resets before the response, a status in its place, changes to its page, headers,
// truncation, and finally the way its bytes are sent. Faults of the same kind take effect in the
// order of the calls. Each fault counts the requests as they arrive.
//
// A fault that has changed no response at the end of the test fails it, with the place where Inject
// was called, unless it has been removed. Inject calls Fatalf on the [testing.TB] of the server if
// match or fault is invalid, or if match can match no request. If the server belongs to no test,
// Inject logs the error and injects nothing.
func (s *Server) Inject(match Match, fault Fault) *Injection {
	i, err := s.faults.add(match, fault, caller())
	if err == nil {
		return i
	}
	if s.tb == nil {
		log.Printf("cataloguetest: Inject: %v", err)
	} else {
		s.tb.Helper()
		s.tb.Fatalf("cataloguetest: Inject: %v", err)
	}
	return &Injection{owner: &s.faults}
}

// TryInject applies fault as [Server.Inject] does, for programs whose faults come from a
// configuration or a request. It returns an error if match or fault is invalid, or if match can
// match no request.
func (s *Server) TryInject(match Match, fault Fault) (*Injection, error) {
	i, err := s.faults.add(match, fault, caller())
	if err != nil {
		return nil, fmt.Errorf("cataloguetest: %w", err)
	}
	return i, nil
}

// caller returns the file and line from which the caller of this function was called.
func caller() string {
	_, file, line, _ := runtime.Caller(2)
	return fmt.Sprintf("%s:%d", filepath.Base(file), line)
}

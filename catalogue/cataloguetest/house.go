package cataloguetest

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources/sample"
)

// House is the service as one test has it. Its fields are set by [New].
type House struct {
	// Catalogue holds the records: those of package sample to begin with. What
	// is written to it is served at once.
	Catalogue *catalogue.Catalogue
	// Handler serves the documented paths. Anybody may post.
	Handler http.Handler
	// URL is where Handler is served, without a slash at its end: the events are
	// at URL + "/api/events/".
	URL string
	// Client asks it.
	Client *http.Client

	tb     testing.TB
	faults faults
}

// New gives a test a house of its own, served on a loopback port until the test
// and its subtests are over. Houses share nothing that can be changed, so tests
// may run in parallel. The first call makes the sample, in some tens of
// milliseconds; each later one forks it, whatever its size. If the port cannot
// be had the test fails at once, as with [httptest.NewServer].
func New(tb testing.TB) *House {
	tb.Helper()
	sampled, err := template()
	if err != nil {
		tb.Fatalf("cataloguetest: %v", err)
	}
	house := sampled.Clone()
	handler, err := httpapi.New(house, httpapi.Options{Authorizer: httpapi.AllowAll})
	if err != nil {
		tb.Fatalf("cataloguetest: %v", err)
	}
	h := &House{Catalogue: house, Handler: handler, tb: tb}
	server := httptest.NewServer(h.faults.wrap(handler))
	tb.Cleanup(server.Close)
	h.URL, h.Client = server.URL, server.Client()
	return h
}

// template is the sample house, made once; it is only ever forked.
var template = sync.OnceValues(func() (*catalogue.Catalogue, error) {
	var file bytes.Buffer
	if _, err := sample.New(sample.Options{}).WriteTo(&file); err != nil {
		return nil, err
	}
	house := catalogue.New()
	return house, house.Load(&file)
})

package clienttest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue"
)

// A Fetch is a client under test. It fetches all records of one collection and
// returns their ids in any order. A test implements it with the program's own code:
//
//	func(ctx context.Context, client *http.Client, baseURL string) ([]int, error) {
//		events, err := myclient.New(client, baseURL).AllEvents(ctx)
//		return idsOf(events), err
//	}
//
// It must send its requests with client, or with another client that has the same
// Transport, and must begin at baseURL (the events are at baseURL + "/api/events/", unless
// Options.Root is set).
// It is called once for each situation or scenario, sequentially, each time with another
// service. It should keep no state between calls.
type Fetch func(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error)

// Options configures [VerifyClient], [Explore] and [ExploreCreate]. The zero value is the
// default.
type Options struct {
	// Collection is the key of the collection that the client fetches or creates records
	// in. If empty, it is "events" or, if there is a Catalogue, its first collection that
	// is suitable.
	Collection string

	// Catalogue, if not nil, has the collections and the records of the services. It is
	// cloned. If nil, the collections are the documented ones, with sample records.
	Catalogue *catalogue.Catalogue

	// Root is the path of the root listing; see [httpapi.Options]. If empty, it is
	// "/api/".
	Root string

	// Timeout is the time after which the context of the client ends. If the client waits
	// before it retries, Timeout must be longer. If zero or negative, it is 10 seconds in
	// VerifyClient, and otherwise a minute, of synthetic time.
	Timeout time.Duration

	// Skip lists what the client is not meant to handle. For VerifyClient, these are names
	// of situations, which are those of its subtests. For Explore and ExploreCreate, they
	// are names of events, which then do not happen:
	//
	//   - responses: status-500, status-404, status-503, status-429,
	//     error-with-status-200, html-with-status-200, no-body-with-status-200,
	//     wrong-content-type, redirect-to-other-host, browsable-api;
	//   - connections: delay, stall, slow-body, cut-before-header, cut-in-body,
	//     truncated-body;
	//   - wrong pages: next-is-self, next-cycle, next-on-other-host, next-without-tls,
	//     empty-pages-with-next, row-missing, row-repeated, row-repeated-for-another,
	//     count-shrinks;
	//   - writes: insert, delete, swap (two records exchange their contents) and load.
	Skip []string

	// Scenarios is the number of scenarios of Explore and ExploreCreate. If zero or
	// negative, it is 1000.
	Scenarios int

	// Seed determines the first scenario. The following ones have the following seeds, so
	// Seed: 4711, Scenarios: 1 repeats the scenario of a seed.
	Seed uint64

	// Scenario, if not nil, encodes the only scenario; Scenarios and Seed are not used. Any
	// bytes are a scenario, so a fuzz test can pass its argument.
	Scenario []byte
}

var errNilClient = errors.New("clienttest: nil client")

// checkSkip returns an error if Skip has an unknown name.
func (o *Options) checkSkip(noun string, known []string) error {
	for _, name := range o.Skip {
		if !slices.Contains(known, name) {
			return fmt.Errorf("clienttest: Options.Skip: unknown %s %q; want one of %s", noun, name, strings.Join(known, ", "))
		}
	}
	return nil
}

package cataloguetest

import (
	"context"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
)

// An Exploration configures [Explore] and [ExploreCreate]. The zero value is the default.
type Exploration struct {
	// Collection is the key of the collection that the client fetches or creates records
	// in. If empty, it is "events" or, if there is a Catalogue, its first collection that
	// is suitable.
	Collection string

	// Catalogue, if not nil, has the collections and the records of the services. It is
	// cloned. A collection is suitable if it has the action [schema.List] and at
	// least 4 records. If nil, the collections are the documented ones, with the sample
	// records of [New].
	Catalogue *catalogue.Catalogue

	// Root is the path of the root listing; see [httpapi.Options]. If empty, it is
	// "/api/".
	Root string

	// Stories is the number of stories. If zero or negative, it is 1000.
	Stories int

	// Seed determines the first story. The following ones have the following seeds, so
	// Seed: 4711, Stories: 1 repeats the story of a seed.
	Seed uint64

	// Story, if not nil, encodes the only story; Stories and Seed are not used. Any bytes
	// are a story, so a fuzz test can pass its argument.
	Story []byte

	// Timeout is the synthetic time after which the context of the client ends. If the
	// client waits before it retries, Timeout must be longer. If zero or negative, it is
	// a minute.
	Timeout time.Duration

	// Except lists the names of events that do not happen, for a client that is not
	// meant to handle them. The events are
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
	Except []string
}

// Explore searches for mistakes of a client. It runs fetch once for each of many stories.
// In a story, a small service has up to three events at certain requests: errors, delays,
// connections that break, pages that are wrong, and records that are inserted, deleted,
// changed or replaced while the client reads. In each story the client must
//
//   - return an error, or every record that existed from the beginning to the end exactly
//     once and otherwise only records that existed at some time;
//   - return no error if nothing is wrong;
//   - not send requests endlessly, and none to another host or without encryption;
//   - return when its context ends, close all response bodies, and leave no goroutine
//     that is blocked.
//
// A story in which it does something else is reduced to the smallest one that shows the same
// mistake. The test then fails with what the client did wrong, what to do, the event of
// [Exploration.Except] that allows it, the requests, and a Go test that shows it in a house.
// Each mistake is reported once, and at most ten are. After a mistake that the client makes
// without any event, the search ends, since others would follow from it. A thousand stories
// take a few seconds.
//
//	func TestClient(t *testing.T) {
//		cataloguetest.Explore(t, eventIDs, cataloguetest.Exploration{Collection: "events"})
//	}
//
// A story depends only on its seed, the collection and Except, so every run of the test has
// the same stories, and so has every machine. That a client passes 1000 of them does not prove that it passes all:
// let a scheduled job run more of them, with another seed. In a fuzz test, the fuzzer
// chooses the stories:
//
//	func FuzzClient(f *testing.F) {
//		f.Fuzz(func(t *testing.T, story []byte) {
//			cataloguetest.Explore(t, eventIDs, cataloguetest.Exploration{Story: story})
//		})
//	}
//
// Each story runs in a bubble of [testing/synctest], where waiting takes no time. The
// service is called by the client's transport, in the goroutine of the request: there are
// no connections, and a response begins to arrive when the service has made all of it. Of a
// client that sends requests concurrently, a story may end differently each time.
//
// fetch must use only goroutines, channels and timers that it has made itself. If it
// neither returns nor blocks within 30 seconds of real time, the test fails and its
// goroutine is abandoned.
//
// Explore calls t.Fatal if fetch is nil, the root is invalid, the collection or an
// exception is unknown, or the collection is not suitable. It must not be called inside a
// bubble.
func Explore(t *testing.T, fetch Fetch, opts Exploration) {
	t.Helper()
	explore(t, opts, fetchSubject(fetch))
}

// A Create is a client under test that creates a record, with a POST to a collection, and
// returns its id. The requirements of a [Fetch] apply.
type Create func(ctx context.Context, client *http.Client, baseURL string) (id int, err error)

// ExploreCreate is like [Explore] for a client that creates a record. The stories have no
// other writes. In each of them, if the client returns no error, the collection must have
// one new record, with the id that the client has returned. So a client that repeats a POST
// must make sure that it does not create a second record.
func ExploreCreate(t *testing.T, create Create, opts Exploration) {
	t.Helper()
	explore(t, opts, createSubject(create))
}

// A subject is a kind of client, and what is expected of it.
type subject struct {
	name    string // of the client in a test that is printed
	kinds   []kind // of the steps of its stories
	creates bool   // it writes to the collection
	call    Fetch
	judge   func(*ended) problem
	code    func(*ended) []string // Go code that calls the client in a house and checks its result
}

func fetchSubject(fetch Fetch) subject {
	return subject{name: "fetch", kinds: storyKinds(), call: fetch, judge: judgeFetch, code: fetchCode}
}

func createSubject(create Create) subject {
	s := subject{
		name:    "create",
		kinds:   slices.DeleteFunc(storyKinds(), func(k kind) bool { return k.write != nil }),
		creates: true,
		judge:   judgeCreate,
		code:    createCode,
	}
	if create != nil {
		s.call = func(ctx context.Context, client *http.Client, url string) (ids []int, err error) {
			id, err := create(ctx, client, url)
			return []int{id}, err
		}
	}
	return s
}

const (
	defaultStories = 1000
	leastOf        = 4  // records that a collection must have
	mostOf         = 60 // records of a collection that occur in stories
	mostFindings   = 10 // mistakes that are reported
)

func explore(t *testing.T, opts Exploration, s subject) {
	t.Helper()
	x, err := newExplorer(opts, s)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range x.search(t, opts, mostFindings) {
		t.Errorf("%s", x.report(f))
	}
}

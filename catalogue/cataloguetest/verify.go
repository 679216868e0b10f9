package cataloguetest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
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
// Verification.Root is set).
// It is called once for each pathology, sequentially, each time with another
// service. It should keep no state between calls.
type Fetch func(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error)

// Verification configures [VerifyClient] and [CheckClient]. The zero value is the
// default.
type Verification struct {
	// Collection is the key of the collection that Fetch fetches. If empty, it is
	// "events" or, if there is a Catalogue, its first collection that is suitable.
	Collection string

	// Catalogue, if not nil, has the collections and the records of the services. It is
	// cloned. A collection is suitable if it has the action [schema.List] and at
	// least 95 records; the services have the first of them in the order of their ids.
	// If nil, the collections are the documented ones, with sample records.
	Catalogue *catalogue.Catalogue

	// Root is the path of the root listing; see [httpapi.Options]. If empty, it is
	// "/api/".
	Root string

	// Timeout is the time after which the context of a call to Fetch ends. If the
	// client waits before it retries, Timeout must be longer. If zero or negative, it
	// is 10 seconds.
	Timeout time.Duration

	// Except lists the names of pathologies to skip, for a client that is not meant
	// to handle them.
	Except []string
}

// ErrClientFailed is wrapped by the error of [CheckClient] when the client fails a
// pathology.
var ErrClientFailed = errors.New("the client failed")

// CheckClient runs a client through the pathologies of paginated services: lists of
// several sizes, HTML for format=api, temporary and permanent errors, connections that break or stall, and
// wrong pages, with links that lead to an earlier page or to another host, records that
// are missing or repeated, and counts that change. In each of them the client must
//
//   - return all records, each once, or an error, and no error if nothing is wrong;
//   - not send requests endlessly;
//   - send no request to another host or without encryption;
//   - return when its context ends;
//   - close the bodies of all responses before it returns.
//
// The client may handle an error by returning it or by retrying. It may follow links
// or compute offsets. Pages have at most 10 records, even if the request has a larger
// limit.
//
// The first pathology, "several-pages", is a service in which nothing is wrong. If the client
// fails that, the others are skipped, because their results would say nothing about them.
//
// The report has a result for each pathology that was run. The error is nil if the client passed
// all of them. Otherwise it wraps one [ErrClientFailed] for each that it failed, with
// a sentence that says what to do. If fetch is nil, the root is invalid, the collection or
// an exception is unknown, or the collection is not suitable, the report is empty and the
// error does not wrap ErrClientFailed.
//
// A client that panics fails the pathology. So does a client that has not returned two
// seconds after the end of its context; its connections are cut and its goroutine is
// abandoned. CheckClient takes as long as the client, plus a fifth of a second.
//
// In a test, use [VerifyClient].
func CheckClient(fetch Fetch, opts Verification) (Report, error) {
	v, err := newVerification(fetch, opts)
	if err != nil {
		return Report{}, err
	}
	var report Report
	for _, p := range v.pathologies {
		result, err := v.run(p)
		if err != nil {
			return Report{}, err
		}
		report.Results = append(report.Results, result)
		if v.skipsOthers(result) {
			break
		}
	}
	return report, report.err()
}

// VerifyClient is like [CheckClient] but runs each pathology in a subtest with its
// name, so that it can be run alone:
//
//	go test -run TestMyClient/next-is-self
//
// A subtest that fails logs the problem and the requests of the client. VerifyClient
// calls t.Fatal if CheckClient would return an empty report.
func VerifyClient(t *testing.T, fetch Fetch, opts Verification) {
	t.Helper()
	v, err := newVerification(fetch, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range v.pathologies {
		var result Result
		t.Run(p.name, func(t *testing.T) {
			var err error
			if result, err = v.run(p); err != nil {
				t.Fatal(err)
			}
			if result.Problem != "" {
				t.Errorf("%s\n%s", result.Problem, result.requests())
			}
		})
		if v.skipsOthers(result) {
			return
		}
	}
}

// A verification is a client with the pathologies to run it through.
type verification struct {
	fetch       Fetch
	timeout     time.Duration
	grace       time.Duration // to return after the context has ended
	data        *dataset
	pathologies []pathology
}

func newVerification(fetch Fetch, opts Verification) (*verification, error) {
	if fetch == nil {
		return nil, errors.New("cataloguetest: nil Fetch")
	}
	if opts.Collection == "" && opts.Catalogue == nil {
		opts.Collection = "events"
	}
	if opts.Timeout <= 0 {
		opts.Timeout = 10 * time.Second
	}
	all := pathologies()
	for _, name := range opts.Except {
		if !slices.ContainsFunc(all, func(p pathology) bool { return p.name == name }) {
			return nil, fmt.Errorf("cataloguetest: Verification.Except: unknown pathology %q; want one of %s", name, strings.Join(names(all), ", "))
		}
	}
	data, err := newDataset(opts)
	if err != nil {
		return nil, err
	}
	return &verification{
		fetch:   fetch,
		timeout: opts.Timeout,
		grace:   2 * time.Second,
		data:    data,
		pathologies: slices.DeleteFunc(all, func(p pathology) bool {
			return slices.Contains(opts.Except, p.name)
		}),
	}, nil
}

func names(all []pathology) []string {
	var list []string
	for _, p := range all {
		list = append(list, p.name)
	}
	return list
}

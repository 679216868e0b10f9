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
)

// A Fetch is a client under test: it fetches all records of one collection, with
// the program's own code, and gives their ids in any order. A test writes one
// around that code:
//
//	func(ctx context.Context, client *http.Client, baseURL string) ([]int, error) {
//		events, err := myclient.New(client, baseURL).AllEvents(ctx)
//		return idsOf(events), err
//	}
//
// It must ask with that client, or with another one that has its Transport, and
// must begin at baseURL (the events are at baseURL + "/api/events/"). It is called
// once for each pathology, one after the other, with a service of its own each
// time, so it should keep nothing from one call to the next.
type Fetch func(ctx context.Context, client *http.Client, baseURL string) (ids []int, err error)

// Verification says how a client is verified. The zero value is the default.
type Verification struct {
	// Collection is what Fetch fetches, by its key. Empty: events.
	Collection string

	// Timeout is when the context of a call to Fetch ends. A client that waits
	// longer before it tries again has given up by then. 0 and less: 10 seconds.
	Timeout time.Duration

	// Except are names of pathologies that are left out, for a client that is not
	// meant to stand them.
	Except []string
}

// ErrClientFailed is what each failure of [CheckClient] matches with [errors.Is].
var ErrClientFailed = errors.New("the client is wrong")

// CheckClient runs a client through everything that goes wrong with a paginated
// service, and through what does not: pages of all sizes, errors that pass and that
// stay, connections that break or stall, and what services say in their pages that
// is not so: links in a circle or to a stranger, records that are missing or come
// twice, counts that change. In each case the client must end; must return all
// records, each once, or an error; must not go round in circles; must send nothing
// to another host, nor anything without encryption; and must not outlive its
// context. Where nothing is wrong an error is wrong.
//
// What a client does about an error is its own affair: it may return it, or ask
// again and go on. It may follow links or count offsets itself. Pages have 10
// records and no more, whatever is asked for.
//
// The report has a result for each pathology. The error is nil if all are passed;
// else it joins one [ErrClientFailed] for each that is not, with a sentence that says what
// to do. A nil fetch, and an unknown collection or exception, are errors of
// another kind, without a report.
//
// It takes as long as the client takes, and a fifth of a second more. A client
// that has not returned two seconds after its context ended is left behind, with
// its goroutine and its connections cut; a client that panics has failed. It
// needs no testing.T; in a test [VerifyClient] says more.
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
	}
	return report, report.err()
}

// VerifyClient is [CheckClient] with a subtest for each pathology, named after it,
// so that one can be run alone:
//
//	go test -run TestMyClient/next-is-self
//
// A subtest that fails says what is wrong, and what was asked.
func VerifyClient(t *testing.T, fetch Fetch, opts Verification) {
	t.Helper()
	v, err := newVerification(fetch, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range v.pathologies {
		t.Run(p.name, func(t *testing.T) {
			result, err := v.run(p)
			if err != nil {
				t.Fatal(err)
			}
			if result.Problem != "" {
				t.Errorf("%s\n%s", result.Problem, result.requests())
			}
		})
	}
}

// verification is a client with what it is verified by.
type verification struct {
	fetch       Fetch
	timeout     time.Duration
	grace       time.Duration // to return after the context has ended
	stock       *stock
	pathologies []pathology
}

func newVerification(fetch Fetch, opts Verification) (*verification, error) {
	if fetch == nil {
		return nil, errors.New("cataloguetest: no Fetch to verify")
	}
	if opts.Collection == "" {
		opts.Collection = "events"
	}
	if opts.Timeout <= 0 {
		opts.Timeout = 10 * time.Second
	}
	all := pathologies()
	for _, name := range opts.Except {
		if !slices.ContainsFunc(all, func(p pathology) bool { return p.name == name }) {
			return nil, fmt.Errorf("cataloguetest: Except: there is no pathology %q, only %s", name, strings.Join(names(all), ", "))
		}
	}
	stock, err := newStock(opts.Collection)
	if err != nil {
		return nil, err
	}
	return &verification{
		fetch:   fetch,
		timeout: opts.Timeout,
		grace:   2 * time.Second,
		stock:   stock,
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

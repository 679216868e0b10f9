package clienttest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"
	"time"
)

// VerifyClient runs a client through the situations of paginated services: lists of several
// sizes, HTML for format=api, temporary and permanent errors, connections that break or stall,
// and wrong pages, with links that lead to an earlier page or to another host, records that
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
// Each situation is a subtest with its name, so that it can be run alone:
//
//	go test -run TestMyClient/next-is-self
//
// A subtest that fails logs what the client did wrong, what to do, and its requests. The first
// situation, "several-pages", is a service in which nothing is wrong. If the client
// fails that, the others are skipped, because their results would say nothing about them.
//
// A client that panics fails the situation. So does a client that has not returned two
// seconds after the end of its context; its connections are closed and its goroutine is
// abandoned. VerifyClient takes as long as the client, plus a fifth of a second.
//
// VerifyClient calls t.Fatal if fetch is nil, the root is invalid, the collection or a
// situation is unknown, or the collection is not suitable: it must have the action
// [schema.List] and at least 95 records, of which the services have the first in the order of
// their ids.
func VerifyClient(t *testing.T, fetch Fetch, opts Options) {
	t.Helper()
	v, err := newVerification(fetch, opts)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range v.situations {
		var r result
		t.Run(s.name, func(t *testing.T) {
			var err error
			if r, err = v.run(s); err != nil {
				t.Fatal(err)
			}
			if r.problem != "" {
				t.Errorf("%s\n%s", r.problem, formatRequests(r.requests))
			}
		})
		if r.skipsOthers() {
			return
		}
	}
}

// A verification is a client with the situations to run it through.
type verification struct {
	fetch      Fetch
	timeout    time.Duration
	grace      time.Duration // to return after the context has ended
	data       *dataset
	situations []situation
}

func newVerification(fetch Fetch, opts Options) (*verification, error) {
	if fetch == nil {
		return nil, errNilClient
	}
	all := situations()
	var names []string
	for _, s := range all {
		names = append(names, s.name)
	}
	if err := opts.checkSkip("situation", names); err != nil {
		return nil, err
	}
	data, err := newDataset(opts, mostRecords, mostRecords)
	if err != nil {
		return nil, err
	}
	if opts.Timeout <= 0 {
		opts.Timeout = 10 * time.Second
	}
	return &verification{
		fetch:      fetch,
		timeout:    opts.Timeout,
		grace:      2 * time.Second,
		data:       data,
		situations: slices.DeleteFunc(all, func(s situation) bool { return slices.Contains(opts.Skip, s.name) }),
	}, nil
}

// A result is the result of one situation.
type result struct {
	situation string
	problem   string   // what the client did wrong and how to fix it; empty: nothing
	requests  []string // each with its outcome
}

// skipsOthers reports whether the other situations are skipped after the result.
func (r result) skipsOthers() bool { return r.situation == simplest && r.problem != "" }

// run runs the client through one situation. It returns an error if the service
// could not be started.
func (v *verification) run(s situation) (result, error) {
	c, err := v.data.first(s.records)
	if err != nil {
		return result{}, err
	}
	server, err := v.data.serve(c, pageSize, false)
	if err != nil {
		return result{}, err
	}
	defer server.Close()
	faults := s.faults
	d := &deletion{data: v.data, server: server, records: s.records}
	if s.deletes {
		faults = d.faults()
	}
	for _, f := range faults {
		f.match.Collection = v.data.key
		if _, err := server.TryInject(f.match, f.fault); err != nil {
			return result{}, err
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), v.timeout)
	defer cancel()
	if s.timeout > 0 {
		ctx, cancel = context.WithTimeout(ctx, s.timeout)
		defer cancel()
	}
	if s.cancelled {
		cancel()
	}
	origin, err := url.Parse(server.URL)
	if err != nil {
		return result{}, err
	}
	g := &guard{next: server.Client.Transport, origin: origin, limit: requestLimit(s.records, pageSize), cancel: cancel}
	o := v.call(ctx, g, server.URL)
	o.deleted = d.deleted()
	requests, violation := g.close()
	r := result{situation: s.name, requests: requests, problem: v.problem(s, o, g, violation)}
	if n := len(v.situations) - 1; r.skipsOthers() && n > 0 {
		r.problem += fmt.Sprintf(" (%d other situations are skipped, since nothing is wrong in this one)", n)
	}
	return r, nil
}

// An outcome is the outcome of a call to a Fetch.
type outcome struct {
	ids     []int
	err     error
	failure string // if it did not return normally
	deleted int    // id of a record that was deleted meanwhile, or 0
}

// call calls Fetch and waits for it until the grace period after the end of its
// context.
func (v *verification) call(ctx context.Context, g *guard, url string) outcome {
	done := make(chan outcome, 1)
	go func() {
		o := outcome{failure: "ended its goroutine, as t.Fatal does, instead of returning an error"}
		defer func() {
			if reason := recover(); reason != nil {
				o.failure = fmt.Sprintf("panicked: %v", reason)
			}
			done <- o
		}()
		o.ids, o.err = v.fetch(ctx, &http.Client{Transport: g}, url)
		o.failure = ""
	}()
	select {
	case o := <-done:
		return o
	case <-ctx.Done():
	}
	timer := time.NewTimer(v.grace)
	defer timer.Stop()
	select {
	case o := <-done:
		return o
	case <-timer.C:
		return outcome{failure: fmt.Sprintf("did not return within %v after the end of its context", v.grace)}
	}
}

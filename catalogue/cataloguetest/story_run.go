package cataloguetest

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// An ended story is one that a client has gone through.
type ended struct {
	story
	data *dataset
	truth

	ids      []int
	err      error
	failure  problem // if the client did not return
	late     bool    // it returned after the grace period
	requests []string
	grace    time.Duration
	problem  problem
	happened []bool // which steps have changed a response or the records
	after    []int  // ids in the collection after the call
}

// truth is what has existed in the collection.
type truth struct {
	mu         sync.Mutex
	throughout []bool // by index of the dataset
	ever       []bool
}

// note records a state of the collection.
func (tr *truth) note(s state) {
	for i, present := range s.present {
		tr.throughout[i] = tr.throughout[i] && present
		tr.ever[i] = tr.ever[i] || present
	}
}

// run runs the client through a story in a bubble. It abandons a client that neither
// returns nor blocks.
func (x *explorer) run(t *testing.T, s story) *ended {
	t.Helper()
	e := &ended{story: s, data: x.data, grace: x.grace}
	service, err := x.serve(e)
	if err != nil {
		t.Fatalf("cataloguetest: %v", err)
	}
	done := make(chan problem, 1)
	go func() {
		var p problem
		defer func() {
			if reason := recover(); reason != nil {
				p = problem{kind: blocked, text: fmt.Sprintf("left goroutines that are blocked forever (%v)", reason), remedy: remedyBlock}
			}
			done <- p
		}()
		synctest.Test(t, func(*testing.T) { p = x.play(e, service) })
	}()
	patience := time.NewTimer(x.patience)
	defer patience.Stop()
	select {
	case e.problem = <-done:
		return e
	case <-patience.C: // e must no longer be used
		return &ended{story: s, data: x.data, problem: problem{kind: stuck, text: fmt.Sprintf("did not return within %v of real time, and was abandoned", x.patience), remedy: remedyBlock}}
	}
}

// play runs the client inside a bubble, and returns what it did wrong.
func (x *explorer) play(e *ended, s *storyService) problem {
	ctx, cancel := context.WithTimeout(context.Background(), x.timeout)
	defer cancel()
	origin := &url.URL{Scheme: "https", Host: domain}
	g := &guard{next: &direct{handler: s.handler}, origin: origin, limit: e.requestLimit(), cancel: cancel}
	var ended atomic.Pointer[time.Time]
	context.AfterFunc(ctx, func() {
		now := time.Now()
		ended.Store(&now)
	})
	x.fetch(ctx, &stopper{guard: g}, origin.String(), e)
	if at := ended.Load(); at != nil {
		e.late = time.Since(*at) > x.grace
	}
	bodies := g.bodies.problem()
	requests, violation := g.close()
	e.requests = requests
	for _, faults := range s.steps {
		e.happened = append(e.happened, slices.ContainsFunc(faults, func(b *Breakage) bool { return b.Count() > 0 }))
	}
	if x.creates {
		var err error
		if e.after, err = collectionIDs(s.house, x.data.key); err != nil {
			return problem{kind: stuck, text: err.Error()}
		}
	}
	return x.problem(e, violationOf(g, violation), bodies)
}

// fetch calls the client in a goroutine of its own, because the client may end that.
func (x *explorer) fetch(ctx context.Context, transport http.RoundTripper, url string, e *ended) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.failure = problem{kind: exited, text: "ended its goroutine, as t.Fatal does, instead of returning an error"}
		defer func() {
			if reason := recover(); reason != nil {
				e.failure = problem{kind: panicked, text: fmt.Sprintf("panicked (%v)", reason), remedy: remedyPanic}
			}
		}()
		e.ids, e.err = x.call(ctx, &http.Client{Transport: transport}, url)
		e.failure = problem{}
	}()
	<-done
}

// requestLimit is the number of requests that a client may send. It suffices to fetch
// single records and to retry each several times.
func (s *story) requestLimit() int {
	return 50 * max((s.records+s.limit-1)/s.limit, 1)
}

// A stopper is a guard that ends the goroutine of a client that goes on sending requests
// although they are refused.
type stopper struct {
	*guard
	mu      sync.Mutex
	refused int
}

// maxRefused is the number of refused requests before the client is stopped.
const maxRefused = 1000

func (s *stopper) RoundTrip(r *http.Request) (*http.Response, error) {
	resp, err := s.guard.RoundTrip(r)
	if err == errTooManyRequests {
		s.mu.Lock()
		s.refused++
		stop := s.refused > maxRefused
		s.mu.Unlock()
		if stop {
			runtime.Goexit()
		}
	}
	return resp, err
}

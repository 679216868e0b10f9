package clienttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/httpapi/internal/fake"
)

// VerifyClient runs a client through the situations of paginated services: lists of several
// sizes, HTML for format=api, temporary and permanent errors, connections that break or stall,
// and wrong pages, with links that lead to an earlier page or to another host, records that
// are missing or repeated, and counts that change. In each of them the client must
//
//   - return all records, each once, or an error, and no error if nothing is wrong;
//   - not send requests endlessly, nor one that has failed ten times again at one instant;
//   - send no request to another host or without encryption;
//   - return when its context ends;
//   - close the bodies of all responses before it returns.
//
// The client may handle an error by returning it or by retrying. It may follow links,
// compute offsets or count pages. Pages have at most 10 records, even if the request has a
// larger limit.
//
// Each situation is a subtest with its name, so that it can be run alone:
//
//	go test -run TestMyClient/next-is-self
//
// A subtest that fails logs what the client did wrong, what to do, and its requests. The
// first situation, "several-pages", is a service in which nothing is wrong. If the client
// fails that, the others are skipped, because their results would be meaningless.
//
// Each situation runs in a bubble of [testing/synctest], where waiting takes no time. The client
// reaches the service in process, as that of a server of package cataloguetest. Of several goroutines
// that send requests or read responses, one goes on at a time, after all others are blocked, in the
// order of their URLs or, in responses-out-of-order, in the opposite one. So a situation ends in the same
// way in each run. A goroutine that is left blocked is a mistake.
//
// fetch must use only goroutines, channels and timers that it has made itself, and hold no mutex
// that another goroutine needs while it waits for a response: otherwise it may never end.
//
// VerifyClient calls t.Fatal if fetch is nil, its ids are neither text nor numbers, the root is
// invalid, the collection or a situation is unknown, or the collection is not suitable: it must
// have the action [schema.List] and at least 95 records. It must not be called inside a bubble.
func VerifyClient[ID comparable](t *testing.T, fetch Fetch[ID], opts Options) {
	t.Helper()
	v, err := newVerification(fetch, opts)
	if err != nil {
		t.Fatal(err)
	}
	defer v.data.reportIgnored(t)
	if v.left != nil {
		t.Logf("left out, since no client of this service can notice them: %s", strings.Join(v.left, ", "))
	}
	for _, s := range v.situations {
		var problem string
		t.Run(s.name, func(t *testing.T) {
			var requests []string
			if problem, requests = v.run(t, s); problem != "" {
				t.Errorf("%s\n%s", problem, formatRequests(requests))
			}
		})
		if problem != "" && s.name == simplest {
			return
		}
	}
}

// A verification is a client with the situations to run it through.
type verification struct {
	fetch      textFetch
	data       *dataset
	timeout    time.Duration
	situations []situation
	left       []string // the names of those that no client can notice
}

var errInBubble = errors.New("clienttest: called inside a synctest bubble; each situation has a bubble of its own")

func newVerification[ID comparable](fetch Fetch[ID], opts Options) (*verification, error) {
	texts, err := fetch.texts()
	switch {
	case err != nil:
		return nil, err
	case fake.InBubble():
		return nil, errInBubble
	}
	data, err := newDataset(opts)
	if err != nil {
		return nil, err
	}
	timeout := opts.Timeout
	if timeout <= 0 {
		timeout = time.Minute
	}
	timeout += time.Nanosecond // not at the instant at which a wait of the client ends
	v := &verification{fetch: texts, data: data, timeout: timeout}
	var known []string
	for _, s := range data.situations() {
		known = append(known, s.name)
		switch {
		case slices.Contains(data.unnoticed(), s.name):
			v.left = append(v.left, s.name)
		case !slices.Contains(opts.Skip, s.name):
			v.situations = append(v.situations, s)
		}
	}
	for _, name := range opts.Skip {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("clienttest: Options.Skip: unknown situation %q; want one of %s", name, strings.Join(known, ", "))
		}
	}
	return v, nil
}

// run runs the client through one situation in a bubble. It returns what the client did wrong and how
// to fix it, or "" if nothing, and its requests.
func (v *verification) run(t *testing.T, s situation) (text string, requests []string) {
	t.Helper()
	e := &trial{situation: s, data: v.data}
	service, err := e.serve()
	if err != nil {
		t.Fatalf("clienttest: %v", err)
	}
	defer service.Close()
	p := v.bubble(t, e, service)
	if text = p.text; p.remedy != "" {
		text += ": " + v.data.words().Replace(p.remedy)
	}
	if n := len(v.situations) - 1; text != "" && s.name == simplest && n > 0 {
		text += fmt.Sprintf(" (%d other situations are skipped, since nothing is wrong in this one)", n)
	}
	return text, e.requests
}

func (v *verification) bubble(t *testing.T, e *trial, service *cataloguetest.Server) (p problem) {
	defer func() {
		if reason := recover(); reason != nil {
			p = problem{fmt.Sprintf("left goroutines that are blocked forever (%v)", reason), remedyBlock}
		}
	}()
	synctest.Test(t, func(*testing.T) { p = v.play(e, service) })
	return p
}

// grace is the synthetic time in which a client returns after its context has ended.
const grace = 2 * time.Second

// play runs the client inside a bubble, and returns what it did wrong.
func (v *verification) play(e *trial, service *cataloguetest.Server) problem {
	ctx, cancel := context.WithTimeout(context.Background(), v.timeout)
	defer cancel()
	if e.cancelled {
		cancel()
	}
	_, client, end := fake.Serve(service.Handler, true, log.New(io.Discard, "", 0))
	defer end()
	queue, ended := newQueue(e.reversed), make(chan struct{})
	go queue.run(ended)
	// A client passes if it fetches single records and retries each several times.
	limit := 50 * max((e.records+pageSize-1)/pageSize, 1)
	g := &guard{next: client.Transport, queue: queue, origin: service.URL, limit: limit, cancel: cancel}
	var expired atomic.Pointer[time.Time]
	context.AfterFunc(ctx, func() {
		now := time.Now()
		expired.Store(&now)
	})
	e.outcome = <-v.fetch.start(ctx, g, service.URL)
	close(ended)
	e.reordered = queue.reordered.Load()
	if at := expired.Load(); at != nil {
		e.late = time.Since(*at) > grace
	}
	bodies := g.bodies.problem()
	requests, violation := g.close()
	e.requests = requests
	return e.gravest(violation, bodies)
}

// formatRequests lists requests, one per line, without those in the middle.
func formatRequests(lines []string) string {
	const front, back = 6, 2
	if skipped := len(lines) - front - back; skipped > 1 {
		lines = append(append(lines[:front:front], fmt.Sprintf("… %d more …", skipped)), lines[len(lines)-back:]...)
	}
	if len(lines) == 0 {
		lines = []string{"no requests were sent with the client passed to Fetch"}
	}
	return "\t" + strings.Join(lines, "\n\t") + "\n"
}

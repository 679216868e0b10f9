package clienttest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gobacklist/backlist/httpapi/internal/fake"
)

// A problem is what a client did wrong in a situation. The zero value means that there was no
// mistake.
type problem struct {
	text   string // continues "the client"
	remedy string // what to do
}

// A guard is the transport of a client under test. It records the requests, limits their
// number, and sends only those to the service.
type guard struct {
	next   http.RoundTripper
	queue  *queue
	origin string // scheme and host
	limit  int    // number of requests
	cancel func() // cancels the context of the client

	mu        sync.Mutex
	requests  []string
	violation problem // the first
	failures  map[string]failures
	refused   int // number of requests that were too many
	closed    bool

	bodies bodies
}

var (
	errOtherOrigin     = errors.New("clienttest: request not sent: its scheme and host are not those of the service")
	errTooManyRequests = errors.New("clienttest: too many requests")
	errVerified        = errors.New("clienttest: the verification has ended")
)

// Failures are those of a request at one instant.
type failures struct {
	first string // status or error
	at    time.Time
	n     int
}

// maxFailures is the number of times that a request may fail at one instant. A client that waits
// before it repeats a request takes no more.
const maxFailures = 10

// maxRefused is the number of refused requests before a client is stopped.
const maxRefused = 1000

// RoundTrip sends the request if it is permitted.
func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	what := r.Method + " " + r.URL.RequestURI()
	g.queue.wait(what)
	n, err := g.admit(r)
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // a RoundTripper must close it
		}
		return nil, err
	}
	resp, err := g.next.RoundTrip(r)
	g.queue.wait(what)
	outcome := ""
	if err != nil {
		outcome = truncateText(err.Error())
	} else {
		outcome = resp.Status
		g.bodies.track(resp, func() { g.queue.wait(what) })
	}
	g.note(n, outcome, what, err != nil || resp.StatusCode >= 500 || resp.StatusCode == http.StatusTooManyRequests)
	return resp, err
}

// admit records a request and returns its number, or an error if it is not
// permitted.
func (g *guard) admit(r *http.Request) (n int, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.closed:
		return 0, errVerified
	case len(g.requests) >= g.limit: // includes requests that are not sent, which may be endless too
		g.violate(problem{fmt.Sprintf("sent more than %d requests", g.limit), remedyLoop})
		g.cancel()
		if g.refused++; g.refused > maxRefused {
			runtime.Goexit()
		}
		return 0, errTooManyRequests
	case r.URL.Scheme+"://"+r.URL.Host != g.origin:
		g.requests = append(g.requests, fmt.Sprintf("%s %s: not sent", r.Method, r.URL.Redacted()))
		g.violate(problem{fmt.Sprintf("sent a request to %s://%s", r.URL.Scheme, r.URL.Host), remedyOrigin})
		return 0, errOtherOrigin
	}
	g.requests = append(g.requests, r.Method+" "+r.URL.RequestURI())
	return len(g.requests) - 1, nil
}

// violate keeps the first violation.
func (g *guard) violate(p problem) {
	if g.violation.text == "" {
		g.violation = p
	}
}

// note records the outcome of a request. A client that repeats one that fails, without waiting, is
// stopped.
func (g *guard) note(n int, outcome, what string, failed bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return
	}
	g.requests[n] += ": " + outcome
	if !failed {
		return
	}
	f := g.failures[what]
	if now := time.Now(); f.n == 0 || !f.at.Equal(now) {
		f = failures{first: outcome, at: now}
	}
	if f.n++; f.n > maxFailures {
		g.violate(problem{fmt.Sprintf("sent %s %d times at one instant, after the first %s", what, f.n, f.first), remedyBusy})
		g.cancel()
	}
	if g.failures == nil {
		g.failures = map[string]failures{}
	}
	g.failures[what] = f
}

// close refuses all further requests and returns what was recorded.
func (g *guard) close() (requests []string, violation problem) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	return g.requests, g.violation
}

// bodies counts the response bodies that a client has received and not closed. The zero
// value is ready to use. It is safe for concurrent use.
type bodies struct{ received, closed atomic.Int64 }

// track counts the body of a response until it is closed, and calls read after each part of it that
// is read. A response without a body need not be closed.
func (b *bodies) track(resp *http.Response, read func()) {
	if resp.Body != nil && resp.Body != http.NoBody {
		b.received.Add(1)
		resp.Body = &trackedBody{resp.Body, read, sync.OnceFunc(func() { b.closed.Add(1) })}
	}
}

// problem describes the bodies that are open, or returns "" if there are none. It waits
// for goroutines of the client that are about to close one.
func (b *bodies) problem() string {
	const tries, pause = 20, 5 * time.Millisecond
	for range tries {
		if b.closed.Load() == b.received.Load() {
			return ""
		}
		time.Sleep(pause)
	}
	received := b.received.Load()
	return fmt.Sprintf("did not close %d of %d response bodies", received-b.closed.Load(), received)
}

// A trackedBody is a body that is counted until it is closed.
type trackedBody struct {
	io.ReadCloser
	read   func()
	closed func() // has an effect once
}

func (t *trackedBody) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	t.read()
	return n, err
}

func (t *trackedBody) Close() error {
	t.closed()
	return t.ReadCloser.Close()
}

// truncateText returns the beginning of a text in one line.
func truncateText(text string) string {
	return fake.Truncate(strings.Join(strings.Fields(text), " "), 200)
}

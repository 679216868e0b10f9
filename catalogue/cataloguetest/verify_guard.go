package cataloguetest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
)

// guard is the transport of a client under test. It writes down what is asked,
// lets nothing out but to the service, and bounds how much is asked.
type guard struct {
	next   http.RoundTripper
	home   *url.URL
	most   int    // requests
	giveUp func() // ends the client's context

	mu       sync.Mutex
	requests []string
	breach   string // the first thing that it had to stop
	closed   bool
}

var (
	errForeignHost     = errors.New("cataloguetest: not the service's scheme and host: nothing was sent")
	errTooManyRequests = errors.New("cataloguetest: too many requests")
	errVerified        = errors.New("cataloguetest: the verification is over")
)

func newGuard(s *service, most int, giveUp context.CancelFunc) (*guard, error) {
	home, err := url.Parse(s.url)
	return &guard{next: s.transport, home: home, most: most, giveUp: giveUp}, err
}

// RoundTrip asks, if the request may be asked.
func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	nth, err := g.admit(r)
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // as a RoundTripper must
		}
		return nil, err
	}
	answer, err := g.next.RoundTrip(r)
	if err != nil {
		g.note(nth, clipped(err.Error()))
	} else {
		g.note(nth, answer.Status)
	}
	return answer, err
}

// admit writes a request down, and says whether it may be asked.
func (g *guard) admit(r *http.Request) (nth int, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.closed:
		return 0, errVerified
	case len(g.requests) >= g.most: // strangers count, or who asks one without end would not be stopped
		g.stopped(fmt.Sprintf("asked more than %d times", g.most))
		g.giveUp()
		return 0, errTooManyRequests
	case !sameOrigin(r.URL, g.home):
		g.requests = append(g.requests, fmt.Sprintf("%s %s: not sent", r.Method, r.URL.Redacted()))
		g.stopped(fmt.Sprintf("asked %s://%s%s", r.URL.Scheme, r.URL.Host, secretsOf(r)))
		return 0, errForeignHost
	}
	g.requests = append(g.requests, r.Method+" "+r.URL.RequestURI())
	return len(g.requests) - 1, nil
}

// stopped keeps the first breach.
func (g *guard) stopped(breach string) {
	if g.breach == "" {
		g.breach = breach
	}
}

// note writes down what came of a request.
func (g *guard) note(nth int, what string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.requests[nth] += ": " + what
	}
}

// close ends the guard, and gives what it saw.
func (g *guard) close() (requests []string, breach string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	return g.requests, g.breach
}

// secretsOf says what a request would have told that is not for everybody.
func secretsOf(r *http.Request) string {
	var told []string
	for _, name := range []string{"Authorization", "Cookie"} {
		if r.Header.Get(name) != "" {
			told = append(told, name)
		}
	}
	if told == nil {
		return ""
	}
	return ", with its header " + strings.Join(told, " and ")
}

// sameOrigin compares scheme, host and port.
func sameOrigin(a, b *url.URL) bool {
	return a.Scheme == b.Scheme && strings.EqualFold(hostPort(a), hostPort(b))
}

func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return net.JoinHostPort(u.Hostname(), port)
}

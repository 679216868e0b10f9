package clienttest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gobacklist/backlist/httpapi/internal/fake"
)

// A guard is the transport of a client under test. It records the requests, limits their
// number, and sends only those to the service.
type guard struct {
	next   http.RoundTripper
	origin *url.URL
	limit  int    // number of requests
	cancel func() // cancels the context of the client

	mu        sync.Mutex
	requests  []string
	violation string // the first request that was not permitted, or too many of them
	endless   bool   // the violation is that there were too many
	refused   int    // number of requests that were too many
	closed    bool
	paths     []string // of the requests that were sent, each once

	bodies bodies
}

var (
	errOtherOrigin     = errors.New("clienttest: request not sent: its scheme and host are not those of the service")
	errTooManyRequests = errors.New("clienttest: too many requests")
	errVerified        = errors.New("clienttest: the verification has ended")
)

// maxRefused is the number of refused requests before a client is stopped.
const maxRefused = 1000

// RoundTrip sends the request if it is permitted.
func (g *guard) RoundTrip(r *http.Request) (*http.Response, error) {
	n, err := g.admit(r)
	if err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // a RoundTripper must close it
		}
		return nil, err
	}
	resp, err := g.next.RoundTrip(r)
	if err != nil {
		g.note(n, truncateText(err.Error()))
	} else {
		g.note(n, resp.Status)
		g.bodies.track(resp)
	}
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
		g.endless = g.endless || g.violation == ""
		g.violate(fmt.Sprintf("sent more than %d requests", g.limit))
		g.cancel()
		if g.refused++; g.refused > maxRefused {
			runtime.Goexit()
		}
		return 0, errTooManyRequests
	case !sameOrigin(r.URL, g.origin):
		g.requests = append(g.requests, fmt.Sprintf("%s %s: not sent", r.Method, r.URL.Redacted()))
		g.violate(fmt.Sprintf("sent a request to %s://%s%s", r.URL.Scheme, r.URL.Host, credentialsOf(r)))
		return 0, errOtherOrigin
	}
	g.requests = append(g.requests, r.Method+" "+r.URL.RequestURI())
	if !slices.Contains(g.paths, r.URL.Path) {
		g.paths = append(g.paths, r.URL.Path)
	}
	return len(g.requests) - 1, nil
}

// violate keeps the first violation.
func (g *guard) violate(violation string) {
	if g.violation == "" {
		g.violation = violation
	}
}

// note records the outcome of a request.
func (g *guard) note(n int, outcome string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.closed {
		g.requests[n] += ": " + outcome
	}
}

// requested returns the paths of the requests that were sent.
func (g *guard) requested() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return slices.Clone(g.paths)
}

// close refuses all further requests and returns what was recorded.
func (g *guard) close() (requests []string, violation string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.closed = true
	return g.requests, g.violation
}

// credentialsOf returns the names of the headers that hold credentials.
func credentialsOf(r *http.Request) string {
	var names []string
	for _, name := range []string{"Authorization", "Cookie"} {
		if r.Header.Get(name) != "" {
			names = append(names, name)
		}
	}
	if names == nil {
		return ""
	}
	return " with credentials in " + strings.Join(names, " and ")
}

// sameOrigin reports whether two URLs have the same scheme, host and port.
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

// bodies counts the response bodies that a client has received and not closed. The zero
// value is ready to use. It is safe for concurrent use.
type bodies struct {
	mu             sync.Mutex
	received, open int
}

// track counts the body of a response until it is closed. A response without a body need
// not be closed.
func (b *bodies) track(resp *http.Response) {
	if resp.Body == nil || resp.Body == http.NoBody {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.received++
	b.open++
	resp.Body = &trackedBody{ReadCloser: resp.Body, owner: b}
}

// problem describes the bodies that are open, or returns "" if there are none. It waits
// for goroutines of the client that are about to close one.
func (b *bodies) problem() string {
	const tries, pause = 20, 5 * time.Millisecond
	for range tries {
		if _, open := b.counts(); open == 0 {
			return ""
		}
		time.Sleep(pause)
	}
	received, open := b.counts()
	return fmt.Sprintf("did not close %d of %d response bodies: call resp.Body.Close for each response, whatever its status, for example in a defer statement; connections whose bodies are not closed are not reused", open, received)
}

func (b *bodies) counts() (received, open int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.received, b.open
}

// A trackedBody is a body that is counted until it is closed.
type trackedBody struct {
	io.ReadCloser
	owner *bodies
	once  sync.Once
}

func (t *trackedBody) Close() error {
	t.once.Do(func() {
		t.owner.mu.Lock()
		defer t.owner.mu.Unlock()
		t.owner.open--
	})
	return t.ReadCloser.Close()
}

// A direct is a transport that calls a handler in the goroutine of the request. It starts
// no goroutines, so that a client that sends one request after another always sees the
// same. Like the transport of net/http, it sends a request again if the connection is cut
// before the response, has been used before, and the request can be repeated.
type direct struct {
	handler http.Handler

	mu   sync.Mutex
	idle bool // a connection is left of an earlier request
}

// RoundTrip returns the response of the handler.
func (d *direct) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	for {
		if err := context.Cause(r.Context()); err != nil {
			return nil, err
		}
		reused := d.reuse()
		w := directWriter{Recorder: fake.NewRecorder(http.Header{})}
		if completed := w.serve(d.handler, serverRequest(r)); completed || w.Status != 0 {
			return d.response(&w, r, completed), nil
		}
		if err := context.Cause(r.Context()); err != nil {
			return nil, err
		}
		if !reused || !isReplayable(r) {
			return nil, io.EOF // as net/http reports a connection that was closed
		}
	}
}

// reuse reports whether a request uses the connection of an earlier one.
func (d *direct) reuse() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	reused := d.idle
	d.idle = false
	return reused
}

// release makes the connection available to other requests.
func (d *direct) release() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.idle = true
}

// isReplayable reports whether net/http would send a request again.
func isReplayable(r *http.Request) bool {
	return (r.Body == nil || r.Body == http.NoBody) && (r.Method == "" || r.Method == http.MethodGet || r.Method == http.MethodHead)
}

// serverRequest returns the request as a server sees it.
func serverRequest(r *http.Request) *http.Request {
	s := r.WithContext(r.Context()) // a copy
	s.URL = &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	if s.URL.Path == "" {
		s.URL.Path = "/"
	}
	s.RequestURI = r.URL.RequestURI()
	s.Header = r.Header.Clone()
	s.Proto, s.ProtoMajor, s.ProtoMinor = "HTTP/1.1", 1, 1
	s.RemoteAddr = "127.0.0.1:80"
	if s.Host == "" {
		s.Host = r.URL.Host
	}
	if s.Method == "" {
		s.Method = http.MethodGet
	}
	if s.Body == nil {
		s.Body = http.NoBody
	}
	if r.URL.Scheme == "https" {
		s.TLS = fake.TLSState(r.URL.Hostname())
	}
	return s
}

// response returns the response that a handler has written.
func (d *direct) response(w *directWriter, r *http.Request, completed bool) *http.Response {
	for name, values := range w.Sent {
		if len(values) == 0 { // how handlers suppress a header
			delete(w.Sent, name)
		}
	}
	w.Sent.Set("Date", time.Now().UTC().Format(http.TimeFormat))
	resp := &http.Response{
		Status:     strconv.Itoa(w.Status) + " " + http.StatusText(w.Status),
		StatusCode: w.Status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        w.Sent,
		Body:          http.NoBody,
		ContentLength: w.length(),
		Request:       r,
	}
	if r.URL.Scheme == "https" {
		resp.TLS = fake.TLSState(r.URL.Hostname())
	}
	if r.Method == http.MethodHead || len(w.Body) == 0 && completed {
		d.release()
		return resp
	}
	resp.Body = &directBody{ctx: r.Context(), rest: w.Body, ends: w.flushed, completed: completed, release: d.release}
	return resp
}

// A directWriter records the response of a handler.
type directWriter struct {
	*fake.Recorder
	flushed []int // lengths of the body when it was flushed
}

// serve calls the handler. It reports whether the response is complete: otherwise the
// handler has cut the connection.
func (w *directWriter) serve(h http.Handler, r *http.Request) (completed bool) {
	defer func() {
		if recover() != nil { // net/http closes the connection after any panic
			completed = false
		}
	}()
	h.ServeHTTP(w, r)
	w.WriteHeader(http.StatusOK) // no effect if it has been called
	return true
}

// Flush ends a part of the body.
func (w *directWriter) Flush() {
	w.WriteHeader(http.StatusOK)
	w.flushed = append(w.flushed, len(w.Body))
}

// length returns the length of the body as the header declares it.
func (w *directWriter) length() int64 {
	if n, err := strconv.ParseInt(w.Sent.Get("Content-Length"), 10, 64); err == nil {
		return n
	}
	return int64(len(w.Body))
}

// A directBody is the body of a response. A Read returns at most what the handler wrote
// before it flushed.
type directBody struct {
	ctx       context.Context
	rest      []byte
	read      int
	ends      []int
	completed bool
	release   func() // is called when the body is read to its end and closed
	closed    bool
}

func (b *directBody) Read(p []byte) (int, error) {
	if err := context.Cause(b.ctx); err != nil {
		return 0, err
	}
	if b.closed {
		return 0, http.ErrBodyReadAfterClose
	}
	n := min(len(p), len(b.rest))
	for len(b.ends) > 0 && b.ends[0] <= b.read {
		b.ends = b.ends[1:]
	}
	if len(b.ends) > 0 {
		n = min(n, b.ends[0]-b.read)
	}
	copy(p, b.rest[:n])
	b.rest, b.read = b.rest[n:], b.read+n
	switch {
	case len(b.rest) > 0:
		return n, nil
	case b.completed:
		return n, io.EOF
	}
	return n, io.ErrUnexpectedEOF
}

func (b *directBody) Close() error {
	if !b.closed && len(b.rest) == 0 && b.completed {
		b.release()
	}
	b.closed = true
	return nil
}

// truncateText returns the beginning of a text in one line.
func truncateText(text string) string {
	return fake.Truncate(strings.Join(strings.Fields(text), " "), 200)
}

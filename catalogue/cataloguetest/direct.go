package cataloguetest

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"sync"
	"time"
)

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
		w := directWriter{header: http.Header{}}
		if completed := w.serve(d.handler, serverRequest(r)); completed || w.status != 0 {
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
		s.TLS = fakeTLSState()
	}
	return s
}

// response returns the response that a handler has written.
func (d *direct) response(w *directWriter, r *http.Request, completed bool) *http.Response {
	resp := &http.Response{
		Status:     strconv.Itoa(w.status) + " " + http.StatusText(w.status),
		StatusCode: w.status,
		Proto:      "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:        w.sent,
		Body:          http.NoBody,
		ContentLength: w.length(),
		Request:       r,
	}
	if r.URL.Scheme == "https" {
		resp.TLS = fakeTLSState()
	}
	if r.Method == http.MethodHead || len(w.body) == 0 && completed {
		d.release()
		return resp
	}
	resp.Body = &directBody{ctx: r.Context(), rest: w.body, ends: w.flushed, completed: completed, release: d.release}
	return resp
}

// A directWriter records the response of a handler.
type directWriter struct {
	header  http.Header // as the handler sees it
	status  int         // 0: nothing was sent
	sent    http.Header
	body    []byte
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

func (w *directWriter) Header() http.Header { return w.header }

func (w *directWriter) WriteHeader(status int) {
	if w.status != 0 || status < 200 {
		return
	}
	w.status = status
	w.sent = w.header.Clone()
	for name, values := range w.sent {
		if len(values) == 0 { // how handlers suppress a header
			delete(w.sent, name)
		}
	}
	w.sent.Set("Date", time.Now().UTC().Format(http.TimeFormat))
}

func (w *directWriter) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	w.body = append(w.body, p...)
	return len(p), nil
}

// Flush ends a part of the body.
func (w *directWriter) Flush() {
	w.WriteHeader(http.StatusOK)
	w.flushed = append(w.flushed, len(w.body))
}

// length returns the length of the body as the header declares it.
func (w *directWriter) length() int64 {
	if n, err := strconv.ParseInt(w.sent.Get("Content-Length"), 10, 64); err == nil {
		return n
	}
	return int64(len(w.body))
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

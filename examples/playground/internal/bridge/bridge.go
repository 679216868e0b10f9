// Package bridge answers the requests of a browser's service worker with an http.Handler.
//
// A service worker receives a request as a method, a URL, headers and a body, all in memory, and
// returns a response of the same form. Package bridge converts them as a [net/http.Server] would,
// and adds to pages a link to the start of the scope. It does not depend on syscall/js.
package bridge

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

// A Bridge passes requests to a handler. It is safe for concurrent use if the handler is.
type Bridge struct {
	handler http.Handler
	scope   string // as in New
	host    string
	path    string // escaped, of the scope, without the slash at the end
	secure  bool
	cookies jar
	log     *log.Logger
}

// New returns a Bridge for the scope of a service worker: an absolute http or https URL
// whose path ends in a slash. As under [http.StripPrefix], the handler receives the part of
// the path from that slash on, and RequestURI is the whole. Panics are written to errorLog.
// New returns an error if the scope is invalid.
func New(h http.Handler, scope string, errorLog *log.Logger) (*Bridge, error) {
	u, err := url.Parse(scope)
	if err != nil {
		return nil, fmt.Errorf("bridge: scope: %w", err)
	}
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || !strings.HasSuffix(scope, "/") || u.RawQuery != "" || u.Fragment != "" {
		return nil, fmt.Errorf("bridge: scope %q is not an http or https URL that ends in a slash", scope)
	}
	path := strings.TrimSuffix(u.EscapedPath(), "/")
	return &Bridge{handler: h, scope: scope, host: u.Host, path: path, secure: u.Scheme == "https", log: errorLog}, nil
}

// Answer returns the response of the handler. It returns 400 if the request is invalid, and
// 500 if the handler panics or its status is not one that a service worker can return. It
// returns after the handler has returned. The pages of package browse get a link to the scope. As a
// browser would, Answer keeps cookies, and sends them with the next requests.
func (b *Bridge) Answer(ctx context.Context, req Request) Response {
	r, status := b.request(ctx, req)
	if status != http.StatusOK {
		return failure(status)
	}
	w := &writer{header: make(http.Header), head: r.Method == http.MethodHead}
	if !b.serve(w, r) {
		return failure(http.StatusInternalServerError)
	}
	b.cookies.keep((&http.Response{Header: w.header}).Cookies())
	w.linkStart(b.path + "/")
	return w.response()
}

// serve calls the handler and reports whether it returned without a panic.
func (b *Bridge) serve(w http.ResponseWriter, r *http.Request) (ok bool) {
	defer func() {
		if fault := recover(); fault != nil {
			b.log.Printf("%s %s: panic: %v\n%s", r.Method, r.RequestURI, fault, debug.Stack())
			ok = false
		}
	}()
	b.handler.ServeHTTP(w, r)
	return true
}

// request returns the request that a server at the scope would pass to the handler, or
// the status of the response if none exists.
func (b *Bridge) request(ctx context.Context, req Request) (*http.Request, int) {
	whole, _, _ := strings.Cut(req.URL, "#")
	rest, ok := strings.CutPrefix(whole, b.scope)
	if !ok {
		return nil, http.StatusNotFound
	}
	u, err := url.ParseRequestURI("/" + rest)
	if err != nil || req.Method == "" {
		return nil, http.StatusBadRequest
	}
	r := &http.Request{
		Method:     req.Method,
		URL:        u,
		Proto:      "HTTP/1.1",
		ProtoMajor: 1,
		ProtoMinor: 1,
		Host:       b.host,
		RequestURI: b.path + "/" + rest,
		Header:     req.header(),
		Body:       http.NoBody,
	}
	b.cookies.addTo(r)
	if len(req.Body) > 0 {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(req.Body)), int64(len(req.Body))
	}
	if b.secure {
		r.TLS = new(tls.ConnectionState) // links begin with https
	}
	return r.WithContext(ctx), http.StatusOK
}

// A jar keeps cookies, because browsers do not keep those of a service worker. Of their
// attributes, it follows the path and whether they are removed. net/http/cookiejar is large.
type jar struct {
	mu  sync.Mutex
	all []*http.Cookie
}

func (j *jar) keep(set []*http.Cookie) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range set {
		j.all = slices.DeleteFunc(j.all, func(old *http.Cookie) bool { return old.Name == c.Name && old.Path == c.Path })
		if c.MaxAge >= 0 {
			j.all = append(j.all, c)
		}
	}
}

func (j *jar) addTo(r *http.Request) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, c := range j.all {
		if strings.HasPrefix(r.RequestURI, c.Path) {
			r.AddCookie(c)
		}
	}
}

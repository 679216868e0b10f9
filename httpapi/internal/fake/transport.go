package fake

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"sync"
)

// Domain is a name in a domain reserved for tests (RFC 6761).
const Domain = "catalogue.test"

// An inProcess connects a client to a handler by pipes. It starts goroutines only
// for connections, from the goroutine of the request, so that inside a synctest
// bubble they belong to the bubble.
type inProcess struct {
	server http.Server
	url    string
	addr   string // host and port of url

	mu      sync.Mutex
	conns   map[net.Conn]bool // the server's ends
	closed  bool
	running sync.WaitGroup // counts connections
}

// Serve serves a handler to the client that it returns, over https if it is secure, until end is called. Inside a synctest
// bubble, it must be called and ended there. The client reaches no other address.
func Serve(h http.Handler, secure bool, errorLog *log.Logger) (url string, client *http.Client, end func()) {
	p := &inProcess{url: "http://" + Domain, addr: Domain + ":80", conns: map[net.Conn]bool{}}
	if secure {
		h = withtlsState(h)
		p.url, p.addr = "https://"+Domain, Domain+":443"
	}
	p.server.Handler = h
	p.server.ErrorLog = errorLog
	p.server.ConnState = p.connState
	client, release := newClient(&http.Transport{DialContext: p.dialer("http://"), DialTLSContext: p.dialer("https://")})
	return p.url, client, func() {
		release()
		p.close()
	}
}

func (p *inProcess) dialer(scheme string) func(_ context.Context, _, addr string) (net.Conn, error) {
	return func(_ context.Context, _, addr string) (net.Conn, error) { return p.dial(scheme, addr) }
}

// dial returns one end of a pipe and serves the other.
func (p *inProcess) dial(scheme, addr string) (net.Conn, error) {
	if addr != p.addr || scheme+Domain != p.url {
		return nil, fmt.Errorf("cataloguetest: the client of %s does not connect to other addresses: %s", p.url, scheme+addr)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.closed {
		return nil, errClosed
	}
	client, server := net.Pipe()
	conn := localConn{server}
	p.conns[conn] = true
	p.running.Add(1)
	// Serve returns when the listener has no other connection to accept.
	go p.server.Serve(&connListener{conn})
	return client, nil
}

// connState removes connections that have ended.
func (p *inProcess) connState(conn net.Conn, s http.ConnState) {
	if s != http.StateClosed && s != http.StateHijacked {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, conn)
	p.running.Done()
}

// close closes all connections and waits until their handlers have returned.
func (p *inProcess) close() {
	p.mu.Lock()
	p.closed = true
	for conn := range p.conns {
		conn.Close()
	}
	p.mu.Unlock()
	p.running.Wait()
}

// withTLSState sets the TLS state that requests on an encrypted connection have.
func withtlsState(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.TLS = tlsState(Domain)
		next.ServeHTTP(w, r)
	})
}

// A connListener is a listener with a single connection.
type connListener struct{ conn net.Conn }

func (l *connListener) Accept() (net.Conn, error) {
	if l.conn == nil {
		return nil, net.ErrClosed
	}
	conn := l.conn
	l.conn = nil
	return conn, nil
}

func (l *connListener) Close() error   { return nil }
func (l *connListener) Addr() net.Addr { return localAddr() }

// A localConn is a pipe with a loopback address, so that the RemoteAddr of a
// request can be parsed.
type localConn struct{ net.Conn }

func (localConn) LocalAddr() net.Addr  { return localAddr() }
func (localConn) RemoteAddr() net.Addr { return localAddr() }
func localAddr() net.Addr              { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

// errClosed is the error of requests after the end of the test or after Close.
var errClosed = errors.New("cataloguetest: the server is closed; the server of a test is closed when the test ends")

// A boundTransport is a transport whose requests end with its server. Otherwise the
// goroutines of a response that is not read to its end and not closed would outlive
// the test.
type boundTransport struct {
	*http.Transport
	lifetime context.Context
	made     Side
}

// newClient returns a client with the given transport, and a function that ends all
// its requests.
func newClient(t *http.Transport) (client *http.Client, end func()) {
	lifetime, cancel := context.WithCancel(context.Background())
	lifetime.Done() // creates the channel in the synctest bubble of the caller
	return &http.Client{Transport: &boundTransport{t, lifetime, ThisSide()}}, func() {
		cancel()
		t.CloseIdleConnections()
	}
}

// RoundTrip sends the request. Its context is bound to the server even after
// RoundTrip has returned, since the response body may be read until then.
func (t *boundTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	if err := t.made.Check(); err != nil {
		if r.Body != nil {
			_ = r.Body.Close() // a RoundTripper must close it
		}
		return nil, err
	}
	ctx, cancel := context.WithCancel(r.Context())
	unbind := context.AfterFunc(t.lifetime, cancel)
	resp, err := t.Transport.RoundTrip(r.WithContext(ctx))
	switch {
	case err != nil && t.lifetime.Err() != nil:
		return nil, errClosed
	case err != nil:
		unbind()
		cancel()
		return nil, err
	}
	resp.Request = r
	if r.URL.Scheme == "https" {
		resp.TLS = tlsState(Domain)
	}
	return resp, nil
}

// A Side is one of the sides of a synctest bubble.
type Side bool

// ThisSide returns the side on which the calling goroutine is.
func ThisSide() Side { return Side(InBubble()) }

// Check returns an error unless the calling goroutine is on that side. Without it, the runtime
// would end the process, because channels of a bubble must not be used from outside it.
func (made Side) Check() error {
	switch {
	case made == ThisSide():
		return nil
	case bool(made):
		return errors.New("cataloguetest: the server was made inside a synctest bubble and is used outside of it; make it with the T that synctest.Test passes to its function, and use it only inside the bubble")
	}
	return errors.New("cataloguetest: the server was made outside the synctest bubble in which it is used; make it inside the bubble, with the T that synctest.Test passes to its function")
}

package cataloguetest

import (
	"context"
	"crypto/tls"
	"log"
	"net"
	"net/http"
	"sync"
)

// domain is a name in a domain reserved for tests (RFC 6761).
const domain = "catalogue.test"

// An inProcess connects a client to a handler by pipes. It starts goroutines only
// for connections, from the goroutine of the request, so that inside a synctest
// bubble they belong to the bubble.
type inProcess struct {
	server http.Server
	url    string
	addr   string // host and port of url

	mu    sync.Mutex
	conns map[net.Conn]bool // the server's ends
	ended chan struct{}     // nil until close is called; closed when no connection is left
}

// serveInProcess serves a handler to the client that it returns, until end is
// called.
func serveInProcess(h http.Handler, scheme string, errorLog *log.Logger) (url string, client *http.Client, end func(), err error) {
	p := &inProcess{url: scheme + "://" + domain, addr: domain + ":80", conns: map[net.Conn]bool{}}
	if scheme == "https" {
		h = withTLSState(h)
		p.addr = domain + ":443"
	}
	p.server.Handler = h
	p.server.ErrorLog = errorLog
	p.server.ConnState = p.connState
	client, release := newClient(&http.Transport{DialContext: p.dialPlain, DialTLSContext: p.dialTLS})
	return p.url, client, func() {
		release()
		p.close()
	}, nil
}

func (p *inProcess) dialPlain(_ context.Context, _, addr string) (net.Conn, error) {
	return p.dial("http://", addr)
}

func (p *inProcess) dialTLS(_ context.Context, _, addr string) (net.Conn, error) {
	return p.dial("https://", addr)
}

// dial returns one end of a pipe and serves the other.
func (p *inProcess) dial(scheme, addr string) (net.Conn, error) {
	if addr != p.addr || scheme+domain != p.url {
		return nil, errOtherAddress(p.url, scheme+addr)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended != nil {
		return nil, errClosed
	}
	client, server := net.Pipe()
	conn := localConn{server}
	p.conns[conn] = true
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
	if len(p.conns) == 0 && p.ended != nil {
		close(p.ended)
	}
}

// close cuts all connections and waits until their handlers have returned.
func (p *inProcess) close() {
	p.mu.Lock()
	ended := make(chan struct{})
	p.ended = ended
	for conn := range p.conns {
		conn.Close()
	}
	if len(p.conns) == 0 {
		close(ended)
	}
	p.mu.Unlock()
	<-ended
}

// withTLSState sets the TLS state of requests to that of an encrypted connection.
func withTLSState(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.TLS = fakeTLSState()
		next.ServeHTTP(w, r)
	})
}

func fakeTLSState() *tls.ConnectionState {
	return &tls.ConnectionState{Version: tls.VersionTLS13, HandshakeComplete: true, ServerName: domain}
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

func localAddr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

package cataloguetest

import (
	"context"
	"crypto/tls"
	"log"
	"net"
	"net/http"
	"sync"
)

// domain is a name that no resolver knows (RFC 6761).
const domain = "catalogue.test"

// inProcess joins a client to a handler by pipes. What happens at their ends is
// net/http's own doing. A goroutine runs only while there is a connection, and is
// started by who asks: in the bubble, that is, of a test with synthetic time.
type inProcess struct {
	server http.Server
	url    string
	home   string // host and port

	mu    sync.Mutex
	conns map[net.Conn]bool // the ends that are served
	ended chan struct{}     // closed when the last of them is; nil while the house is open
}

// serveInProcess serves a handler to the client it returns, until end is called.
func serveInProcess(h http.Handler, scheme string, faults *log.Logger) (url string, client *http.Client, end func(), err error) {
	p := &inProcess{url: scheme + "://" + domain, home: domain + ":80", conns: map[net.Conn]bool{}}
	if scheme == "https" {
		h = pretendTLS(h)
		p.home = domain + ":443"
	}
	p.server.Handler = h
	p.server.ErrorLog = faults
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

// dial gives the client's end of a pipe whose other end is being served.
func (p *inProcess) dial(scheme, addr string) (net.Conn, error) {
	if addr != p.home || scheme+domain != p.url {
		return nil, errForeign(p.url, scheme+addr)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended != nil {
		return nil, errOver
	}
	near, far := net.Pipe()
	conn := named{far}
	p.conns[conn] = true
	// Serve returns at once, as a listener of one connection ends.
	go p.server.Serve(&single{conn})
	return near, nil
}

// connState is told by the server what becomes of connections.
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

// pretendTLS gives requests the state of a connection that is encrypted.
func pretendTLS(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.TLS = pretendedTLS()
		next.ServeHTTP(w, r)
	})
}

func pretendedTLS() *tls.ConnectionState {
	return &tls.ConnectionState{Version: tls.VersionTLS13, HandshakeComplete: true, ServerName: domain}
}

// single is a listener of one connection.
type single struct{ conn net.Conn }

func (l *single) Accept() (net.Conn, error) {
	if l.conn == nil {
		return nil, net.ErrClosed
	}
	conn := l.conn
	l.conn = nil
	return conn, nil
}

func (l *single) Close() error   { return nil }
func (l *single) Addr() net.Addr { return home() }

// named is a pipe that pretends to come from this machine, since a request has
// a RemoteAddr that can be parsed.
type named struct{ net.Conn }

func (named) LocalAddr() net.Addr  { return home() }
func (named) RemoteAddr() net.Addr { return home() }

func home() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 80} }

package etcdtest

import (
	"io"
	"net"
	"sync"
	"testing"

	"go.etcd.io/etcd/server/v3/embed"
)

// A Proxy forwards TCP connections to a member until it is cut.
type Proxy struct {
	Addr   string
	member string

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]bool
}

// NewProxy returns a proxy of a member for its clients, which ends with the test.
func NewProxy(tb testing.TB, member *embed.Etcd) *Proxy {
	tb.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	p := &Proxy{
		Addr:   l.Addr().String(),
		member: member.Config().ListenClientUrls[0].Host,
		conns:  map[net.Conn]bool{},
	}
	tb.Cleanup(func() { l.Close(); p.Cut() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go p.forward(conn)
		}
	}()
	return p
}

// Cut closes all connections, and new ones until Mend is called.
func (p *Proxy) Cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = true
	for conn := range p.conns {
		conn.Close()
	}
}

// Mend ends a Cut.
func (p *Proxy) Mend() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = false
}

func (p *Proxy) forward(conn net.Conn) {
	defer conn.Close()
	if !p.add(conn) {
		return
	}
	defer p.remove(conn)
	member, err := net.Dial("tcp", p.member)
	if err != nil {
		return
	}
	go func() {
		io.Copy(conn, member)
		conn.Close()
	}()
	io.Copy(member, conn)
	member.Close()
}

func (p *Proxy) add(conn net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.cut {
		p.conns[conn] = true
	}
	return !p.cut
}

func (p *Proxy) remove(conn net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, conn)
}

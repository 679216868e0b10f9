package main

import (
	"net"
	"net/http"
	"sync"
)

// unusedConns are the connections on which no request has begun, such as those that
// browsers open in advance. [http.Server.Shutdown] would wait 5 seconds for them.
type unusedConns struct {
	mu     sync.Mutex
	conns  map[net.Conn]bool
	closed bool
}

// track is a function for [http.Server.ConnState].
func (u *unusedConns) track(conn net.Conn, state http.ConnState) {
	u.mu.Lock()
	defer u.mu.Unlock()
	switch {
	case state != http.StateNew:
		delete(u.conns, conn)
	case u.closed:
		conn.Close()
	case u.conns == nil:
		u.conns = map[net.Conn]bool{conn: true}
	default:
		u.conns[conn] = true
	}
}

// close closes the connections, and those that are opened later.
func (u *unusedConns) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.closed = true
	for conn := range u.conns {
		conn.Close()
	}
}

package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"strconv"
	"sync"
	"time"
)

// connections is the number of concurrent connections.
const connections = 8

// requester is a server with connections that repeat one request.
type requester struct {
	server  *httptest.Server
	request []byte
	conns   []*connection
}

type connection struct {
	net.Conn
	*bufio.Reader
}

func newRequester(handler http.Handler, target string) (*requester, error) {
	l := &requester{
		server:  httptest.NewServer(handler),
		request: fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, host),
	}
	for range connections {
		conn, err := net.Dial("tcp", l.server.Listener.Addr().String())
		if err != nil {
			l.close()
			return nil, err
		}
		l.conns = append(l.conns, &connection{conn, bufio.NewReaderSize(conn, 64<<10)})
	}
	return l, nil
}

func (l *requester) close() {
	for _, c := range l.conns {
		c.Conn.Close()
	}
	l.server.Close()
}

// run sends the request the given number of times in all.
func (l *requester) run(times int) time.Duration {
	start := time.Now()
	var all sync.WaitGroup
	for i, c := range l.conns {
		all.Go(func() {
			for range (times + i) / connections {
				check(c.exchange(l.request))
			}
		})
	}
	all.Wait()
	return time.Since(start)
}

func (c *connection) exchange(request []byte) error {
	if _, err := c.Conn.Write(request); err != nil {
		return err
	}
	reader := textproto.NewReader(c.Reader)
	if status, err := reader.ReadLine(); err != nil || status != "HTTP/1.1 200 OK" {
		return fmt.Errorf("%s: %w", status, err)
	}
	header, err := reader.ReadMIMEHeader()
	if err != nil {
		return err
	}
	size, err := strconv.ParseInt(header.Get("Content-Length"), 10, 64)
	if err != nil {
		return err
	}
	_, err = io.CopyN(io.Discard, c.Reader, size)
	return err
}

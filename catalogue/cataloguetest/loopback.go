package cataloguetest

import (
	"context"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
)

// serveLoopback serves a handler on a free loopback port until end is called.
func serveLoopback(h http.Handler, scheme string, faults *log.Logger) (url string, client *http.Client, end func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") // httptest panics where this is an error
	if err != nil {
		return "", nil, nil, fmt.Errorf("no loopback port: %w", err)
	}
	server := &httptest.Server{
		Listener: listener,
		Config:   &http.Server{Handler: h, ErrorLog: faults},
	}
	if scheme == "https" {
		server.StartTLS()
	} else {
		server.Start()
	}
	transport := server.Client().Transport.(*http.Transport)
	stayHome(transport, server.URL, listener.Addr().String())
	client, release := newClient(transport)
	return server.URL, client, func() {
		release()
		server.CloseClientConnections() // or it would wait for who never reads
		server.Close()
	}, nil
}

// stayHome keeps a transport from every address but one.
func stayHome(t *http.Transport, url, home string) {
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr != home {
			return nil, errForeign(url, addr)
		}
		var d net.Dialer
		return d.DialContext(ctx, network, addr)
	}
}

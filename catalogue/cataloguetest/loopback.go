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
func serveLoopback(h http.Handler, scheme string, errorLog *log.Logger) (url string, client *http.Client, end func(), err error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") // httptest.NewServer panics on this error
	if err != nil {
		return "", nil, nil, fmt.Errorf("no loopback port: %w", err)
	}
	server := &httptest.Server{
		Listener: listener,
		Config:   &http.Server{Handler: h, ErrorLog: errorLog},
	}
	if scheme == "https" {
		server.StartTLS()
	} else {
		server.Start()
	}
	transport := server.Client().Transport.(*http.Transport)
	restrictDial(transport, server.URL, listener.Addr().String())
	client, release := newClient(transport)
	return server.URL, client, func() {
		release()
		server.CloseClientConnections() // Close waits for responses that are not read
		server.Close()
	}, nil
}

// restrictDial keeps a transport from connecting to any other address.
func restrictDial(t *http.Transport, url, only string) {
	t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr != only {
			return nil, errOtherAddress(url, addr)
		}
		var d net.Dialer
		return d.DialContext(ctx, network, addr)
	}
}

package main

import (
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// listenLoopback listens on a loopback address, and refuses others.
func listenLoopback(addr string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, fmt.Errorf("%w; want one such as 127.0.0.1:0", err)
	}
	if !isLoopbackHost(host) {
		return nil, fmt.Errorf("%q is not a loopback address; want %q", addr, net.JoinHostPort("127.0.0.1", port))
	}
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, err
	}
	if !tcp.IP.IsLoopback() { // a name that does not lead there
		return nil, fmt.Errorf("%q leads to %v, which is not a loopback address", addr, tcp.IP)
	}
	return net.ListenTCP("tcp", tcp)
}

// refusePages returns a handler that refuses requests of web pages: those with an Origin or
// a Sec-Fetch-Site of another page, and those for a host that is not a loopback address,
// which a page can make with a name that leads there (DNS rebinding).
func refusePages(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		site := r.Header.Get("Sec-Fetch-Site")
		switch {
		case !isLoopbackHost(r.Host):
			writeDetail(w, http.StatusForbidden, fmt.Sprintf("The host %q is not a loopback address.", r.Host))
		case r.Header.Get("Origin") != "" || site != "" && site != "none":
			writeDetail(w, http.StatusForbidden, "Requests of web pages are refused.")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// isLoopbackHost reports whether a Host header names a loopback address, with any port.
func isLoopbackHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if strings.EqualFold(host, "localhost") {
		return true
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return err == nil && addr.IsLoopback()
}

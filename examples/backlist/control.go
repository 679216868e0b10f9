package main

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"

	"github.com/gobacklist/backlist/examples/internal/server"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
)

// maxExchanges is the number of exchanges that are kept.
const maxExchanges = 1000

// newControl returns the handler of the address of -control.
func newControl(p *program) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /faults/{$}", func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Fault string `json:"fault"` // as in -fail
		}
		if json.NewDecoder(r.Body).Decode(&body) != nil {
			http.Error(w, `want a JSON object such as {"fault": "GET /api/events/ 503"}`, http.StatusBadRequest)
			return
		}
		if err := p.current.Load().faults.add(body.Fault); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET /faults/{$}", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, p.current.Load().faults.used())
	})
	mux.HandleFunc("GET /exchanges/{$}", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, exchanges(p.current.Load().fake))
	})
	mux.HandleFunc("POST /reset/{$}", func(w http.ResponseWriter, _ *http.Request) {
		if err := p.reset(); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	return refusePages(mux)
}

func writeJSON(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(v) // an error is that of the connection
}

// An exchange is a request with its response.
type exchange struct {
	Method        string            `json:"method"`
	URL           string            `json:"url"` // path and query
	Headers       map[string]string `json:"headers"`
	Body          string            `json:"body"`
	Status        *int              `json:"status"` // null: no response
	AnswerHeaders map[string]string `json:"answerHeaders"`
	Answer        string            `json:"answer"`
	Cut           bool              `json:"cut"`     // the URL, a header or a body is not complete here
	Aborted       bool              `json:"aborted"` // the response ended early
}

// exchanges returns the last exchanges in the order of their requests.
func exchanges(fake *cataloguetest.Server) []exchange {
	all := []exchange{}
	for _, x := range fake.Exchanges() {
		e := exchange{
			Method: x.Method, URL: x.URL.RequestURI(), Headers: joined(x.Header), Body: string(x.Body),
			AnswerHeaders: joined(x.ResponseHeader), Answer: string(x.ResponseBody), Cut: x.Cut, Aborted: x.Aborted,
		}
		if x.Status != 0 {
			e.Status = &x.Status
		}
		all = append(all, e)
	}
	return all
}

// joined returns the headers with one value each.
func joined(header http.Header) map[string]string {
	all := map[string]string{}
	for name, values := range header {
		all[name] = strings.Join(values, ", ")
	}
	return all
}

// listenLoopback listens on a loopback address, and refuses others.
func listenLoopback(addr string) (net.Listener, error) {
	tcp, err := net.ResolveTCPAddr("tcp", addr)
	if err != nil {
		return nil, err
	}
	if !tcp.IP.IsLoopback() {
		return nil, fmt.Errorf("%q is not a loopback address; want one such as 127.0.0.1:%d", addr, tcp.Port)
	}
	return server.Listen("-control", tcp.String())
}

// refusePages returns a handler that refuses requests of web pages: those with an Origin or
// a Sec-Fetch-Site of another page, and those for a host that is not a loopback address,
// which a page can make with a name that leads there (DNS rebinding).
func refusePages(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		site := r.Header.Get("Sec-Fetch-Site")
		if !isLoopbackHost(r.Host) || r.Header.Get("Origin") != "" || site != "" && site != "none" {
			http.Error(w, "requests of web pages are refused", http.StatusForbidden)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// isLoopbackHost reports whether a Host header names a loopback address, with any port.
func isLoopbackHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	addr, err := netip.ParseAddr(strings.Trim(host, "[]"))
	return strings.EqualFold(host, "localhost") || err == nil && addr.IsLoopback()
}

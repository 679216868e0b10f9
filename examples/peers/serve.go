package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources"
)

const (
	served      = 10_000 // records that the servers have
	connections = 8      // at the same time
	host        = "127.0.0.1"
)

// serve measures requests over the loopback interface to the library's handler, and to one
// that writes the same bytes from memory.
func serve(s setup) *section {
	d := newEvents(min(served, s.sizes[len(s.sizes)-1]))
	c, err := resources.New()
	check(err)
	events, err := resources.Events.In(c)
	check(err)
	backlistOf(d.kind, events).load(d.records)
	handler, err := httpapi.New(c, httpapi.Options{})
	check(err)
	n := len(d.records)
	sec := &section{
		title: fmt.Sprintf("HTTP, %s RECORDS, %d CONNECTIONS", thousands(n), connections),
		names: []string{"backlist", "static"},
	}
	for _, offset := range []int{0, n / 10 * 9} {
		rates := requestRates(s, handler, offset)
		what := fmt.Sprintf("GET a page, offset %s, requests a second", thousands(offset))
		sec.values(what, rates, whole, goal{bound: 0.92, atLeast: true, than: "static"})
	}
	return sec
}

// requestRates returns the requests per second of each handler in each round.
func requestRates(s setup, handler http.Handler, offset int) [][]float64 {
	target := "/api/events/"
	if offset > 0 {
		target += "?offset=" + strconv.Itoa(offset)
	}
	want := answer(handler, target)
	handlers := []http.Handler{handler, staticHandler(want)}
	tasks := make([]work, len(handlers))
	for i, h := range handlers {
		if got := answer(h, target).Body.Bytes(); !slices.Equal(want.Body.Bytes(), got) {
			check(fmt.Errorf("GET %s: want\n%s\ngot\n%s", target, want.Body, got))
		}
		r := newRequester(h, target)
		defer r.close()
		tasks[i] = func(times int) time.Duration {
			runtime.GC() // collects the garbage of the task before
			return r.run(times)
		}
	}
	s.turn, s.budget = 1<<40, 1<<62 // a turn is limited by the number of requests
	times := s.timeRow(tasks, s.requests)
	for _, column := range times {
		for i, ns := range column {
			column[i] = 1e9 / ns
		}
	}
	return times
}

func answer(h http.Handler, target string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "http://"+host+target, nil))
	return w
}

// staticHandler answers every request with the same bytes.
func staticHandler(answer *httptest.ResponseRecorder) http.Handler {
	header, body := answer.Result().Header, answer.Body.Bytes()
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name, values := range header {
			w.Header()[name] = values
		}
		w.Write(body)
	})
}

// requester is a server with connections that repeat one request.
type requester struct {
	request []byte
	conns   []*bufio.ReadWriter
	close   func()
}

func newRequester(handler http.Handler, target string) *requester {
	server := httptest.NewServer(handler)
	r := &requester{request: fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", target, host), close: server.Close}
	for range connections {
		conn, err := net.Dial("tcp", server.Listener.Addr().String())
		check(err)
		end := r.close
		r.close = func() { conn.Close(); end() }
		r.conns = append(r.conns, bufio.NewReadWriter(bufio.NewReaderSize(conn, 64<<10), bufio.NewWriter(conn)))
	}
	return r
}

// run sends the request the given number of times in all.
func (r *requester) run(times int) time.Duration {
	start := time.Now()
	var all sync.WaitGroup
	for i, conn := range r.conns {
		all.Go(func() {
			for range (times + i) / connections {
				check(exchange(conn, r.request))
			}
		})
	}
	all.Wait()
	return time.Since(start)
}

func exchange(conn *bufio.ReadWriter, request []byte) error {
	conn.Write(request) // Flush returns the error
	if err := conn.Flush(); err != nil {
		return err
	}
	reader := textproto.NewReader(conn.Reader)
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
	_, err = io.CopyN(io.Discard, conn.Reader, size)
	return err
}

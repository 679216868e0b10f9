package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strconv"
	"time"

	"github.com/gobacklist/backlist/httpapi"
)

// served is the number of records that the servers have.
const served = 10_000

// serve measures requests over the loopback interface to the library's handler, to
// one that writes the same bytes from memory, and to one that encodes the page at
// each request.
func serve(s setup, t *table) error {
	d := newData(min(served, s.sizes[len(s.sizes)-1]))
	backlist := newBacklist().(*backlistStore)
	backlist.load(d.records)
	handler, err := httpapi.New(backlist.house, httpapi.Options{})
	if err != nil {
		return err
	}
	n := len(d.records)
	names := columns(s, []string{backlist.name(), "static", "encode"}, "before")
	sec := section{title: fmt.Sprintf("HTTP, %s RECORDS, %d CONNECTIONS", thousands(n), connections), peers: names[1:]}
	for _, offset := range []int{0, n / 10 * 9} {
		rates, err := requestRates(s, handler, encodingHandler(d), offset)
		if err != nil {
			return err
		}
		what := fmt.Sprintf("GET a page, offset %s, requests a second", thousands(offset))
		sec.lines = append(sec.lines, values(what, names, rates, whole, goal{bound: 0.92, atLeast: true, than: "static"}))
	}
	t.add(sec)
	return nil
}

// requestRates returns the requests per second of each handler in each round.
func requestRates(s setup, handler, encode http.Handler, offset int) ([][]float64, error) {
	target := "/api/events/"
	if offset > 0 {
		target += "?offset=" + strconv.Itoa(offset)
	}
	handlers := []http.Handler{handler, staticHandler(handler, target), encode}
	body := answer(handler, target)
	tasks := make([]work, len(handlers))
	for i, h := range handlers {
		if got := answer(h, target); !slices.Equal(body, got) {
			return nil, fmt.Errorf("GET %s: %w: want\n%s\ngot\n%s", target, errDiffers, body, got)
		}
		l, err := newRequester(h, target)
		if err != nil {
			return nil, err
		}
		defer l.close()
		tasks[i] = func(times int) time.Duration {
			runtime.GC() // collects the garbage of the task before
			return l.run(times)
		}
	}
	s.turn, s.budget = 1<<40, 1<<62 // a turn is limited by the number of requests
	times := s.timeRow(tasks, s.requests)
	for _, column := range times {
		for i, ns := range column {
			column[i] = 1e9 / ns
		}
	}
	return times, nil
}

// host is the host of all requests, so that all handlers answer with the same links.
const host = "127.0.0.1"

func answer(h http.Handler, target string) []byte {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest("GET", "http://"+host+target, nil))
	return w.Body.Bytes()
}

// staticHandler answers every request as handler answers a request for target.
func staticHandler(handler http.Handler, target string) http.Handler {
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("GET", "http://"+host+target, nil))
	header, body := w.Result().Header, w.Body.Bytes()
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		for name, values := range header {
			w.Header()[name] = values
		}
		w.Write(body)
	})
}

// encodingHandler returns a handler with sorted records that encodes the page with
// encoding/json at each request.
func encodingHandler(d *data) http.Handler {
	s := newSlice().(*sliceStore)
	s.load(d.records)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		offset, _ := strconv.Atoi(r.URL.Query().Get("offset"))
		events, count := s.copies(byStart, max(offset, 0))
		page := jsonEnvelope{Count: count, Results: events}
		if offset+pageSize < count {
			page.Next = link(offset + pageSize)
		}
		if offset > 0 {
			page.Previous = link(offset - pageSize)
		}
		text, err := marshal(page)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
		w.Write(text)
	})
}

func link(offset int) *json.RawMessage {
	text := json.RawMessage(appendLink(nil, byStart, offset))
	return &text
}

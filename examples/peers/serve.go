package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
)

// film is a record of the collection that is served.
type film struct {
	ID     int    `json:"id"`
	Title  string `json:"title"`
	Genre  string `json:"genre"`
	Year   int    `json:"year"`
	Studio string `json:"studio"`
	Length int    `json:"length"`
}

// newFilms returns a handler of n films.
func newFilms(n int) http.Handler {
	about := schema.Description{Filters: []string{"genre", "year__gte"}, Search: []string{"title", "studio"}, Actions: schema.AllActions}
	films := catalogue.Define[film]("films", catalogue.Options{Description: &about, Indexes: [][]ordering.Term{{ordering.Asc("genre"), ordering.Asc("year")}}})
	c, err := catalogue.New(films)
	check(err)
	list, err := films.In(c)
	check(err)
	check(list.ReplaceAll(func(yield func(film) bool) {
		for i := range n {
			if !yield(film{i + 1, fmt.Sprintf("The Film %d", i), fmt.Sprintf("g%d", i%20), 1900 + i%120, fmt.Sprintf("Studio %d", i%7), 60 + i%90}) {
				return
			}
		}
	}))
	h, err := httpapi.New(c, httpapi.Options{Root: "/", Authorizer: httpapi.AllowAll})
	check(err)
	return h
}

// A request is sent to the servers.
type request struct{ method, target, body string }

// serve measures requests over the loopback interface to the library's handler, and to one that
// reads the same request and writes the same bytes from memory. The client is the program wrk.
// Its figures do not depend on the number of records, so it measures once.
func serve(s setup, n int) []*section {
	if n < s.sizes[len(s.sizes)-1] {
		return nil
	}
	n = min(n, 10_000)
	sec := &section{title: fmt.Sprintf("REQUESTS A SECOND, %s RECORDS", thousands(n)), names: []string{"backlist", "static"}}
	for _, row := range []struct {
		request
		bound float64
	}{
		{request{"GET", "/films/", ""}, 0.92},
		{request{"GET", fmt.Sprintf("/films/?offset=%d", n/10*9), ""}, 0.92},
		{request{"GET", "/films/?genre=g7&ordering=-year", ""}, 0.75},
		{request{"GET", "/films/?year__gte=1950&genre=g7&ordering=-year", ""}, 0.65},
		{request{"GET", "/films/77/", ""}, 0.92},
		{request{"PATCH", "/films/77/", `{"title": "Another"}`}, 0.6},
		{request{"POST", "/films/", `{"title": "New", "genre": "g1", "year": 2001, "studio": "S", "length": 90}`}, 0.6},
	} {
		h := newFilms(n)
		static := newStatic(answer(h, row.request))
		var rates [2][]float64
		for range s.rounds {
			for i, h := range [...]http.Handler{h, static} {
				rate, _ := s.load(h, 8, row.request)
				rates[i] = append(rates[i], rate)
			}
		}
		sec.values(row.method+" "+row.target, rates[:], whole, goal{bound: row.bound, atLeast: true, than: "static"})
	}
	return []*section{sec, searches(s)}
}

// searches measures pages of an unfiltered list and the same with a search in each hundredth
// request. If searches take longer than pages, the 98th percentile of all requests is the 99th of
// the pages.
func searches(s setup) *section {
	n := 10 * s.sizes[len(s.sizes)-1]
	h := newFilms(n)
	page, search := request{"GET", "/films/?ordering=-year&offset=5000", ""}, request{"GET", "/films/?search=77777", ""}
	answer(h, page)                               // makes the index
	s.http, s.rounds = 8*s.http, min(s.rounds, 3) // at first few connections wait for searches
	var rates, tails [2][]float64
	for range s.rounds {
		for i, others := range [][]request{{search}, nil} {
			rate, tail := s.load(h, 64, page, others...)
			rates[i], tails[i] = append(rates[i], rate), append(tails[i], tail)
		}
	}
	sec := &section{title: fmt.Sprintf("PAGES AND SEARCHES, %s RECORDS", thousands(n)), names: []string{"backlist", "alone"}}
	sec.values("requests a second, with one search in 100", rates[:], whole, goal{bound: 8000, atLeast: true, own: true})
	sec.values("99th percentile of the others", tails[:], duration, goal{bound: 12e6, own: true})
	return sec
}

func answer(h http.Handler, ask request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(ask.method, ask.target, strings.NewReader(ask.body))
	r.Header.Set("Content-Type", "application/json")
	if h.ServeHTTP(w, r); w.Code >= 300 {
		check(fmt.Errorf("%v: %d %s", ask, w.Code, w.Body))
	}
	return w
}

// newStatic returns a handler that reads any request and sends the same response.
func newStatic(w *httptest.ResponseRecorder) http.Handler {
	header, body := w.Result().Header, w.Body.Bytes()
	return http.HandlerFunc(func(to http.ResponseWriter, r *http.Request) {
		io.Copy(io.Discard, r.Body)
		maps.Copy(to.Header(), header)
		to.WriteHeader(w.Code)
		to.Write(body)
	})
}

// script makes wrk repeat the first request, and send another instead of each hundredth. It prints
// the requests a second, the 98th percentile in microseconds, and the number of errors.
const script = `
local all, n = {}, 0
function init()
	wrk.headers["Content-Type"] = "application/json"
	all = {%s}
end
function request()
	n = n + 1
	if #all > 1 and n %% 100 == 0 then return all[2] end
	return all[1]
end
function done(summary, latency)
	local e = summary.errors
	print("measured", 1e6 * summary.requests / summary.duration, latency:percentile(98), e.connect + e.read + e.write + e.status + e.timeout)
end
`

// load sends requests on some connections for a while. It returns how many are answered in a
// second, and the 98th percentile of the time to an answer in nanoseconds.
func (s setup) load(h http.Handler, connections int, first request, others ...request) (rate, tail float64) {
	server := httptest.NewServer(h)
	defer server.Close()
	var list []string
	for _, r := range append([]request{first}, others...) {
		list = append(list, fmt.Sprintf("wrk.format(%q, %q, nil, %q)", r.method, r.target, r.body))
	}
	file, err := os.CreateTemp("", "*.lua")
	check(err)
	defer os.Remove(file.Name())
	_, err = fmt.Fprintf(file, script, strings.Join(list, ", "))
	check(err)
	check(file.Close())
	runtime.GC() // collects the garbage of the turn before
	ctx, stop := context.WithTimeout(context.Background(), s.http)
	defer stop()
	cmd := exec.CommandContext(ctx, "wrk", "-t1", fmt.Sprintf("-c%d", connections), "-d1h", "--timeout", "20s", "-s", file.Name(), server.URL)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) } // after which it prints what it has measured
	cmd.WaitDelay = 10 * time.Second
	out, _ := cmd.Output() // an error if it is interrupted
	_, report, _ := strings.Cut(string(out), "measured")
	var errs int
	if _, err := fmt.Sscan(report, &rate, &tail, &errs); err != nil || errs > 0 {
		check(fmt.Errorf("wrk: %d errors, %v: %s", errs, err, out))
	}
	return rate, tail * 1e3
}

package cataloguetest

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/pagination"
)

// Log gives the requests that the house was asked so far, each with its answer,
// in the order in which they came in. They are copies. An answer that a client
// has read is there in full, even while its handler is still running.
// O(requests, with their bodies).
func (h *House) Exchanges() []Exchange { return h.log.exchanges() }

// Forget empties the log, so that what is asserted is about what comes next.
func (h *House) Forget() { h.log.forget() }

// Asked fails the test unless the house was asked exactly these requests, in
// this order:
//
//	house.Asked(t, "GET /api/", "GET /api/events/?limit=2&ordering=name")
//
// A request is its method, a blank, and path with query. The order of parameters
// does not count, that of values of one parameter does. Without requests, none
// must have been asked.
func (h *House) Asked(tb testing.TB, requests ...string) {
	tb.Helper()
	want := make([]line, len(requests))
	for i, request := range requests {
		var err error
		if want[i], err = parseLine(request); err != nil {
			tb.Errorf("Asked: %v", err)
			return
		}
	}
	got := []line{}
	for _, e := range h.log.exchanges() {
		got = append(got, lineOf(e.Method, e.URL))
	}
	if diff := diffLines(want, got); diff != "" {
		tb.Errorf("the house was asked otherwise (-want +got):\n%s", diff)
	}
}

// NeverWrote fails the test if the house got a request whose method is none of
// GET, HEAD and OPTIONS, answered or refused. What the test itself writes to the
// catalogue does not count.
func (h *House) NeverWrote(tb testing.TB) {
	tb.Helper()
	none, got := []line{}, []line{}
	for _, e := range h.log.exchanges() {
		if !readsOnly(e.Method) {
			got = append(got, line(fmt.Sprintf("%s: %d", lineOf(e.Method, e.URL), e.Status)))
		}
	}
	if diff := diffLines(none, got); diff != "" {
		tb.Errorf("the house was written to (-want +got):\n%s", diff)
	}
}

func readsOnly(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// line is one of many that are compared: it differs as a whole.
type line string

func diffLines(want, got []line) string {
	return cmp.Diff(want, got, cmp.Comparer(func(a, b line) bool { return a == b }))
}

// parseLine gives "GET /api/events/?b=1&a=2" the form in which lines compare.
func parseLine(request string) (line, error) {
	method, target, ok := strings.Cut(request, " ")
	if !ok || method == "" || !strings.HasPrefix(target, "/") {
		return "", fmt.Errorf(`%q is no request, which looks like "GET /api/events/?limit=2"`, request)
	}
	link, err := url.ParseRequestURI(target)
	if err != nil {
		return "", fmt.Errorf("%q is no request: %w", request, err)
	}
	return lineOf(method, link), nil
}

// lineOf is a request with its parameters in the order of their names.
func lineOf(method string, link *url.URL) line {
	text := method + " " + link.EscapedPath()
	if link.RawQuery == "" {
		return line(text)
	}
	return line(text + "?" + pagination.ParseQuery(link.RawQuery).Encode())
}

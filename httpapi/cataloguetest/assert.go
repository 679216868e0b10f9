package cataloguetest

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/pagination"
)

// Exchanges returns copies of the exchanges so far, in the order in which their requests arrived. A
// response that the client has read is complete, even if its handler has not yet returned. O(size
// of the exchanges).
func (s *Server) Exchanges() []Exchange { return s.log.exchanges() }

// AssertRequests fails the test unless the server received exactly these requests, in this order:
//
//	server.AssertRequests(t, "GET /api/", "GET /api/events/?limit=2&ordering=name")
//
// A request is its method, a space, and its path with the query. The order of parameters is
// ignored, but not the order of a parameter's values. An argument of another form fails the test.
// Without arguments, any request does.
func (s *Server) AssertRequests(tb testing.TB, requests ...string) {
	tb.Helper()
	want := make([]line, len(requests))
	for i, request := range requests {
		var err error
		if want[i], err = parseLine(request); err != nil {
			tb.Errorf("AssertRequests: %v", err)
			return
		}
	}
	got := []line{}
	for _, e := range s.log.exchanges() {
		got = append(got, lineOf(e.Method, e.URL))
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b line) bool { return a == b })); diff != "" {
		tb.Errorf("requests received (-want +got):\n%s", diff)
	}
}

// A line describes a request. Lines are compared as a whole.
type line string

// parseLine normalizes a request such as "GET /api/events/?b=1&a=2".
func parseLine(request string) (line, error) {
	method, target, ok := strings.Cut(request, " ")
	if !ok || method == "" || !strings.HasPrefix(target, "/") {
		return "", fmt.Errorf(`invalid request %q; want one such as "GET /api/events/?limit=2"`, request)
	}
	link, err := url.ParseRequestURI(target)
	if err != nil {
		return "", fmt.Errorf("invalid request %q: %w", request, err)
	}
	return lineOf(method, link), nil
}

// lineOf returns a request with its parameters sorted by name.
func lineOf(method string, link *url.URL) line {
	text := method + " " + link.EscapedPath()
	if link.RawQuery == "" {
		return line(text)
	}
	return line(text + "?" + pagination.ParseQuery(link.RawQuery).Encode())
}

package cataloguetest

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Log gives the requests that the house was asked so far, each with its answer,
// in the order in which they came in. They are copies. An answer that a client
// has read is there in full, even while its handler is still running.
// O(requests, with their bodies).
func (h *House) Log() []Exchange { return h.log.exchanges() }

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
	want := make([]string, len(requests))
	for i, request := range requests {
		line, err := parseLine(request)
		if err != nil {
			tb.Errorf("Asked: %v", err)
			return
		}
		want[i] = line
	}
	got := []string{}
	for _, e := range h.log.exchanges() {
		got = append(got, lineOf(e.Method, e.URL))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		tb.Errorf("the house was asked otherwise (-want +got):\n%s", diff)
	}
}

// NeverWrote fails the test if the house got a request whose method is none of
// GET, HEAD and OPTIONS, answered or refused. What the test itself writes to the
// catalogue does not count.
func (h *House) NeverWrote(tb testing.TB) {
	tb.Helper()
	want, got := []string{}, []string{}
	for _, e := range h.log.exchanges() {
		if !readsOnly(e.Method) {
			got = append(got, fmt.Sprintf("%s: %d", lineOf(e.Method, e.URL), e.Status))
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		tb.Errorf("the house was written to (-want +got):\n%s", diff)
	}
}

func readsOnly(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// parseLine gives "GET /api/events/?b=1&a=2" the form in which lines compare.
func parseLine(request string) (string, error) {
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
func lineOf(method string, link *url.URL) string {
	line := method + " " + link.EscapedPath()
	if link.RawQuery == "" {
		return line
	}
	values, err := url.ParseQuery(link.RawQuery)
	if err != nil {
		return line + "?" + link.RawQuery
	}
	return line + "?" + values.Encode()
}

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

// Exchanges returns copies of the exchanges so far, in the order in which their
// requests arrived. A response that the client has read is complete, even if its
// handler has not yet returned. O(n) in the number of exchanges and the size of
// their bodies.
func (h *House) Exchanges() []Exchange { return h.log.exchanges() }

// Forget discards the exchanges so far. Later assertions apply only to the requests
// that follow.
func (h *House) Forget() { h.log.forget() }

// Asked fails the test unless the house received exactly these requests, in this
// order:
//
//	house.Asked(t, "GET /api/", "GET /api/events/?limit=2&ordering=name")
//
// A request is written as its method, a space, and its path with the query. The
// order of parameters is ignored, but not the order of a parameter's values. Without
// arguments, Asked fails the test if the house received any request. Asked also fails
// the test if an argument is not written in this form. A URL of more than 8 KiB is
// cut, and so is not equal to its request.
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
		tb.Errorf("requests received (-want +got):\n%s", diff)
	}
}

// NeverWrote fails the test if the house received a request with a method other
// than GET, HEAD and OPTIONS, whether it was permitted or refused. Changes that
// the test makes to the catalogue do not count.
func (h *House) NeverWrote(tb testing.TB) {
	tb.Helper()
	want, got := []line{}, []line{}
	for _, e := range h.log.exchanges() {
		if !readsOnly(e.Method) {
			got = append(got, line(fmt.Sprintf("%s: %d", lineOf(e.Method, e.URL), e.Status)))
		}
	}
	if diff := diffLines(want, got); diff != "" {
		tb.Errorf("write requests received (-want +got):\n%s", diff)
	}
}

func readsOnly(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == http.MethodOptions
}

// A line describes a request or a page. Lines are compared as a whole.
type line string

func diffLines(want, got []line) string {
	return cmp.Diff(want, got, cmp.Comparer(func(a, b line) bool { return a == b }))
}

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

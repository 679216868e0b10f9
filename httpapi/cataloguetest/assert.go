package cataloguetest

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi/internal/fake"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// Exchanges returns copies of the exchanges so far, in the order in which their
// requests arrived. A response that the client has read is complete, even if its
// handler has not yet returned. O(n) in the number of exchanges and the size of
// their bodies.
func (s *Server) Exchanges() []Exchange { return s.log.exchanges() }

// ClearLog discards the exchanges so far. Later assertions apply only to the requests
// that follow.
func (s *Server) ClearLog() { s.log.forget() }

// AssertRequests fails the test unless the server received exactly these requests, in this
// order:
//
//	server.AssertRequests(t, "GET /api/", "GET /api/events/?limit=2&ordering=name")
//
// A request is written as its method, a space, and its path with the query. The
// order of parameters is ignored, but not the order of a parameter's values. Without
// arguments, AssertRequests fails the test if the server received any request. It also
// fails the test if an argument is not written in this form.
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

// Bounds on what is logged of a failed test.
const (
	maxRequests = 20  // the last ones
	maxLines    = 40  // of the changes
	maxLine     = 200 // bytes of a line
	maxResponse = 500 // bytes of the body of an error response
)

// report logs the faults that changed no response and, if the test has failed, the last
// requests and the changes to the catalogue.
func (s *Server) report(tb testing.TB, requireFaults bool) {
	tb.Helper()
	s.faults.report(tb, requireFaults)
	if tb.Failed() {
		tb.Logf("cataloguetest: %s\n%s", formatRequests(s.log.exchanges()), formatChanges(s.initial, s.Catalogue))
	}
}

// formatRequests lists the last requests, one per line. The body of an error response
// follows in a line of its own.
func formatRequests(log []Exchange) string {
	var b strings.Builder
	switch more := len(log) - maxRequests; {
	case len(log) == 0:
		return "no requests were received"
	case more > 0:
		fmt.Fprintf(&b, "the last %d of %d requests:", maxRequests, len(log))
		log = log[more:]
	default:
		b.WriteString("requests:")
	}
	for _, e := range log {
		b.WriteString("\n  " + fake.Truncate(e.String(), maxLine))
		if text := errorText(e); text != "" {
			b.WriteString("\n    " + text)
		}
	}
	return b.String()
}

// errorText returns the beginning of the body of an error response in one line, or "" if
// none exists or if it is compressed.
func errorText(e Exchange) string {
	if e.Status < 400 || e.ResponseHeader.Get("Content-Encoding") != "" {
		return ""
	}
	const enough = 4 * maxResponse // the rest is not looked at
	text := strings.ToValidUTF8(string(e.ResponseBody[:min(len(e.ResponseBody), enough)]), "\ufffd")
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	return fake.Truncate(strings.Join(words, " "), maxResponse)
}

// formatChanges lists the first records that two states of a catalogue do not have in common.
func formatChanges(before, after *catalogue.Catalogue) string {
	var lines []string
	for key := range after.All() {
		old, now := recordsOf(before, key), recordsOf(after, key)
		removed, added := without(old, now), without(now, old)
		if len(removed)+len(added) > 0 {
			lines = append(lines, fmt.Sprintf("%s: %d records, now %d", key, len(old), len(now)))
		}
		for _, r := range removed {
			lines = append(lines, "- "+r)
		}
		for _, r := range added {
			lines = append(lines, "+ "+r)
		}
	}
	if lines == nil {
		return "the catalogue has not changed"
	}
	if more := len(lines) - maxLines; more > 0 {
		lines = append(lines[:maxLines:maxLines], fmt.Sprintf("and %d more lines", more))
	}
	for i, line := range lines {
		lines[i] = "\n  " + fake.Truncate(line, maxLine)
	}
	return "changes to the catalogue since the start of the test:" + strings.Join(lines, "")
}

// recordsOf returns the records of a collection in the order of their ids, or in the default order
// if they have none.
func recordsOf(c *catalogue.Catalogue, key string) (records []string) {
	collection, err := c.Collection(key)
	if err != nil {
		return nil
	}
	list, _ := collection.List(context.Background(), catalogue.Query{Terms: []ordering.Term{ordering.Asc("id")}}) // cannot fail
	for _, r := range list.Records {
		records = append(records, string(r))
	}
	return records
}

// without returns the records that are not among others.
func without(records, others []string) []string {
	known := map[string]bool{}
	for _, r := range others {
		known[r] = true
	}
	return slices.DeleteFunc(slices.Clone(records), func(r string) bool { return known[r] })
}

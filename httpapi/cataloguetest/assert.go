package cataloguetest

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
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
	if diff := diffLines(want, got); diff != "" {
		tb.Errorf("requests received (-want +got):\n%s", diff)
	}
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

// AssertWalkedOnce fails the test unless every page of a collection was fetched exactly once: the
// pages cover all records without overlaps or gaps, the last one has no next link, and no id or
// key occurs twice. The collection is given by its key or path segment, such as "events". Pages
// may be fetched in any order or concurrently, but all must have the same ordering and the same
// count. Pages by cursors must be those to which the next links lead from the first one, in this
// order.
//
// Only pages that were sent in full, with status 200, count as fetched, and only pages of the
// whole collection: not the pages that a filter or a search selected. A page that is fetched
// again after an error therefore counts once, and so does a page whose first response the
// client abandoned, as far as the server can detect that; see [Exchange.Aborted]. The client
// must read a page for it to count.
//
// AssertWalkedOnce also fails the test if it cannot check a page because not all of it was kept;
// see [Exchange.Cut]. Records without a key of the description or a numeric member "id" are not
// checked for repetition.
func (s *Server) AssertWalkedOnce(tb testing.TB, collection string) {
	tb.Helper()
	about, err := s.faults.paths.named(collection)
	if err != nil {
		tb.Errorf("AssertWalkedOnce: %v", err)
		return
	}
	pages, err := s.pagesOf(about)
	if err != nil {
		tb.Errorf("%s: %v", collection, err)
		return
	}
	want, got := expectedPages(pages), describePages(pages)
	if _, ok := about.Pages.(pagination.Cursors); ok {
		want, got = linkedPages(pages)
	}
	if diff := diffLines(want, got); diff != "" {
		tb.Errorf("%s: pages fetched (-want +got):\n%s", collection, diff)
		return
	}
	if err := checkDuplicates(pages); err != nil {
		tb.Errorf("%s: %v", collection, err)
	}
}

// checkDuplicates returns an error if a record occurs twice. Concurrent writes can
// move records from page to page without changing their count.
func checkDuplicates(pages []fetchedPage) error {
	seen := map[string]line{}
	for _, p := range pages {
		for _, id := range p.ids {
			if first, twice := seen[id]; twice {
				return fmt.Errorf("record %s is in both %q and %q", id, first, p.request)
			}
			seen[id] = p.request
		}
	}
	return nil
}

// A fetchedPage is a page that was sent to the client.
type fetchedPage struct {
	request line
	order   string
	window  pagination.Window // zero if the page begins at a cursor
	first   bool
	records int
	count   int
	next    line     // request to which the next link leads; empty if there is none
	ids     []string // of the records that have a numeric id, or the JSON of their keys
}

// pagesOf returns the pages of a collection, sorted by offset. It returns an error if they
// cannot belong to one walk.
func (s *Server) pagesOf(about schema.Description) ([]fetchedPage, error) {
	path := s.faults.paths.of(about)
	var pages []fetchedPage
	for _, e := range s.log.exchanges() {
		if e.URL.Path != path || e.Method != http.MethodGet || e.Status != http.StatusOK || e.Aborted || isFiltered(e, about) {
			continue
		}
		if e.Cut {
			return nil, fmt.Errorf("%s: too long to be checked", lineOf(e.Method, e.URL))
		}
		if p, ok := fetchedPageOf(e, about); ok {
			pages = append(pages, p)
		}
	}
	if len(pages) == 0 {
		return nil, fmt.Errorf("no page of %s was fetched", path)
	}
	first := pages[0]
	for _, p := range pages[1:] {
		if p.order != first.order {
			return nil, fmt.Errorf("pages have different orderings: %q and %q", first.request, p.request)
		}
		if p.count != first.count {
			return nil, fmt.Errorf("the count changed: %d in %q, %d in %q", first.count, first.request, p.count, p.request)
		}
	}
	slices.SortStableFunc(pages, func(a, b fetchedPage) int { return a.window.Offset - b.window.Offset })
	return pages, nil
}

// isFiltered reports whether a request was for records that a filter or a search selects.
func isFiltered(e Exchange, about schema.Description) bool {
	params := url.Values{}
	for name, value := range pagination.ParseQuery(e.URL.RawQuery).All() {
		params.Add(name, value)
	}
	filter, err := about.Filter(context.Background(), params, schema.Checks{
		Exists: func(context.Context, string, int) (bool, error) { return true, nil },
		Find:   func(context.Context, string, string, string) (int, error) { return 1, nil },
	})
	return err != nil || len(filter.Tests)+len(filter.Search) > 0
}

// fetchedPageOf reports false if the response is not a page.
func fetchedPageOf(e Exchange, about schema.Description) (fetchedPage, bool) {
	body, ok := parsePage(about.Pages, e.ResponseBody)
	query := pagination.ParseQuery(e.URL.RawQuery)
	order, _ := query.Get("ordering")
	w, _ := windowOf(about.Pages, query, body.Count)
	p := fetchedPage{
		request: lineOf(e.Method, e.URL),
		order:   order,
		window:  w,
		first:   body.Previous == "",
		records: len(body.Records),
		count:   body.Count,
		ids:     idsOf(body.Records, about),
	}
	if body.Next != "" {
		next := *e.URL
		_, next.RawQuery, _ = strings.Cut(body.Next, "?")
		p.next = lineOf(e.Method, &next)
	}
	return p, ok
}

func idsOf(records []json.RawMessage, about schema.Description) (ids []string) {
	name := "id"
	i := slices.IndexFunc(about.Fields, func(f schema.Field) bool { return f.Key })
	if i >= 0 {
		name = about.Fields[i].Name
	}
	for _, record := range records {
		var members map[string]json.RawMessage
		_ = json.Unmarshal(record, &members)
		id := string(members[name])
		if i >= 0 && id != "" || schema.ParseID(id) > 0 { // types of the program may have other ids
			ids = append(ids, id)
		}
	}
	return ids
}

func describePages(pages []fetchedPage) []line {
	list := make([]line, len(pages))
	for i, p := range pages {
		list[i] = describePage(p.window.Offset, p.records, p.next != "")
	}
	return list
}

func describePage(offset, records int, hasNext bool) line {
	text := fmt.Sprintf("offset %d: %d records", offset, records)
	if !hasNext {
		text += ", last page"
	}
	return line(text)
}

// expectedPages describes the pages that should have been fetched. A page has the
// limit of the fetched page at its offset or, if none exists, of the first page.
func expectedPages(pages []fetchedPage) []line {
	count, limit := pages[0].count, pages[0].window.Limit
	var list []line
	for offset := 0; offset < count || offset == 0; {
		size := limit
		if i := slices.IndexFunc(pages, func(p fetchedPage) bool { return p.window.Offset == offset }); i >= 0 {
			size = pages[i].window.Limit
		}
		size = min(size, count-offset)
		list = append(list, describePage(offset, size, offset+size < count))
		if size == 0 {
			break
		}
		offset += size
	}
	return list
}

// linkedPages returns the requests for the first page and for those to which next links lead, and
// the requests that were sent.
func linkedPages(pages []fetchedPage) (want, got []line) {
	want = []line{"the first page"}
	if pages[0].first {
		want[0] = pages[0].request
	}
	for _, p := range pages {
		got = append(got, p.request)
		if p.next != "" {
			want = append(want, p.next)
		}
	}
	return want, got
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

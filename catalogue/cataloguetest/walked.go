package cataloguetest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"testing"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/pagination"
)

// WalkedOnce fails the test unless every page of a collection was fetched exactly
// once: the pages cover all records without overlaps or gaps, the last one has no
// next link, and no id occurs twice. The collection is given by its key, such as
// "events". Pages may be fetched in any order or concurrently, but all must have the
// same ordering and the same count.
//
// Only pages that were sent in full, with status 200, count as fetched, and only those of
// the whole collection: not the pages that a filter or a search selected. A page that is
// fetched again after an error therefore counts once, and so does a page whose first
// response the client abandoned, as far as the house can detect that; see
// [Exchange.Aborted]. The client must read a page for it to count.
//
// WalkedOnce also fails the test if it cannot check a page because the house has not kept
// all of the exchange; see [Exchange.Cut]. Records without a numeric member "id" are not
// checked for repetition.
func (h *House) WalkedOnce(tb testing.TB, collection string) {
	tb.Helper()
	about, err := h.faults.paths.lookup(collection)
	if err != nil {
		tb.Errorf("WalkedOnce: %v", err)
		return
	}
	pages, err := h.pagesOf(about)
	if err != nil {
		tb.Errorf("%s: %v", collection, err)
		return
	}
	if diff := diffLines(expectedPages(pages), describePages(pages)); diff != "" {
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
	seen := map[int]line{}
	for _, p := range pages {
		for _, id := range p.ids {
			if first, twice := seen[id]; twice {
				return fmt.Errorf("record %d is in both %q and %q", id, first, p.request)
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
	window  pagination.Window
	records int
	count   int
	hasNext bool
	ids     []int // of the records that have a numeric id
}

// pagesOf returns the pages of a collection, sorted by offset. It returns an error if they
// cannot belong to one walk.
func (h *House) pagesOf(about schema.Description) ([]fetchedPage, error) {
	path := h.faults.paths.of(about)
	var pages []fetchedPage
	for _, e := range h.log.exchanges() {
		if e.URL.Path != path || e.Method != http.MethodGet || e.Status != http.StatusOK || e.Aborted || isFiltered(e, about) {
			continue
		}
		if e.Cut {
			return nil, fmt.Errorf("%s: too long to be checked", lineOf(e.Method, e.URL))
		}
		if p, ok := parsePage(e, h.faults.limits); ok {
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
	slices.SortStableFunc(pages, func(a, b fetchedPage) int { return cmp.Compare(a.window.Offset, b.window.Offset) })
	return pages, nil
}

// isFiltered reports whether a request was for records that a filter or a search selects.
func isFiltered(e Exchange, about schema.Description) bool {
	params := url.Values{}
	for name, value := range pagination.ParseQuery(e.URL.RawQuery).All() {
		params.Add(name, value)
	}
	filter, err := about.Filter(params, func(string, int) bool { return true })
	return err != nil || len(filter.Tests)+len(filter.Search) > 0
}

// parsePage reports false if the response is not a page.
func parsePage(e Exchange, limits pagination.Limits) (fetchedPage, bool) {
	var body pagination.Envelope[json.RawMessage]
	if json.Unmarshal(e.Answer, &body) != nil || body.Records == nil { // null unmarshals without error
		return fetchedPage{}, false
	}
	query := pagination.ParseQuery(e.URL.RawQuery)
	order, _ := query.Get("ordering")
	return fetchedPage{
		request: lineOf(e.Method, e.URL),
		order:   order,
		window:  limits.Window(query),
		records: len(body.Records),
		count:   body.Count,
		hasNext: body.Next != "",
		ids:     idsOf(body.Records),
	}, true
}

func idsOf(records []json.RawMessage) (ids []int) {
	for _, record := range records {
		var r struct{ ID int }
		if json.Unmarshal(record, &r) == nil && r.ID != 0 { // types of the program may have other ids
			ids = append(ids, r.ID)
		}
	}
	return ids
}

func describePages(pages []fetchedPage) []line {
	list := make([]line, len(pages))
	for i, p := range pages {
		list[i] = describePage(p.window.Offset, p.records, p.hasNext)
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
// limit of the fetched page at its offset or, if there is none, of the first page.
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

package cataloguetest

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"testing"

	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// WalkedOnce fails the test unless all pages of a collection were fetched, each
// once: together they cover every record, without overlap and without gap, the
// last one has no next, and no id came twice. The collection is named by its key
// ("events"). The order of the pages does not count, so they may be fetched at once.
//
// A page is what was answered with 200 and is one: that a page was asked for again
// after an error is no fault of a client. One that the client left before all of it
// was sent is none ([Exchange.Aborted] says what the house can see of that), so a
// page must be read to be walked. All have to be in one order, and tell one count. Pages of more than 1 MiB are not kept in the log and
// cannot be judged, nor can those that were followed by 64 MiB of answers: that fails
// the test too. Of records whose id has another name than "id" none is seen twice.
func (h *House) WalkedOnce(tb testing.TB, collection string) {
	tb.Helper()
	about, ok := resources.Lookup(collection)
	if !ok {
		tb.Errorf("WalkedOnce: there is no collection %q", collection)
		return
	}
	pages, err := pagesOf(h.log.exchanges(), "/api/"+about.Segment+"/")
	if err != nil {
		tb.Errorf("%s: %v", collection, err)
		return
	}
	if diff := diffLines(wholeWalk(pages), rows(pages)); diff != "" {
		tb.Errorf("%s: walked otherwise than each page once (-want +got):\n%s", collection, diff)
		return
	}
	if err := comeOnce(pages); err != nil {
		tb.Errorf("%s: %v", collection, err)
	}
}

// comeOnce finds a record that came on two pages, or twice on one: what was written
// meanwhile can move records and leave their count as it is.
func comeOnce(pages []fetched) error {
	seen := map[int]line{}
	for _, p := range pages {
		for _, id := range p.ids {
			if before, twice := seen[id]; twice {
				return fmt.Errorf("record %d came in %q and in %q: the pages are not of one list", id, before, p.asked)
			}
			seen[id] = p.asked
		}
	}
	return nil
}

// fetched is a page that was answered.
type fetched struct {
	asked   line
	order   string
	window  pagination.Window
	records int
	count   int
	hasNext bool
	ids     []int // of the records that have one
}

// pagesOf finds the pages of a path by their offset. They are of one walk, or an
// error says why not.
func pagesOf(log []Exchange, path string) ([]fetched, error) {
	var pages []fetched
	for _, e := range log {
		if e.URL.Path != path || e.Method != http.MethodGet || e.Status != http.StatusOK || e.Aborted {
			continue
		}
		if e.Cut {
			return nil, fmt.Errorf("%s: too long for the log", lineOf(e.Method, e.URL))
		}
		if p, ok := readPage(e); ok {
			pages = append(pages, p)
		}
	}
	if len(pages) == 0 {
		return nil, fmt.Errorf("no page of %s was fetched", path)
	}
	first := pages[0]
	for _, p := range pages[1:] {
		if p.order != first.order {
			return nil, fmt.Errorf("pages of different orders: %q and %q", first.asked, p.asked)
		}
		if p.count != first.count {
			return nil, fmt.Errorf("the count changed: %d in %q, %d in %q", first.count, first.asked, p.count, p.asked)
		}
	}
	slices.SortStableFunc(pages, func(a, b fetched) int { return cmp.Compare(a.window.Offset, b.window.Offset) })
	return pages, nil
}

// readPage reads an answer; one that is no page is left to whom it concerns.
func readPage(e Exchange) (fetched, bool) {
	var body pagination.Envelope[json.RawMessage]
	if json.Unmarshal(e.Answer, &body) != nil || body.Records == nil { // null is decoded, and is none
		return fetched{}, false
	}
	query := pagination.ParseQuery(e.URL.RawQuery)
	order, _ := query.Get("ordering")
	return fetched{
		asked:   lineOf(e.Method, e.URL),
		order:   order,
		window:  pagination.Limits{}.Window(query),
		records: len(body.Records),
		count:   body.Count,
		hasNext: body.Next != "",
		ids:     idsOf(body.Records),
	}, true
}

func idsOf(records []json.RawMessage) (ids []int) {
	for _, record := range records {
		var r struct{ ID int }
		if json.Unmarshal(record, &r) == nil && r.ID != 0 { // else it is a record of the program's own
			ids = append(ids, r.ID)
		}
	}
	return ids
}

// rows lists pages in words.
func rows(pages []fetched) []line {
	list := make([]line, len(pages))
	for i, p := range pages {
		list[i] = row(p.window.Offset, p.records, p.hasNext)
	}
	return list
}

func row(offset, records int, hasNext bool) line {
	text := fmt.Sprintf("offset %d: %d records", offset, records)
	if !hasNext {
		text += ", the last"
	}
	return line(text)
}

// wholeWalk lists what should have been fetched: each page as long as it was
// asked to be where it begins in the right place, as long as the first elsewhere.
func wholeWalk(pages []fetched) []line {
	count, limit := pages[0].count, pages[0].window.Limit
	var list []line
	for offset := 0; offset < count || offset == 0; {
		size := limit
		if i := slices.IndexFunc(pages, func(p fetched) bool { return p.window.Offset == offset }); i >= 0 {
			size = pages[i].window.Limit
		}
		size = min(size, count-offset)
		list = append(list, row(offset, size, offset+size < count))
		if size == 0 {
			break
		}
		offset += size
	}
	return list
}

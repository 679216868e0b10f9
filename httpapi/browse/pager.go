package browse

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"github.com/gobacklist/backlist/pagination"
)

// pager describes the page and links to other pages. A link without a target is empty.
type pager struct {
	Summary                     string // such as "Records 22–42 of 500"
	Beyond                      bool   // the offset is past the last record
	First, Previous, Next, Last string
	Sizes                       []size
	Param                       string           // of the form for a page
	Page, Pages                 int              // number of this page and of all pages
	Total                       string           // Pages with commas
	Kept                        []parameterValue // of the form for a page, with the limit
}

// size is a selectable page size.
type size struct {
	Records int
	Link    string
	Current bool
}

func newPager(q query, e envelope) pager {
	w := windowOf(q, e)
	p := pager{Summary: summary(w.Offset, len(e.Results), e.Count), Beyond: w.Offset >= e.Count && e.Count > 0}
	at := func(offset int) string {
		return q.with("limit", strconv.Itoa(w.Limit), "offset", positive(offset))
	}
	if e.Previous != nil {
		p.First, p.Previous = at(0), at(offsetOf(*e.Previous))
	}
	if e.Next != nil {
		p.Next = at(offsetOf(*e.Next))
	}
	if e.Next != nil || p.Beyond {
		p.Last = at((e.Count - 1) / w.Limit * w.Limit)
	}
	p.Pages = pages(e.Count, w.Limit)
	p.Page = min(w.Offset/w.Limit, p.Pages-1) + 1
	p.Param, p.Total = pageParam, grouped(p.Pages)
	p.Kept = q.kept(func(name string) bool { return name != "limit" && name != "offset" && name != pageParam })
	p.Kept = append(p.Kept, parameterValue{"limit", strconv.Itoa(w.Limit)})
	for _, records := range sizes(w.Limit) {
		p.Sizes = append(p.Sizes, size{records, q.with("limit", strconv.Itoa(records), "offset", positive(w.Offset)), records == w.Limit})
	}
	return p
}

// pages returns the number of pages, at least 1.
func pages(count, limit int) int { return max(count-1, 0)/limit + 1 }

// sizes returns the selectable page sizes, including the current one.
func sizes(current int) []int {
	offered := []int{10, 21, 50, 100}
	if !slices.Contains(offered, current) {
		offered = append(offered, current)
		slices.Sort(offered)
	}
	return offered
}

// windowOf returns the window of a page. The links of the handler contain the effective
// limit. A page without links has all records, so that its limit does not matter.
func windowOf(q query, e envelope) pagination.Window {
	w := pagination.Limits{Max: -1}.Parse(q.get("limit"), q.get("offset"))
	for _, link := range []*string{e.Previous, e.Next} {
		if link == nil {
			continue
		}
		if limit, err := strconv.Atoi(parameter(*link, "limit")); err == nil && limit > 0 {
			w.Limit = limit
		}
	}
	return w
}

// offsetOf returns the offset in a link. It returns 0 if the link has no valid offset.
func offsetOf(link string) int {
	offset, _ := strconv.Atoi(parameter(link, "offset"))
	return offset
}

func parameter(link, name string) string {
	u, err := url.Parse(link)
	if err != nil {
		return ""
	}
	return parseQuery(u.RawQuery).get(name)
}

func positive(offset int) string {
	if offset <= 0 {
		return ""
	}
	return strconv.Itoa(offset)
}

func summary(offset, records, count int) string {
	switch {
	case count == 0:
		return "No records"
	case records == 0:
		return "None of " + plural(count)
	case records == count && count == 1:
		return "1 record"
	case records == 1:
		return fmt.Sprintf("Record %s of %s", grouped(offset+1), grouped(count))
	}
	return fmt.Sprintf("Records %s–%s of %s", grouped(offset+1), grouped(offset+records), grouped(count))
}

func plural(count int) string {
	if count == 1 {
		return "1 record"
	}
	return grouped(count) + " records"
}

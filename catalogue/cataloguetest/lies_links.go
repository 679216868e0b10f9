package cataloguetest

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/gobacklist/backlist/pagination"
)

// leadsTo is the page with a next that leads to an offset.
func (m *mishap) leadsTo(page envelope, offset int) (body []byte, ok bool) {
	limit := m.limitOf(page)
	// What is before the page behind: AppendPrevious leaves out an offset of 0, as
	// the service does, where AppendNext cannot lead.
	window := pagination.Window{Limit: limit, Offset: offset + limit}
	query := pagination.ParseQuery(m.r.URL.RawQuery)
	link, ok := pagination.AppendPrevious(nil, m.baseOf(page), query, window, 0)
	if !ok { // there is no page behind the largest number
		return nil, false
	}
	return page.replaced(page.next, quote(string(link))), true
}

// baseOf is the list's URL without a query, as the links of the page have it, or
// as the request has it if there are none.
func (m *mishap) baseOf(page envelope) string {
	if link := page.anyLink(); link != "" {
		base, _, _ := strings.Cut(link, "?")
		return base
	}
	u := url.URL{Scheme: "http", Host: m.r.Host, Path: m.r.URL.Path}
	if m.r.TLS != nil {
		u.Scheme = "https"
	}
	return u.String()
}

// limitOf is how many records the page may have, as its links have it, or as the
// request has it if there are none.
func (m *mishap) limitOf(page envelope) int {
	query := m.r.URL.RawQuery
	if link := page.anyLink(); link != "" {
		_, query, _ = strings.Cut(link, "?")
	}
	return pagination.Limits{}.Window(pagination.ParseQuery(query)).Limit
}

// rowBefore is a request for the one record before the page, in the same order:
// of a limit or an offset that comes twice the last counts.
func (m *mishap) rowBefore() *http.Request {
	r := m.r.WithContext(m.r.Context()) // a copy
	u := *m.r.URL
	u.RawQuery += fmt.Sprintf("&limit=1&offset=%d", offsetOf(m.r)-1)
	r.URL = &u
	return r
}

package cataloguetest

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/gobacklist/backlist/pagination"
)

// withNext returns the page with a next link to the given offset. It reports false
// if no link can lead there.
func (i *interceptor) withNext(page envelope, offset int) (body []byte, ok bool) {
	limit := i.limitOf(page)
	// The link is that to the previous page of the following one. AppendPrevious
	// leaves out an offset of 0, as the service does; AppendNext cannot lead there.
	window := pagination.Window{Limit: limit, Offset: offset + limit}
	query := pagination.ParseQuery(i.r.URL.RawQuery)
	link, ok := pagination.AppendPrevious(nil, i.baseOf(page), query, window, 0)
	if offset < 0 || !ok { // overflow
		return nil, false
	}
	return page.replaced(page.next, quote(string(link))), true
}

// baseOf returns the URL of the list without a query, taken from the links of the
// page or, if there are none, from the request.
func (i *interceptor) baseOf(page envelope) string {
	if link := page.anyLink(); link != "" {
		base, _, _ := strings.Cut(link, "?")
		return base
	}
	u := url.URL{Scheme: "http", Host: i.r.Host, Path: i.r.URL.Path}
	target, _, _ := strings.Cut(i.r.RequestURI, "?")
	if path, err := url.PathUnescape(target); err == nil && strings.HasPrefix(path, "/") && strings.HasSuffix(path, u.Path) {
		u.Path = path // with the prefix that StripPrefix has removed
	}
	if i.r.TLS != nil {
		u.Scheme = "https"
	}
	return u.String()
}

// limitOf returns the limit of the page, taken from its links or, if there are
// none, from the request.
func (i *interceptor) limitOf(page envelope) int {
	query := i.r.URL.RawQuery
	if link := page.anyLink(); link != "" {
		_, query, _ = strings.Cut(link, "?")
	}
	return i.limits.Window(pagination.ParseQuery(query)).Limit
}

// previousRow returns a request for the record before the page, in the same
// ordering. Of a parameter that occurs twice, the last value counts.
func (i *interceptor) previousRow() *http.Request {
	r := i.r.WithContext(i.r.Context()) // a copy
	u := *i.r.URL
	u.RawQuery += fmt.Sprintf("&limit=1&offset=%d", offsetOf(i.r)-1)
	r.URL = &u
	return r
}

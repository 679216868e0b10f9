package cataloguetest

import (
	"fmt"
	"strconv"
	"strings"
)

// pageFault returns a fault that changes pages, given its call. change returns the new body, or false
// if the page does not change. Other responses do not change: errors, responses to
// methods other than GET and HEAD, and paths that are not those of a collection.
func pageFault(made faultCall, change func(i *interceptor, page envelope, nth int) (body []byte, ok bool)) Fault {
	return Fault{call: made, stage: inPage, apply: func(i *interceptor, nth int) bool {
		if !requestsPage(i.r, i.paths) || i.response.status != 200 {
			return false
		}
		page, ok := parseEnvelope(i.response.body)
		if !ok {
			return false
		}
		body, ok := change(i, page, nth)
		if ok {
			i.response.body = body
		}
		return ok
	}}
}

// NextIsSelf makes the next link of a page lead to the page itself, on the last page
// as well. A client that follows the links never ends.
func NextIsSelf() Fault {
	return pageFault(call("NextIsSelf"), func(i *interceptor, page envelope, _ int) ([]byte, bool) {
		return i.withNext(page, offsetOf(i.r))
	})
}

// NextCycle makes the next link of a page lead back to the first page, on the last
// page as well. It is meant for the second or a later page; on the first it is the
// same as [NextIsSelf].
func NextCycle() Fault {
	return pageFault(call("NextCycle"), func(i *interceptor, page envelope, _ int) ([]byte, bool) {
		return i.withNext(page, 0)
	})
}

// NextHost makes the next link of a page lead to another host, such as
// "elsewhere.example" or "elsewhere.example:8443". A page without a next link is
// not changed. The host must not be empty.
func NextHost(host string) Fault {
	if host == "" || strings.ContainsAny(host, "/?#@") {
		return Fault{err: fmt.Errorf("NextHost: invalid host %q", host)}
	}
	return pageFault(call("NextHost", host), func(_ *interceptor, page envelope, _ int) ([]byte, bool) {
		scheme, rest, _ := strings.Cut(page.link(page.next), "://")
		_, path, ok := strings.Cut(rest, "/")
		if !ok {
			return nil, false
		}
		return page.replaced(page.next, quote(scheme+"://"+host+"/"+path)), true
	})
}

// NextScheme makes the next link of a page lead to the same host with another
// scheme, such as "http" in a house that is served over https. A page is not changed if
// it has no next link, or if its next link already has that scheme. The scheme must not
// be empty.
func NextScheme(scheme string) Fault {
	if scheme == "" || strings.ContainsAny(scheme, ":/?#") {
		return Fault{err: fmt.Errorf("NextScheme: invalid scheme %q", scheme)}
	}
	return pageFault(call("NextScheme", scheme), func(_ *interceptor, page envelope, _ int) ([]byte, bool) {
		current, rest, ok := strings.Cut(page.link(page.next), "://")
		if !ok || current == scheme {
			return nil, false
		}
		return page.replaced(page.next, quote(scheme+"://"+rest)), true
	})
}

// EmptyPageWithNext removes all records from a page and makes its next link lead to
// the following page, past the end of the list as well. Applied to all pages, it
// makes an endless list without records.
func EmptyPageWithNext() Fault {
	return pageFault(call("EmptyPageWithNext"), func(i *interceptor, page envelope, _ int) ([]byte, bool) {
		body, ok := i.withNext(page, offsetOf(i.r)+i.limitOf(page))
		if !ok {
			return nil, false
		}
		page, ok = parseEnvelope(body)
		return page.replaced(page.results, "[]"), ok
	})
}

// MissingRow removes the last record of a page. The count and the links do not
// change, so the record is on no page. An empty page is not changed.
func MissingRow() Fault {
	return pageFault(call("MissingRow"), func(_ *interceptor, page envelope, _ int) ([]byte, bool) {
		last := len(page.rows) - 1
		if last < 0 {
			return nil, false
		}
		if last == 0 {
			return page.replaced(page.results, "[]"), true
		}
		// With the comma and the white space before it.
		return page.replaced(span{page.rows[last-1].end, page.rows[last].end}, ""), true
	})
}

// RepeatedRow inserts the last record of the previous page at the front of a page,
// which may then have one more than its limit. The count and the links do not change.
// The first page and empty pages are not changed.
//
// Together with a [MissingRow] for the same requests, each page has the right number of
// records, and the whole list has as many as its count. This happens in services whose
// orderings have ties that each query breaks differently.
func RepeatedRow() Fault {
	return pageFault(call("RepeatedRow"), func(i *interceptor, page envelope, _ int) ([]byte, bool) {
		if offsetOf(i.r) == 0 || len(page.rows) == 0 {
			return nil, false
		}
		previous, ok := parseEnvelope(i.record(i.previousRow()).body)
		if !ok || len(previous.rows) != 1 {
			return nil, false
		}
		separator := ","
		if len(page.rows) > 1 { // with the white space between records
			separator = string(span{page.rows[0].end, page.rows[1].start}.of(page.body))
		}
		front := page.rows[0].start
		row := string(previous.rows[0].of(previous.body))
		return page.replaced(span{front, front}, row+separator), true
	})
}

// CountShrinks reduces the count of a page: by the given number in the first request
// that the fault applies to, by twice that number in the second, and so on, but not
// below 0. The records do not change. Requests for anything other than a page count too,
// so the [Where] should name a Collection and the method GET. The number must be at
// least 1.
func CountShrinks(by int) Fault {
	if by < 1 {
		return Fault{err: fmt.Errorf("CountShrinks: invalid number %d; want at least 1", by)}
	}
	return pageFault(call("CountShrinks", by), func(_ *interceptor, page envelope, nth int) ([]byte, bool) {
		count, err := strconv.Atoi(string(page.count.of(page.body)))
		if err != nil || count == 0 {
			return nil, false
		}
		return page.replaced(page.count, strconv.Itoa(max(count-nth*by, 0))), true
	})
}

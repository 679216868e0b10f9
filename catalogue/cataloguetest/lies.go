package cataloguetest

import (
	"fmt"
	"strconv"
	"strings"
)

// lie makes a fault of what changes the page of an answer, and says whether it
// did. What is no page is left alone: errors, other methods than GET and HEAD, and
// paths that are none of a collection.
func lie(change func(m *mishap, page envelope, nth int) (body []byte, ok bool)) Fault {
	return Fault{stage: lying, do: func(m *mishap, nth int) bool {
		if !asksPage(m.r) || m.answer.status != 200 {
			return false
		}
		page, ok := parseEnvelope(m.answer.body)
		if !ok {
			return false
		}
		body, ok := change(m, page, nth)
		if ok {
			m.answer.body = body
		}
		return ok
	}}
}

// NextIsSelf makes next lead to the page that it stands on, also on the last.
// Who follows links goes round for ever.
func NextIsSelf() Fault {
	return lie(func(m *mishap, page envelope, _ int) ([]byte, bool) {
		return m.leadsTo(page, offsetOf(m.r))
	})
}

// NextCycle makes next lead back to the first page, also on the last page: put it
// on the second page or behind. On the first it is [NextIsSelf].
func NextCycle() Fault {
	return lie(func(m *mishap, page envelope, _ int) ([]byte, bool) {
		return m.leadsTo(page, 0)
	})
}

// NextHost makes next lead to another host, "elsewhere.example" or with a port.
// A page without a next is left alone. The host must not be empty.
func NextHost(host string) Fault {
	if host == "" || strings.ContainsAny(host, "/?#@") {
		return Fault{err: fmt.Errorf("NextHost: %q is no host", host)}
	}
	return lie(func(_ *mishap, page envelope, _ int) ([]byte, bool) {
		scheme, rest, _ := strings.Cut(page.link(page.next), "://")
		_, path, ok := strings.Cut(rest, "/")
		if !ok {
			return nil, false
		}
		return page.replaced(page.next, quote(scheme+"://"+host+"/"+path)), true
	})
}

// NextScheme makes next lead to the same host by another scheme: "http" in a house
// that is served by https. A page without a next, and one whose next has that
// scheme, are left alone. The scheme must not be empty.
func NextScheme(scheme string) Fault {
	if scheme == "" || strings.ContainsAny(scheme, ":/?#") {
		return Fault{err: fmt.Errorf("NextScheme: %q is no scheme", scheme)}
	}
	return lie(func(_ *mishap, page envelope, _ int) ([]byte, bool) {
		before, rest, ok := strings.Cut(page.link(page.next), "://")
		if !ok || before == scheme {
			return nil, false
		}
		return page.replaced(page.next, quote(scheme+"://"+rest)), true
	})
}

// EmptyPageWithNext takes all records off a page and makes its next lead one page
// on, also behind the end of the list. On all pages it is a list without end in
// which nothing comes.
func EmptyPageWithNext() Fault {
	return lie(func(m *mishap, page envelope, _ int) ([]byte, bool) {
		body, ok := m.leadsTo(page, offsetOf(m.r)+m.limitOf(page))
		if !ok {
			return nil, false
		}
		page, ok = parseEnvelope(body)
		return page.replaced(page.results, "[]"), ok
	})
}

// MissingRow leaves out the last record of a page. All else is as if it were
// there, so it comes on no page. An empty page is left alone.
func MissingRow() Fault {
	return lie(func(_ *mishap, page envelope, _ int) ([]byte, bool) {
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

// RepeatedRow puts the last record of the page before at the front of a page,
// which has one more than was asked for then. All else is as it was. The first
// page, and an empty one, are left alone.
//
// With a [MissingRow] for the same requests the page has as many records as it
// should, and the whole list as many as its count: it is what comes of an order
// with ties that each query breaks in another way.
func RepeatedRow() Fault {
	return lie(func(m *mishap, page envelope, _ int) ([]byte, bool) {
		if offsetOf(m.r) == 0 || len(page.rows) == 0 {
			return nil, false
		}
		before, ok := parseEnvelope(m.ask(m.rowBefore()).body)
		if !ok || len(before.rows) != 1 {
			return nil, false
		}
		separator := ","
		if len(page.rows) > 1 { // with the white space that is used
			separator = string(span{page.rows[0].end, page.rows[1].start}.of(page.body))
		}
		front := page.rows[0].start
		row := string(before.rows[0].of(before.body))
		return page.replaced(span{front, front}, row+separator), true
	})
}

// CountShrinks makes the count less than it is: by so many in the first request that
// it meets, by twice as many in the second, and so on, but not less than 0. What is
// no page counts as a request too: name a Collection, or GET. All records come all
// the same. By must be 1 or more.
func CountShrinks(by int) Fault {
	if by < 1 {
		return Fault{err: fmt.Errorf("CountShrinks: by %d is no shrinking", by)}
	}
	return lie(func(_ *mishap, page envelope, nth int) ([]byte, bool) {
		count, err := strconv.Atoi(string(page.count.of(page.body)))
		if err != nil || count == 0 {
			return nil, false
		}
		return page.replaced(page.count, strconv.Itoa(max(count-nth*by, 0))), true
	})
}

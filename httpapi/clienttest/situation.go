package clienttest

import (
	"encoding/json"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gobacklist/backlist/httpapi/cataloguetest"
	"github.com/gobacklist/backlist/pagination"
)

// A situation is what happens at a service while a client uses it once.
type situation struct {
	name    string
	records int // of the collection at the start

	faults    []cataloguetest.Fault // of some requests for the collection
	at, times int                   // the number of the first of these requests, from 1, and how many there are
	deletes   bool                  // the first record of the first page is deleted after that
	inserts   bool                  // and another one is inserted at the end of the list
	cancelled bool                  // the context is cancelled before the call
	reversed  bool                  // of concurrent requests and responses, the last goes on first
	remedy    string                // what to do if the client fails
}

// Sizes of collections and pages.
const (
	fewRecords  = 25 // two and a half pages
	mostRecords = 95
	pageSize    = 10 // default and maximum limit of a page
)

// simplest is the name of the first situation.
const simplest = "several-pages"

// A form is what a client can know of the pages of a service.
type form struct{ pagination.Traits }

// counts reports whether pages have the number of all records.
func (f form) counts() bool { return slices.Contains(f.Members, "count") }

// apart reports whether pages have places that depend on the number of records before them, and
// cannot overlap.
func (f form) apart() bool { return f.Counted && !f.Anywhere }

// unnoticed returns the names of situations that no client can notice: what a page does not have cannot
// be wrong, and a list without pages has no second one.
func (f form) unnoticed() (names []string) {
	if !f.counts() {
		names = append(names, "row-missing", "row-repeated-for-another", "count-shrinks")
	}
	if !f.counts() || f.apart() {
		names = append(names, "record-replaced")
	}
	if f.Members == nil {
		names = append(names, "next-on-other-host", "next-without-tls", "next-is-self", "next-cycle", "empty-pages-with-next",
			"status-500-from-second-page", "status-503-from-second-page", "status-429-from-second-page",
			"many-pages", "responses-out-of-order", "full-pages", "one-full-page", "record-deleted")
	}
	return names
}

// words replaces what remedies say in braces by what the service has.
func (f form) words() *strings.Replacer {
	next, count := "next", "count"
	if f.Members == nil {
		next = "a page"
	}
	if !f.counts() {
		count = "the number of records"
	}
	return strings.NewReplacer("{next}", next, "{count}", count)
}

// situations returns all situations, simple ones first. Their faults keep state, so each is run once.
func (f form) situations() (all []situation) {
	add := func(s situation) {
		if s.records == 0 && s.name != "empty" {
			s.records = fewRecords
		}
		if f.Members == nil { // there is no second page
			s.at = max(s.at-1, 1)
		}
		all = append(all, s)
	}
	once := func(name string, at int, remedy string, faults ...cataloguetest.Fault) {
		add(situation{name: name, at: at, times: 1, faults: faults, remedy: remedy})
	}
	from := func(name string, at int, remedy string, faults ...cataloguetest.Fault) {
		add(situation{name: name, at: at, times: math.MaxInt, faults: faults, remedy: remedy})
	}

	// Services without a fault.
	add(situation{name: simplest})
	add(situation{name: "many-pages", records: mostRecords})
	add(situation{name: "responses-out-of-order", records: mostRecords, reversed: true, remedy: remedyOrder})
	add(situation{name: "full-pages", records: 2 * pageSize})
	add(situation{name: "one-full-page", records: pageSize})
	add(situation{name: "one-record", records: 1})
	add(situation{name: "empty"})

	// Services that send something other than a page.
	retryAfter := cataloguetest.Header("Retry-After", "0")
	for _, code := range []int{500, 503, 429} {
		name, faults := fmt.Sprintf("status-%d", code), []cataloguetest.Fault{failure(code, code)}
		if code != 500 {
			faults = append(faults, retryAfter)
		}
		once(name+"-once", 2, remedyStatus, faults...)
		from(name+"-always", 1, remedyStatus, faults...)
		from(name+"-from-second-page", 2, remedyStatus, faults...)
	}
	once("status-404-once", 2, remedyStatus, failure(404, 404))
	from("rate-limit", 2, remedyRate, cataloguetest.RateLimit(5*time.Second))
	once("error-with-status-200", 2, remedyShape, failure(200, 500))
	once("html-with-status-200", 2, remedyDecode, cataloguetest.Status(200, gatewayPage))
	from("wrong-content-type", 1, remedyContentType, cataloguetest.Header("Content-Type", "text/html; charset=utf-8"))

	// Services whose responses do not arrive in full.
	add(situation{name: "cut-before-header", at: 2, faults: []cataloguetest.Fault{cataloguetest.ResetConnection()}, remedy: remedyCut,
		times: 2}) // because net/http retries if the connection has been used before
	once("cut-in-body", 2, remedyWhole, cataloguetest.ResetAfter(part))
	once("truncated-body", 2, remedyWhole, cataloguetest.Truncate(part))
	from("stalled", 2, remedyContext, cataloguetest.Delay(time.Hour))
	from("stalled-in-body", 2, remedyContext, cataloguetest.Stall(part))
	add(situation{name: "cancelled", cancelled: true})

	// Services whose next links lead to the wrong place, or whose records do not agree with their
	// count.
	from("next-is-self", 2, remedyLoop, cataloguetest.NextIsSelf())
	from("next-cycle", 2, remedyLoop, cataloguetest.Page(func(r *http.Request, page *envelope) { page.Next = linkTo(r, f.Place, "") })) // on the last page as well
	from("empty-pages-with-next", 2, remedyEmptyPage, f.emptyPageWithNext())
	from("next-on-other-host", 1, remedyOrigin, nextHost())
	from("next-without-tls", 1, remedyOrigin, nextWithoutTLS())
	from("redirect-to-other-host", 2, remedyRedirect, cataloguetest.Status(302, ""), cataloguetest.Header("Location", "https://"+otherHost+"/"))
	from("row-missing", 2, remedyCount, cataloguetest.MissingRow())
	from("row-repeated", 2, remedyRepeated, cataloguetest.RepeatedRow())
	from("row-repeated-for-another", 2, remedyRepeated, cataloguetest.RepeatedRow(), cataloguetest.MissingRow())
	from("count-shrinks", 2, remedyShrinks, countShrinks(5))

	// After the first page, the record that would have been the first of the second page moves to
	// the end of the first one, and so the client sees it on neither.
	add(situation{name: "record-deleted", deletes: true, remedy: remedyDeletion})
	add(situation{name: "record-replaced", deletes: true, inserts: true, remedy: remedyWrites})
	return all
}

// part is the number of bytes of a body that arrive.
const part = 304

// failure responds with a status, and the body of an error with another one.
func failure(status, of int) cataloguetest.Fault {
	return cataloguetest.Status(status, fmt.Sprintf(`{"detail":%q}`, http.StatusText(of)))
}

// gatewayPage is the body of a response of a proxy.
const gatewayPage = "<!doctype html><title>502 Bad Gateway</title><h1>Bad Gateway</h1>"

// otherHost is a host that no client should send a request to.
const otherHost = "elsewhere.example"

type envelope = pagination.Envelope[json.RawMessage]

// nextHost makes the next link lead to another host.
func nextHost() cataloguetest.Fault {
	return cataloguetest.Page(func(_ *http.Request, page *envelope) {
		if u, err := url.Parse(page.Next); err == nil && page.Next != "" {
			u.Host = otherHost
			page.Next = u.String()
		}
	})
}

// nextWithoutTLS makes the next link lead to the same host without encryption.
func nextWithoutTLS() cataloguetest.Fault {
	return cataloguetest.Page(func(_ *http.Request, page *envelope) {
		page.Next = strings.Replace(page.Next, "https://", "http://", 1)
	})
}

// emptyPageWithNext removes all records of a page that has a next link. If pages have offsets, it
// makes the next link lead to what follows the records, past the end of the list as well.
func (f form) emptyPageWithNext() cataloguetest.Fault {
	return cataloguetest.Page(func(r *http.Request, page *envelope) {
		if f.Anywhere {
			offset, _ := strconv.Atoi(r.URL.Query().Get(f.Place))
			page.Next = linkTo(r, f.Place, strconv.Itoa(offset+max(len(page.Records), 1)))
		}
		if page.Next != "" {
			page.Records = nil
		}
	})
}

// countShrinks reduces the count by the given number on the first page, by twice that number
// on the second, and so on, but not below 0.
func countShrinks(by int) cataloguetest.Fault {
	var pages atomic.Int64
	return cataloguetest.Page(func(_ *http.Request, page *envelope) {
		page.Count = max(page.Count-by*int(pages.Add(1)), 0)
	})
}

// linkTo returns a link to the page of the same list that begins at a place. If that is empty, it
// is the first one.
func linkTo(r *http.Request, place, at string) string {
	query := r.URL.Query()
	query.Set(place, at)
	if at == "" {
		query.Del(place)
	}
	u := url.URL{Scheme: "https", Host: r.Host, Path: r.URL.Path, RawQuery: query.Encode()}
	return u.String()
}

// Remedies for clients that fail a situation. What is in braces is what the service has;
// see [form].
const (
	remedyStatus      = "check the status before the body, and return an error or retry if it is not 200; after the last attempt, return an error"
	remedyRate        = "wait as long as Retry-After says, or return an error"
	remedyShape       = "a body that is not a page is not the end of the list, even with status 200"
	remedyDecode      = "return the error of decoding the page"
	remedyContentType = "either return an error or accept the page"
	remedyRedirect    = "set CheckRedirect in a copy of the http.Client; the service redirects at most to itself"

	remedyContext = "create each request with the context (http.NewRequestWithContext), end each wait when the context ends, and return its error"
	remedyCut     = "return the error of the request, or retry"
	remedyWhole   = "return the error of reading or decoding the body, or retry; a partial body is not a page"

	remedyLinks     = "pages may have fewer records than requested, and a list may have none; follow {next}, or ask for what follows the records received, until the list ends"
	remedyOrder     = "put together the responses of concurrent requests by what was asked for; they arrive in any order"
	remedyIDs       = "return the ids of the collection that Options.Collection names, as the service shows them"
	remedyLoop      = "return an error if {next} leads to a page that has been read, or if a record occurs twice"
	remedyBusy      = "wait before a request is sent again, longer each time and at least as long as Retry-After says, and return an error after a few attempts"
	remedyOrigin    = "compare the scheme and host of {next} with those of the first page, and return an error if they differ"
	remedyEmptyPage = "return an error if a page has no records and leads to another"
	remedyCount     = "compare the number of records received with {count}, and return an error if they differ"
	remedyRepeated  = "keep the ids received, drop records that are repeated, and compare the number of those left with {count}"
	remedyShrinks   = "do not stop at {count} before the list ends, and return an error if {count} changes"
	remedyDeletion  = "if {count} changes, a record may have moved from one page to another; start again or return an error"

	remedyWrites = "records move to other pages when others are inserted or deleted, even if the count stays the same; order by id, begin each page with the last record of the page before it unless pages have numbers or cursors, and start again or return an error if that record is no longer there or {count} changes"
	remedyPanic  = "check each part of a response before using it"
	remedyClose  = "call resp.Body.Close for each response, whatever its status, for example in a defer statement; connections whose bodies are not closed are not reused"
	remedyBlock  = "end all goroutines of the call before it returns, and wait for nothing that may not happen without the context"
)

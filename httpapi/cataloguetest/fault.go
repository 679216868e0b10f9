package cataloguetest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/pagination"
)

// A Fault changes, delays or prevents the response to a request. [Server.Inject] applies it. The
// zero Fault is invalid.
//
// ResetAfter, Stall and Truncate omit at least the last byte of a body, take a negative n for zero,
// and change no response without a body. A request that Status, RateLimit or ResetConnection
// answers does not reach the catalogue, so a write has no effect, unless the fault is [Late].
type Fault struct {
	stage stage
	// apply applies the fault to a request. It reports whether it could: faults of
	// pages do not change other responses.
	apply func(i *interceptor) bool
	err   error // not nil if the arguments of the function were invalid
}

// A stage is a point in the making of a response. The faults of one request take
// effect in the order of their stages.
type stage int

const (
	beforeResponse stage = iota // Delay, Do, ResetConnection
	inPlaceOf                   // Status, RateLimit
	inPage                      // faults of pages
	late                        // Late
	inHeader                    // Header
	atEnd                       // Truncate
	whileSending                // ResetAfter, Stall
)

// Status responds with a status code, which must be between 200 and 999, and a body. The
// Content-Type is application/json if the body is JSON, and otherwise text/html, as in the error
// pages of proxies; [Header] sets another. A response with status 204 or 304 has no body.
func Status(code int, body string) Fault {
	if code < 200 || code > 999 {
		return Fault{err: fmt.Errorf("Status: invalid status %d; want 200 to 999", code)}
	}
	contentType := "text/html; charset=utf-8"
	if json.Valid([]byte(body)) {
		contentType = "application/json"
	}
	return Fault{stage: inPlaceOf, apply: func(i *interceptor) bool {
		header := i.w.Header().Clone()
		header.Set("Content-Type", contentType)
		i.response = &wire.Recorder{Status: code, Sent: header, Body: []byte(body)}
		return true
	}}
}

// RateLimit responds with status 429, the service's body, and a header Retry-After with the time
// that is left in seconds, rounded up. It ends when d has passed since the first request to which
// it has responded so.
func RateLimit(d time.Duration) Fault {
	var once sync.Once
	var end time.Time
	return Fault{stage: inPlaceOf, apply: func(i *interceptor) bool {
		once.Do(func() { end = time.Now().Add(d) })
		left := time.Until(end)
		if left > 0 {
			after := strconv.FormatInt(int64((left+time.Second-1)/time.Second), 10)
			body := wire.Detail("Request was throttled. Expected available in " + after + " seconds.")
			Status(http.StatusTooManyRequests, string(body)).apply(i)
			i.response.Sent.Set("Retry-After", after)
		}
		return left > 0
	}}
}

// Late applies a fault after the request has reached the catalogue: a write has its effect, and its
// response is an error, comes later, or is lost. A client that sends the request again writes
// twice.
//
//	server.Inject(cataloguetest.Match{Method: "POST"}, cataloguetest.Late(cataloguetest.ResetConnection()))
//	server.Inject(cataloguetest.Match{Method: "POST"}, cataloguetest.Late(cataloguetest.Status(502, "")))
//
// Faults that change the response of the catalogue are late in any case, and do not change.
func Late(fault Fault) Fault {
	if fault.stage <= inPlaceOf {
		fault.stage = late
	}
	return fault
}

// Header sets a header of the response, or removes it if value is empty. For example,
// Header("Retry-After", "1") goes with a Status 503 or 429. Content-Length and Transfer-Encoding
// cannot be set.
func Header(name, value string) Fault {
	name = http.CanonicalHeaderKey(name)
	if !isToken(name) || name == "Content-Length" || name == "Transfer-Encoding" {
		return Fault{err: fmt.Errorf("Header: header %q cannot be set", name)}
	}
	return Fault{stage: inHeader, apply: func(i *interceptor) bool {
		if value == "" {
			// Not deleted: net/http adds some headers that are absent, but not those
			// that are nil.
			i.response.Sent[name] = nil
		} else {
			i.response.Sent.Set(name, value)
		}
		return true
	}}
}

// Delay waits before the request reaches the catalogue. Several delays add up. If the request's
// context ends first, because the client has disconnected, the connection is closed. A delay of
// zero or less has no effect.
//
// The request body is read before the wait, because net/http does not detect before the end of the
// body that a client has disconnected. After 1 MiB of a longer body, the wait does not end early.
func Delay(d time.Duration) Fault {
	return Fault{stage: beforeResponse, apply: func(i *interceptor) bool {
		i.delay += max(d, 0)
		return true
	}}
}

// ResetConnection closes the connection before the response. The client of net/http retries a GET
// if the connection has been used before, as if the server had closed an idle connection. The
// program sees the error only if the retry is reset as well.
func ResetConnection() Fault {
	return Fault{stage: beforeResponse, apply: func(i *interceptor) bool {
		i.reset = true
		return true
	}}
}

// ResetAfter sends the header, with the Content-Length of the whole body, and n bytes of the body,
// and then closes the connection. A write has its effect.
func ResetAfter(n int) Fault { return cutAfter(n, false) }

// Stall sends the header, with the Content-Length of the whole body, and n bytes of the body, and
// then nothing: the response is aborted when the client disconnects or the server is closed. A
// write has its effect.
func Stall(n int) Fault { return cutAfter(n, true) }

func cutAfter(n int, stalls bool) Fault {
	return Fault{stage: whileSending, apply: func(i *interceptor) bool {
		i.cut, i.cutAfter, i.stalls = i.sendsBody(), max(n, 0), stalls
		return i.cut
	}}
}

// Truncate sends only the first n bytes of the body, with a Content-Length that agrees. The
// response is valid HTTP, but its JSON is invalid.
func Truncate(n int) Fault {
	return Fault{stage: atEnd, apply: func(i *interceptor) bool {
		if len(i.response.Body) == 0 {
			return false
		}
		i.response.Body = i.response.Body[:min(max(n, 0), len(i.response.Body)-1)]
		return true
	}}
}

// Do calls f when the request arrives, before the catalogue responds to it. A test uses it to
// change records while a client reads them:
//
//	server.Inject(cataloguetest.Match{Nth: 2}, cataloguetest.Do(func() { films.Delete(1) }))
//
// f runs in the goroutine of the request. If f panics, the connection is closed. If f is nil, the
// fault is invalid.
func Do(f func()) Fault {
	if f == nil {
		return Fault{err: errors.New("Do: nil function")}
	}
	return Fault{stage: beforeResponse, apply: func(*interceptor) bool {
		f()
		return true
	}}
}

// Page calls change with each page of a collection, which it may modify, and with the request for
// it, which must not be modified:
//
//	cataloguetest.Page(func(_ *http.Request, page *pagination.Envelope[json.RawMessage]) {
//		page.Count--
//	})
//
// Pages are the responses with status 200 to GET and HEAD requests for the path of a collection. A
// Count that pages do not have is -1 and has no effect. A list without pages is a page of all records,
// whose links and Count have no effect. A page that change leaves unmodified, or whose records
// are not valid JSON after it, is not changed. change runs in the goroutine of the request, and
// concurrently if requests are. If change is nil, the fault is invalid.
func Page(change func(r *http.Request, page *pagination.Envelope[json.RawMessage])) Fault {
	if change == nil {
		return Fault{err: errors.New("Page: nil function")}
	}
	return Fault{stage: inPage, apply: func(i *interceptor) bool {
		return requestsPage(i.r, i.paths) && changePage(i.response, i.paths.style(i.r), func(page *envelope) { change(i.r, page) })
	}}
}

type envelope = pagination.Envelope[json.RawMessage]

// changePage changes the framework's page of a response, and reports whether it has.
func changePage(w *wire.Recorder, is pagination.Traits, change func(page *envelope)) bool {
	page, ok := wire.ReadPage(w.Body, is)
	if !ok || w.Status != http.StatusOK {
		return false
	}
	encode := func() ([]byte, error) {
		text, err := page.MarshalJSON()
		if err == nil && is.Members == nil { // the records alone
			_, text, _ = bytes.Cut(text[:len(text)-1], []byte(`"results":`))
		}
		return text, err
	}
	before, _ := encode()
	counted := page.Count >= 0
	change(&page)
	if !counted {
		page.Count = -1
	}
	after, err := encode()
	if err != nil || bytes.Equal(before, after) {
		return false
	}
	w.Body = after
	return true
}

// NextIsSelf makes the next link of a page lead to the page itself, on the last page as well. A
// client that follows the links never ends. The only page of a list is not changed.
func NextIsSelf() Fault {
	return Page(func(r *http.Request, page *envelope) {
		if link, err := url.Parse(cmp.Or(page.Next, page.Previous)); err == nil && link.Host != "" {
			link.RawQuery = r.URL.RawQuery
			page.Next = link.String()
		}
	})
}

// MissingRow removes the last record of a page. The count and the links do not change, so the
// record is on no page. An empty page is not changed.
func MissingRow() Fault {
	return Page(func(_ *http.Request, page *envelope) {
		page.Records = page.Records[:max(len(page.Records)-1, 0)]
	})
}

// RepeatedRow repeats the first record of a page, which may then have one more than its limit. The
// count and the links do not change. An empty page is not changed. With a [MissingRow] for the same
// requests, the list has as many records as its count, as in services whose queries break ties
// differently.
func RepeatedRow() Fault {
	return Page(func(_ *http.Request, page *envelope) {
		page.Records = slices.Concat(page.Records[:min(1, len(page.Records))], page.Records)
	})
}

package cataloguetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// A Fault changes, delays or prevents the response to a request. [House.Break] applies
// it to the requests that a [Where] selects.
//
// [Status], [Unavailable], [Header], [Delay], [Slow], [Cut], [CutAfter] and [Truncate]
// return faults of any response. [BrowsableAPI] returns a fault of responses to requests
// with format=api. [NextIsSelf], [NextCycle], [NextHost], [NextScheme],
// [EmptyPageWithNext], [MissingRow], [RepeatedRow] and [CountShrinks] return faults
// of pages. The zero Fault is invalid.
type Fault struct {
	call  faultCall // that returned it
	stage stage
	// prepare, if not nil, changes the request before any fault is applied.
	prepare func(i *interceptor)
	// apply applies the fault to the nth request that it hits. It reports whether
	// it could: faults of pages do not change other responses.
	apply func(i *interceptor, nth int) bool
	err   error // not nil if the arguments of the function were invalid
}

// A stage is a point in the making of a response. The faults of one request take
// effect in the order of their stages.
type stage int

const (
	beforeResponse stage = iota // Delay, Cut
	inPlaceOf                   // Status, Unavailable
	inPage                      // faults of pages
	inFormat                    // BrowsableAPI
	inHeader                    // Header
	atEnd                       // Truncate
	whileSending                // Slow, CutAfter
)

// Status responds with a status code and a body. The request does not reach the
// catalogue, so a write has no effect. The Content-Type is application/json if the
// body is JSON, and otherwise text/html, as in the error pages of proxies. Use [Header]
// to set another. A response with status 204 or 304 has no body. The code must be
// between 200 and 999.
func Status(code int, body string) Fault {
	if code < 200 || code > 999 {
		return Fault{err: fmt.Errorf("Status: invalid status %d; want 200 to 999", code)}
	}
	contentType := "text/html; charset=utf-8"
	if json.Valid([]byte(body)) {
		contentType = "application/json"
	}
	return Fault{call: call("Status", code, body), stage: inPlaceOf, apply: func(i *interceptor, _ int) bool {
		header := i.w.Header().Clone()
		header.Set("Content-Type", contentType)
		i.response = &response{status: code, header: header, body: []byte(body)}
		return true
	}}
}

// isToken reports whether text is a token, and so can name a header (RFC 9110,
// section 5.6.2).
func isToken(text string) bool {
	const marks = "!#$%&'*+-.^_`|~"
	for _, c := range text {
		if letter := 'a' <= c|0x20 && c|0x20 <= 'z'; !letter && (c < '0' || c > '9') && !strings.ContainsRune(marks, c) {
			return false
		}
	}
	return text != ""
}

// Header sets a header of the response, or removes it if value is empty. For
// example, Header("Retry-After", "1") goes with a [Status], and
// Header("Content-Type", "text/html") mislabels a page. Content-Length and
// Transfer-Encoding cannot be set; see [Truncate] and [CutAfter].
func Header(name, value string) Fault {
	name = http.CanonicalHeaderKey(name)
	if !isToken(name) || name == "Content-Length" || name == "Transfer-Encoding" {
		return Fault{err: fmt.Errorf("Header: header %q cannot be set", name)}
	}
	return Fault{call: call("Header", name, value), stage: inHeader, apply: func(i *interceptor, _ int) bool {
		if value == "" {
			// Not deleted: net/http adds some headers that are absent, but not those
			// that are nil.
			i.response.header[name] = nil
		} else {
			i.response.header.Set(name, value)
		}
		return true
	}}
}

// Delay waits before the request reaches the catalogue. Several delays add up. If
// the request's context ends first, because the client has disconnected, the connection
// is cut. Inside a synctest bubble the time is that of the bubble. A delay of zero or
// less has no effect.
//
// The request body is read before the wait, because net/http does not detect before the
// end of the body that a client has disconnected. Of a body longer than 1 MiB, which
// the service refuses, only the first part is read, and the wait does not end early.
func Delay(d time.Duration) Fault {
	return Fault{call: call("Delay", d), stage: beforeResponse, apply: func(i *interceptor, _ int) bool {
		i.delay += max(d, 0)
		return true
	}}
}

// Slow sends the body in chunks of the given number of bytes, with a pause between
// two chunks. If the request's context ends in a pause, the connection is cut. The
// chunk size must be at least 1.
func Slow(chunk int, pause time.Duration) Fault {
	if chunk < 1 {
		return Fault{err: fmt.Errorf("Slow: invalid chunk size %d; want at least 1", chunk)}
	}
	return Fault{call: call("Slow", chunk, pause), stage: whileSending, apply: func(i *interceptor, _ int) bool {
		i.chunk, i.pause = chunk, pause
		return i.sendsBody()
	}}
}

// Cut cuts the connection before the response. The request does not reach the
// catalogue, so a write has no effect.
//
// The client of net/http retries a GET if the connection has been used before, as if
// the server had closed an idle connection. The program sees the error only if the
// retry is cut as well.
func Cut() Fault {
	return Fault{call: call("Cut"), stage: beforeResponse, apply: func(i *interceptor, _ int) bool {
		i.cut = true
		return true
	}}
}

// CutAfter sends the header, with the Content-Length of the whole body, and n bytes of
// the body, and then cuts the connection. At least the last byte is missing. The
// request reaches the catalogue, so a write has its effect. A response without a
// body is not changed. n must not be negative.
func CutAfter(n int) Fault {
	if n < 0 {
		return Fault{err: fmt.Errorf("CutAfter: negative number of bytes %d", n)}
	}
	return Fault{call: call("CutAfter", n), stage: whileSending, apply: func(i *interceptor, _ int) bool {
		i.cutsBody, i.cutAfter = i.sendsBody(), n
		return i.cutsBody
	}}
}

// Truncate sends only the first n bytes of the body, with a Content-Length that
// agrees. The response is valid HTTP, but its JSON is invalid. At least the last byte
// is missing. A response without a body is not changed. n must not be negative.
func Truncate(n int) Fault {
	if n < 0 {
		return Fault{err: fmt.Errorf("Truncate: negative number of bytes %d", n)}
	}
	return Fault{call: call("Truncate", n), stage: atEnd, apply: func(i *interceptor, _ int) bool {
		if len(i.response.body) == 0 {
			return false
		}
		i.response.body = i.response.body[:min(n, len(i.response.body)-1)]
		return true
	}}
}

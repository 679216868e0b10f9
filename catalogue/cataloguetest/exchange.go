package cataloguetest

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// An Exchange is a request and its response, as the client sent and received
// them. The response includes the effect of faults.
//
// What is kept of an exchange is bounded, as its fields say. Of all exchanges, the last 64 MiB
// of headers and bodies are kept, and the method, the URL and the outcome of each request.
// [Options.MaxExchanges] bounds their number. [House.Forget] discards all.
type Exchange struct {
	Method string
	URL    *url.URL // path and query; of more than 8 KiB the beginning, followed by "…"

	// Header is that of the request, including the headers that net/http adds. Of more than
	// 64 KiB, fields are left out. It is nil if it was discarded.
	Header http.Header
	Body   []byte // the part of the request body that was read, at most 1 MiB

	Status       int         // of the response; 0 if there is none, see Aborted
	AnswerHeader http.Header // of the response, as set by the handler, without the Date that net/http adds; bounded like Header
	Answer       []byte      // the response body, as written by the handler, at most 1 MiB

	// Cut reports whether the URL, a header or a body is incomplete here, because it is
	// too long or because it was discarded. The client and the service have all of it.
	Cut bool

	// Took is the time from the request to the last byte of the response, on the
	// clock of the test.
	Took time.Duration

	// Aborted reports whether the response ended early: the handler panicked, which
	// cuts the connection and is how some faults do so, or it could not write because
	// the client had disconnected. Writes that fit into the buffers between them, some
	// kilobytes in process and more over a socket, succeed even then.
	Aborted bool
}

// clone returns a deep copy.
func (e *Exchange) clone() Exchange {
	c := *e
	link := *e.URL
	c.URL = &link
	c.Header, c.AnswerHeader = e.Header.Clone(), e.AnswerHeader.Clone()
	c.Body, c.Answer = bytes.Clone(e.Body), bytes.Clone(e.Answer)
	return c
}

// String returns the exchange in one line, such as "GET /api/events/?limit=2 →
// 200, 1532 bytes, 41µs".
func (e Exchange) String() string {
	text := e.Method
	if e.URL != nil {
		text += " " + e.URL.RequestURI()
	}
	text += " → "
	switch {
	case e.Status == 0 && e.Aborted:
		text += "cut off"
	case e.Status == 0:
		text += "no response yet"
	default:
		text += fmt.Sprintf("%d, %d bytes", e.Status, len(e.Answer))
		if e.Aborted {
			text += ", then cut off"
		}
	}
	if e.Cut {
		text += ", not kept completely"
	}
	return fmt.Sprintf("%s, %v", text, e.Took.Round(time.Microsecond))
}

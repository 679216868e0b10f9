package cataloguetest

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// An Exchange is a request and its answer, as the client sent and got them: with
// what faults made of the answer.
type Exchange struct {
	Method string
	URL    *url.URL    // path and query
	Header http.Header // of the request, with what the client adds by itself
	Body   []byte      // what was read of the request's body, at most 1 MiB

	Status       int         // 0: no answer, see Aborted
	AnswerHeader http.Header // what the handler set; net/http adds Date and the like
	Answer       []byte      // the body as the handler wrote it, at most 1 MiB

	// Cut says that Body or Answer is not whole: because it was longer than 1
	// MiB, or because much was answered after it. A log keeps the last 64 MiB
	// of bodies.
	Cut bool

	// Took is the time from the request to the last byte of the answer, on the
	// test's clock.
	Took time.Duration

	// Aborted says that the answer did not get to its end: the handler panicked,
	// which cuts the connection, as a fault may do on purpose; or it could not write
	// any more as the client had gone. What fits into the buffers on the way, a few
	// kilobytes in process and more over a socket, is written all the same.
	Aborted bool
}

// clone copies all that can be changed.
func (e *Exchange) clone() Exchange {
	c := *e
	link := *e.URL
	c.URL = &link
	c.Header, c.AnswerHeader = e.Header.Clone(), e.AnswerHeader.Clone()
	c.Body, c.Answer = bytes.Clone(e.Body), bytes.Clone(e.Answer)
	return c
}

// String is the exchange in one line: "GET /api/events/?limit=2 → 200, 1532
// bytes, 41µs".
func (e Exchange) String() string {
	what := e.Method
	if e.URL != nil { // else nobody has asked it
		what += " " + e.URL.RequestURI()
	}
	what += " → "
	switch {
	case e.Status == 0 && e.Aborted:
		what += "cut off"
	case e.Status == 0:
		what += "no answer yet"
	default:
		what += fmt.Sprintf("%d, %d bytes", e.Status, len(e.Answer))
		if e.Cut {
			what += " and more"
		}
		if e.Aborted {
			what += ", then cut off"
		}
	}
	return fmt.Sprintf("%s, %v", what, e.Took.Round(time.Microsecond))
}

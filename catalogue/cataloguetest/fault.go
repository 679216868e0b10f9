package cataloguetest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
)

// A Fault is something that goes wrong with a request; [House.Break] says with
// which. They are made by functions: [Status], [Header], [ContentType], [Delay],
// [Slow], [Cut], [CutAfter] and [Truncate], and for what paginated services say
// that is not so [NextIsSelf], [NextCycle], [NextHost], [NextScheme],
// [EmptyPageWithNext], [MissingRow], [RepeatedRow] and [CountShrinks]. The zero
// Fault is none, and no test can break a house with it.
type Fault struct {
	stage stage
	// do makes it happen to the nth request that it meets. It says whether it did:
	// what is no page cannot be lied about.
	do  func(m *mishap, nth int) bool
	err error // why there is no such fault
}

// stage is when a fault happens on an answer's way; those of one request happen
// in this order.
type stage int

const (
	asking    stage = iota // before there is an answer: Delay, Cut
	answering              // in its place: Status
	lying                  // in its page
	heading                // in its header
	ending                 // at its end: Truncate
	sending                // while it is sent: Slow, CutAfter
)

// Status answers without asking the catalogue: a POST so answered has stored
// nothing. A body that is JSON says so in its content type, any other says that
// it is HTML, as the pages of proxies are; [ContentType] makes it another. An
// answer that can have no body (204, 304) has none. The code must be one that ends
// a request, from 200 to 999.
func Status(code int, body string) Fault {
	if code < 200 || code > 999 {
		return Fault{err: fmt.Errorf("Status: an answer cannot have the status %d", code)}
	}
	kind := "text/html; charset=utf-8"
	if json.Valid([]byte(body)) {
		kind = "application/json"
	}
	return Fault{stage: answering, do: func(m *mishap, _ int) bool {
		header := m.w.Header().Clone()
		header.Set("Content-Type", kind)
		m.answer = &answer{status: code, header: header, body: []byte(body)}
		return true
	}}
}

// isToken says whether a text can be the name of a header (RFC 9110, 5.6.2).
func isToken(text string) bool {
	const marks = "!#$%&'*+-.^_`|~"
	for _, c := range text {
		if letter := 'a' <= c|0x20 && c|0x20 <= 'z'; !letter && (c < '0' || c > '9') && !strings.ContainsRune(marks, c) {
			return false
		}
	}
	return text != ""
}

// Header sets a header of the answer, or, with an empty value, takes it away:
// Header("Retry-After", "1") beside a [Status] for the same requests, say. The
// length of the body is not for it to change: see [Truncate] and [CutAfter].
func Header(name, value string) Fault {
	name = http.CanonicalHeaderKey(name)
	if !isToken(name) || name == "Content-Length" || name == "Transfer-Encoding" {
		return Fault{err: fmt.Errorf("Header: %q cannot be set", name)}
	}
	return Fault{stage: heading, do: func(m *mishap, _ int) bool {
		if value == "" {
			// Nil and not absent: then net/http makes none up.
			m.answer.header[name] = nil
		} else {
			m.answer.header.Set(name, value)
		}
		return true
	}}
}

// ContentType says of the body that it is something else. It is [Header].
func ContentType(value string) Fault { return Header("Content-Type", value) }

// Delay waits before the request reaches the catalogue. It ends, and the
// connection is cut, when the request's context does: when the client has gone. The
// body is read before the wait, as net/http does not notice before that; of one of
// more than 1 MiB, which the service refuses, only so much, and then the wait lasts.
// Time is package time's, so that inside testing/synctest it is the bubble's.
// Several delays add up. Zero and less are no time.
func Delay(d time.Duration) Fault {
	return Fault{stage: asking, do: func(m *mishap, _ int) bool {
		m.wait += max(d, 0)
		return true
	}}
}

// Slow sends a body in chunks of so many bytes, with a pause before each but the
// first. A pause ends, and the connection is cut, when the request's context does.
// A chunk must have at least one byte.
func Slow(chunk int, pause time.Duration) Fault {
	if chunk < 1 {
		return Fault{err: fmt.Errorf("Slow: a chunk cannot have %d bytes", chunk)}
	}
	return Fault{stage: sending, do: func(m *mishap, _ int) bool {
		m.chunk, m.pause = chunk, pause
		return m.sendsBody()
	}}
}

// Cut cuts the connection before an answer. The catalogue is not asked: a POST
// so cut has stored nothing. Over a real connection that has been used before,
// net/http's client asks once more by itself if the request is a GET, as it would
// when a server closes a connection that it thinks idle; address that one as well
// if the program is to see the cut.
func Cut() Fault {
	return Fault{stage: asking, do: func(m *mishap, _ int) bool {
		m.aborts = true
		return true
	}}
}

// CutAfter cuts the connection behind the header, which has the length of the
// whole body, and n bytes of the body: all but the last if there are no more. The
// catalogue is asked: a POST so cut has been stored. An answer without a body is
// left alone.
func CutAfter(n int) Fault {
	if n < 0 {
		return Fault{err: fmt.Errorf("CutAfter: there are no %d bytes", n)}
	}
	return Fault{stage: sending, do: func(m *mishap, _ int) bool {
		m.cuts, m.cutAfter = m.sendsBody(), n
		return m.cuts
	}}
}

// Truncate sends n bytes of the body, all but the last if there are no more, and
// a Content-Length that agrees: to HTTP nothing is wrong, but the JSON is broken. An
// answer without a body is left alone.
func Truncate(n int) Fault {
	if n < 0 {
		return Fault{err: fmt.Errorf("Truncate: there are no %d bytes", n)}
	}
	return Fault{stage: ending, do: func(m *mishap, _ int) bool {
		if len(m.answer.body) == 0 {
			return false
		}
		m.answer.body = m.answer.body[:min(n, len(m.answer.body)-1)]
		return true
	}}
}

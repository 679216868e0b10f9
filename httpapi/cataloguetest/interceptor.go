package cataloguetest

import (
	"cmp"
	"io"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/gobacklist/backlist/httpapi/internal/wire"
)

// An interceptor serves one request with the faults that apply to it.
type interceptor struct {
	w     http.ResponseWriter
	r     *http.Request
	next  http.Handler
	paths paths

	delay time.Duration
	reset bool // reset the connection after the delay

	response *wire.Recorder // nil: the handler has not been called

	cut      bool // end the response after cutAfter bytes of the body
	cutAfter int
	stalls   bool // but not before the client has disconnected
}

// wait waits as long as delays say, and ends the connection if a fault resets it or the client disconnects.
func (i *interceptor) wait() {
	if i.delay > 0 {
		select {
		case <-time.After(i.delay):
		case <-i.r.Context().Done():
			i.reset = true
		}
	}
	if i.reset {
		panic(http.ErrAbortHandler)
	}
	i.delay = 0
}

// record calls the handler and returns its response. A HEAD is handled as a GET, so
// that both have the same header even if a fault changes the body.
func (i *interceptor) record(r *http.Request) *wire.Recorder {
	if r.Method == http.MethodHead {
		r = r.WithContext(r.Context()) // a copy
		r.Method = http.MethodGet
	}
	response := wire.NewRecorder(i.w.Header().Clone())
	i.next.ServeHTTP(response, r)
	response.WriteHeader(http.StatusOK) // no effect if it has been called
	return response
}

// sendsBody reports whether the response has a body on the wire.
func (i *interceptor) sendsBody() bool {
	return i.r.Method != http.MethodHead && len(i.response.Body) > 0 && mayHaveBody(i.response.Status)
}

// send writes the response to the client.
func (i *interceptor) send() {
	header := i.w.Header()
	clear(header)
	maps.Copy(header, i.response.Sent)
	if mayHaveBody(i.response.Status) {
		header.Set("Content-Length", strconv.Itoa(len(i.response.Body)))
	}
	i.w.WriteHeader(i.response.Status)
	if !i.sendsBody() {
		return
	}
	body := i.response.Body
	if i.cut {
		body = body[:min(i.cutAfter, len(body)-1)]
	}
	_, err := i.w.Write(body)
	if i.cut || err != nil {
		_ = http.NewResponseController(i.w).Flush() // the abort discards what is buffered
		if i.stalls && err == nil {
			// net/http does not detect before the end of the request's body that the client has disconnected.
			if _, err := io.Copy(io.Discard, cmp.Or[io.ReadCloser](i.r.Body, http.NoBody)); err == nil {
				<-i.r.Context().Done()
			}
		}
		panic(http.ErrAbortHandler)
	}
}

// mayHaveBody reports whether a response with that status can have a body.
func mayHaveBody(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

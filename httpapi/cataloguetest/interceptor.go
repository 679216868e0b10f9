package cataloguetest

import (
	"context"
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

	resetsBody bool // reset the connection after resetAfter bytes of the body
	resetAfter int
}

// wait waits as long as delays say, and ends the connection if a fault resets it.
func (i *interceptor) wait() {
	if !sleep(i.r.Context(), i.delay) || i.reset {
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
	recorder := func() *wire.Recorder { return wire.NewRecorder(i.w.Header().Clone()) }
	if i.paths.translates(r) {
		return i.paths.ask(r, recorder, i.next)
	}
	response := recorder()
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
	if i.resetsBody {
		body = body[:min(i.resetAfter, len(body)-1)]
	}
	_, err := i.w.Write(body)
	if i.resetsBody || err != nil {
		_ = http.NewResponseController(i.w).Flush() // the abort discards what is buffered
		panic(http.ErrAbortHandler)
	}
}

// mayHaveBody reports whether a response with that status can have a body.
func mayHaveBody(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

// sleep reports whether it slept for d before the context ended.
func sleep(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-ctx.Done():
		return false
	}
}

package cataloguetest

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/gobacklist/backlist/pagination"
)

// An interceptor serves one request with the faults that apply to it.
type interceptor struct {
	w      http.ResponseWriter
	r      *http.Request
	next   http.Handler
	paths  paths
	limits pagination.Limits

	delay time.Duration
	cut   bool // cut the connection after the delay

	response  *response // nil: the handler has not been called
	rendering rendering // by BrowsableAPI

	chunk    int // bytes of the body per write; 0: all
	pause    time.Duration
	cutsBody bool // cut the connection after cutAfter bytes of the body
	cutAfter int
}

// A response is a response in memory.
type response struct {
	status int
	header http.Header
	body   []byte
}

// serve responds to the request. The hits must be in the order of their stages.
func (i *interceptor) serve(hits []hit) {
	for _, hit := range hits {
		if hit.fault.prepare != nil {
			hit.fault.prepare(i)
		}
	}
	for len(hits) > 0 && hits[0].fault.stage <= inPlaceOf {
		hits[0].apply(i)
		hits = hits[1:]
	}
	if i.delay > 0 && !i.readBody() || !sleep(i.r.Context(), i.delay) || i.cut {
		panic(http.ErrAbortHandler)
	}
	if len(hits) == 0 && i.response == nil {
		i.next.ServeHTTP(i.w, i.r) // only delayed: not buffered
		return
	}
	if i.response == nil {
		i.response = i.record(i.r)
	}
	for _, hit := range hits {
		hit.apply(i)
	}
	i.send()
}

// readBody reads the request body into memory and reports whether it could.
// net/http does not detect before the end of the body that the client has disconnected.
// The rest of a body that is longer than the service accepts is not read.
func (i *interceptor) readBody() bool {
	if i.r.Body == nil || i.r.Body == http.NoBody {
		return true
	}
	front, err := io.ReadAll(io.LimitReader(i.r.Body, maxBody+1))
	if err != nil {
		return false
	}
	rest := i.r.Body
	i.r = i.r.WithContext(i.r.Context()) // a copy
	i.r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(front), rest), rest}
	return true
}

// record calls the handler and returns its response. A HEAD is handled as a GET, so
// that both have the same header even if a fault changes the body.
func (i *interceptor) record(r *http.Request) *response {
	if r.Method == http.MethodHead {
		r = r.WithContext(r.Context()) // a copy
		r.Method = http.MethodGet
	}
	rec := responseRecorder{header: i.w.Header().Clone()}
	i.next.ServeHTTP(&rec, r)
	rec.WriteHeader(http.StatusOK) // no effect if it has been called
	return &rec.response
}

// sendsBody reports whether the response has a body on the wire.
func (i *interceptor) sendsBody() bool {
	return i.r.Method != http.MethodHead && len(i.response.body) > 0 && mayHaveBody(i.response.status)
}

// send writes the response to the client.
func (i *interceptor) send() {
	header := i.w.Header()
	clear(header)
	maps.Copy(header, i.response.header)
	if mayHaveBody(i.response.status) {
		header.Set("Content-Length", strconv.Itoa(len(i.response.body)))
	}
	i.w.WriteHeader(i.response.status)
	if !i.sendsBody() {
		return
	}
	body := i.response.body
	if i.cutsBody {
		body = body[:min(i.cutAfter, len(body)-1)]
	}
	ok := i.write(body)
	if i.cutsBody || !ok {
		_ = http.NewResponseController(i.w).Flush() // the abort discards what is buffered
		panic(http.ErrAbortHandler)
	}
}

// write writes the body, in chunks if necessary, and reports whether it could.
func (i *interceptor) write(body []byte) bool {
	if i.chunk == 0 {
		_, err := i.w.Write(body)
		return err == nil
	}
	for first := true; len(body) > 0; first = false {
		if !first && !sleep(i.r.Context(), i.pause) {
			return false
		}
		n := min(i.chunk, len(body))
		if _, err := i.w.Write(body[:n]); err != nil {
			return false
		}
		_ = http.NewResponseController(i.w).Flush()
		body = body[n:]
	}
	return true
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

// A responseRecorder is a ResponseWriter that writes to memory.
type responseRecorder struct {
	response
	header http.Header // as the handler sees it
}

func (rec *responseRecorder) Header() http.Header { return rec.header }

// WriteHeader records the first final status with the header at that time.
func (rec *responseRecorder) WriteHeader(status int) {
	if rec.status != 0 || status < 200 {
		return
	}
	rec.status = status
	rec.response.header = rec.header.Clone()
}

func (rec *responseRecorder) Write(p []byte) (int, error) {
	rec.WriteHeader(http.StatusOK)
	rec.body = append(rec.body, p...)
	return len(p), nil
}

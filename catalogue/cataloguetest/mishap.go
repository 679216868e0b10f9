package cataloguetest

import (
	"bytes"
	"context"
	"io"
	"maps"
	"net/http"
	"strconv"
	"time"
)

// mishap is one request on its way through the faults that meet it.
type mishap struct {
	w    http.ResponseWriter
	r    *http.Request
	next http.Handler

	wait   time.Duration // before anything else
	aborts bool          // then cut the connection

	answer *answer // nil: the handler has not been asked

	chunk    int // of the body at once; 0: all
	pause    time.Duration
	cuts     bool // cut the connection
	cutAfter int  // behind so many bytes
}

// answer is what a handler answered, before it is sent.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// serve answers with the faults, which are in the order of their stages.
func (m *mishap) serve(hits []hit) {
	for len(hits) > 0 && hits[0].fault.stage <= answering {
		hits[0].happens(m)
		hits = hits[1:]
	}
	if m.wait > 0 && !m.takeBody() || !sleep(m.r.Context(), m.wait) || m.aborts {
		panic(http.ErrAbortHandler)
	}
	if len(hits) == 0 && m.answer == nil {
		m.next.ServeHTTP(m.w, m.r) // only late, so as it is: streamed
		return
	}
	if m.answer == nil {
		m.answer = m.ask(m.r)
	}
	for _, hit := range hits {
		hit.happens(m)
	}
	m.send()
}

// takeBody reads the request's body into memory, and reports whether it could: only
// behind a body does net/http notice that the client goes. What is longer than any
// that the service takes stays where it is.
func (m *mishap) takeBody() bool {
	if m.r.Body == nil || m.r.Body == http.NoBody {
		return true
	}
	front, err := io.ReadAll(io.LimitReader(m.r.Body, maxBody+1))
	if err != nil {
		return false
	}
	rest := m.r.Body
	m.r = m.r.WithContext(m.r.Context()) // a copy
	m.r.Body = struct {
		io.Reader
		io.Closer
	}{io.MultiReader(bytes.NewReader(front), rest), rest}
	return true
}

// ask lets the handler answer into memory. For a HEAD that is what it would
// answer a GET with, so that the two agree whatever is done to the body.
func (m *mishap) ask(r *http.Request) *answer {
	if r.Method == http.MethodHead {
		r = r.WithContext(r.Context()) // a copy
		r.Method = http.MethodGet
	}
	rec := recorder{header: m.w.Header().Clone()}
	m.next.ServeHTTP(&rec, r)
	rec.WriteHeader(http.StatusOK) // if it has not been called
	return &rec.answer
}

// sendsBody reports whether the answer will have a body on the wire.
func (m *mishap) sendsBody() bool {
	return m.r.Method != http.MethodHead && len(m.answer.body) > 0 && mayHaveBody(m.answer.status)
}

// send sends the answer.
func (m *mishap) send() {
	header := m.w.Header()
	clear(header)
	maps.Copy(header, m.answer.header)
	if mayHaveBody(m.answer.status) {
		header.Set("Content-Length", strconv.Itoa(len(m.answer.body)))
	}
	m.w.WriteHeader(m.answer.status)
	if !m.sendsBody() {
		return
	}
	body := m.answer.body
	if m.cuts {
		body = body[:min(m.cutAfter, len(body)-1)]
	}
	ok := m.write(body)
	if m.cuts || !ok {
		_ = http.NewResponseController(m.w).Flush() // or what is buffered is lost
		panic(http.ErrAbortHandler)
	}
}

// write writes the body, in chunks if need be, and reports whether it could.
func (m *mishap) write(body []byte) bool {
	if m.chunk == 0 {
		_, err := m.w.Write(body)
		return err == nil
	}
	for first := true; len(body) > 0; first = false {
		if !first && !sleep(m.r.Context(), m.pause) {
			return false
		}
		n := min(m.chunk, len(body))
		if _, err := m.w.Write(body[:n]); err != nil {
			return false
		}
		_ = http.NewResponseController(m.w).Flush()
		body = body[n:]
	}
	return true
}

// mayHaveBody reports whether an answer of that status can have one.
func mayHaveBody(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified
}

// sleep reports whether the time was over before the context was.
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

// recorder is a ResponseWriter into memory.
type recorder struct {
	answer
	header http.Header // as the handler sees it
}

func (rec *recorder) Header() http.Header { return rec.header }

// WriteHeader takes the header as it is then. What comes before the answer (1xx)
// is dropped.
func (rec *recorder) WriteHeader(status int) {
	if rec.status != 0 || status < 200 {
		return
	}
	rec.status = status
	rec.answer.header = rec.header.Clone()
}

func (rec *recorder) Write(p []byte) (int, error) {
	rec.WriteHeader(http.StatusOK)
	rec.body = append(rec.body, p...)
	return len(p), nil
}

package cataloguetest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/gobacklist/backlist/httpapi/internal/fake"
)

// Bounds on what is kept of the exchanges.
const (
	maxURL  = 8 << 10  // bytes of a path with its query; also of a method
	maxBody = 1 << 20  // bytes of a single body
	maxKept = 64 << 20 // bytes of all headers and bodies
)

// An exchangeLog records the exchanges of a server. The zero value is ready to use.
// It is safe for concurrent use.
type exchangeLog struct {
	max int // entries that are kept; 0 or less: all

	mu      sync.Mutex
	entries []*logEntry
	size    int // bytes of the headers and bodies that are kept
	dropped int // number of entries, from the first, whose headers and bodies are dropped
}

// wrap returns a handler that records the exchanges of next. Requests are recorded
// when they arrive. Each part of a response is recorded before it is sent, so a client
// that has received a response finds it in the log.
func (l *exchangeLog) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		entry := l.begin(r)
		returned := false
		defer func() { entry.end(returned, w.Header()) }()
		if r.Body != nil && r.Body != http.NoBody {
			r = r.WithContext(r.Context()) // a copy, since a handler must not change its request
			r.Body = &loggedBody{r.Body, entry}
		}
		next.ServeHTTP(&loggedWriter{w, entry, r.Context()}, r)
		returned = true
	})
}

// begin adds an entry for a request.
func (l *exchangeLog) begin(r *http.Request) *logEntry {
	link, cut := keptURL(r.URL)
	method := fake.Truncate(cmp.Or(r.Method, http.MethodGet), maxURL)
	e := &Exchange{Method: strings.Clone(method), URL: link, Cut: cut || len(r.Method) > maxURL}
	l.mu.Lock()
	defer l.mu.Unlock()
	entry := &logEntry{log: l, exchange: e, start: time.Now()}
	l.entries = append(l.entries, entry)
	entry.keepHeader(&e.Header, r.Header)
	if l.max > 0 && len(l.entries) > l.max {
		l.forgetFirst()
	}
	return entry
}

// keptURL returns the path and the query of a URL, or their beginning. Its strings do not
// keep the request line in memory, as the strings of u do.
func keptURL(u *url.URL) (kept *url.URL, cut bool) {
	kept = &url.URL{Path: strings.Clone(fake.Truncate(u.Path, maxURL))}
	room := maxURL - max(len(u.Path), len(u.RawPath))
	if room < 0 {
		return kept, true
	}
	kept.RawPath = strings.Clone(u.RawPath)
	kept.RawQuery = strings.Clone(fake.Truncate(u.RawQuery, room))
	return kept, len(u.RawQuery) > room
}

// forgetFirst removes the first entry, whose request may still be running. The log must be
// locked.
func (l *exchangeLog) forgetFirst() {
	l.entries[0].drop()
	l.entries[0] = nil // the array has it until it is replaced
	l.entries, l.dropped = l.entries[1:], max(l.dropped-1, 0)
}

// trim drops the headers and bodies of the first entries while there are too many. The log
// must be locked.
func (l *exchangeLog) trim() {
	for l.size > maxKept && l.dropped < len(l.entries) {
		l.entries[l.dropped].drop()
		l.dropped++
	}
}

// exchanges returns copies of all exchanges in the order of their requests.
func (l *exchangeLog) exchanges() []Exchange {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := make([]Exchange, len(l.entries))
	for i, entry := range l.entries {
		all[i] = entry.exchange.clone()
	}
	return all
}

// forget removes all entries, including entries of requests that are still running.
func (l *exchangeLog) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, entry := range l.entries {
		entry.drop()
	}
	l.entries, l.dropped = nil, 0
}

// A logEntry is an exchange that may still be running.
type logEntry struct {
	log      *exchangeLog
	exchange *Exchange
	start    time.Time
	dropping bool // nothing more is kept of its headers and bodies
}

// keepHeader sets a header to a copy of h. The log must be locked.
func (n *logEntry) keepHeader(header *http.Header, h http.Header) {
	if n.dropping {
		n.exchange.Cut = true
		return
	}
	*header = h.Clone()
	n.log.size += headerSize(h)
	n.log.trim()
}

// headerSize returns the size of a header. Names and values count as in HTTP/2, with 32 bytes
// more than their text, so that many short ones are bounded as well.
func headerSize(h http.Header) (size int) {
	for name, values := range h {
		size += len(name) + 32
		for _, value := range values {
			size += len(value) + 32
		}
	}
	return size
}

// keep appends p to a body as far as there is room. The log must be locked.
func (n *logEntry) keep(body *[]byte, p []byte) {
	room := min(len(p), maxBody-len(*body))
	if n.dropping {
		room = 0
	}
	*body = append(*body, p[:room]...)
	n.exchange.Cut = n.exchange.Cut || room < len(p)
	n.log.size += room
	n.log.trim()
}

// drop discards the headers and bodies, including the parts that follow. The log must be
// locked.
func (n *logEntry) drop() {
	e := n.exchange
	size := headerSize(e.Header) + headerSize(e.ResponseHeader) + len(e.Body) + len(e.ResponseBody)
	n.log.size -= size
	e.Cut = e.Cut || size > 0
	e.Header, e.ResponseHeader, e.Body, e.ResponseBody = nil, nil, nil, nil
	n.dropping = true
}

// update calls f with the exchange and sets the time that it has taken so far.
func (n *logEntry) update(f func(e *Exchange)) {
	n.log.mu.Lock()
	defer n.log.mu.Unlock()
	f(n.exchange)
	n.exchange.Duration = time.Since(n.start)
}

// header records the first final header of the response.
func (n *logEntry) header(status int, h http.Header) {
	n.update(func(e *Exchange) {
		if e.Status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
			e.Status = status
			n.keepHeader(&e.ResponseHeader, h)
		}
	})
}

// end records the end of the handler. A handler that returns without writing
// anything has responded with status 200.
func (n *logEntry) end(returned bool, h http.Header) {
	if returned {
		n.header(http.StatusOK, h)
	}
	n.update(func(e *Exchange) { e.Aborted = e.Aborted || !returned })
}

// A loggedBody records the part of a request body that is read.
type loggedBody struct {
	io.ReadCloser
	entry *logEntry
}

func (b *loggedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	b.entry.update(func(e *Exchange) { b.entry.keep(&e.Body, p[:n]) })
	return n, err
}

// A loggedWriter records a response.
type loggedWriter struct {
	http.ResponseWriter
	entry *logEntry
	ctx   context.Context // ends when the client disconnects
}

func (w *loggedWriter) WriteHeader(status int) {
	w.entry.header(status, w.Header())
	w.ResponseWriter.WriteHeader(status)
}

func (w *loggedWriter) Write(p []byte) (int, error) {
	w.entry.header(http.StatusOK, w.Header())
	w.entry.update(func(e *Exchange) { w.entry.keep(&e.ResponseBody, p) })
	n, err := w.ResponseWriter.Write(p)
	if err != nil && w.ctx.Err() != nil { // otherwise the handler wrote more than it may
		w.entry.update(func(e *Exchange) { e.Aborted = true })
	}
	return n, err
}

// Flush implements [http.Flusher]. Together with Unwrap, it lets handlers use the writer as a
// writer of net/http; see [http.ResponseController].
func (w *loggedWriter) Flush() {
	w.entry.header(http.StatusOK, w.Header())
	_ = http.NewResponseController(w.ResponseWriter).Flush() // not supported by every writer
}

func (w *loggedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// An Exchange is a request and its response, as the client sent and received
// them. The response includes the effect of faults.
//
// What is kept of an exchange is bounded; see Cut. Headers and bodies of the oldest exchanges
// are dropped when there are too many, but not the method, the URL and the outcome of a
// request. [Options.MaxExchanges] bounds their number. [Server.ClearLog] discards all.
type Exchange struct {
	Method string
	URL    *url.URL // path and query, or their beginning, followed by "…"

	// Header is the request's header, including what net/http adds. It is nil if it was
	// dropped.
	Header http.Header
	Body   []byte // the part of the request body that was read

	Status         int         // of the response; 0 if none exists, see Aborted
	ResponseHeader http.Header // as set by the handler, without the Date that net/http adds
	ResponseBody   []byte      // as written by the handler

	// Cut reports whether the URL, a header or a body is incomplete here, because it is
	// too long or because it was dropped. The client and the server have all of it.
	Cut bool

	// Duration is the time from the request to the last byte of the response, on the
	// clock of the test.
	Duration time.Duration

	// Aborted reports whether the response ended early: the handler panicked, which
	// closes the connection, as some faults do, or it could not write because
	// the client had disconnected. Writes that fit into the buffers between them, some
	// kilobytes in process and more over a socket, succeed even then.
	Aborted bool
}

// clone returns a deep copy.
func (e *Exchange) clone() Exchange {
	c := *e
	link := *e.URL
	c.URL = &link
	c.Header, c.ResponseHeader = e.Header.Clone(), e.ResponseHeader.Clone()
	c.Body, c.ResponseBody = bytes.Clone(e.Body), bytes.Clone(e.ResponseBody)
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
		text += fmt.Sprintf("%d, %d bytes", e.Status, len(e.ResponseBody))
		if e.Aborted {
			text += ", then cut off"
		}
	}
	if e.Cut {
		text += ", not kept completely"
	}
	return fmt.Sprintf("%s, %v", text, e.Duration.Round(time.Microsecond))
}

package cataloguetest

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode"

	"github.com/gobacklist/backlist/httpapi/internal/fake"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
)

// maxBody is the number of bytes of a body that are kept of an exchange.
const maxBody = 1 << 20

// An exchangeLog records the exchanges of a server. The zero value is ready to use.
// It is safe for concurrent use.
type exchangeLog struct {
	max       int // entries that are kept; 0 or less: all
	ignored   []string
	onIgnored func(r *http.Request, name, hint string) // or nil

	mu      sync.Mutex
	entries []*logEntry
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
		if wire.PageOf(r.Context()) == nil { // otherwise it is of a page for browsers
			r = r.WithContext(wire.WithPage(r.Context(), entry.page(r)))
		}
		next.ServeHTTP(&loggedWriter{w, entry, r.Context()}, r)
		returned = true
	})
}

// begin adds an entry for a request.
func (l *exchangeLog) begin(r *http.Request) *logEntry {
	entry := &logEntry{log: l, start: time.Now(), unread: map[string]string{}, exchange: &Exchange{
		Method: cmp.Or(r.Method, http.MethodGet),
		URL:    &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery},
		Header: r.Header.Clone(),
	}}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.entries = append(l.entries, entry)
	if l.max > 0 && len(l.entries) > l.max {
		l.entries = slices.Delete(l.entries, 0, 1) // its request may still be running
	}
	return entry
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

// A logEntry is an exchange that may still be running.
type logEntry struct {
	log      *exchangeLog
	exchange *Exchange
	start    time.Time
	unread   map[string]string // hints by the names in the request that nothing reads
}

// maxUnread is the number of names that are kept of a request, and that are reported.
const maxUnread = 20

// page returns what responds to the request, and finds the names that nothing reads.
func (n *logEntry) page(sent *http.Request) wire.Page {
	return func(w http.ResponseWriter, r *http.Request, ask wire.Operations) {
		ask.Unread(w, r, func(name string, known []string) {
			n.log.mu.Lock()
			defer n.log.mu.Unlock()
			name = fake.Truncate(name, 100)
			if name == "" || n.unread[name] != "" || len(n.unread) == maxUnread || slices.Contains(n.log.ignored, name) {
				return
			}
			if n.unread[name] = ordering.Suggest(name, known); n.log.onIgnored != nil {
				n.log.onIgnored(sent, name, n.unread[name])
			}
		})
	}
}

// report fails the test for each name that nothing reads.
func (l *exchangeLog) report(tb testing.TB) {
	tb.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	first, count := map[string]string{}, map[string]int{}
	for _, n := range l.entries {
		for name, hint := range n.unread {
			if count[name]++; count[name] == 1 {
				request := fake.Truncate(n.exchange.Method+" "+n.exchange.URL.RequestURI(), 200)
				first[name] = fmt.Sprintf("cataloguetest: %s: nothing reads %s: %s", request, name, hint)
			}
		}
	}
	for i, name := range slices.Sorted(maps.Keys(first)) {
		if i < maxUnread {
			tb.Errorf("%s (requests: %d)", first[name], count[name])
		}
	}
}

// keep appends p to a body as far as there is room. The log must be locked.
func (n *logEntry) keep(body *[]byte, p []byte) {
	room := min(len(p), maxBody-len(*body))
	*body = append(*body, p[:room]...)
	n.exchange.Cut = n.exchange.Cut || room < len(p)
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
			e.Status, e.ResponseHeader = status, h.Clone()
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

// An Exchange is a request and its response, as the client sent and received them. The response
// includes the effect of faults. At most 1 MiB of each body is kept.
type Exchange struct {
	Method string
	URL    *url.URL    // path and query
	Header http.Header // of the request, including what net/http adds
	Body   []byte      // the part of the request body that was read

	Status         int         // of the response; 0 if none exists, see Aborted
	ResponseHeader http.Header // as set by the handler, without the Date that net/http adds
	ResponseBody   []byte      // as written by the handler

	// Cut reports whether a body is incomplete here.
	Cut bool

	// Duration is the time from the request to the last byte of the response, on the clock of the
	// test.
	Duration time.Duration

	// Aborted reports whether the response ended early: the handler panicked, which closes the
	// connection, as some faults do, or it could not write because the client had disconnected.
	// Writes that fit into the buffers between them succeed even then.
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

// formatRequests lists the last requests, one per line. The body of an error response
// follows in a line of its own.
func formatRequests(log []Exchange) string {
	var b strings.Builder
	switch more := len(log) - maxRequests; {
	case len(log) == 0:
		return "no requests were received"
	case more > 0:
		fmt.Fprintf(&b, "the last %d of %d requests:", maxRequests, len(log))
		log = log[more:]
	default:
		b.WriteString("requests:")
	}
	for _, e := range log {
		b.WriteString("\n  " + fake.Truncate(e.String(), maxLine))
		if text := errorText(e); text != "" {
			b.WriteString("\n    " + text)
		}
	}
	return b.String()
}

// Bounds on what is logged of a failed test.
const (
	maxRequests = 20  // the last ones
	maxLine     = 200 // bytes of a line
	maxResponse = 500 // bytes of the body of an error response
)

// errorText returns the beginning of the body of an error response in one line, or "" if
// none exists or if it is compressed.
func errorText(e Exchange) string {
	if e.Status < 400 || e.ResponseHeader.Get("Content-Encoding") != "" {
		return ""
	}
	const enough = 4 * maxResponse // the rest is not looked at
	text := strings.ToValidUTF8(string(e.ResponseBody[:min(len(e.ResponseBody), enough)]), "\ufffd")
	words := strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsControl(r) })
	return fake.Truncate(strings.Join(words, " "), maxResponse)
}

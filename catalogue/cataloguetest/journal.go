package cataloguetest

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// How much of bodies is kept: of each, and of all.
const (
	maxBody   = 1 << 20
	maxBodies = 64 << 20
)

// journal is what a house was asked. The zero journal is empty.
type journal struct {
	mu      sync.Mutex
	all     []*note
	bodies  int // bytes of bodies that are kept
	dropped int // exchanges whose bodies are not, from the first on
}

// wrap notes each request that goes to a handler, when it comes in, and of the
// answer all that is written, before it is sent: who has an answer finds it here.
func (j *journal) wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n := j.begin(r)
		finished := false
		defer func() { n.end(finished, w.Header()) }()
		if r.Body != nil && r.Body != http.NoBody {
			r = r.WithContext(r.Context()) // a copy, as a handler must not change its request
			r.Body = &notedBody{r.Body, n}
		}
		next.ServeHTTP(&notedWriter{w, n, r.Context()}, r)
		finished = true
	})
}

// begin notes a request.
func (j *journal) begin(r *http.Request) *note {
	link := &url.URL{Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery}
	e := &Exchange{Method: r.Method, URL: link, Header: r.Header.Clone()}
	if e.Method == "" {
		e.Method = http.MethodGet
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	n := &note{journal: j, e: e, begun: time.Now()}
	j.all = append(j.all, n)
	return n
}

// exchanges gives copies of all, in the order in which they came in.
func (j *journal) exchanges() []Exchange {
	j.mu.Lock()
	defer j.mu.Unlock()
	all := make([]Exchange, len(j.all))
	for i, n := range j.all {
		all[i] = n.e.clone()
	}
	return all
}

// forget drops all exchanges. Those that are not at their end go nowhere.
func (j *journal) forget() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for _, n := range j.all {
		n.drop()
	}
	j.all, j.dropped = nil, 0
}

// note is an exchange in the making.
type note struct {
	journal *journal
	e       *Exchange
	begun   time.Time
	full    bool // nothing of its bodies is kept any more
}

// keep appends to a body what there is room for. The journal is locked.
func (n *note) keep(body *[]byte, p []byte) {
	room := min(len(p), maxBody-len(*body))
	if n.full {
		room = 0
	}
	*body = append(*body, p[:room]...)
	n.e.Cut = n.e.Cut || room < len(p)
	j := n.journal
	j.bodies += room
	for j.bodies > maxBodies && j.dropped < len(j.all) {
		j.all[j.dropped].drop()
		j.dropped++
	}
}

// drop forgets the bodies, and what is still to come of them. The journal is locked.
func (n *note) drop() {
	kept := len(n.e.Body) + len(n.e.Answer)
	n.journal.bodies -= kept
	n.e.Cut = n.e.Cut || kept > 0
	n.e.Body, n.e.Answer = nil, nil
	n.full = true
}

// change changes the exchange and says how long it took so far.
func (n *note) change(f func(e *Exchange)) {
	n.journal.mu.Lock()
	defer n.journal.mu.Unlock()
	f(n.e)
	n.e.Took = time.Since(n.begun)
}

// header notes the first final header of an answer; others are not sent.
func (n *note) header(status int, h http.Header) {
	n.change(func(e *Exchange) {
		if e.Status == 0 && (status >= 200 || status == http.StatusSwitchingProtocols) {
			e.Status, e.AnswerHeader = status, h.Clone()
		}
	})
}

// end notes that the handler has returned, which is an answer too, or has not.
func (n *note) end(finished bool, h http.Header) {
	if finished {
		n.header(http.StatusOK, h)
	}
	n.change(func(e *Exchange) { e.Aborted = e.Aborted || !finished })
}

// notedBody notes what is read of a request's body.
type notedBody struct {
	io.ReadCloser
	n *note
}

func (b *notedBody) Read(p []byte) (int, error) {
	read, err := b.ReadCloser.Read(p)
	b.n.change(func(e *Exchange) { b.n.keep(&e.Body, p[:read]) })
	return read, err
}

// notedWriter notes an answer on its way out.
type notedWriter struct {
	http.ResponseWriter
	n      *note
	client context.Context // ends when the client goes
}

func (w *notedWriter) WriteHeader(status int) {
	w.n.header(status, w.Header())
	w.ResponseWriter.WriteHeader(status)
}

func (w *notedWriter) Write(p []byte) (int, error) {
	w.n.header(http.StatusOK, w.Header())
	w.n.change(func(e *Exchange) { w.n.keep(&e.Answer, p) })
	written, err := w.ResponseWriter.Write(p)
	if err != nil && w.client.Err() != nil { // else the handler wrote what it must not
		w.n.change(func(e *Exchange) { e.Aborted = true })
	}
	return written, err
}

// Flush sends what there is. With it, and with Unwrap, the writer can do what
// that of net/http can: see [http.ResponseController].
func (w *notedWriter) Flush() {
	w.n.header(http.StatusOK, w.Header())
	_ = http.NewResponseController(w.ResponseWriter).Flush() // one that cannot does not
}

func (w *notedWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

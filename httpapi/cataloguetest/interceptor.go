package cataloguetest

import (
	"cmp"
	"io"
	"maps"
	"net/http"
	"net/url"
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
	ends     [2]string      // links to the first and the last page, of a service with a codec

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
	recorder := func() *wire.Recorder { return wire.NewRecorder(i.w.Header().Clone()) }
	if i.paths.translates(r) {
		return i.ask(r, recorder)
	}
	response := recorder()
	i.next.ServeHTTP(response, r)
	response.WriteHeader(http.StatusOK) // no effect if it has been called
	return response
}

// ask returns the response of the framework's handler to a request of the service, with the links of the
// service.
func (i *interceptor) ask(r *http.Request, recorder func() *wire.Recorder) *wire.Recorder {
	p := i.paths
	inner := r.Clone(r.Context())
	inner.URL.Path = p.canonical(r.URL.Path)
	inner.URL.RawPath = ""
	inner.Header.Set("Accept", "application/json")
	is, isPage := p.style(r), requestsPage(r, p)
	ask := func(query url.Values) *wire.Recorder {
		if isPage {
			inner.URL.RawQuery = query.Encode()
		}
		w := recorder()
		i.next.ServeHTTP(w, inner)
		return w
	}
	query := r.URL.Query()
	if isPage && p.codec.Query != nil {
		p.codec.Query(query)
	}
	w := ask(query)
	if !isPage {
		return w
	}
	past := w.Status == http.StatusNotFound && is.Counted // the last page
	if past {
		query.Del(is.Place)
		w = ask(query)
	}
	changePage(w, is, func(page *envelope) {
		link := func(link, number string) string { return p.codec.link(r, is, link, number) }
		next, number, last := page.Next, "", strconv.Itoa((page.Count-1)/max(len(page.Records), 1)+1)
		if past {
			page.Next, page.Previous, page.Records, number = "", next, nil, last
		}
		i.ends = [2]string{link(page.Previous, "1"), link(next, last)}
		page.Next, page.Previous = link(page.Next, ""), link(page.Previous, number)
	})
	return w
}

// encode converts the response to the form of the service, without headers that only the framework sends.
func (i *interceptor) encode() {
	p, r, w := i.paths, i.r, i.response
	for _, name := range []string{"Allow", "Cross-Origin-Opener-Policy", "Referrer-Policy", "Vary", "X-Content-Type-Options", "X-Frame-Options"} {
		w.Sent.Del(name)
	}
	page, ok := parsePage(w, p.style(r))
	switch {
	case w.Status >= http.StatusBadRequest:
		w.Status, w.Body = p.codec.failure(w.Status, p.at(r.URL.Path).Name, w.Body)
	case !ok || !requestsPage(r, p):
	case p.codec.Body != nil:
		w.Body = marshal(p.codec.Body(LinkedPage{page, i.ends[0], i.ends[1]}, w.Sent))
	default:
		w.Body = marshal(page.Records)
	}
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

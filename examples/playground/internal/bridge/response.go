package bridge

import (
	"bytes"
	"html"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// A Response is a response as a service worker returns it.
type Response struct {
	Status  int        // 200 to 599
	Headers [][]string // pairs of a name and a value, sorted by name
	Body    []byte     // nil if the response must not have a body
}

// policy is the Content-Security-Policy of responses that have no other. They are not
// pages, so they need nothing.
const policy = "default-src 'none'; frame-ancestors 'none'"

// writer is the http.ResponseWriter of a response in memory.
type writer struct {
	header   http.Header
	sent     http.Header // copy of header when the status was written
	status   int         // 0 until it is written
	body     bytes.Buffer
	head     bool // the request is a HEAD, whose body is counted and not sent
	bodyless bool // the status permits no body
}

func (w *writer) Header() http.Header { return w.header }

// WriteHeader ignores informational statuses and all but the first other one.
func (w *writer) WriteHeader(status int) {
	if w.status != 0 || status >= 100 && status < 200 {
		return
	}
	w.status, w.sent = status, w.header.Clone()
	switch status {
	case http.StatusNoContent, http.StatusResetContent, http.StatusNotModified:
		w.bodyless = true // browsers refuse a body
	}
}

func (w *writer) Write(p []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	if w.bodyless {
		return len(p), nil
	}
	return w.body.Write(p)
}

// response returns the response after the handler has returned.
func (w *writer) response() Response {
	w.WriteHeader(http.StatusOK)
	if w.status < 200 || w.status > 599 {
		return failure(http.StatusInternalServerError)
	}
	resp := Response{Status: w.status}
	switch {
	case w.bodyless:
	case !w.head:
		resp.Body = append([]byte{}, w.body.Bytes()...)
		w.sent.Set("Content-Length", strconv.Itoa(len(resp.Body)))
	case w.body.Len() > 0 && w.sent.Get("Content-Length") == "":
		w.sent.Set("Content-Length", strconv.Itoa(w.body.Len()))
	}
	if w.sent.Get("Content-Security-Policy") == "" {
		w.sent.Set("Content-Security-Policy", policy)
	}
	for _, name := range slices.Sorted(maps.Keys(w.sent)) {
		// Of several values that a worker sends, a page sees the first.
		resp.Headers = append(resp.Headers, []string{name, fromBytes(strings.Join(w.sent[name], ", "))})
	}
	return resp
}

// breadcrumb begins the links above each page of package browse.
const breadcrumb = `<nav aria-label="Breadcrumb"><ol>`

// linkStart adds a link to the start page, whose path is escaped, to the breadcrumb of a page, which it
// permits that page to show.
func (w *writer) linkStart(path string) {
	before, after, ok := strings.Cut(w.body.String(), breadcrumb)
	if !ok || !strings.HasPrefix(w.sent.Get("Content-Type"), "text/html") {
		return
	}
	w.body.Reset()
	w.body.WriteString(before + breadcrumb + `<li><a href="` + html.EscapeString(path) + `" target="_top">Playground</a></li>` + after)
	w.sent.Del("Content-Length") // response sets it
	w.sent.Set("X-Frame-Options", "SAMEORIGIN")
	w.sent.Set("Content-Security-Policy", strings.Replace(w.sent.Get("Content-Security-Policy"), "frame-ancestors 'none'", "frame-ancestors 'self'", 1))
}

// failure returns an error response in the form of package httpapi.
func failure(status int) Response {
	w := &writer{header: http.Header{"Content-Type": {"application/json"}, "X-Content-Type-Options": {"nosniff"}}}
	w.WriteHeader(status)
	_, _ = w.Write([]byte(`{"detail":"` + http.StatusText(status) + `."}`))
	return w.response()
}

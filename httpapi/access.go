package httpapi

import (
	"net/http"
	"time"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// An Access describes one request to [Options.OnAccess]. Except for the method, it
// contains nothing that the client chose: no path, query, header or body.
type Access struct {
	Collection string        // key; empty for the root, unknown paths, and requests refused before the path is read
	Method     string        // as sent; empty counts as GET
	Status     int           // 0 if the request was aborted before an answer
	Bytes      int           // length of the body that was written
	Duration   time.Duration // time until the answer was written

	// Window and Ordering describe the requested page if the answer is a page or
	// a 304 for one. Terms that name no field are omitted. No terms mean the default
	// order.
	Window   pagination.Window
	Ordering []ordering.Term

	// Count is the number of records in the collection. It is -1 if the answer is not
	// a page or is a 304, for which the records are not counted.
	Count int
}

// serveObserved serves the request and calls the program's OnAccess. A panic of
// OnAccess is reported and does not affect the answer, which has been written by then.
func (h *Handler) serveObserved(w http.ResponseWriter, r *http.Request) {
	seen := &Access{Method: r.Method, Count: -1}
	start := time.Now()
	defer func() {
		seen.Duration = time.Since(start)
		h.callOnAccess(r, seen)
	}()
	h.serve(&observedWriter{w, seen}, r, seen)
}

func (h *Handler) callOnAccess(r *http.Request, seen *Access) {
	defer func() {
		if reason := recover(); reason != nil {
			h.reportPanic(r, reason)
		}
	}()
	h.onAccess(r.Context(), *seen)
}

// observedWriter is a ResponseWriter that records status and length. A Handler writes
// its status once, before the body.
type observedWriter struct {
	http.ResponseWriter
	seen *Access
}

func (w *observedWriter) WriteHeader(status int) {
	w.seen.Status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *observedWriter) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.seen.Bytes += n
	return n, err
}

// observe records the page that is the answer.
func (v *view) observe(w pagination.Window, order string, count int) {
	if v.seen == nil {
		return
	}
	v.seen.Count = count
	v.seen.Window = w
	v.seen.Ordering = v.observedTerms(order)
}

// observedTerms returns the terms of an ordering. It reports an error or a panic of Fields
// and returns no terms, since a request must not fail because it is observed.
func (v *view) observedTerms(order string) (terms []ordering.Term) {
	defer func() {
		if reason := recover(); reason != nil {
			v.handler.reportPanic(v.r, reason)
		}
	}()
	terms, err := v.terms(order)
	if err != nil {
		v.handler.report(v.r, err)
	}
	return terms
}

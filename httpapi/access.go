package httpapi

import (
	"net/http"
	"time"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// Access is what [Options.OnAccess] is told of one request. It has nothing of
// what the client chose to send but the method: no path, query, header or body.
type Access struct {
	Collection string // its key; "" for the root, for paths that are none, and for what is refused before the path is looked at
	Method     string // as it was sent; "" counts as GET
	Status     int    // 0 if the request was aborted before an answer
	Bytes      int    // of the body that was written
	Duration   time.Duration

	// Of a page that was asked for and is there, be it answered with 200 or 304:
	// what part of the collection it is, and in which order. Names that count for
	// nothing are dropped; none are the default order.
	Window   pagination.Window
	Ordering []ordering.Term

	// Count is how many records the collection has, -1 where nobody had to look:
	// where the answer is no page, or 304.
	Count int
}

// serveObserved serves and tells the program's hook. That a hook panics is no
// failure of the request, whose answer is written by then.
func (h *Handler) serveObserved(w http.ResponseWriter, r *http.Request) {
	seen := &Access{Method: r.Method, Count: -1}
	start := time.Now()
	defer func() {
		seen.Duration = time.Since(start)
		h.tell(r, seen)
	}()
	h.serve(&watched{w, seen}, r, seen)
}

func (h *Handler) tell(r *http.Request, seen *Access) {
	defer func() {
		if reason := recover(); reason != nil {
			h.reportPanic(r, reason)
		}
	}()
	h.onAccess(r.Context(), *seen)
}

// watched is a ResponseWriter that notes status and size. A Handler writes its
// status once, and before the body.
type watched struct {
	http.ResponseWriter
	seen *Access
}

func (w *watched) WriteHeader(status int) {
	w.seen.Status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *watched) Write(p []byte) (int, error) {
	n, err := w.ResponseWriter.Write(p)
	w.seen.Bytes += n
	return n, err
}

// note notes which page is the answer.
func (v *view) note(w pagination.Window, order string, count int) {
	if v.seen == nil {
		return
	}
	v.seen.Count = count
	v.seen.Window = w
	v.seen.Ordering = v.notedTerms(order)
}

// notedTerms are the terms of an ordering, none if the fields cannot be had: who
// asks for a page that is there already must not pay for being seen.
func (v *view) notedTerms(order string) (terms []ordering.Term) {
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

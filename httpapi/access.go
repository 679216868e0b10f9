package httpapi

import (
	"net/http"
	"time"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// An Access describes a request that has been served. It is passed to [Options.OnAccess].
// Except for the names in Ignored, it contains no path, query, header or body of the
// request.
type Access struct {
	Collection string        // key; empty for the root, unknown paths, and requests rejected before the path is read
	Method     string        // as sent; empty counts as GET
	Status     int           // 0 if the request was aborted before the status was written
	Bytes      int           // number of bytes written to the body
	Duration   time.Duration // time until the response was written

	// Window and Ordering describe the requested page if the parameters of a request for one
	// are valid. Unknown fields are omitted from the Ordering. If it is empty, the page has
	// the default order. Without its records, as in a 304, the Offset of page=last is large.
	Window   pagination.Window
	Ordering []ordering.Term

	// Ignored are the names of query parameters that have no effect on the response
	// except in its links, each once, in the order of the query. A parameter with an
	// effect may still have an invalid value that is ignored.
	Ignored []string

	// Count is the number of records in the collection. It is -1 if the response
	// is not a page, or is a page of a cursor or a 304, for which the records are not counted.
	Count int
}

// observedWriter is a ResponseWriter that records status and length. A Handler calls
// WriteHeader once, before Write.
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

package httpapi

import (
	"net/http"
	"time"
)

// An Access describes a request that has been served, for [Options].OnAccess. It contains no path,
// query, header or body of the request.
type Access struct {
	Collection string        // key; empty for the root, unknown paths, and requests rejected before the path is read
	Method     string        // as sent; empty counts as GET
	Status     int           // 0 if the request was aborted before the status was written
	Bytes      int           // number of bytes written to the body
	Duration   time.Duration // time until the response was written
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

// Package fake has what the fake servers of package cataloguetest and the checks of package
// clienttest share.
package fake

import (
	"crypto/tls"
	"net/http"
	"strings"
	"time"
)

// InBubble reports whether the calling goroutine is in a bubble of testing/synctest. The
// times that time.Now returns there have no monotonic clock reading, so removing it does
// not change them. Unlike the date, this is true however long the bubble sleeps.
func InBubble() bool {
	now := time.Now()
	return now == now.Round(0)
}

// tlsState returns the state of an encrypted connection to host, for requests and responses
// that were not encrypted.
func tlsState(host string) *tls.ConnectionState {
	return &tls.ConnectionState{Version: tls.VersionTLS13, HandshakeComplete: true, ServerName: host}
}

// Truncate shortens a text to a number of bytes, between two characters.
func Truncate(text string, bytes int) string {
	if len(text) <= bytes {
		return text
	}
	return strings.ToValidUTF8(text[:bytes], "") + "…"
}

// A Recorder is an [http.ResponseWriter] that writes to memory.
type Recorder struct {
	Status int         // of the response; 0: nothing was sent
	Sent   http.Header // at the time of the status
	Body   []byte

	header http.Header // as the handler sees it
}

// NewRecorder returns a Recorder that begins with the given header.
func NewRecorder(header http.Header) *Recorder { return &Recorder{header: header} }

// Header returns the header, which the handler may change.
func (r *Recorder) Header() http.Header { return r.header }

// WriteHeader records the first final status with a copy of the header.
func (r *Recorder) WriteHeader(status int) {
	if r.Status == 0 && status >= 200 {
		r.Status, r.Sent = status, r.header.Clone()
	}
}

// Write appends to the body. The status is 200 if none was written. Write returns no error.
func (r *Recorder) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	r.Body = append(r.Body, p...)
	return len(p), nil
}

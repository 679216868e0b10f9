package wire

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
)

// Detail returns the body of a response with a detail, usually of an error.
func Detail(detail string) []byte { return []byte(`{"detail":` + Quote(detail) + `}`) }

// SendDetail sends a response with a detail.
func SendDetail(w http.ResponseWriter, status int, detail string) {
	body, header := Detail(detail), w.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Content-Length", strconv.Itoa(len(body)))
	header.Set("X-Content-Type-Options", "nosniff")
	w.WriteHeader(status)
	_, _ = w.Write(body) // the client is gone if it fails
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

// WriteHeader records the first final status with a copy of the header, and makes room for the
// body.
func (r *Recorder) WriteHeader(status int) {
	if r.Status == 0 && status >= 200 {
		r.Status, r.Sent = status, r.header.Clone()
		size, _ := strconv.Atoi(r.Sent.Get("Content-Length")) // 0 if it is not known
		r.Body = slices.Grow(r.Body, min(max(size, 0), 64<<20))
	}
}

// Write appends to the body. The status is 200 if none was written. Write returns no error.
func (r *Recorder) Write(p []byte) (int, error) {
	r.WriteHeader(http.StatusOK)
	r.Body = append(r.Body, p...)
	return len(p), nil
}

// DetailForeign is the detail of the response to a request that IsForeign.
const DetailForeign = "The request was sent from another site, so nothing was stored."

// IsForeign reports whether a page of another site, which is not trusted, sent a request that
// may write. Browsers add the visitor's cookies to such a request, with any Accept header and
// content type. Clients that are no browsers send neither Sec-Fetch-Site nor Origin. Behind a
// proxy that changes the Host, a browser without Sec-Fetch-Site sends the origin of the
// links, with which base begins.
func IsForeign(r *http.Request, trusted *http.CrossOriginProtection, base string) bool {
	if r.Method == "" || trusted.Check(r) == nil {
		return false
	}
	own, err := url.Parse(base)
	return r.Header.Get("Sec-Fetch-Site") != "" || err != nil || r.Header.Get("Origin") != own.Scheme+"://"+own.Host
}

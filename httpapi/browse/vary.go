package browse

import (
	"net/http"
	"slices"
	"strings"
)

// varying has answers that may be cached say that they differ by Accept where
// the handler does not say it: the same path has a page for browsers. Answers to
// other methods are left alone, since http.MaxBytesReader wants to know the
// server's own writer.
func varying(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	if !isRead(r.Method) {
		return w
	}
	return &varyingWriter{ResponseWriter: w}
}

type varyingWriter struct {
	http.ResponseWriter
	sent bool // a status
}

func (w *varyingWriter) WriteHeader(status int) {
	if !w.sent {
		w.sent = status >= http.StatusOK
		addVary(w.Header())
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *varyingWriter) Write(body []byte) (int, error) {
	if !w.sent {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(body)
}

// Unwrap is for http.ResponseController.
func (w *varyingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// addVary adds Accept to what is varied on, if it is not there. The values may be
// shared with other answers.
func addVary(header http.Header) {
	for _, value := range header["Vary"] {
		for name := range strings.SplitSeq(value, ",") {
			if name = strings.TrimSpace(name); name == "*" || strings.EqualFold(name, "Accept") {
				return
			}
		}
	}
	header["Vary"] = append(slices.Clip(header["Vary"]), "Accept")
}

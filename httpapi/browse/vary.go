package browse

import (
	"net/http"
	"slices"
	"strings"
)

// varying returns a writer that adds Vary: Accept to cacheable responses. For other
// methods it returns w, because http.MaxBytesReader needs the server's own writer.
func varying(w http.ResponseWriter, r *http.Request) http.ResponseWriter {
	if !isRead(r.Method) {
		return w
	}
	return &varyingWriter{ResponseWriter: w}
}

type varyingWriter struct {
	http.ResponseWriter
	sent bool // the status has been sent
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

// Unwrap supports http.ResponseController.
func (w *varyingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// addVary adds Accept to Vary unless it is there. It does not modify the slice of values,
// which may be shared with other responses.
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

package httpapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// fixedValues are header values that never change. All responses share them, because
// allocating them is a large part of the cost of a response. They must not be modified.
type fixedValues struct {
	json, html, zero, deny, nosniff, referrer []string
}

func newFixedValues() fixedValues {
	return fixedValues{
		json:     []string{"application/json"},
		html:     []string{"text/html; charset=utf-8"},
		zero:     []string{"0"},
		deny:     []string{"DENY"},
		nosniff:  []string{"nosniff"},
		referrer: []string{"same-origin"},
	}
}

// write sends a compact JSON body, indented if the client asks for that.
func (v *view) write(status int, body []byte) {
	if body, ok := v.indented(body); ok {
		v.send(status, body)
	}
}

// indented returns a compact body with the indentation that the client asks for. If that
// fails, it sends an error response and returns false.
func (v *view) indented(body []byte) (_ []byte, ok bool) {
	if v.indent == 0 {
		return body, true
	}
	var out bytes.Buffer
	if err := json.Indent(&out, body, "", strings.Repeat(" ", v.indent)); err != nil {
		v.indent = 0 // otherwise failWith would call indented again
		v.failWith(err)
		return nil, false
	}
	return out.Bytes(), true
}

// send sends a body unchanged. It reports whether the body may be reused.
func (v *view) send(status int, body []byte) bool {
	if v.revisionErr != nil {
		v.handler.report(v.r, v.revisionErr)
	}
	header := v.w.Header()
	header["Allow"] = v.route.allow
	header["Vary"] = v.vary(header["Vary"])
	if v.tag != "" && (status == http.StatusOK || status == http.StatusCreated) {
		v.setTag(header)
	}
	v.sent = true
	return v.handler.write(v.w, v.r, status, body)
}

// sendNoContent sends a response without a body.
func (v *view) sendNoContent() {
	header := v.w.Header()
	header["Allow"] = v.route.allow
	header["Vary"] = v.vary(header["Vary"])
	header["X-Frame-Options"] = v.handler.values.deny
	header["Content-Length"] = v.handler.values.zero
	header["X-Content-Type-Options"] = v.handler.values.nosniff
	header["Referrer-Policy"] = v.handler.values.referrer
	v.sent = true
	v.w.WriteHeader(http.StatusNoContent)
}

// vary returns the values of Vary. It keeps those that outer middleware has set, such
// as Accept-Encoding.
func (v *view) vary(before []string) []string {
	if len(before) == 0 {
		return v.route.vary
	}
	return append(slices.Clip(before), v.route.vary...)
}

// fail sends an error response with the given detail.
func (v *view) fail(status int, detail string) {
	v.write(status, detailBody(detail))
}

// refuse sends the response that a refusal describes.
func (v *view) refuse(no *refusal) {
	if no.challenge != "" {
		v.w.Header()["Www-Authenticate"] = []string{no.challenge}
	}
	v.fail(no.status, no.detail)
}

// failWith reports an error and sends a response without its text. No other error of the
// request is reported.
func (v *view) failWith(err error) {
	v.revisionErr = nil
	v.handler.report(v.r, err)
	switch {
	case errors.Is(err, ErrUnavailable):
		v.failUnavailable(err)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		v.fail(http.StatusServiceUnavailable, "The request was given up before it could be answered.")
	case errors.Is(err, ErrGone):
		v.fail(http.StatusGone, detailGone)
	case errors.Is(err, ErrConflict):
		v.fail(http.StatusConflict, detailConflict)
	default:
		v.fail(http.StatusInternalServerError, detailInternal)
	}
}

// report calls OnError, if there is one.
func (h *Handler) report(r *http.Request, err error) {
	if h.onError != nil {
		h.onError(r, err)
	}
}

// writePlain sends an error response without Allow and Vary.
func (h *Handler) writePlain(w http.ResponseWriter, r *http.Request, status int, detail string) {
	h.write(w, r, status, detailBody(detail))
}

// write writes a response with a JSON body. It discards the error of Write, which means
// that the client has disconnected. It reports whether the body may be reused: after an
// error, net/http may still read the body of a reset HTTP/2 stream.
func (h *Handler) write(w http.ResponseWriter, r *http.Request, status int, body []byte) bool {
	header := w.Header()
	header["Content-Type"] = h.values.json
	header["X-Frame-Options"] = h.values.deny
	header["Content-Length"] = []string{strconv.Itoa(len(body))}
	header["X-Content-Type-Options"] = h.values.nosniff
	header["Referrer-Policy"] = h.values.referrer
	w.WriteHeader(status)
	if r.Method == http.MethodHead {
		return true
	}
	_, err := w.Write(body)
	return err == nil
}

// redirect redirects to a location: with 301 for GET and HEAD, and otherwise with 308,
// after which clients repeat the method and the body.
func (h *Handler) redirect(w http.ResponseWriter, r *http.Request, location string) {
	header := w.Header()
	header["Content-Type"] = h.values.html
	header["Location"] = []string{location}
	header["Content-Length"] = h.values.zero
	header["X-Content-Type-Options"] = h.values.nosniff
	header["Referrer-Policy"] = h.values.referrer
	status := http.StatusPermanentRedirect
	if isRead(r.Method) {
		status = http.StatusMovedPermanently
	}
	w.WriteHeader(status)
}

// detailBody returns {"detail": text}.
func detailBody(text string) []byte {
	return []byte(`{"detail":` + quote(text) + `}`)
}

// quote returns text as a JSON string. As in the service, <, > and & are not escaped.
// Invalid UTF-8 becomes U+FFFD.
func quote(text string) string {
	if isPlain(text) {
		return `"` + text + `"`
	}
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // strings are always valid
	return strings.TrimSuffix(out.String(), "\n")
}

// isPlain reports whether text needs no escapes in JSON.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

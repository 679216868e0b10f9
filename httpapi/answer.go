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
	if v.indent > 0 {
		var out bytes.Buffer
		if err := json.Indent(&out, body, "", strings.Repeat(" ", v.indent)); err != nil {
			v.failIndented(err)
			return
		}
		body = out.Bytes()
	}
	if v.begin(status, len(body)) {
		_, _ = v.w.Write(body) // the client is gone if it fails
	}
}

// failIndented sends the response to a body that cannot be indented.
func (v *view) failIndented(err error) {
	v.indent = 0 // otherwise that could fail too
	v.failWith(err)
}

// begin sends the status and the header of a response with a body of the given size. It
// reports whether the body is to be written.
func (v *view) begin(status, size int) bool {
	if v.revisionErr != nil {
		v.handler.report(v.r, v.revisionErr)
	}
	header := v.w.Header()
	header["Allow"] = v.route.allow
	v.setVary(header)
	if v.tag != "" && (status == http.StatusOK || status == http.StatusCreated) {
		v.setTag(header)
	}
	v.sent = true
	return v.handler.begin(v.w, v.r, status, size)
}

// sendNoContent sends a response without a body.
func (v *view) sendNoContent() {
	header := v.w.Header()
	header["Allow"] = v.route.allow
	v.setVary(header)
	header["X-Frame-Options"] = v.handler.values.deny
	header["Content-Length"] = v.handler.values.zero
	header["X-Content-Type-Options"] = v.handler.values.nosniff
	header["Referrer-Policy"] = v.handler.values.referrer
	v.sent = true
	v.w.WriteHeader(http.StatusNoContent)
}

// setVary adds the route's value of Vary, if any, to those that outer middleware has set,
// such as Accept-Encoding.
func (v *view) setVary(header http.Header) {
	switch before := header["Vary"]; {
	case len(before) == 0 && v.route.vary != nil:
		header["Vary"] = v.route.vary
	case v.route.vary != nil:
		header["Vary"] = append(slices.Clip(before), v.route.vary...)
	}
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
	body := detailBody(detail)
	if h.begin(w, r, status, len(body)) {
		_, _ = w.Write(body) // the client is gone if it fails
	}
}

// begin sends the status and the header of a response with a JSON body of the given size.
// It reports whether the body is to be written, which it is not after a HEAD.
func (h *Handler) begin(w http.ResponseWriter, r *http.Request, status, size int) bool {
	header := w.Header()
	header["Content-Type"] = h.values.json
	header["X-Frame-Options"] = h.values.deny
	header["Content-Length"] = []string{strconv.Itoa(size)}
	header["X-Content-Type-Options"] = h.values.nosniff
	header["Referrer-Policy"] = h.values.referrer
	w.WriteHeader(status)
	return r.Method != http.MethodHead
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

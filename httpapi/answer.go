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

// fixedValues are header values that are the same in all answers. They are
// made once a handler and put into headers as they are, which saves most of
// the cost of setting them; nobody may write into them.
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

// write answers with a compact JSON body, indented if the client wants that.
func (v *view) write(status int, body []byte) {
	if body, ok := v.indented(body); ok {
		v.send(status, body)
	}
}

// indented gives a compact body the form that the client wants. If it cannot it
// answers and returns false.
func (v *view) indented(body []byte) (_ []byte, ok bool) {
	if v.indent == 0 {
		return body, true
	}
	var out bytes.Buffer
	if err := json.Indent(&out, body, "", strings.Repeat(" ", v.indent)); err != nil {
		v.indent = 0 // or the error would be indented, without end
		v.failWith(err)
		return nil, false
	}
	return out.Bytes(), true
}

// send answers with a body as it is. It reports whether the body is free again.
func (v *view) send(status int, body []byte) bool {
	if v.untold != nil {
		v.handler.report(v.r, v.untold)
	}
	header := v.w.Header()
	header["Allow"] = v.route.allow
	header["Vary"] = v.vary(header["Vary"])
	if v.tag != "" && status == http.StatusOK {
		v.setTag(header)
	}
	v.sent = true
	return v.handler.write(v.w, v.r, status, body)
}

// vary keeps what outer middleware has written: that answers differ by
// encoding, say.
func (v *view) vary(before []string) []string {
	if len(before) == 0 {
		return v.route.vary
	}
	return append(slices.Clip(before), v.route.vary...)
}

// fail answers with an error's detail.
func (v *view) fail(status int, detail string) {
	v.write(status, detailBody(detail))
}

// refuse answers with an authorizer's no.
func (v *view) refuse(no *refusal) {
	if no.challenge != "" {
		v.w.Header()["Www-Authenticate"] = []string{no.challenge}
	}
	v.fail(no.status, no.detail)
}

// failWith answers for an error whose text the client must not see. No other one
// of the request is told.
func (v *view) failWith(err error) {
	v.untold = nil
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

func (h *Handler) report(r *http.Request, err error) {
	if h.onError != nil {
		h.onError(r, err)
	}
}

// writePlain answers with a detail where no route does, so without Allow and Vary.
func (h *Handler) writePlain(w http.ResponseWriter, r *http.Request, status int, detail string) {
	h.write(w, r, status, detailBody(detail))
}

// write is the one place where a body is written. An error of that means that the
// client is gone, and is dropped. It reports whether the body is free again: after
// an error, that of a stream of HTTP/2 that was reset, net/http may still read it.
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

// redirect answers with a location: 301 to GET and HEAD, and otherwise 308, with which
// clients keep method and body.
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

// detailBody is {"detail": text}.
func detailBody(text string) []byte {
	return []byte(`{"detail":` + quote(text) + `}`)
}

// quote writes text as a JSON string, as the service does: <, > and & stay.
// Bytes that are not UTF-8 become U+FFFD.
func quote(text string) string {
	if isPlain(text) {
		return `"` + text + `"`
	}
	var out strings.Builder
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a string never fails
	return strings.TrimSuffix(out.String(), "\n")
}

// isPlain says that a text stands in JSON as it is.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

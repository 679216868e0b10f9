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

// fixedValues are header values that never change. All answers share them, since
// setting headers is otherwise a large part of the cost of an answer. They must not be
// modified.
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

// write answers with a compact JSON body, which it indents if the client asks for that.
func (v *view) write(status int, body []byte) {
	if body, ok := v.indented(body); ok {
		v.send(status, body)
	}
}

// indented returns a compact body in the form that the client asks for. If it cannot be
// indented, indented answers with an error and returns false.
func (v *view) indented(body []byte) (_ []byte, ok bool) {
	if v.indent == 0 {
		return body, true
	}
	var out bytes.Buffer
	if err := json.Indent(&out, body, "", strings.Repeat(" ", v.indent)); err != nil {
		v.indent = 0 // or failWith would call indented again
		v.failWith(err)
		return nil, false
	}
	return out.Bytes(), true
}

// send answers with a body as it is. It reports whether the body may be reused.
func (v *view) send(status int, body []byte) bool {
	if v.revisionErr != nil {
		v.handler.report(v.r, v.revisionErr)
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

// vary returns the values of Vary. It keeps those that outer middleware has set, such
// as Accept-Encoding.
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

// refuse answers with an authorizer's refusal.
func (v *view) refuse(no *refusal) {
	if no.challenge != "" {
		v.w.Header()["Www-Authenticate"] = []string{no.challenge}
	}
	v.fail(no.status, no.detail)
}

// failWith reports an error and answers without its text. It is the only error of the
// request that is reported.
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

// report calls the program's OnError.
func (h *Handler) report(r *http.Request, err error) {
	if h.onError != nil {
		h.onError(r, err)
	}
}

// writePlain answers a request that has no route, without Allow and Vary.
func (h *Handler) writePlain(w http.ResponseWriter, r *http.Request, status int, detail string) {
	h.write(w, r, status, detailBody(detail))
}

// write writes every body. It discards the error, which means that the client is gone,
// and reports whether the body may be reused: when a stream of HTTP/2 was reset,
// net/http may go on reading it.
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

// redirect answers with a location: with 301 to GET and HEAD, and otherwise with 308,
// after which clients repeat method and body.
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

// isPlain reports whether text needs no escapes in JSON.
func isPlain(text string) bool {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}

package httpapi

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/gobacklist/backlist/httpapi/internal/negotiation"
)

// post creates a record.
func (v *view) post() {
	if err := v.postCondition(); err != nil {
		v.failBecause(err, ifPrecondition)
		return
	}
	body, ok := v.readJSON()
	if !ok {
		return
	}
	record, err := v.route.creator.Create(v.r.Context(), body)
	if err != nil {
		v.failBecause(err, ifSyntax|ifFields|ifFull)
		return
	}
	v.setCreatedTag(record)
	v.write(http.StatusCreated, record)
}

// readJSON reads the whole body, which must be JSON by its Content-Type and must not have a
// Content-Encoding, and returns it in UTF-8. If that fails, it sends an error response and
// returns false.
func (v *view) readJSON() (body []byte, ok bool) {
	if body, ok = v.readBody(); !ok {
		return nil, false
	}
	if coding := negotiation.ContentCoding(v.r.Header["Content-Encoding"]); len(body) > 0 && coding != "" {
		// The header distinguishes this from the other 415 (RFC 9110, section 12.5.3).
		v.w.Header()["Accept-Encoding"] = []string{"identity"}
		v.fail(http.StatusUnsupportedMediaType, "Unsupported content encoding \""+coding+"\" in request.")
		return nil, false
	}
	contentType := v.r.Header.Get("Content-Type")
	media := negotiation.ParseMediaType(contentType)
	if len(body) > 0 && !media.IsJSON() { // an empty body needs no type
		v.fail(http.StatusUnsupportedMediaType,
			fmt.Sprintf("Unsupported media type \"%s\" in request.", contentType))
		return nil, false
	}
	return media.ToUTF8(body), true
}

// readBody reads the whole body. If that fails, it sends an error response and returns
// false.
func (v *view) readBody() (body []byte, ok bool) {
	limit := v.handler.bounds.Body
	if v.r.ContentLength > limit {
		v.failTooLarge()
		return nil, false
	}
	if v.r.Body == nil {
		return nil, true
	}
	body, err := io.ReadAll(http.MaxBytesReader(v.w, v.r.Body, limit))
	var tooLarge *http.MaxBytesError
	switch {
	case err == nil:
		return body, true
	case errors.As(err, &tooLarge):
		// http.MaxBytesReader closes the connection only if w is net/http's own
		// writer. Without this header, the server would continue to read the body.
		v.w.Header().Set("Connection", "close")
		v.failTooLarge()
	default:
		v.fail(http.StatusBadRequest, "The body of the request could not be read.")
	}
	return nil, false
}

func (v *view) failTooLarge() {
	v.fail(http.StatusRequestEntityTooLarge,
		fmt.Sprintf("The body of the request is larger than %d bytes.", v.handler.bounds.Body))
}

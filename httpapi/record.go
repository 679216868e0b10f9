package httpapi

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/formdata"
	"github.com/gobacklist/backlist/httpapi/internal/negotiation"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
)

// retrieve sends a record.
func (v *view) retrieve() {
	if !v.filter() {
		return
	}
	tagged := true
	if v.route.hides && v.handler.opts.ETags {
		v.revision, tagged = v.askRevision()
	}
	record, err := v.route.getter.Get(v.r.Context(), v.segment, v.q.Filter)
	if err != nil {
		v.failBecause(err, ifNotFound)
		return
	}
	if tagged {
		v.findRecordTag(record)
	}
	if v.route.hides {
		v.confirmTag()
	}
	if v.sentInstead() {
		return
	}
	v.write(http.StatusOK, record)
}

// exists reports whether the record of the path exists, no filter hides it and the request may change
// it. If that cannot be determined, exists returns false.
func (v *view) exists() bool {
	_, _, err := v.permitted(schema.Update)
	return err == nil
}

// permitted returns the record of the path, if that exists, satisfies the filter, and Options.Permit
// permits a write to it. Otherwise possible are the causes that are the client's mistake. A collection
// that restricts Get thereby restricts the writes.
func (v *view) permitted(action schema.Actions) (record []byte, possible causes, err error) {
	if possible, err = v.selection(); err != nil {
		return nil, possible, err
	}
	record, err = v.route.getter.Get(v.r.Context(), v.segment, v.q.Filter)
	if err == nil {
		err = v.handler.permit(v.r, v.route.key, action, record)
	}
	return record, ifNotFound, err
}

// target returns the precondition of a write to the record of the path, if that is permitted and the
// record satisfies it. Otherwise it sends an error response.
func (v *view) target(action schema.Actions) (precondition func(record []byte) error, ok bool) {
	precondition = v.precondition()
	record, possible, err := v.permitted(action)
	if err == nil && precondition != nil {
		err = precondition(record)
	}
	if err != nil {
		v.failBecause(err, possible|ifPrecondition)
	} else if v.handler.opts.Permit != nil {
		precondition = v.handler.stillPermitted(v.r, v.route.key, action, precondition)
	}
	return precondition, err == nil
}

// stillPermitted returns a precondition that is true only if Options.Permit permits the write, too. The
// record may be another one than that for which it has been asked before.
func (h *Handler) stillPermitted(r *http.Request, key string, action schema.Actions, also func(record []byte) error) func(record []byte) error {
	return func(record []byte) error {
		err := h.permit(r, key, action, record)
		if err == nil && also != nil {
			err = also(record)
		}
		return err
	}
}

// update changes a record. As in Django REST framework, a request for a record that does
// not exist fails before its body is read. So does one whose precondition is false.
func (v *view) update(action schema.Actions) {
	precondition, ok := v.target(action)
	if !ok {
		return
	}
	partial := action == schema.PartialUpdate
	body, assigned, ok := v.values(action)
	if !ok {
		return
	}
	record, err := v.route.updater.Update(v.r.Context(), v.segment, catalogue.Edit{
		Filter: v.q.Filter, Body: body, Partial: partial, Assigned: assigned, Precondition: precondition,
	})
	if err != nil {
		v.failBecause(err, ifPrecondition|ifNotFound|ifSyntax|ifFields)
		return
	}
	if partial && !v.route.hides && len(v.requested()) == 0 && v.q.Filter.Search == nil {
		v.findRecordTag(record) // RFC 9110, section 9.3.4, forbids that for a PUT
	}
	v.write(http.StatusOK, record)
}

// destroy deletes a record.
func (v *view) destroy() {
	precondition, ok := v.target(schema.Destroy)
	if !ok {
		return
	}
	if err := v.route.deleter.Delete(v.r.Context(), v.segment, v.q.Filter, precondition); err != nil {
		v.failBecause(err, ifNotFound|ifPrecondition|ifReferenced)
		return
	}
	v.begin(http.StatusNoContent, 0)
}

// selection adds the filter of the request and the rows of [Restrict] to v.q, which has the order. If
// that fails, possible are the causes that are the client's mistake.
func (v *view) selection() (possible causes, err error) {
	about, values := v.route.about, v.query.Values
	for name := range v.query.All() {
		if !slices.Contains(v.route.named, name) && about.Named(name) != name { // as in JSON
			params := url.Values{}
			for name, value := range v.query.All() {
				params.Add(about.Named(name), value)
			}
			values = func(name string) []string { return params[name] }
			break
		}
	}
	f := &v.q.Filter
	if *f, err = about.Filter(v.r.Context(), values, v.route.checks); err != nil {
		return ifFields, err
	}
	if v.sight == nil {
		return 0, nil
	}
	f.Rows = map[string][]schema.Test{}
	paths := slices.Concat(append(slices.Clip(f.Search), f.Tests)...)
	for _, t := range v.q.Terms {
		paths = append(paths, schema.Test{Field: t.Field})
	}
	err = v.see(paths)
	rows, failed := v.sight.rows(v.r.Context(), v.route)
	f.Tests = slices.Concat(rows, f.Tests)
	return 0, cmp.Or(failed, err)
}

// see adds to v.q the rows of the collections to which the paths of tests lead. It does nothing if no
// collection is restricted.
func (v *view) see(tests []schema.Test) (err error) {
	if v.sight == nil {
		return nil
	}
	for _, t := range tests {
		for _, key := range v.route.crossed(t.Field) {
			if v.q.Filter.Rows[key], err = v.sight.rows(v.r.Context(), v.handler.named(key)); err != nil {
				return err
			}
		}
	}
	return nil
}

// requested returns the tests of v.q that are of the request.
func (v *view) requested() []schema.Test {
	return slices.DeleteFunc(slices.Clone(v.q.Filter.Tests), func(t schema.Test) bool { return t.All })
}

// filter reports whether selection succeeds. Otherwise it sends a response to the error.
func (v *view) filter() bool {
	possible, err := v.selection()
	if err != nil {
		v.failBecause(err, possible)
	}
	return err == nil
}

// post creates a record.
func (v *view) post() {
	if err := v.postCondition(); err != nil {
		v.failBecause(err, ifPrecondition)
		return
	}
	body, assigned, ok := v.values(schema.Create)
	if !ok {
		return
	}
	record, err := v.route.creator.Create(v.r.Context(), body, assigned)
	if err != nil {
		v.failBecause(err, ifSyntax|ifFields|ifFull)
		return
	}
	if records := v.route.records; records != nil && records.actions.Has(schema.Retrieve) && !v.route.hides {
		v.findRecordTag(record)
	}
	v.write(http.StatusCreated, record)
}

// values returns the body of a write, as JSON, and the values that the program assigns. It sends a
// response to an error and then returns false.
func (v *view) values(action schema.Actions) (body []byte, assigned schema.Record, ok bool) {
	body, ok = v.readJSON(action == schema.PartialUpdate)
	if !ok || v.handler.opts.Assign == nil {
		return body, assigned, ok
	}
	assigned, err := v.handler.opts.Assign(v.r, v.route.key, action)
	if err != nil {
		v.failBecause(err, ifAny)
	}
	return body, assigned, err == nil
}

// readJSON reads the whole body, which must be JSON or, with Options.Forms, a form by its
// Content-Type and must not have a Content-Encoding, and returns it as JSON in UTF-8. The form may be
// that of a PATCH, which is partial. If that fails, it sends an error response and returns false.
func (v *view) readJSON(partial bool) (body []byte, ok bool) {
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
	media, isForm := negotiation.ParseMediaType(contentType), v.handler.opts.Forms && formdata.Is(contentType)
	// A form of another site, or an empty body without a type, can be sent with the cookies of this
	// one, though JSON never.
	isForeign := !media.IsJSON() && wire.IsForeign(v.r, new(http.CrossOriginProtection), v.handler.Base(v.r))
	switch {
	case isForm && isForeign:
		v.fail(http.StatusForbidden, wire.DetailForeign)
		return nil, false
	case media.IsJSON(), len(body) == 0 && !isForeign && !isForm:
		if media.IsLatin1() {
			body = negotiation.FromLatin1(body)
		}
		return body, true
	case !isForm:
		v.fail(http.StatusUnsupportedMediaType, fmt.Sprintf("Unsupported media type \"%s\" in request.", contentType))
		return nil, false
	}
	f, fault := formdata.Parse(contentType, body)
	if fault != "" {
		v.fail(http.StatusBadRequest, fault)
		return nil, false
	}
	body = f.Object(v.route.about.Written(), formdata.Options{Partial: partial, Framework: v.handler.opts.Framework, Unread: v.judged && !v.route.about.Loose})
	return body, v.fits(int64(len(body))) // escapes can make it longer than the form
}

// readBody reads the whole body. If that fails, it sends an error response and returns
// false.
func (v *view) readBody() (body []byte, ok bool) {
	var err error
	limit := v.handler.opts.MaxBody
	tooLarge := v.r.ContentLength > limit
	if v.r.Body != nil && !tooLarge {
		body, err = io.ReadAll(http.MaxBytesReader(v.w, v.r.Body, limit))
		if tooLarge = err != nil && errors.As(err, new(*http.MaxBytesError)); tooLarge {
			// http.MaxBytesReader closes the connection only if w is net/http's own
			// writer. Without this header, the server would continue to read the body.
			v.w.Header().Set("Connection", "close")
		}
	}
	switch {
	case tooLarge:
		v.fits(math.MaxInt64)
	case err != nil:
		v.fail(http.StatusBadRequest, "The body of the request could not be read.")
	}
	return body, err == nil && !tooLarge
}

// fits reports whether a body of n bytes is not too long. If it is, it sends an error response.
func (v *view) fits(n int64) bool {
	limit := v.handler.opts.MaxBody
	if n > limit {
		v.fail(http.StatusRequestEntityTooLarge, fmt.Sprintf("The body of the request is larger than %d bytes.", limit))
	}
	return n <= limit
}

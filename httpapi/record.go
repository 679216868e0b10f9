package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/negotiation"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
)

// retrieve sends a record.
func (v *view) retrieve() {
	filter, ok := v.filter(v.params())
	if !ok {
		return
	}
	record, err := v.route.getter.Get(v.r.Context(), v.segment, filter)
	if err != nil {
		v.failBecause(err, ifNotFound)
		return
	}
	if v.handler.tags {
		v.tag = v.recordTag(record)
		if v.sentInstead() {
			return
		}
	}
	v.write(http.StatusOK, record)
}

// exists reports whether the record of the path exists and no filter hides it. If that
// cannot be determined, exists returns false.
func (v *view) exists() bool {
	filter, err := v.parseFilter(v.params())
	if err == nil {
		_, err = v.route.getter.Get(v.r.Context(), v.segment, filter)
	}
	return err == nil
}

// finds reports whether a record exists that a write changes and its precondition is true.
// Otherwise it sends an error response. A collection that restricts Get thereby restricts
// the writes.
func (v *view) finds(filter schema.Filter, precondition func(record []byte) error) bool {
	record, err := v.route.getter.Get(v.r.Context(), v.segment, filter)
	if err == nil && precondition != nil {
		err = precondition(record)
	}
	if err != nil {
		v.failBecause(err, ifNotFound|ifPrecondition)
	}
	return err == nil
}

// update changes a record. As in Django REST framework, a request for a record that does
// not exist fails before its body is read. So does one whose precondition is false.
func (v *view) update(partial bool) {
	params, precondition := v.params(), v.precondition()
	filter, ok := v.filter(params)
	if !ok || !v.finds(filter, precondition) {
		return
	}
	body, ok := v.readJSON()
	if !ok {
		return
	}
	record, err := v.route.updater.Update(v.r.Context(), v.segment, catalogue.Update{
		Filter: filter, Body: body, Partial: partial, Precondition: precondition,
	})
	if err != nil {
		v.failBecause(err, ifPrecondition|ifNotFound|ifSyntax|ifFields)
		return
	}
	if partial && v.handler.tags && params == nil {
		v.tag = v.recordTag(record) // RFC 9110, section 9.3.4, forbids that for a PUT
	}
	v.write(http.StatusOK, record)
}

// destroy deletes a record.
func (v *view) destroy() {
	precondition := v.precondition()
	filter, ok := v.filter(v.params())
	if !ok || !v.finds(filter, precondition) {
		return
	}
	if err := v.route.deleter.Delete(v.r.Context(), v.segment, filter, precondition); err != nil {
		v.failBecause(err, ifNotFound|ifPrecondition|ifReferenced)
		return
	}
	v.begin(http.StatusNoContent, 0)
}

// referencedDetail returns the detail about a record that cannot be deleted.
func referencedDetail(err error) string {
	var by *catalogue.ReferenceError
	if errors.As(err, &by) {
		return fmt.Sprintf("The record cannot be deleted: record %d of %s refers to it in the field %s.", by.ID, by.Collection, by.Field)
	}
	return "The record cannot be deleted: other records refer to it."
}

// params returns the parameters of the query that select records, or nil if there are
// none.
func (v *view) params() (params url.Values) {
	if v.route.about == nil || len(v.route.about.Filters)+len(v.route.about.Search) == 0 {
		return nil
	}
	for name, value := range v.query.All() {
		if wire.Selects(*v.route.about, name) {
			if params == nil {
				params = url.Values{}
			}
			params.Add(name, value)
		}
	}
	return params
}

// parseFilter returns the filter that the parameters describe.
func (v *view) parseFilter(params url.Values) (schema.Filter, error) {
	if params == nil {
		return schema.Filter{}, nil
	}
	exists := func(context.Context, string, int) (bool, error) { return true, nil }
	if c, ok := v.route.collection.(ReferenceChecker); ok {
		exists = c.Exists
	}
	return v.route.about.Filter(v.r.Context(), params, exists)
}

// filter is parseFilter, except that it sends a response to an error and then returns false.
func (v *view) filter(params url.Values) (f schema.Filter, ok bool) {
	f, err := v.parseFilter(params)
	if err != nil {
		v.failBecause(err, ifFields)
	}
	return f, err == nil
}

// selfContained reports whether the parameters select records independently of the other
// collections, so that the revision of this one determines the result.
func (r *route) selfContained(params url.Values) bool {
	for name := range params {
		if name == wire.Search {
			if slices.ContainsFunc(r.about.Search, func(s string) bool { return strings.Contains(s, "__") }) {
				return false
			}
			continue
		}
		if f, _, _ := r.about.Parameter(name); f.Refers != "" {
			return false // the filter is invalid if the other record does not exist
		}
	}
	return true
}

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
	if !media.IsJSON() && (len(body) > 0 || v.fromOtherSite()) { // an empty body needs no type
		v.fail(http.StatusUnsupportedMediaType,
			fmt.Sprintf("Unsupported media type \"%s\" in request.", contentType))
		return nil, false
	}
	return media.ToUTF8(body), true
}

// fromOtherSite reports whether a page of another site has sent the request. A form can send it
// with the cookies of this site, though never as JSON.
func (v *view) fromOtherSite() bool {
	return new(http.CrossOriginProtection).Check(v.r) != nil
}

// readBody reads the whole body. If that fails, it sends an error response and returns
// false.
func (v *view) readBody() (body []byte, ok bool) {
	limit := v.handler.maxBody
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
		fmt.Sprintf("The body of the request is larger than %d bytes.", v.handler.maxBody))
}

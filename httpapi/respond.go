package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/negotiation"
	"github.com/gobacklist/backlist/httpapi/internal/origin"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/pagination"
)

// Details that Django REST framework sends.
const (
	detailNotFound      = "Not found."
	detailNotAcceptable = "Could not satisfy the request Accept header."
)

// detailInternal is the only detail about a failure of the program's own code.
const detailInternal = "Internal server error."

// Details of errors of a [Collection]. The first is from the documentation of Django REST
// framework.
const (
	detailUnavailable = "Service temporarily unavailable, try again later."
	detailConflict    = "The record is in conflict with what is stored."
)

// view is the state of one request.
type view struct {
	handler *Handler
	w       http.ResponseWriter
	r       *http.Request
	seen    *Access // nil if there is no OnAccess
	judged  bool    // whether names that nothing reads are reported
	sent    bool    // whether a response has been sent, or part of it

	origin  origin.Origin
	route   *route // nil while it is not known; responses have no Allow and no Vary then
	segment string // of the path of a record
	query   pagination.Query
	style   pagination.Style // of the pages
	indent  int              // spaces for each level; 0 is compact

	sight *sight          // nil if no collection is restricted
	q     catalogue.Query // what the request selects: the rows of its user and its own filter, in its order

	tag         string // entity tag of the response, or ""
	revision    uint64 // revision in the tag
	revisionErr error  // of the collection's Revision; reported unless the request fails
}

// write sends a compact JSON body, indented if the client requests that.
func (v *view) write(status int, body []byte) {
	if v.indent > 0 {
		body = wire.Indent(body, strings.Repeat(" ", v.indent))
	}
	if v.begin(status, len(body)) {
		_, _ = v.w.Write(body) // the client is gone if it fails
	}
}

// begin sends the status and the header of a response with a JSON body of the given size.
// It reports whether the body is to be written, which it is not after a HEAD.
func (v *view) begin(status, size int) bool {
	if v.revisionErr != nil {
		v.handler.opts.OnError(v.r, v.revisionErr)
	}
	header := v.w.Header()
	if v.route != nil && v.route.allow != nil {
		header["Allow"] = v.route.allow
		v.setCaching(header)
	}
	if v.tag != "" && (status == http.StatusOK || status == http.StatusCreated) {
		v.setTag(header)
	}
	if status != http.StatusNoContent {
		header["Content-Type"] = valueJSON
	}
	header["X-Frame-Options"] = valueDeny
	header["Content-Length"] = []string{strconv.Itoa(size)}
	header["X-Content-Type-Options"] = valueNosniff
	header["Referrer-Policy"] = valueReferrer
	v.sent = true
	v.w.WriteHeader(status)
	return v.r.Method != http.MethodHead
}

// setCaching sets Cache-Control if a read depends on what a user may see. It adds the
// route's value of Vary, if any, to those that outer middleware has set, such as Accept-Encoding.
func (v *view) setCaching(header http.Header) {
	if v.sight != nil && (v.route.rows != nil || v.sight.personal()) && negotiation.IsRead(v.r.Method) && header["Cache-Control"] == nil {
		header["Cache-Control"] = valuePrivate
	}
	if v.route.vary != nil {
		wire.AddVary(header, v.route.vary)
	}
}

// fail sends an error response with the given detail.
func (v *view) fail(status int, detail string) {
	v.write(status, wire.Detail(detail))
}

// refuse sends the response that a refusal describes.
func (v *view) refuse(no *refusal) {
	if no.challenge != "" {
		v.w.Header()["Www-Authenticate"] = []string{no.challenge}
	}
	v.fail(no.status, no.detail)
}

// WriteError sends the response of h to an error, for handlers of the program's own that serve
// other actions on the same records. The first in this list that err is or wraps counts:
//
//   - an error made by [Unauthorized] or [Forbidden]: 401 or 403
//   - [catalogue.ErrNotFound]: 404
//   - [catalogue.ErrReferenced]: 409
//   - [*schema.SyntaxError] and [schema.FieldErrors]: 400, with the text of the errors
//   - [catalogue.ErrInvalidID] and [catalogue.ErrExists]: 409
//   - the errors of a [Collection]: 503 or 409
//   - any other, and nil: 500
//
// If the path of the request has that of a record in it, as /api/films/7/publish/ has, the detail
// of a 404 is that of the record. The text of other errors is not sent, and [Options].OnError is
// not called. The response has neither Allow nor Vary. After a HEAD it has no body.
func (h *Handler) WriteError(w http.ResponseWriter, r *http.Request, err error) {
	quiet := &Handler{opts: h.opts, collections: h.collections}
	quiet.opts.OnError = func(*http.Request, error) {}
	v := view{handler: quiet, w: w, r: r}
	for _, c := range h.collections {
		if _, rest, ok := strings.Cut(r.URL.Path, c.path); ok {
			v.segment, _, _ = strings.Cut(rest, "/")
			v.route = &route{about: c.about}
		}
	}
	v.indent, _ = negotiation.Accept(r.Header["Accept"])
	v.failBecause(err, ifAny)
}

// failWith reports an error and sends a response without its text. No other error of the
// request is reported.
func (v *view) failWith(err error) {
	v.revisionErr = nil
	v.handler.opts.OnError(v.r, err)
	var wait *unavailable
	switch {
	case errors.Is(err, ErrUnavailable):
		if errors.As(err, &wait) && wait.after > 0 {
			seconds := 1 + (wait.after-1)/time.Second // rounded up, without overflow
			v.w.Header()["Retry-After"] = []string{strconv.FormatInt(int64(seconds), 10)}
		}
		v.fail(http.StatusServiceUnavailable, detailUnavailable)
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		v.fail(http.StatusServiceUnavailable, "The request was given up before it could be answered.")
	case errors.Is(err, ErrConflict):
		v.fail(http.StatusConflict, detailConflict)
	default:
		v.fail(http.StatusInternalServerError, detailInternal)
	}
}

// redirect redirects to a location: with 301 for GET and HEAD, and otherwise with 308,
// after which clients repeat the method and the body.
func (v *view) redirect(location string) {
	header := v.w.Header()
	header["Content-Type"] = []string{"text/html; charset=utf-8"}
	header["Location"] = []string{location}
	header["Content-Length"] = []string{"0"}
	header["X-Content-Type-Options"] = valueNosniff
	header["Referrer-Policy"] = valueReferrer
	status := http.StatusPermanentRedirect
	if negotiation.IsRead(v.r.Method) {
		status = http.StatusMovedPermanently
	}
	v.sent = true
	v.w.WriteHeader(status)
}

// A preconditionError is the error of a request whose precondition is false.
type preconditionError struct{ detail string }

func (e *preconditionError) Error() string { return "httpapi: " + e.detail }

func (v *view) setTag(header http.Header) {
	header["Etag"] = []string{v.tag}
	if negotiation.IsRead(v.r.Method) && header["Cache-Control"] == nil {
		header["Cache-Control"] = valueNoCache
	}
}

// causes are the errors of a step that are the client's mistake. All other errors of the step
// are failures of the program, even if they wrap other sentinels.
type causes uint8

const (
	ifPrecondition causes = 1 << iota
	ifNotFound
	ifReferenced
	ifSyntax // of the body
	ifFields // of the body or of the parameters
	ifFull   // no id is left

	ifAny = ifNotFound | ifReferenced | ifSyntax | ifFields | ifFull // of the program's own code
)

// failBecause sends the response to the error of a step. It contains the text of errors in
// the request and of refusals, and of no others.
func (v *view) failBecause(err error, possible causes) {
	var no *refusal
	var precondition *preconditionError
	var syntax *schema.SyntaxError
	var fields schema.FieldErrors
	may := func(c causes) bool { return possible&c != 0 }
	switch {
	case errors.As(err, &no):
		v.refuse(no)
	case may(ifPrecondition) && errors.As(err, &precondition):
		v.fail(http.StatusPreconditionFailed, precondition.detail)
	case may(ifNotFound) && errors.Is(err, catalogue.ErrNotFound):
		detail := detailNotFound
		if v.route != nil {
			detail = v.handler.opts.Framework.NotFound(*v.route.about, v.segment)
		}
		v.fail(http.StatusNotFound, detail)
	case may(ifReferenced) && errors.Is(err, catalogue.ErrReferenced):
		v.fail(http.StatusConflict, v.referencedDetail(err))
	case may(ifSyntax) && errors.As(err, &syntax):
		v.fail(http.StatusBadRequest, syntax.Error())
	case errors.As(err, &fields) && (may(ifFields) || v.asks(fields)):
		if v.route != nil && v.route.about.SnakeCase() { // so is the name for the whole body
			fields = snakeErrors(fields)
		}
		body, _ := fields.MarshalJSON() // always nil; json.Marshal would escape <, > and &
		v.write(http.StatusBadRequest, body)
	case may(ifFull) && errors.Is(err, catalogue.ErrInvalidID):
		v.handler.opts.OnError(v.r, err)
		v.fail(http.StatusConflict, "No id is left.")
	case may(ifFull) && errors.Is(err, catalogue.ErrExists):
		v.handler.opts.OnError(v.r, err)
		v.fail(http.StatusConflict, "Another record has the new key.")
	default:
		v.failWith(err)
	}
}

// asks reports whether errors are about parameters of the request.
func (v *view) asks(errs schema.FieldErrors) bool {
	for name := range v.query.All() {
		name = v.route.about.Named(name)
		if slices.ContainsFunc(errs, func(e schema.FieldError) bool { return e.Field == name || e.Field == v.route.about.ErrorName(name) }) {
			return true
		}
	}
	return false
}

// snakeErrors returns errors with the name for a whole object in snake_case.
func snakeErrors(errs schema.FieldErrors) schema.FieldErrors {
	errs = slices.Clone(errs)
	for i, e := range errs {
		if e.Field == "nonFieldErrors" {
			errs[i].Field = "non_field_errors"
		}
		errs[i].Fields = snakeErrors(e.Fields)
		errs[i].Items = snakeErrors(e.Items)
	}
	return errs
}

// referencedDetail returns the detail about a record that cannot be deleted. It names the record
// that refers to it if the request may read that.
func (v *view) referencedDetail(err error) string {
	var left catalogue.Violations
	if !errors.As(err, &left) || len(left) == 0 || !v.reads(left[0]) {
		return "The record cannot be deleted: other records refer to it."
	}
	return fmt.Sprintf("The record cannot be deleted: record %v of %s refers to it in the field %s.", left[0].Identity, left[0].Collection, left[0].Field)
}

// reads reports whether the request may read a record that refers to another.
func (v *view) reads(by catalogue.RecordError) bool {
	r := v.handler.named(by.Collection)
	if r == nil || v.handler.opts.AuthorizeReads && v.handler.opts.Authorizer(v.r, r.key, schema.Retrieve) != nil {
		return false
	}
	field, value := "id", strconv.Itoa(by.Identity.ID)
	if by.Identity.Key != "" {
		field, value = r.about.Lookup, by.Identity.Key
	}
	ok, err := cmp.Or(v.sight, v.handler.newSight()).sees(v.r.Context(), by.Collection, field, value)
	return ok && err == nil
}

// authorize calls the authorizer for a write or, if it decides about reads, for any action. That of
// OPTIONS is 0, which is a read. It returns nil if the action is permitted.
func (v *view) authorize(action schema.Actions) *refusal {
	switch reads := action&^(schema.List|schema.Retrieve) == 0; {
	case reads && !v.handler.opts.AuthorizeReads:
		return nil
	case reads && v.route.isRecord:
		action = schema.Retrieve
	case reads:
		action = schema.List
	}
	return v.handler.refusalOf(v.r, v.handler.opts.Authorizer(v.r, v.route.key, action))
}

// permit returns the refusal of a write by Options.Permit, or nil.
func (h *Handler) permit(r *http.Request, key string, action schema.Actions, record []byte) error {
	if h.opts.Permit == nil {
		return nil
	}
	if no := h.refusalOf(r, h.opts.Permit(r, key, action, record)); no != nil {
		return no
	}
	return nil
}

// refusalOf returns the refusal of a request by an error of the program, or nil.
func (h *Handler) refusalOf(r *http.Request, err error) *refusal {
	if err == nil {
		return nil
	}
	var no *refusal
	if errors.As(err, &no) {
		return no
	}
	h.opts.OnError(r, err)
	return &refusal{http.StatusForbidden, "", detailNoPermission}
}

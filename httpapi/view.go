package httpapi

import (
	"net/http"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/negotiation"
	"github.com/gobacklist/backlist/httpapi/internal/origin"
	"github.com/gobacklist/backlist/pagination"
)

// Details that Django REST framework sends.
const (
	detailNotFound      = "Not found."
	detailNotAcceptable = "Could not satisfy the request Accept header."
)

// detailInternal is the only detail about a failure of the program's own code.
const detailInternal = "Internal server error."

// view is the state of one request to a route.
type view struct {
	handler *Handler
	route   *route
	w       http.ResponseWriter
	r       *http.Request
	origin  origin.Origin
	query   pagination.Query
	indent  int     // spaces for each level; 0 is compact
	sent    bool    // whether a response has been sent, or part of it
	seen    *Access // nil if there is no OnAccess

	id       int  // in the path of a record; 0 if it is not the id of one
	suffixed bool // the id in the path has a format suffix, none of which are served

	tag         string // entity tag of the response, or ""
	revision    uint64 // revision in the tag
	revisionErr error  // of the collection's Revision; reported unless the request fails
}

// serve checks format, Accept and method, in this order, and serves the request. Until
// Accept has been checked, responses are not indented.
func (v *view) serve() {
	defer v.recovered()
	v.query = pagination.ParseQuery(v.r.URL.RawQuery)
	if format, _ := v.query.Get("format"); v.suffixed || !negotiation.KnownFormat(format) {
		v.fail(http.StatusNotFound, detailNotFound)
		return
	}
	indent, acceptable := negotiation.Accept(v.r.Header["Accept"])
	if !acceptable {
		v.fail(http.StatusNotAcceptable, detailNotAcceptable)
		return
	}
	v.indent = indent
	v.serveMethod()
}

func (v *view) serveMethod() {
	method := v.r.Method
	action := v.route.action(method)
	if action == 0 && method != http.MethodOptions {
		v.fail(http.StatusMethodNotAllowed, "Method \""+method+"\" not allowed.")
		return
	}
	if no := v.authorizeMethod(action); no != nil {
		v.refuse(no)
		return
	}
	v.observeIgnored()
	switch action {
	case schema.List:
		v.list()
	case schema.Retrieve:
		v.retrieve()
	case schema.Create:
		v.post()
	case schema.Update, schema.PartialUpdate:
		v.update(action == schema.PartialUpdate)
	case schema.Destroy:
		v.destroy()
	default:
		v.options()
	}
}

// authorizeMethod asks the authorizer about a write or, if it decides about reads, about
// any request. It returns nil if the request is permitted.
func (v *view) authorizeMethod(action schema.Actions) *refusal {
	switch {
	case action&^schema.ReadActions != 0:
		return v.authorize(action)
	case !v.handler.reads:
		return nil
	case v.route.isRecord:
		return v.authorize(schema.Retrieve)
	}
	return v.authorize(schema.List)
}

// isRead reports whether a method is GET or HEAD. As in net/http, "" is GET.
func isRead(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == ""
}

// options sends the metadata of the route. It includes the fields for POST or PUT if the
// client may send those. As in Django REST framework, it does not for a record that does
// not exist or is hidden by a filter.
func (v *view) options() {
	r := v.route
	switch {
	case r.collection == nil:
		v.write(http.StatusOK, rootMetadata())
	case r.actions.Has(schema.Create) && v.authorize(schema.Create) == nil:
		v.write(http.StatusOK, metadata(r.about.Title(), http.MethodPost, r.about.Fields))
	case r.actions.Has(schema.Update) && v.authorize(schema.Update) == nil && v.exists():
		v.write(http.StatusOK, metadata(r.about.RecordTitle(), http.MethodPut, r.about.Fields))
	case r.isRecord:
		v.write(http.StatusOK, metadata(r.about.RecordTitle(), "", nil))
	default:
		v.write(http.StatusOK, metadata(r.about.Title(), "", nil))
	}
}

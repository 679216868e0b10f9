package httpapi

import (
	"net/http"

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

	tag         string // entity tag of the response, or ""
	revision    uint64 // revision in the tag
	revisionErr error  // of the collection's Revision; reported unless the request fails
}

// serve checks format, Accept and method, in this order, and serves the request. Until
// Accept has been checked, responses are not indented.
func (v *view) serve() {
	defer v.recovered()
	v.query = pagination.ParseQuery(v.r.URL.RawQuery)
	if format, _ := v.query.Get("format"); !negotiation.KnownFormat(format) {
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
	switch method := v.r.Method; {
	case isRead(method):
		v.get()
	case method == http.MethodOptions:
		v.options()
	case method == http.MethodPost && v.route.creator != nil:
		v.post()
	default:
		v.fail(http.StatusMethodNotAllowed, "Method \""+method+"\" not allowed.")
	}
}

// isRead reports whether a method is GET or HEAD. As in net/http, "" is GET.
func isRead(method string) bool {
	return method == http.MethodGet || method == http.MethodHead || method == ""
}

func (v *view) get() {
	if v.route.collection == nil {
		v.sendRoot()
		return
	}
	v.list()
}

// options sends the metadata of the route. It includes the fields for POST if the client
// may post.
func (v *view) options() {
	if v.route.creator != nil && v.authorize() == nil {
		v.write(http.StatusOK, listActions(*v.route.about))
		return
	}
	v.write(http.StatusOK, v.route.metadata())
}

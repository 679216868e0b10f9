package httpapi

import (
	"fmt"
	"net/http"

	"github.com/gobacklist/backlist/httpapi/internal/negotiation"
	"github.com/gobacklist/backlist/httpapi/internal/origin"
	"github.com/gobacklist/backlist/pagination"
)

// Details that Django REST framework gives.
const (
	detailNotFound      = "Not found."
	detailNotAcceptable = "Could not satisfy the request Accept header."
)

// detailInternal says all that the client of a failure may know.
const detailInternal = "Internal server error."

// view is the state of one request to a route.
type view struct {
	handler *Handler
	route   *route
	w       http.ResponseWriter
	r       *http.Request
	origin  origin.Origin
	query   pagination.Query
	indent  int     // spaces a level; 0: compact
	sent    bool    // an answer, or some of it
	seen    *Access // nil: nobody looks

	tag      string // entity tag of the answer, if it has one
	revision uint64 // that the tag stands for
	untold   error  // of the collection's Revision: for OnError, unless the request fails
}

// serve checks format, Accept and method, in this order, and answers. What precedes
// a good Accept is never indented.
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
	case method == http.MethodPost:
		if v.route.creator == nil {
			v.methodNotAllowed()
			return
		}
		v.post()
	default:
		v.methodNotAllowed()
	}
}

// isRead reports whether a method is GET, which "" is to net/http, or HEAD.
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

// options answers with what is known of the route, and with what can be posted
// for those who may.
func (v *view) options() {
	if v.route.creator != nil && v.authorize() == nil {
		v.write(http.StatusOK, listActions(*v.route.about))
		return
	}
	v.write(http.StatusOK, v.route.metadata())
}

func (v *view) methodNotAllowed() {
	v.fail(http.StatusMethodNotAllowed, fmt.Sprintf("Method \"%s\" not allowed.", v.r.Method))
}

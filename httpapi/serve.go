package httpapi

import (
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/negotiation"
	"github.com/gobacklist/backlist/httpapi/internal/origin"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/pagination"
)

// ServeHTTP serves one request, of the path r.URL.Path. It does not rely on the checks of an
// [http.Server], so it may be called with any request.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var v view
	v.receive(h, w, r)
	if h.opts.OnAccess != nil {
		seen, start := &Access{Method: r.Method}, time.Now()
		v.seen, v.w = seen, &observedWriter{w, seen}
		defer func() {
			seen.Duration = time.Since(start)
			h.callOnAccess(v.r, seen)
		}()
	}
	if page := wire.PageOf(r.Context()); page != nil {
		if route, _, _ := h.find(r.URL.Path); route != nil && v.seen != nil {
			v.seen.Collection = route.key
		}
		page(v.w, r, operations{h})
		return
	}
	v.serve()
}

// receive sets the request, whose context tells collections what they have to know. A view is large, and
// is not copied.
func (v *view) receive(h *Handler, w http.ResponseWriter, r *http.Request) {
	if h.opts.Framework != (schema.Framework{}) {
		r = r.WithContext(schema.WithFramework(r.Context(), h.opts.Framework))
	}
	if h.restricts {
		v.sight = h.newSight()
		r = r.WithContext(schema.WithVisible(r.Context(), v.sight.sees))
	}
	v.handler, v.w, v.r = h, w, r
}

// operations are what a page asks of a handler: the same as other clients, with the same checks, but
// inside of the request for the page, which is logged.
type operations struct{ handler *Handler }

func (o operations) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var v view
	v.receive(o.handler, w, r)
	v.serve()
}

func (o operations) Unread(w http.ResponseWriter, r *http.Request, report func(name string, known []string)) {
	var v view
	v.judged = true
	v.receive(o.handler, w, r)
	v.r = v.r.WithContext(schema.WithUnread(v.r.Context(), report))
	if v.serve(); v.route == nil || v.route.about == nil {
		return
	}
	for name := range v.query.All() {
		if !slices.Contains(v.route.named, name) && !wire.Selects(*v.route.about, name) {
			report(name, v.route.named)
		}
	}
	order, _ := v.query.Get(v.route.order)
	known := slices.DeleteFunc(append(slices.Clone(v.route.sortable), "id"), func(name string) bool { return !v.route.sorts(name) })
	for term := range strings.SplitSeq(order, ",") {
		if name := strings.Trim(term, " -"); name != "" && !v.route.sorts(v.route.about.Named(name)) {
			report(name, known)
		}
	}
}

func (o operations) Admit(w http.ResponseWriter, r *http.Request, use func(wire.Selection) error) bool {
	var v view
	v.receive(o.handler, w, r)
	defer v.recovered()
	switch action, ok := v.admit(); {
	case !ok:
	case use != nil:
		if v.selected() {
			if err := use(&v); err != nil {
				v.failBecause(err, 0)
			}
		}
	case v.route.isRecord && o.handler.opts.Permit != nil:
		if _, possible, err := v.permitted(action); err != nil {
			v.failBecause(err, possible)
		}
	}
	return !v.sent
}

// serve performs the request if it is admitted.
func (v *view) serve() {
	defer v.recovered()
	action, ok := v.admit()
	if !ok {
		return
	}
	switch action {
	case schema.List:
		v.list()
	case schema.Retrieve:
		v.retrieve()
	case schema.Create:
		v.post()
	case schema.Update, schema.PartialUpdate:
		v.update(action)
	case schema.Destroy:
		v.destroy()
	default:
		v.options()
	}
}

// admit checks the request up to its authorization, and returns its action, which is 0 for OPTIONS. If
// it must not be performed, admit sends the response and returns false. Until Accept has been checked,
// responses are not indented.
func (v *view) admit() (action schema.Actions, ok bool) {
	route, segment, suffix := v.handler.find(v.r.URL.Path)
	if v.style = v.handler.routes[v.handler.opts.Root].pages; route != nil {
		v.style = route.pages
	}
	var fault string
	v.origin, fault = v.handler.origins.Resolve(v.r)
	tooLong := targetFault(v.r, v.style)
	switch {
	case fault != "":
		v.fail(http.StatusBadRequest, fault)
		return 0, false
	case tooLong != "":
		v.fail(http.StatusRequestURITooLong, tooLong)
		return 0, false
	case route == nil:
		v.serveNoRoute()
		return 0, false
	case v.seen != nil:
		v.seen.Collection = route.key
	}
	if fault = paramsFault(v.r.URL.RawQuery, v.style); fault != "" {
		v.fail(http.StatusBadRequest, fault)
		return 0, false
	}
	v.route, v.segment = route, segment
	v.query = pagination.ParseQuery(v.r.URL.RawQuery)
	if format, _ := v.query.Get("format"); suffix || !slices.Contains([]string{"", "json", "api"}, format) {
		v.fail(http.StatusNotFound, detailNotFound)
		return 0, false
	}
	v.indent, ok = negotiation.Accept(v.r.Header["Accept"])
	action = v.route.actions & actionsOf(v.r.Method)
	switch {
	case !ok:
		v.fail(http.StatusNotAcceptable, detailNotAcceptable)
	case action == 0 && v.r.Method != http.MethodOptions:
		v.fail(http.StatusMethodNotAllowed, "Method \""+v.r.Method+"\" not allowed.")
	default:
		if no := v.authorize(action); no != nil {
			v.refuse(no)
		}
	}
	return action, !v.sent
}

// serveNoRoute redirects to the path with a trailing slash if that is served. Otherwise
// it sends a 404.
func (v *view) serveNoRoute() {
	path := v.r.URL.Path + "/"
	if route, _, suffix := v.handler.find(path); route == nil || suffix {
		v.fail(http.StatusNotFound, detailNotFound)
		return
	}
	v.redirect(v.handler.origins.Location(v.origin, path, v.r.URL.RawQuery))
}

// recovered is deferred by functions that call the program's own code. After a panic it
// sends a response of 500, or aborts the request if part of a response has been sent.
// It does not recover [http.ErrAbortHandler], which middleware expects.
func (v *view) recovered() {
	reason := recover()
	if reason == nil {
		return
	}
	if reason == http.ErrAbortHandler {
		panic(reason)
	}
	v.revisionErr = nil
	v.handler.reportPanic(v.r, reason)
	if v.sent {
		panic(http.ErrAbortHandler) // otherwise the client could consider the response complete
	}
	v.indent = 0 // the panic may come from indenting
	v.fail(http.StatusInternalServerError, detailInternal)
}

// reportPanic reports a panic. A panic of OnError is ignored.
func (h *Handler) reportPanic(r *http.Request, reason any) {
	defer func() { _ = recover() }()
	if err, ok := reason.(error); ok {
		h.opts.OnError(r, fmt.Errorf("%w: %w\n%s", ErrPanic, err, debug.Stack()))
		return
	}
	h.opts.OnError(r, fmt.Errorf("%w: %v\n%s", ErrPanic, reason, debug.Stack()))
}

// find returns the route of a path, or nil, and the segment with the id if it is the path
// of a record. The suffix of a segment is that of a format, as in Django REST framework, unless a
// key of the collection's kind can have a point. Whether a record has the key is not asked: the path
// must tell nothing before the request is authorized.
func (h *Handler) find(path string) (r *route, id string, suffix bool) {
	if r := h.routes[path]; r != nil {
		return r, "", false
	}
	collection, id, ok := wire.SplitRecord(path)
	list := h.routes[collection]
	if !ok || list == nil || list.records == nil {
		return nil, "", false
	}
	suffix = wire.HasFormat(id) && !list.pointed
	if suffix && !wire.IsRecord(id) {
		return nil, "", false
	}
	return list.records, id, suffix
}

// The limits of requests. The maximum number of parameters is Django's. The parameters of a page,
// which links add or replace, count neither as parameters nor as a part of the query.
const (
	maxParameters = 1000     // in a query, including empty ones
	maxQuery      = 16 << 10 // bytes, as escaped in links
)

// maxPath is the maximum length of a path in bytes, both as sent and as escaped. Each
// link of the root repeats the part before the root.
const maxPath = 2048

// targetFault returns an error text if the path or the query of a request is too long,
// or "".
func targetFault(r *http.Request, style pagination.Style) string {
	if queryTooLong(r.URL.RawQuery, style) {
		return fmt.Sprintf("The query of the request is longer than %d bytes.", maxQuery)
	}
	path, _, _ := strings.Cut(r.RequestURI, "?")
	if len(path) > maxPath || len(path) > maxPath/3 && len(origin.EscapePath(path)) > maxPath {
		return fmt.Sprintf("The path of the request is longer than %d bytes.", maxPath)
	}
	return ""
}

// queryTooLong reports whether the parameters are too long as they are written in links. If a
// query is accepted, so are the queries of its links, in which the parameters of a page are shorter
// than all others may be.
func queryTooLong(rawQuery string, style pagination.Style) bool {
	const growth = len("%EF%BF%BD") // the longest escape of a byte, one that is not UTF-8
	switch {
	case len(rawQuery) <= maxQuery/growth:
		return false
	case len(rawQuery) > 2*maxQuery:
		return true
	}
	first := pagination.Place{Window: pagination.Window{Limit: 1}}
	own := len(pagination.AppendLink(nil, style, pagination.Query{}, first))
	link := pagination.AppendLink(make([]byte, 0, len(rawQuery)+own), style, pagination.ParseQuery(rawQuery), first)
	return len(link)-own-len("&") > maxQuery
}

// paramsFault returns an error text if a query has too many parameters, or "". Like
// Django, it counts empty parameters.
func paramsFault(rawQuery string, style pagination.Style) string {
	extra := strings.Count(rawQuery, "&") + 1 - maxParameters
	if extra > 0 && extra <= 2 {
		q, is := pagination.ParseQuery(rawQuery), pagination.TraitsOf(style)
		for _, name := range [...]string{is.Place, is.Size} {
			if _, ok := q.Get(name); ok && name != "" {
				extra--
			}
		}
	}
	if extra <= 0 {
		return ""
	}
	return fmt.Sprintf("Too many query parameters: at most %d are allowed.", maxParameters)
}

// callOnAccess calls OnAccess. A panic of it is reported. It does not affect the response, which
// has already been written.
func (h *Handler) callOnAccess(r *http.Request, seen *Access) {
	defer func() {
		if reason := recover(); reason != nil {
			h.reportPanic(r, reason)
		}
	}()
	h.opts.OnAccess(r.Context(), *seen)
}

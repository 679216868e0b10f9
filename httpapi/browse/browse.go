// Package browse adds HTML pages for browsers to the handler of package httpapi. Other clients get
// the same JSON as without it.
//
//	handler, err := httpapi.New(films, httpapi.Options{})
//	...
//	pages, err := browse.New(handler, browse.Options{Title: "Films"})
//	...
//	err = httpapi.Mount(mux, "/shop", pages)
//
// The response to a request is a page if Django REST framework would respond with its browsable
// API, and the query does not contain format=json: the Accept header has an alternative that
// matches text/html and is more specific than all that match JSON, as those of browsers have. All
// other requests are passed to the handler unchanged, except writes from other sites. Their
// responses get Vary: Accept.
//
// A page shows the handler's response to the same request with Accept: application/json, with its
// status. Lists have filters, facets, columns to choose and a CSV file. Records have links to what
// they refer to, and to what refers to them if a filter finds that, and forms to change and to delete
// them, if the handler permits these to the caller. The file README.md in this directory describes the pages.
//
// Pages contain no scripts and load nothing from other sites, which a Content-Security-Policy forbids.
// All links are relative.
//
// # Concurrent changes
//
// The form for a record also sends the values that it has shown, so that the handler gets only
// those that the visitor has changed. If the form would show another value now, or the record
// changes before it is written, nothing is stored: the response is 412, with the form again.
//
// The page that asks whether to delete a record says which records would be deleted too, lose a
// reference or prevent the deletion, if the collection has the method Dependents of
// [catalogue.AnyCollection]. If they have changed when the visitor confirms, the page asks again.
//
// # Cost
//
// A page uses several times the memory of its JSON and takes milliseconds, where the handler takes
// microseconds. Requests for JSON cost a few additional allocations. A form allocates at most 128
// MiB in all. A CSV file takes no memory for each record if an index has them in order, and keeps
// the state of the collection as long as the client reads.
package browse

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/internal/kinds"
	"github.com/gobacklist/backlist/httpapi/internal/negotiation"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// Options configures the pages. The zero value is ready to use.
type Options struct {
	// Title is the name of the site. If empty, it is "Catalogue".
	Title string

	// Scheme is the scheme of the tokens that the authorizer accepts, such as "Bearer". If it is
	// not empty, pages have a form to sign in with a token, because browsers do not send any. If
	// the handler rejects the token with 401, the page says so, and has the form again. Nothing is written
	// to check it.
	//
	// An accepted token is kept in a cookie of the browser session, which scripts cannot read and
	// other sites cannot send with a form (HttpOnly, SameSite=Lax, and Secure if links of the
	// handler begin with https). Signing out removes it. If the handler no longer accepts the
	// token, the pages that need it offer to sign in again. The token is added to the Authorization
	// header of requests for pages, of the forms on them, and of reads for JSON, but not of other
	// writes, and not if the request has one.
	//
	// Browsers send cookies to all ports of a host. Programs that share a host with others that
	// they do not trust should not offer this form.
	Scheme string

	// OpenAPI is the URL of the OpenAPI document, to which the root links. It may be relative to
	// the root. If empty, there is no link.
	OpenAPI string

	// CrossOrigin decides which requests come from pages of other sites, and can trust some of
	// these. Any of them that may write, which is any but GET, HEAD and OPTIONS, is rejected with
	// 403, whatever its Accept header and body, because browsers send cookies with it. If nil, only
	// pages of the same origin may write. Its deny handler is not used. Clients that are not
	// browsers send neither Sec-Fetch-Site nor Origin, and are not affected.
	//
	// Old browsers, and all browsers without HTTPS, send Origin alone. It must equal the Host, or
	// the scheme and host of the links of the handler. A proxy that changes the Host must therefore
	// be one of the handler's trusted proxies and send the forwarded headers, unless the handler
	// has a base URL.
	CrossOrigin *http.CrossOriginProtection
}

// New returns a handler that serves the responses of h to browsers as pages, and passes all other
// requests to h. h is an [*httpapi.Handler], or middleware that changes neither paths nor JSON and
// has the methods Base and Served of the Handler that it wraps, such as a struct that embeds it.
// Other middleware, and [http.StripPrefix], wrap the returned handler. The error wraps
// [httpapi.ErrInvalidConfig] if h is nil or does not have these methods.
//
// A request for a page passes such middleware once, as one for JSON with the method of the form. It must
// reach the Handler with its context, or one made from that: whatever the page asks, the Handler does in
// this context, and before it returns. Middleware and [httpapi.Options].OnAccess see the page sent, or
// the CSV file. A response of the middleware itself is shown as a page.
//
// The returned handler has a method Served() httpapi.Served, which [httpapi.Mount] calls. It is
// safe for concurrent use if h is, and starts no goroutines. O(size of the template + number of
// collections).
//
// # Forms
//
// Since forms can only post, the method of a form is in the parameter _method of the query. A form
// without it is passed to the handler ([httpapi.Options].Forms), and one without Sec-Fetch-Site and
// Origin is rejected with 403. The others are decoded as there: address.city is a member of an
// object, and lines[0]sku one of the first object of a list. A list of objects has an empty one at
// the end, a button for more, and a box for each that removes it; one of more than 20 is JSON, as
// are maps and free JSON. Other lists have a line for each element. Times are in UTC; one with a
// fraction of a second is text, with its offset.
//
// In a form for a record, an empty input is null or empty text, whichever is valid; so is an object
// whose inputs are empty. In a form for a new record, empty inputs without a default are omitted. A
// hidden field is never shown: one whose input is empty keeps its value, or has its default in a
// new record. For a reference, forms offer the records of a collection of at most 50, or find
// others if it has a Search. A form has at most 2 MiB and 1000 values, one for each input of a
// record, and a list in one input 10,000 elements. If PATCH is not served, the PUT has the values
// that the visitor has left alone as they are stored. After a form, the visitor is back on the list
// or the record, and the page reports once what has been done.
//
// # Cost
//
// A page also reads records that its response does not have: the root counts each collection, a
// list reads the collections that its fields and filters refer to, at most 100 for names, and
// counts the values of 3 fields, and a record reads those that may refer to it. For names, it reads
// the first 50 records of a collection, or the first thousand if they have no pages or fields refer
// to them by another member than paths do.
func New(h http.Handler, opts Options) (http.Handler, error) {
	next, ok := h.(handler)
	if !ok {
		return nil, fmt.Errorf("%w: browse: %T does not have the methods Base and Served of an *httpapi.Handler: wrap the handler that New returns instead", httpapi.ErrInvalidConfig, h)
	}
	b := &browser{
		title:       cmp.Or(opts.Title, "Catalogue"),
		scheme:      opts.Scheme,
		openAPI:     opts.OpenAPI,
		crossOrigin: cmp.Or(opts.CrossOrigin, http.NewCrossOriginProtection()),
		served:      next.Served(),
		next:        next,
		template:    template.Must(template.New("page").Parse(pageHTML)),
		byPath:      make(map[string]*collection),
		byKey:       make(map[string]*collection),
	}
	b.style, b.hash = stylesheet()
	for _, s := range b.served.Collections {
		of := s.Collection
		for inside, ok := of.(wrapper); ok; inside, ok = of.(wrapper) {
			of = inside.Unwrap()
		}
		c := &collection{Description: s.Description, of: of, written: s.Description.Written(), path: s.Path, is: pagination.TraitsOf(s.Description.Pages)}
		c.order, c.search = c.Params()
		c.naming = []string{c.Label, "title", "name", "slug"}
		for _, f := range c.Fields { // such as the number of an order
			name := ordering.Snake(f.Name)
			inSet := slices.ContainsFunc(c.Unique, func(set []string) bool { return set[len(set)-1] == name })
			if (f.Unique || inSet) && !f.Key && kinds.Of(f.Kind).Form {
				c.naming = append(c.naming, name)
			}
		}
		b.collections = append(b.collections, c)
		b.byPath[s.Path], b.byKey[c.Key] = c, c
	}
	b.sorted = slices.Clone(b.collections)
	slices.SortStableFunc(b.sorted, func(c, d *collection) int { return strings.Compare(heading(c.Key), heading(d.Key)) })
	return b, nil
}

// Served returns a description of what the handler serves.
func (b *browser) Served() httpapi.Served { return b.next.Served() }

func (b *browser) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sentQuery := parseQuery(r.URL.RawQuery)
	if sentQuery.values.Has(styleName) && r.URL.Path == b.served.Root && negotiation.IsRead(r.Method) {
		b.sendStyle(w, r, sentQuery.get(styleName))
		return
	}
	isExport := negotiation.IsRead(r.Method) && sentQuery.get(exportName) == "csv"
	isPage := isExport || negotiation.PrefersHTML(r.Header["Accept"]) && sentQuery.get("format") != "json"
	isForeign := wire.IsForeign(r, b.crossOrigin, b.next.Base(r))
	if !isPage && isForeign {
		wire.SendDetail(w, http.StatusForbidden, wire.DetailForeign)
		return
	}
	sent := r
	r = b.withToken(sent, isPage)
	if !isPage {
		if negotiation.IsRead(r.Method) {
			wire.AddVary(w.Header(), []string{"Accept"})
		}
		if r != sent {
			wire.AddVary(w.Header(), []string{"Cookie"})
		}
		b.next.ServeHTTP(w, r)
		return
	}
	v := b.newView(w, r)
	refused := ""
	if isForeign {
		refused = wire.DetailForeign
	} else if v.isForm() && !isStated(r) {
		refused = "The form has neither Sec-Fetch-Site nor Origin, which browsers send, so nothing was stored."
	}
	if refused != "" {
		v.serve(v.refusal(http.StatusForbidden, wire.Detail(refused)))
		return
	}
	resp, method := v.newResponse(), r.Method
	out := &outlet{resp}
	in := r.Clone(wire.WithPage(r.Context(), func(to http.ResponseWriter, r *http.Request, ask wire.Operations) {
		out.ResponseWriter, v.w, v.handler, v.header = w, to, ask, resp.Header()
		v.r = r.WithContext(wire.WithPage(r.Context(), nil))
		v.r.Method = method
		if resp := v.respond(isExport); resp != nil { // otherwise it has been sent
			v.serve(resp)
		}
	}))
	in.Header["Accept"] = []string{"application/json"}
	for _, name := range []string{
		"Accept-Encoding", "If-Match", "If-Modified-Since", "If-None-Match", "If-Range", "If-Unmodified-Since", "Range",
	} {
		in.Header.Del(name)
	}
	if method := v.query.get(methodName); v.isForm() && slices.Contains([]string{http.MethodPut, http.MethodPatch, http.MethodDelete}, method) {
		in.Method = method
	}
	if b.next.ServeHTTP(out, in); v.handler == nil { // middleware has responded
		resp.WriteHeader(http.StatusOK) // no effect if it has been called
		v.serve(resp)
	}
}

// respond returns the response that the page shows, or nil if it has sent a redirection or a file.
func (v *view) respond(isExport bool) *wire.Recorder {
	switch method := v.query.get(methodName); {
	case v.isForm() && v.scheme != "" && (method == signIn || method == signOut):
		return v.sign(method == signIn)
	case v.isForm():
		return v.posted()
	case v.c != nil && v.id == "" && negotiation.IsRead(v.r.Method) && v.query.get(filterMarker) != "" && len(v.c.Filters)+len(v.c.Search) > 0:
		return v.cleanFilters()
	case isExport && v.c != nil && v.id == "":
		return v.export()
	}
	return v.forward()
}

// An outlet is the ResponseWriter of a request that passes middleware: a response, until the request
// reaches the handler, and then that of the browser.
type outlet struct{ http.ResponseWriter }

// Package browse adds HTML pages for browsers to the handler of package httpapi. Other
// clients get the same JSON as without it.
//
//	handler, err := httpapi.New(films, httpapi.Options{})
//	...
//	pages, err := browse.New(handler, browse.Options{Title: "Films"})
//	...
//	err = httpapi.Mount(mux, "/shop", pages)
//
// # Content negotiation
//
// The response to a request is a page if Django REST framework would respond with its
// browsable API, and the query does not contain format=json: if the Accept header has an
// alternative that matches text/html and is more specific than all that match JSON. The
// Accept headers that browsers send when following a link are of this kind. As in the
// framework, text/* is HTML, qualities are ignored, and where text/html and
// application/json are alternatives, the response is JSON.
//
// All other requests are passed to the handler unchanged, except writes from other sites.
// Their responses are unchanged too, except that Vary: Accept is added to responses to GET
// and HEAD that lack it, such as those for unknown paths.
//
// # Pages
//
// A page shows the handler's response to the same request with Accept:
// application/json. It has the same status and headers, and shows the request that the
// handler was sent and the headers of the response. It shows the body of a response from which it
// makes nothing else, such as an error. The root lists the collections
// with their counts.
//
// A collection has its exact count, unless its pages have cursors, the time that the handler took
// and, of a search, how many records it has read, and a table whose columns are the members of the
// records on the page. The id or the key is in front, and the name beside it; they and the header
// stay in view. A row is one line: long values end in an ellipsis, and objects and lists are short
// text. The page of a record shows them whole. Without such pages, they open in the table. Times
// are in UTC, with the stored text as their title. If records can be retrieved, each record that a
// path can address has a page of its own. Its id or key and its name link to that page. A page
// that does not exist links to the first. Errors are pages too.
//
// A table has the first eight columns and that of the order, unless the parameter _columns names
// others: several times, or separated by commas. Links keep it, unless the query is too long for
// rows and columns to repeat it. A form offers the first 64 members.
//
// A list links to all its records as CSV, in its order and of one instant. Each member of the
// records, up to 1000, has a column, unless _columns names some: the others, except the id or the key,
// have none. Null is empty, and objects and lists are JSON. An apostrophe precedes what a spreadsheet
// could take for a formula, also after a semicolon or a line ending. The parameter is _export=csv,
// with any Accept header.
//
// The name of a record is the field that the description calls Label, or else the first of its
// title, its name and its slug. Pages show it in place of an id or a text in the fields that
// refer to another collection, as a link if the record has a page. In a collection whose fields
// are not described, these fields are the members with the name of a record, such as book. Of a
// longer list of references, a table shows the first three, and the page of a record at most 50.
// The page of a record lists those that refer to it, if the description of their collection has a
// filter for the field.
//
// Pages contain no scripts and load no resources. Images are shown as links. A
// Content-Security-Policy forbids browsers to load or run anything else. All links are
// relative, so they are valid behind http.StripPrefix and proxies.
//
// # Filters
//
// The page of a collection whose description has Filters or a Search has a form for these
// parameters, with a row for each field and an input for each parameter. Above the table are the
// active filters, each as a link that removes it, and for the first three fields with at most 12
// values (choices, booleans and references to small collections) these values, each as a link with
// the number of its records.
//
// Browsers send empty inputs too. A request from the form, which has the parameter _filter, is
// therefore redirected to the same page without that parameter and without empty values. If
// the handler rejects a value, the page shows the form with the errors.
//
// # Forms
//
// The page of a collection links to a form for a new record if the handler's response to
// OPTIONS permits the caller to post. The page of a record links to a form with its values if
// PUT is served and OPTIONS permits the caller to use it, or if PATCH is served and PUT is
// not. The form sends a PATCH if that is served, so callers that may use PUT should be
// permitted PATCH too. The page links to a confirmation of a deletion if DELETE is served
// and, where PUT or PATCH is served, there is that form: OPTIONS does not cover deletion. The
// handler authorizes and validates all requests, and rejects requests of callers without the
// permission. A page without these links explains why.
//
// Since forms can only post, the method of a form is in the parameter _method of the query. A form
// without it, or without Sec-Fetch-Site and Origin, is passed to the handler
// ([httpapi.Options].Forms). The others are read by the same decoder, and sent to the handler as
// JSON. Inputs have the names that it reads: address.city is a member of an object, and lines[0]sku
// one of the first object of a list. A list of objects has an empty one at the end, a button for
// more, and a box for each that removes it; a list of more than 20 is JSON, as are maps and free
// JSON. Other lists have a line for each element. Messages about members are at their inputs.
//
// In a form for a record, an empty input is null or empty text, whichever is valid; so is an object
// whose inputs are empty. In a form for a new record, empty inputs without a default are omitted.
// Times in forms are in UTC; a time with a fraction of a second is text, with its offset. For a
// reference, forms offer the records of a collection of at most 50. Otherwise they show the name of
// the record beside its id, and find others if the collection has a Search: the form is then shown
// again, with what was typed. Neither the value nor the default of a hidden field is shown: one whose
// input is empty keeps its value, or has its default in a new record. A form may be at most 2 MiB and
// have at most 1000 values, of which one for a record has two for each input. A list in one input has
// at most 10,000 elements.
//
// After a form, the visitor is back on the list or the record, at the same place, and the
// page reports once what has been done. The report is in a cookie, which another site cannot set.
//
// # Sign-in
//
// Browsers do not send bearer tokens. If [Options].Scheme is set, pages have a form for a
// token. Browse asks the handler whether it accepts the token, with a request for the root if
// reads are authorized, and otherwise with a post to a collection that has posts, whose body has a
// type that handlers reject (415), so that nothing is written. If the response is 401, the form stays open and says so. An
// accepted token is kept in a cookie of the browser session, which scripts cannot read and other
// sites cannot send with a form (HttpOnly, SameSite=Lax, and Secure if links of the handler begin
// with https). If the handler no longer accepts it, the pages that need it offer to sign in again.
// Browse adds the token to the Authorization header of requests for pages, of the forms on them,
// and of reads for JSON, but not to other writes, and not if the request has an Authorization
// header. The token is sent only to the wrapped handler. Signing out removes the cookie.
//
// Browsers send cookies to all ports of a host. Programs that share a host with others that
// they do not trust should not offer this form.
//
// # Concurrent changes
//
// The form for a record also sends the values that it has shown, so that the handler gets only
// those that the visitor has changed. If PATCH is not served, the PUT has the others as they are
// stored when the form is received. A value that the visitor has left alone therefore never
// overwrites a concurrent change.
//
// If the record has an entity tag ([httpapi.Options].ETags), the form and the confirmation of
// a deletion send the tag of the record that they show in If-Match. If the record has changed
// since, nothing is stored: the response is 412, with the form again. It has what the visitor
// has changed and the present values of the other fields, and names the fields that both have
// changed. Without entity tags, the last change of a field counts.
//
// # Requests from other sites
//
// Browsers send cookies with the requests of other sites too. A request that may write, which
// is any but GET, HEAD and OPTIONS, is therefore rejected with 403 if it comes from a page of
// another site, as [http.CrossOriginProtection] decides, with any Accept header and body. The
// response is a page or {"detail":…}. Clients that are not browsers send neither
// Sec-Fetch-Site nor Origin, and are not affected. [Options].CrossOrigin can trust other
// sites.
//
// Old browsers, and all browsers without HTTPS, send Origin alone. It must equal the Host, or
// the scheme and host of the links of the handler. A proxy that changes the Host must therefore be
// one of the handler's trusted proxies and send the forwarded headers, unless the handler
// has a base URL.
//
// # Cost
//
// A page uses several times the memory of its JSON and takes milliseconds, where the
// handler takes microseconds. Its size is limited by the handler's maximum page size. A form
// allocates at most 128 MiB in all, which is 64 times its maximum size.
// Requests for JSON cost a few additional allocations. A CSV file is sent while its records are
// read. It takes no memory for each record if an index has them in order, and keeps the state of
// the collection as long as the client reads.
//
// The handler sees more requests than the browser sends:
//
//   - for the root, one for each collection
//   - for a list, one for each collection that its fields and filters refer to, at most 100 for
//     names, at most 3 for the numbers of records that have a value, and for a search one more
//   - for a record, also one for each field that may refer to it
//
// For names, browse requests the first 50 records of a collection, or the first thousand if its
// records have no pages or fields refer to it by another member than paths do, whatever the style
// and the sizes of pages are.
package browse

import (
	"cmp"
	"fmt"
	"html/template"
	"net/http"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/internal/negotiation"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/pagination"
)

// Options configures the pages. The zero value is ready to use.
type Options struct {
	// Title is the name of the site. If empty, it is "Catalogue".
	Title string

	// Scheme is the scheme of the tokens that the authorizer accepts, such as "Bearer". If it
	// is not empty, pages have a form to sign in with a token. See the section Sign-in.
	Scheme string

	// OpenAPI is the URL of the OpenAPI document, to which the root links. It may be
	// relative to the root. If empty, there is no link.
	OpenAPI string

	// CrossOrigin rejects requests that pages of other sites send to write. It can trust
	// some of these sites. If nil, only pages of the same origin may write. Its deny
	// handler is not used.
	CrossOrigin *http.CrossOriginProtection
}

// New returns a handler that serves the responses of h to browsers as pages, and passes
// all other requests to h. h is an *httpapi.Handler, or middleware that changes neither
// paths nor JSON and has the methods Base and Served of the Handler that it wraps,
// such as a struct that embeds it. To use other middleware, wrap the returned handler. To
// strip a prefix, wrap the returned handler too, with http.StripPrefix.
//
// New returns an error wrapping [httpapi.ErrInvalidConfig] if h is nil or does not have
// these methods.
//
// The returned handler has a method Served() httpapi.Served, which [httpapi.Mount] calls. It is
// safe for concurrent use if h is, and starts no goroutines. O(size of the template + number of
// collections).
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
	b.style, b.policy = stylesheet()
	for _, s := range b.served.Collections {
		c := &collection{Description: s.Description, path: s.Path, is: pagination.TraitsOf(s.Description.Pages)}
		b.collections = append(b.collections, c)
		b.byPath[s.Path], b.byKey[c.Key] = c, c
	}
	return b, nil
}

// Served returns a description of what the handler serves.
func (b *browser) Served() httpapi.Served { return b.next.Served() }

func (b *browser) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	sentQuery := parseQuery(r.URL.RawQuery)
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
	resp := refusal(http.StatusForbidden, wire.Detail(wire.DetailForeign))
	switch {
	case isForeign:
	case v.isForm() && v.isSession():
		resp = v.signInOut()
	case v.isForm():
		resp = v.posted()
	case v.isFilterForm():
		resp = v.cleanFilters()
	case isExport && v.c != nil && v.id == "":
		resp = v.export()
	default:
		resp = v.forward()
	}
	if resp != nil { // otherwise it has been redirected
		v.serve(resp)
	}
}

// Package browse adds HTML pages for browsers to the handler of package httpapi. Other
// clients get the same JSON as without it.
//
//	handler, err := httpapi.New(house, httpapi.Options{})
//	...
//	pages, err := browse.New(handler, browse.Options{})
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
// Their responses are unchanged too, except that Vary: Accept is added to responses to GET and HEAD that lack it, such
// as those for unknown paths.
//
// # Pages
//
// A page shows the handler's response to the same request with Accept:
// application/json. It has the same status and headers, and shows the request that the
// handler was sent and both bodies. The root lists the collections with their counts. For
// these it requests one record of each collection, so an observer of the handler sees an
// additional request for each. If there are more than 12 collections, the root has a form
// for the parameter search, which selects collections by words of their names.
//
// A collection is a table whose columns are the members of the records on the page: the
// id, which stays in view, then the members that the records are ordered by, then the
// others. If records can be retrieved, each has a page of its own. Ids in fields that refer
// to another collection are links to the records, except in lists of more than 50 ids. If
// these records have no pages, the link has the parameter _record. It is redirected to the
// row of the record, which takes about log2(n) requests to find. The form for a page number
// has the parameter _page, and is redirected to the offset of that page, or of the last.
// Errors are pages too.
//
// Pages contain no scripts and load no resources. Images are shown as links. A
// Content-Security-Policy forbids browsers to load or run anything else. All links are
// relative, so they are valid behind http.StripPrefix and proxies.
//
// # Filters
//
// The page of a collection whose description has Filters or a Search has a form for
// these parameters. Browsers send empty inputs too. A request from the form, which has
// the parameter _filter, is therefore redirected to the same page without that parameter
// and without empty values. If the handler rejects a value, the page shows the form with
// the errors.
//
// # Forms
//
// The page of a collection has a form for a new record if the handler's response to
// OPTIONS says that the caller may post. The page of a record has a form with its values
// if PUT is served and OPTIONS says that the caller may use it, or if PATCH is served and
// PUT is not. The form sends a PATCH if that is served, so those who may use PUT should be
// permitted PATCH too. The page has a link to a page that asks whether to delete the record
// if DELETE is served and, where PUT or PATCH is served, there is that form: OPTIONS says
// nothing about deletion. The handler authorizes and validates all requests, and rejects
// those of callers without the permission.
//
// The form's values are converted to JSON according to the field kinds in package
// resources and sent to the handler. Since forms can only post, the method of a form for
// a record is in the parameter _method of the query. A request without Sec-Fetch-Site and
// Origin, which no form of a browser sends, is passed on as it is. In a form for a record, an
// empty input is null or empty text, whichever is valid. In a form for a new record, empty
// inputs are omitted. A form
// may be at most 1 MiB. Browsers do not send bearer tokens: for forms, the authorizer must
// accept credentials that browsers send, such as cookies.
//
// # Concurrent changes
//
// The form for a record sends only the values that the visitor has changed. If PATCH is not
// served, the PUT has the others as they are stored when the form is received. A change of
// somebody else is therefore never overwritten by a value that the visitor has left alone.
//
// If the record has an entity tag ([httpapi.Options].ETags), the form and the confirmation of
// a deletion send that of the record that they show in If-Match. If the record has changed
// since, nothing is stored: the response is 412, with the form again. It has what the visitor
// has changed and the present values of the other fields, and says which fields both have
// changed. Without entity tags, the same happens if both have changed the same field, unless
// the other change comes in the moment after the form is compared with the record.
//
// # Requests from other sites
//
// Browsers send cookies with the requests of other sites too. A request that may write,
// which is any but GET, HEAD and OPTIONS, is therefore rejected with 403 if it comes from a
// page of another site, as [http.CrossOriginProtection] decides, whatever its Accept header
// and its body. The response is a page or {"detail":…}. Clients that are not browsers send
// neither Sec-Fetch-Site nor Origin, and are not affected. [Options].CrossOrigin can trust
// other sites.
//
// Old browsers, and all browsers if the service is not reached by HTTPS, send Origin alone. It
// must be the Host, or the origin of the links of the handler. A proxy that changes the Host
// must therefore be one of the handler's trusted proxies and send the forwarded headers,
// unless the handler has a base URL.
//
// # Cost
//
// A page uses several times the memory of its JSON and takes milliseconds, where the
// handler takes microseconds. Its size is limited by the handler's maximum page size.
// Requests for JSON cost one additional allocation.
package browse

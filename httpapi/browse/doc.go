// Package browse adds HTML pages for browsers to the handler of package httpapi. Other
// clients get the same JSON as without it.
//
//	handler, err := httpapi.New(house, httpapi.Options{})
//	...
//	err = httpapi.Mount(mux, "/shop", browse.New(handler, browse.Options{}))
//
// # Content negotiation
//
// A request gets a page if its Accept header names text/html before JSON and before any
// wildcard, as those of all browsers do when following a link, and its query does not
// contain format=json. All other requests are passed to the handler unchanged. Their
// responses are unchanged too, except that Vary: Accept is added to responses to GET
// and HEAD that lack it, such as those for unknown paths.
//
// # Pages
//
// A page shows the handler's response to the same request with Accept:
// application/json. It has the same status and headers. The root lists the collections
// with their counts. For these it requests one record of each collection, so an
// observer of the handler sees 39 additional requests. A collection is a table whose
// columns are the members of the records on the page. Errors are pages too.
//
// Pages contain no scripts and load no resources. Images are shown as links. A
// Content-Security-Policy forbids browsers to load or run anything else. All links are
// relative, so they are valid behind http.StripPrefix and proxies.
//
// # Forms
//
// The page of a collection has a form for a new record if the handler's response to
// OPTIONS says that the caller may post. The form's values are converted to JSON
// according to the field kinds in package resources and posted to the handler, which
// authorizes and validates the request. A form may be at most 1 MiB. Browsers do not
// send bearer tokens: for forms, the authorizer must accept credentials that browsers
// send, such as cookies.
//
// A form sent from another site is rejected with 403 by [http.CrossOriginProtection].
// For browsers that send only Origin, a proxy must preserve the Host header.
//
// # Cost
//
// A page uses several times the memory of its JSON and takes milliseconds, where the
// handler takes microseconds. Its size is limited by the handler's maximum page size.
// Requests for JSON cost one additional allocation.
package browse

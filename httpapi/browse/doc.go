// Package browse shows people what tools read: it wraps the handler of package
// httpapi, and a browser gets pages to click through where everybody else gets
// JSON as before.
//
//	handler, err := httpapi.New(house, httpapi.Options{})
//	...
//	err = httpapi.Mount(mux, "/shop", browse.New(handler, browse.Options{}))
//
// A program that does not import this package links none of it.
//
// # Who gets a page
//
// A request whose Accept names text/html before JSON and before any wildcard, as
// all browsers do when somebody follows a link, unless its query says
// format=json. All other requests pass through untouched, and so do their
// answers, but for one header: where the handler gives none, as with unknown
// paths, answers to GET and HEAD say Vary: Accept, since they do vary now.
//
// # What is on it
//
// The page is made of the handler's own answer: the same request is made of it
// with Accept: application/json, so people see what tools get, with the same
// status and the same headers. The root lists the collections and their counts,
// for which it asks each for one record: 39 cheap requests more, which an
// observer of the handler sees. A collection is a table whose columns are the
// members of the page's records. Errors are pages too.
//
// Nothing is loaded from anywhere, images are links, there is no script, and a
// Content-Security-Policy forbids what is not there. All links are relative, so
// they hold behind http.StripPrefix and behind proxies.
//
// # Writing
//
// Where the handler's answer to OPTIONS says that the caller may post, a
// collection has a form. What it sends is turned to JSON by what package
// resources knows of the fields, and posted to the handler, whose Authorizer and
// whose checks decide. A form that another site has sent is refused with 403
// ([http.CrossOriginProtection]); of a browser that tells only Origin, a proxy in
// front must have left Host as it was. A form is 1 MiB at most.
//
// # What it costs
//
// A page takes several times the memory of its JSON, and milliseconds where the
// handler takes microseconds; its size is bounded by the largest limit that the
// handler allows. Others pay one allocation.
package browse

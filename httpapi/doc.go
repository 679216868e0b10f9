// Package httpapi serves the collections of a catalogue over net/http, as a ModelViewSet of Django
// REST framework would.
//
//	handler, err := httpapi.New(c, httpapi.Options{
//		Root:       "/v1/",
//		Authorizer: httpapi.Bearer(secret),
//	})
//	...
//	err = httpapi.Mount(mux, "/shop", handler)
//
// A [Collection] returns pages of encoded records. Optional interfaces, such as [Creator], add the
// other actions. The collections of a catalogue implement all of them. Other types, such as one
// that reads from a database, can implement them too.
//
// The responses are those of Django REST framework 3.14, byte by byte, or of 3.18, which
// [Options].Framework selects. [DIFFERENCES.md] lists the deliberate exceptions.
//
// # Paths
//
// Below the root, Options.Root, each collection has a path with its segment, and each record one
// with its id:
//
//	GET    /api/films/      a page, with limit, offset, ordering, filters and search
//	POST   /api/films/      creates a record: 201
//	GET    /api/films/7/    the record
//	PUT    /api/films/7/    changes the record; required fields must be sent
//	PATCH  /api/films/7/    changes the record; no field must be sent
//	DELETE /api/films/7/    deletes the record: 204
//
// The Actions of its [schema.Description] determine which of these are served, HEAD where GET is,
// and OPTIONS everywhere. PUT also keeps the values of fields that are not sent. The parameters
// that filter, and search, are those of the description; a record that they do not select is not
// found. Other parameters have no effect, and links keep them. Names in bodies are in camelCase or
// snake_case, and those in a query in snake_case.
//
// # Order of checks
//
// The first check that fails determines the response: Host (400), the length of path and query
// (414), path (404, or 301 and 308 to the same path with a trailing slash), number of parameters
// (400), format (404), Accept (406), method (405), authorization (401 or 403), terms of the
// ordering and filters (400), record (404), preconditions (412), size of the body (413), its
// encoding and type (415, or 403 for a form of another site), its values (400), references to a
// deleted record (409).
//
// An error of a Collection results in 500, or in the status that its documentation lists, and a
// panic in 500. Options.OnError receives the errors that are not sent to the client.
//
// # Users
//
// An [Authorizer] decides which requests are permitted, [Restrict] which records exist for a
// request, Options.Permit which of them it may change, and Options.Assign which values it
// determines, such as the owner.
//
// # Conditional requests
//
// With Options.ETags, the root, records, and the pages of each [Revisioner] have strong entity
// tags. A GET with the current tag in If-None-Match results in 304, also if a proxy has added a
// suffix such as -gzip. If-Match prevents lost updates, since the record is compared at the instant
// of the write:
//
//	GET /api/films/7/                            200, ETag: "x1"
//	PATCH /api/films/7/ with If-Match: "x1"      200 if the record is unchanged, otherwise 412
//
// A page that depends on other collections, through references in a filter, a search or an
// ordering, has no tag, and neither has the response to a PUT (RFC 9110, section 9.3.4). Dates in
// preconditions, Range and If-Range are ignored.
//
// # Security
//
// No request causes a 5xx status, a panic, or unbounded use of memory, unless the program's own
// code fails. A page has at most 1000 records (Options.Pages), an ordering 100 terms, a query 1000
// parameters and 16 KiB besides those of the page, a path 2 KiB, and a body 1 MiB (Options.MaxBody)
// with 200 levels; package schema bounds searches and regular expressions. Without an Authorizer,
// all writes are rejected.
//
// Serving a request allocates at most 2 MiB for its query and headers, 100 times MaxBody for a
// body, and 2 kB for each record of the collections if it passes references, besides the first use
// of an index.
//
// The first request with an ordering sorts the collection, in O(n log n), and a search reads the
// texts of all records: limit the rate and the connections of untrusted clients, and set the
// timeouts of [http.Server].
//
// # Concurrency
//
// A Handler is safe for concurrent use if its collections and its authorizer are. Responses share
// the slices of header values: middleware must replace and not modify them. The buffer of a body is
// reused after [http.ResponseWriter].Write: middleware that retains a body must copy it.
//
// [DIFFERENCES.md]: https://github.com/gobacklist/backlist/blob/main/httpapi/DIFFERENCES.md
package httpapi

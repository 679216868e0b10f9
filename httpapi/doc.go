// Package httpapi serves the collections of a catalogue over net/http, as a ModelViewSet
// of Django REST framework would: a root listing, lists of records in pages, and the
// records themselves.
//
//	handler, err := httpapi.New(c, httpapi.Options{
//		Root:       "/v1/",
//		Authorizer: httpapi.Bearer(secret),
//	})
//	...
//	err = httpapi.Mount(mux, "/shop", handler)
//
// A [Collection] returns its description and pages of encoded records. Optional
// interfaces, such as [Creator], add the other actions. The collections of a catalogue implement
// all of them. Other types, such as one that reads from a database, can implement them too.
//
// The tests compare the responses, byte by byte, with 5,586 recorded from Django REST
// framework 3.14, and 536 from 3.18, which [Options.Framework] selects. [DIFFERENCES.md] lists
// where a Handler differs deliberately, and why.
//
// # Paths
//
// Below the root, which is /api/ unless [Options.Root] changes it, each collection has a
// path with its segment, and each record one with its id:
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
// that filter are those in Filters of the description; search is one if it has a Search. A record
// that they do not select is not found. Other parameters have no effect, and links keep them. Names
// in bodies are in camelCase or snake_case, and those in a query in snake_case.
// [Options.Pages] selects page numbers or cursors in place of limit and offset.
//
// # Order of checks
//
// The first check that fails determines the response: Host (400), the length of path and
// query (414), path (404, or 301 and 308 to the same path with a trailing slash), number of
// parameters (400), format (404), Accept (406), method (405), authorization (401 or 403),
// terms of the ordering and filters (400), record (404), preconditions (412), size of the
// body (413), its encoding and type (415, or 403 for a form of another site), its values (400),
// references to a deleted record (409).
//
// # Errors
//
// An error of a [Collection] results in 500, or in another status as its documentation describes, such
// as the 403 of [Forbidden]; a panic results in 500. [Options.OnError] is called with errors that are not
// sent to the client. No response has their text.
//
// # Users
//
// An [Authorizer] decides which requests are permitted, [Restrict] which records exist for a
// request, and [Options.Assign] which values the request determines, such as the owner.
// [Handler.WriteError] sends errors for handlers of the program's own.
//
// # Conditional requests
//
// With [Options.ETags], the root, records, and the pages of each [Revisioner] have strong
// entity tags. A GET with the current tag in If-None-Match results in 304, also if a proxy has
// added a suffix such as -gzip. In a PUT, PATCH or DELETE, If-Match prevents lost updates, since
// the record is compared at the instant of the write:
//
//	GET /api/films/7/                            200, ETag: "x1"
//	PATCH /api/films/7/ with If-Match: "x1"      200 if the record is unchanged, otherwise 412
//
// A page has no tag if it depends on other collections, through a filter by a reference, or a
// filter, search or ordering by a field of another collection. If a field is hidden, any write to
// the collection changes the tags of its records. The response to a PUT has none (RFC 9110,
// section 9.3.4). Dates in preconditions, Range and If-Range are ignored.
//
// # Security
//
// No request causes a 5xx status, a panic, or unbounded use of memory, unless the
// program's own code fails. A page has at most 1000 records ([Options.Pages]), an ordering
// 100 terms, a search 100 different words, regular expressions a bound on their work
// ([schema.Description.Filter]), a query 1000 parameters and 16 KiB besides those of the
// page, a path 2 KiB, and a body 1 MiB ([Options.MaxBody]) with 200 levels. A response that
// indentation would make more than eight times as long, and 64 KiB, is not indented. Without an
// [Authorizer], all writes are rejected.
//
// In all, serving a request allocates at most 2 MiB for its query and headers, 100 times MaxBody for
// a body, whatever its length, since a form can become a longer JSON, and 2 kB for each record of the
// collections if it passes references: in a filter, a search or an ordering, or with a deletion. The
// first use of an index is not included. Collections of the program allocate what they do.
//
// The package limits neither the rate of requests nor the number of connections. The first
// request with an ordering sorts the collection, in O(n log n), and a search reads the
// texts of all records: limit the rate of untrusted clients, and set the timeouts of [http.Server].
//
// # Concurrency
//
// A [Handler] is safe for concurrent use if its collections and its authorizer are. Responses
// share the slices of header values: middleware must replace and not modify them. The buffer of
// a body is reused after [http.ResponseWriter.Write]: middleware that retains a body must copy it.
//
// [DIFFERENCES.md]: https://github.com/gobacklist/backlist/blob/main/httpapi/DIFFERENCES.md
package httpapi

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
// The package does not depend on the types of records. A [Collection] returns its
// description and a page of encoded records with the count. The optional interfaces
// [Getter], [Creator], [Updater] and [Deleter] add the other actions, and [Revisioner] adds
// entity tags of pages. The collections of a catalogue implement all of them. Other types,
// such as one that reads from a database, can implement them too.
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
// The description of a collection determines which of these actions are served
// ([schema.Description].Actions). HEAD is served where GET is, and OPTIONS everywhere.
// Both PUT and PATCH keep the values of the fields that are not sent. The filters and the
// search of a collection also apply to the paths of its records: a record that they do not
// select is not found. Names in bodies are in camelCase or snake_case, and those in a query
// in snake_case. Other parameters are kept in links and otherwise ignored;
// [Access].Ignored names them. A body whose charset is Latin-1 is converted. Any other
// body is read as UTF-8.
//
// # Order of checks
//
// Every request is checked for a valid Host (400), the length of its path and query
// (414), a known path (404, or 301 and 308 to the same path with a trailing slash), the number
// of query parameters (400), format (404), Accept (406), method (405) and, if it writes or
// [Options.AuthorizeReads] is set, authorization (401 or 403), in this order. A request
// for a page is then checked for the number of terms in its ordering and for its filters
// (400). A request for a record is checked for its filters (400) and for the record (404),
// even if its body is invalid. Preconditions (412) follow. After that, the body of a POST,
// PUT or PATCH is checked for its size (413), its content encoding and its content type
// (415), and the depth, syntax and fields of its JSON (400). A DELETE does not read its
// body. It results in 409 if a reference of another record holds the id; from lists of
// references the id is removed.
//
// A body with a Content-Encoding other than identity is not decoded. The response of 415
// then has Accept-Encoding: identity. The other responses of 415 do not.
//
// # Links
//
// Links begin with [Options.BaseURL]. If it is empty, they begin with the scheme of the
// connection, the request's Host, and the part of the request's target before the root. The
// links of a handler under [http.StripPrefix] therefore lead back to it. Forwarded headers
// are used only in requests from [Options.TrustedProxies], and X-Forwarded-Prefix only with
// [Options.ForwardedPrefix]. With a base URL, a request of HTTP/1.0 needs no Host.
//
// # Errors of collections
//
// An error of a [Collection] results in 500, or in 503, 410 or 409 as the documentation
// of Collection describes. Its text is passed only to [Options.OnError]. If a record has
// the largest id, a POST to a catalogue's collection results in 409.
//
// A panic in a collection or an authorizer results in 500 and is reported as [ErrPanic].
// Other requests are not affected. A panic with [http.ErrAbortHandler] is not recovered.
// If part of the response has been written, which only happens if the program's
// [http.ResponseWriter] panics, the request is aborted.
//
// If [Revisioner.Revision] fails, OnError is called and the page is sent without a tag.
//
// # Conditional requests
//
// With [Options.ETags], the root, the pages of each [Revisioner], such as the collections of
// a catalogue, and all records have strong entity tags. The tag of a page changes with every
// write to the collection, and that of a record with its JSON. If a client sends the tag of
// the current page in If-None-Match, the response is 304, and the collection is not asked
// for the page. A 304 takes into account all writes that returned before the request,
// unless the collection reads from an outdated replica. A page has no tag if it depends on
// other collections, through a filter by a reference or a search in a field of another
// collection.
//
// If-Match and If-None-Match are evaluated after the checks above, as RFC 9110, section 13,
// specifies. In a PUT, PATCH or DELETE they prevent lost updates:
//
//	GET /api/films/7/                            200, ETag: "x1"
//	PATCH /api/films/7/ with If-Match: "x1"      200 if the record is unchanged, otherwise 412
//
// The record is compared at the instant of the write: no other write comes in between. A
// tag of any representation of the record counts: with any indentation, or with a suffix
// that begins with a hyphen, as middleware that compresses responses adds.
//
// A POST with If-None-Match: * results in 412, because its target is the collection, which
// exists. To reject equal records, use unique fields. A POST with a list of tags in either
// header results in 412 too, because the tag of a page is not compared at the instant of the
// write.
//
// The responses to a PATCH without a filter, and to a POST if the record has a path, have the
// tag of the record. The response to a PUT has none: RFC 9110, section 9.3.4, forbids it
// unless the record is stored byte for byte as it was sent. If-Modified-Since and
// If-Unmodified-Since are ignored, since no response has a Last-Modified, and so are Range
// and If-Range. Without Options.ETags all preconditions are ignored, as in the framework.
//
// # Differences from Django REST framework
//
// The tests replay 2,376 requests recorded from two services built with Django REST
// framework 3.14 and compare the responses byte by byte. A Handler differs deliberately
// in the points below. Each first describes the Handler, then the framework.
//
// Pages and orderings:
//
//   - The maximum limit is 1000 unless [Options.Limits] changes it. A larger limit is
//     reduced to it, also in links. By default, the framework has no maximum.
//   - A limit or offset consists of ASCII digits with an optional sign and
//     surrounding white space. One that is too large for an int counts as the largest
//     int. The framework accepts what Python's int() accepts.
//   - Ties are broken by id, in the direction of the leading term. In the framework
//     their order is unspecified.
//   - Ordering by a list of ids compares the lists, and each record appears once. The
//     framework joins tables, which repeats records.
//   - Decimals written as text in an open record are ordered by their bytes, unless
//     the definition of the collection has [sortkey.Decimal] as the key function of the
//     field. The framework orders them as numbers.
//   - An ordering of more than 100 terms is rejected with 400. The framework orders
//     by all known terms.
//
// Paths and headers:
//
//   - A method in other letters, such as get, is rejected with 405. The framework converts
//     it to upper case.
//   - The path / is not served unless it is the root: 404. The framework returns an HTML
//     page.
//   - A # in a query is escaped in the Location of a redirect. The framework leaves it, so
//     that the rest of the query becomes a fragment.
//   - The format api is JSON, too. Package browse
//     serves HTML to browsers. The framework returns HTML, or 406 if the client
//     accepts only JSON.
//   - An unknown path results in 404 and {"detail":"Not found."}. The framework
//     returns an HTML page.
//   - A path without its trailing slash is redirected with 301 for GET and HEAD and with
//     308 for other methods. The framework always returns 301, so bodies are lost.
//   - Format suffixes, as in /api/films.json, are not served. The framework serves
//     them.
//   - An invalid Host header is rejected with 400. It is ignored if there is a base
//     URL. The framework compares it with ALLOWED_HOSTS.
//   - Forwarded headers are used only if they come from [Options.TrustedProxies], and
//     the last value counts. An invalid host or scheme, and headers that differ, are
//     rejected with 400. In the framework they depend on the project's settings, and
//     are used from any client. It ignores X-Forwarded-Prefix.
//   - With [Options.ETags], responses have entity tags and preconditions are evaluated.
//     The framework has no tags and ignores preconditions. Django's middleware for
//     conditional requests evaluates only those of a GET.
//   - The response to a POST has no Location. The framework sends the value of the field
//     url, if the record has one.
//   - OPTIONS lists application/json once as renders. The framework lists one entry
//     for each renderer.
//
// Records and filters:
//
//   - Deleting a record that a reference of another record holds results in 409, with a
//     detail that names the other record. In the framework it fails with 500.
//   - An id in a path consists of ASCII digits with an optional sign and surrounding white
//     space. The framework accepts what Python's int() accepts, so 1_1 is 11.
//   - Numbers in filters consist of ASCII digits, too.
//   - A search of more than 100 different words is rejected with 400. The framework
//     searches for all words.
//   - NaN and infinity as the text of a number are rejected with 400. The framework stores
//     them, and then every response with the record fails with 500.
//   - The messages about a list of strings are those of its first invalid item. The
//     framework has messages by index.
//   - An integer without bounds is limited to the range of an int64. In the framework this
//     depends on the database.
//   - Empty and default values of unique fields are checked, too. In the framework they
//     can fail with 500.
//   - A decimal of "-0" is stored as "0.00" and a float of -0 as 0.0, and the response says
//     so. The framework answers "-0.00" and -0.0 to the request that stores them, and
//     "0.00" and 0.0 afterwards.
//   - A value that the Go type of a field cannot hold is rejected with 400 and one message,
//     which begins with the path of the wrong part, such as "1.w: A valid integer is
//     required." The framework nests the errors of such parts.
//
// Authorization:
//
//   - Without an [Authorizer], a write is rejected with 403. In the framework this
//     depends on the project's settings.
//   - A method that is not allowed is rejected with 405, with or without credentials.
//     The framework rejects requests without credentials with 401.
//   - Reads require no credentials, and invalid ones are ignored, unless
//     [Options.AuthorizeReads] is set. The framework rejects invalid ones with 401.
//
// Bodies:
//
//   - A date-time keeps the offset it was sent with. One without an offset is
//     rejected. The framework converts date-times to the server's time zone, and
//     assumes that zone for those without an offset.
//   - Date-times at the end of the year 9999 are accepted. The framework rejects those
//     that are out of range after conversion to its time zone.
//   - Numbers in text, such as ids, dates and ports, consist of ASCII digits. The
//     framework accepts other Unicode digits, and underscores in all numbers.
//   - The message about an id of no record quotes the number as it was sent, such as 1e5.
//     The framework quotes Python's text of it, 100000.0.
//   - A body sent in chunks is read. The framework ignores it, as if it were {}.
//   - A body with a charset other than Latin-1 is read as UTF-8. The framework decodes it
//     by any charset that Python knows.
//   - A URL is validated as it was sent. The framework validates an invalid one again
//     with its host in punycode, so it accepts more hosts.
//   - If a member appears under two spellings of its name, such as startDate and
//     start_date, the last one in the body counts. In the framework a name that appears
//     again counts at the place where it appeared first.
//   - A number where text is expected becomes the digits that were sent. A number
//     beyond the range of a float64 is rejected with 400. The framework uses Python's
//     text of the number.
//   - NaN and Infinity are rejected with 400. The framework accepts them.
//   - A body with a Content-Encoding other than identity is rejected with 415. The
//     framework ignores the header, so compressed bodies are rejected as invalid JSON.
//   - The detail of a JSON syntax error begins with "JSON parse error - ", as in the
//     framework. The rest of the text differs.
//   - If a record has the largest id, a POST results in 409.
//
// Failures:
//
//   - Pathological input, such as 1,001 parameters, deeply nested JSON or a huge body,
//     is rejected with a 4xx status and a detail. The framework returns 400 or 500, or
//     accepts it.
//   - A query of more than 16 KiB and a path of more than 2 KiB are rejected with 414.
//     In the framework this depends on the server in front of it.
//   - A failure of the program's own code results in 500 and
//     {"detail":"Internal server error."}, or in 503, 410 or 409 if its error wraps the
//     corresponding error of this package. The framework returns an HTML page.
//
// # Security
//
// No request causes a 5xx status, a panic, or unbounded use of memory, unless the
// program's own code fails. Requests are limited as follows. The detail of the response
// names the limit that was exceeded. [Options.Limits] changes that of pages, and
// [Options.MaxBody] that of bodies.
//
//   - A page has at most 1000 records. A larger limit is reduced.
//   - An ordering has at most 100 terms, unknown ones included (400).
//   - A search has at most 100 different words (400).
//   - A query has at most 1000 parameters (400).
//   - A query has at most 16 KiB, both as sent and as written in links, not counting
//     one limit and one offset (414).
//   - A path has at most 2 KiB (414).
//   - A body has at most 1 MiB (413).
//   - Lists and objects in a body are nested at most 200 deep (400).
//
// By default, all writes are rejected. An [Authorizer] permits them and is called before
// the body is read. [Bearer] and [Token] compare tokens in constant time. If a body ends
// before its announced length, nothing is stored.
//
// An error or a panic of the program's own code affects only the request in which it
// occurs. No response contains its text. A POST that fails stores nothing in a catalogue.
//
// Links begin with [Options.BaseURL] or with the request's Host, which must be valid.
// Headers such as X-Forwarded-Host are used only if they come from
// [Options.TrustedProxies]. Such a proxy must either write or remove X-Forwarded-Proto and
// X-Forwarded-Host, or remove both and write Forwarded. With [Options.ForwardedPrefix] it
// must also write or remove X-Forwarded-Prefix. All parts of a request that a response
// repeats are escaped, and every response has the header X-Content-Type-Options: nosniff.
//
// The package provides no TLS and no limits on the rate of requests or the number of
// connections. Use a proxy or other handlers for these. The first request with an ordering
// sorts the collection, in O(n log n), and a search reads all records. Limit the rate of
// requests from untrusted clients to large collections. Set the timeouts of
// [http.Server]. A WriteTimeout begins when the header has been read, so it should be
// longer than the ReadTimeout.
//
// # Concurrency
//
// A [Handler] is safe for concurrent use if its collections and its authorizer are.
// It starts no goroutines, caches no pages, and is immutable.
//
// Responses share the slices of header values. Middleware may add or replace values but
// must not modify them. A page longer than 32 KiB is written in parts, so that a client
// that does not read keeps one part in memory. The buffer of a body is reused after
// [http.ResponseWriter.Write] has returned without an error. Middleware that retains a
// body must copy it, as [http.TimeoutHandler] and
// [net/http/httptest.ResponseRecorder] do.
package httpapi

// Package httpapi serves the documented paths of the catalogue service over
// net/http: the root at /api/ and 39 collections below it. Where the service's
// document is silent, it answers as Django REST framework does.
//
//	handler, err := httpapi.New(house, httpapi.Options{
//		Authorizer: httpapi.Bearer(secret),
//	})
//	...
//	err = httpapi.Mount(mux, "/shop", handler)
//
// The package knows no record type. It asks each [Collection] for a page of encoded
// records with their count, and a [Creator] for a record made from a posted body.
// A catalogue's collections implement both. So can a type that reads from a database.
//
// Events and social links can be posted. All other collections are read-only over HTTP,
// and records have no path of their own. Parameters other than limit, offset, ordering
// and format are kept in links and otherwise ignored. A posted event needs name,
// slug, startDate and endDate. A posted social link needs title, url, type and author.
// Labels and authors that a record refers to must exist. A body whose charset is Latin-1
// is converted. Any other body is read as UTF-8.
//
// # Order of checks
//
// Every request is checked for a valid Host (400), the length of its path and query
// (414), a known path (404, or 301 and 308 to the same path with its slash), the number
// of query parameters (400), format (404), Accept (406) and method (405), in this order.
// A GET is then checked for the number of terms in its ordering (400). A POST is checked
// for authorization (401 or 403), the size of its body (413), its content type (415),
// and the depth, syntax and fields of its JSON (400).
//
// # Links
//
// Links begin with [Options.BaseURL]. Without one, they begin with the scheme of the
// connection, the request's Host, and what precedes /api/ in the request's target, so
// that a handler under [http.StripPrefix] links to itself. Forwarded headers count only
// in requests from [Options.TrustedProxies].
//
// # Errors of collections
//
// An error of a [Collection] is answered with 500, or with 503, 410 or 409 as the
// documentation of Collection describes. Its text goes only to [Options.OnError]. When
// a record has the largest id, a POST to a catalogue's collection is answered with 409.
//
// A panic in a collection or an authorizer is answered with 500 and reported as
// [ErrPanic]. Other requests are not affected. The panic [http.ErrAbortHandler] passes
// through. If some of the answer has been written, which only happens if the program's
// [http.ResponseWriter] panics, the request is aborted.
//
// If [Revisioned.Revision] fails, OnError is called and the page is sent without a tag.
//
// # Conditional requests
//
// With [Options.ETags], the root and the pages of [Revisioned] collections, such as
// those of a catalogue, have entity tags. A client that sends the tag of the current
// page is answered with 304, and the page is not made. A 304 is never older than the
// writes that returned before the request, unless the collection reads from a
// replica that lags behind.
//
// # Differences from Django REST framework
//
// The tests replay 1,159 requests recorded from a service built with Django REST
// framework 3.14 and compare the answers byte by byte. A Handler differs deliberately
// in the points below. Each begins with what a Handler does.
//
// Pages and orderings:
//
//   - The largest limit is 1000, or [Options.Limits]. A larger limit is lowered, and
//     the links show the lowered one. In the framework there is no largest limit by
//     default.
//   - A limit or offset consists of ASCII digits with an optional sign and
//     surrounding white space. One that is too large for an int counts as the largest
//     int. The framework accepts whatever Python's int() does.
//   - Ties are broken by id, in the direction of the leading term. In the framework
//     their order is unspecified.
//   - Ordering by a list of ids compares the lists, and each record appears once. The
//     framework joins tables, so records are repeated.
//   - Decimals written as text in an open record are ordered by their bytes. The
//     framework orders them as numbers.
//   - An ordering of more than 100 terms is answered with 400. The framework orders
//     by all terms it knows.
//
// Paths and headers:
//
//   - format=api returns JSON, as the service's document says. Package browse
//     serves HTML to browsers. The framework returns HTML, or 406 if the client
//     accepts only JSON.
//   - An unknown path is answered with 404 and {"detail":"Not found."}. The framework
//     returns an HTML page.
//   - A path without its slash is answered with 301 for GET and HEAD and with 308 for
//     other methods. The framework always returns 301, so that bodies are lost.
//   - Format suffixes, as in /api/events.json, are not served. The framework serves
//     them.
//   - The Host header is a valid host, or the answer is 400. It is ignored if there
//     is a base URL. The framework compares it with ALLOWED_HOSTS.
//   - Forwarded headers count only from the proxies in [Options.TrustedProxies], and
//     the last value counts. An invalid host or scheme, and headers that
//     differ, are answered with 400. In the framework the project decides, and
//     headers count from any client.
//   - The answer to a created social link has no Location. The framework sends the
//     value of its url field.
//   - OPTIONS lists application/json once as renders. The framework lists one entry
//     for each renderer.
//
// Authorization:
//
//   - Without an [Authorizer], a POST is answered with 403. In the framework the
//     project decides.
//   - A method that is not allowed is answered with 405, with or without credentials.
//     The framework answers requests without credentials with 401.
//   - Reads need no credentials, and invalid ones are ignored. The framework answers
//     them with 401.
//
// Bodies:
//
//   - A date-time keeps the offset it was sent with. One without an offset is
//     refused. The framework converts date-times to the server's time zone, and
//     takes those without an offset to be in it.
//   - Date-times at the end of the year 9999 are accepted. The framework refuses those
//     that leave the range when they are converted to its time zone.
//   - Numbers in text, such as ids, dates and ports, consist of ASCII digits. The
//     framework accepts other Unicode digits, and underscores in ids.
//   - A URL is checked as it was sent. The framework checks an invalid one again with
//     its host in punycode, so it accepts more hosts.
//   - If a member appears under two spellings of its name, such as startDate and
//     start_date, the last one in the body counts. In the framework a name that appears
//     again counts at the place where it appeared first.
//   - A number where text is expected becomes the digits that were sent. A number
//     beyond the range of a float64 is answered with 400. The framework uses Python's
//     text of the number.
//   - NaN and Infinity are answered with 400. The framework accepts them.
//   - The detail of a JSON syntax error begins with "JSON parse error - ", as in the
//     framework, and goes on in other words.
//   - If a record has the largest id, a POST is answered with 409.
//
// Failures:
//
//   - Pathological input, such as 1,001 parameters, deeply nested JSON or a huge body,
//     is answered with a status of 4xx and a detail. The framework answers with 400 or
//     500, or accepts it.
//   - A query of more than 16 KiB and a path of more than 2 KiB are answered with 414.
//     In the framework the server in front of it decides.
//   - A failure of the program's own code is answered with 500 and
//     {"detail":"Internal server error."}, or with 503, 410 or 409 if its error says
//     so. The framework returns an HTML page.
//
// # Security
//
// No request that reaches the handler, whatever its bytes, causes a status of 5xx, a
// panic, or unbounded use of memory, unless the program's own code fails. Requests are
// limited as follows. The detail of an answer names the limit that was exceeded. All
// limits except those of the path and of nesting can be changed in [Options.Limits]
// and [Options.Bounds].
//
//   - A page has at most 1000 records. A larger limit is lowered.
//   - An ordering has at most 100 terms, unknown ones included (400).
//   - A query has at most 1000 parameters (400).
//   - A query has at most 16 KiB, both as sent and as written in links, not counting
//     one limit and one offset (414).
//   - A path has at most 2 KiB (414).
//   - A body has at most 1 MiB (413).
//   - Lists and objects in a body are nested at most 200 deep (400).
//
// Nobody may write until the program sets an [Authorizer]. It is called before the body
// is read. [Bearer] and [Token] compare tokens in constant time. A body that ends early,
// or whose length is not as announced, stores nothing.
//
// An error or a panic of the program's own code fails only the request in which it
// happens and changes nothing that is stored. No answer contains its text.
//
// Links begin with [Options.BaseURL] or with the request's Host, which must be
// valid. Headers such as X-Forwarded-Host count only from [Options.TrustedProxies]. Such
// a proxy must either write or remove X-Forwarded-Proto and X-Forwarded-Host, or remove
// both and write Forwarded. Everything that an answer repeats from a request is escaped,
// and every answer has the header X-Content-Type-Options: nosniff.
//
// The package provides no TLS, no limits on the rate of requests or the number of
// connections, and no control over who may read. These are up to the program or to a
// proxy in front of it. Sorting by an ordering that has not been used yet takes time
// proportional to the size of the collection, so limit the rate of requests from
// untrusted clients to large collections. Set the timeouts of [http.Server]. A
// WriteTimeout begins when the header has been read, so it should be longer than the
// ReadTimeout.
//
// # Concurrency
//
// A [Handler] is safe for concurrent use if its collections and its authorizer are.
// It starts no goroutines, keeps no pages, and does not change once it is created.
//
// Header values are shared between requests. Middleware may add or replace values and
// must not modify them. The memory of a body belongs to the handler and is reused after
// [http.ResponseWriter.Write] has returned without an error, so middleware that keeps a
// body must copy it, as [http.TimeoutHandler] and
// [net/http/httptest.ResponseRecorder] do.
package httpapi

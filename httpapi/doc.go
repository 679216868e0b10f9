// Package httpapi serves the documented paths of the catalogue service over
// net/http: the root listing at /api/ and 39 collections below it, answering
// as Django REST framework does where the service's document is silent.
//
// The package knows no record type. It asks each collection for a page of
// encoded records and their count ([Collection]) and, of those that can be
// posted to, to make a record of a body ([Creator]). Both can be implemented
// over a SQL database as well as over memory.
//
//	h, err := httpapi.NewHandler(collections, httpapi.Options{
//		Authorizer: httpapi.Bearer(secret),
//	})
//	...
//	err = httpapi.Mount(mux, "/shop", h)
//
// # Order of the checks
//
// Of every request: a valid Host (400), the length of its path and query (414), a
// known path (404, or 301 and 308 to the same path with its slash), the number of
// query parameters (400), format (404), Accept (406), method (405). Of a GET after
// that: the number of terms in the ordering (400). Of a POST: the authorizer (401
// or 403), the size of the body (413), its content type (415), its depth, its
// syntax and its fields (400), and then 201. Reads ask nobody for credentials. What
// is too much of something is told the limit.
//
// # Links
//
// Links begin with [Options.BaseURL] if there is one, else with the scheme of
// the connection, the request's Host, and what comes before /api/ in the
// request's target, so a handler behind [http.StripPrefix] links to itself.
// Forwarded headers count only in what comes from [Options.TrustedProxies]: behind
// a proxy name it there, or set a base URL.
//
// # Failures
//
// An error of a collection becomes a 500 (503 if it comes of a context that ended
// or is an [ErrUnavailable], 410 if an [ErrGone], 409 if an [ErrConflict] or if a catalogue has no id left) without
// its text, which goes to [Options.OnError] alone. A 500 of this kind is what a panic
// in a collection or an authorizer becomes ([ErrPanic]), but for [http.ErrAbortHandler],
// which passes through. If a panic comes when some of the answer is written, which
// only the program's [http.ResponseWriter] can bring about, the request is aborted.
// No other request notices. There is no other way to a 5xx, whatever is sent. That a
// revision cannot be had ([Revisioned]) fails no request: OnError is told of it, and
// the page is answered without a tag.
//
// # Conditional requests
//
// With [Options.ETags], pages of collections that have a revision ([Revisioned]),
// as those of a catalogue do, have an entity tag. A client that names the tag of
// the current page is answered with 304, and the page is not made. No client is told
// that a page is current when a write had returned before the request came, unless
// the collection reads from a replica that is behind.
//
// # Concurrency
//
// A [Handler] is safe for concurrent use if its collections and its authorizer are.
// It starts no goroutines, keeps no pages, and does not change after [NewHandler].
//
// Header values are shared between requests: middleware may add values or replace
// them, and must not modify them. A body is lent to [http.ResponseWriter] for the
// duration of Write: its memory is used for other answers after Write has returned
// without an error. Middleware that keeps a body must copy it, as
// [http.TimeoutHandler] and [net/http/httptest.ResponseRecorder] do.
package httpapi

// Package pagination divides lists into pages by limit and offset, by page numbers, or by
// cursors, and links the pages to each other, as LimitOffsetPagination, PageNumberPagination
// and CursorPagination of Django REST framework (DRF) do.
//
//	page := pagination.Page(films, r.URL, pagination.Limits{Default: 20, Max: 100})
//	err := json.NewEncoder(w).Encode(page) // {"count":…,"next":…,"previous":…,"results":[…]}
//
// [Page] returns a page of a slice for the URL of a request. Programs that do not keep
// their records in a slice use the steps of Page: [ParseQuery] parses the query,
// [Limits.Window] determines the requested window, [Window.Bounds] or an SQL query
// selects the records, [Links] returns the URLs of the next and previous pages, and an
// [Envelope] is the JSON of the page.
//
// The other styles have the same steps. A page number is a window, which [Numbers.Window]
// returns. A page of [Cursors] is found by a position in the order instead of an offset, and
// is a [CursorPage], which has no count.
//
// A limit or an offset is never invalid: one that is not a number counts as absent, as in
// DRF. Unlike DRF, which uses Python's int, this package accepts limits and offsets in ASCII
// digits only, and a number out of range counts as the largest int. A page number or a cursor
// can be invalid.
//
// All functions and methods are safe for concurrent use, except
// [Envelope.UnmarshalJSON] on the same Envelope. No function modifies its arguments,
// except that the Append functions use the spare capacity of dst.
package pagination

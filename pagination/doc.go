// Package pagination divides lists into pages by limit and offset, by page numbers, or by
// cursors, and links the pages to each other, as LimitOffsetPagination, PageNumberPagination
// and CursorPagination of Django REST framework (DRF) do. A list can also be [Whole], without pages.
//
//	page := pagination.Page(films, r.URL, pagination.Limits{Default: 20, Max: 100})
//	err := json.NewEncoder(w).Encode(page) // {"count":…,"next":…,"previous":…,"results":[…]}
//
// [Page] returns a page of a slice for the URL of a request. Programs that do not keep
// their records in a slice use the steps of Page, which are the same in each [Style]:
//
//	q := pagination.ParseQuery(r.URL.RawQuery)
//	place, ok := pagination.Requested(style, q, count) // what the request asks for; if not ok, 404
//	start, end := place.Bounds(count)                  // or LIMIT and OFFSET of SQL
//	next, previous := pagination.Neighbours(style, place, count, nil)
//	link := pagination.Link(base, style, q, next)      // "" if there is no such page
//
// An [Envelope] is the JSON of the page. A page of [Cursors] is found by a position in the order
// instead of a count, which its Envelope lacks. [TraitsOf] returns what differs between styles.
//
// All functions and methods are safe for concurrent use, except
// [Envelope.UnmarshalJSON] on the same Envelope. No function modifies its arguments,
// except that [AppendLink] uses the spare capacity of dst.
package pagination

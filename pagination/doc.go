// Package pagination divides lists into pages by limit and offset, and links the pages
// to each other, as LimitOffsetPagination of Django REST framework (DRF) does.
//
// [Page] returns a page of a slice for the URL of a request. Programs that do not keep
// their records in a slice use the steps of Page: [ParseQuery] parses the query,
// [Limits.Window] determines the requested window, [Window.Bounds] or an SQL query
// selects the records, [Links] returns the URLs of the next and previous pages, and an
// [Envelope] is the JSON of the page.
//
// A query is never invalid: a limit or offset that is not a number counts as absent, as
// in DRF. Unlike DRF, which uses Python's int, this package accepts numbers in ASCII
// digits only, and a number out of range counts as the largest int.
//
// All functions and methods are safe for concurrent use, except
// [Envelope.UnmarshalJSON] on the same Envelope. No function modifies its arguments,
// except that the Append functions use the spare capacity of dst.
package pagination

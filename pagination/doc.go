// Package pagination cuts lists into pages by limit and offset, and links the
// pages to each other, as LimitOffsetPagination of Django REST framework (DRF)
// does it.
//
// [Page] does all of it in one call for a slice and a request's URL. Programs
// whose records live elsewhere take the steps one by one: [ParseQuery] reads
// the raw query, [Limits.Window] finds out what is asked for, [Window.Bounds]
// or an SQL query cuts it, [Links] leads to the pages before and behind, and an
// [Envelope] is what goes over the wire.
//
// Nothing here fails on a bad query: a limit or an offset that cannot be
// understood counts as absent, as in DRF. It differs from DRF where Python
// shines through: numbers are written in ASCII digits only, and one that is too
// big for an int is the biggest int.
//
// All functions and methods may be called concurrently, save
// [Envelope.UnmarshalJSON] on one Envelope. No function changes its arguments,
// save that the Append functions write behind the end of the slice they are given.
package pagination

// Package client reads whole collections from a running catalogue service or from
// recorded responses. It verifies that no record is missing and that none appears
// twice.
//
//	service, err := client.New(client.Options{BaseURL: "https://shop.example"})
//	…
//	house := catalogue.New()
//	report, err := client.Import(ctx, house, service)
//
// A [Client] sends only GET requests, at a rate of at most [Options.Rate].
//
// # Other services
//
// The service may have other collections than the documented ones, and another root. To
// fill a catalogue of a program's own collections, set only the root:
//
//	house, err := catalogue.NewOnly(Directors, Films)
//	service, err := client.New(client.Options{BaseURL: "https://films.example", Root: "/v1/"})
//	…
//	report, err := client.Import(ctx, house, service)
//
// To read such collections without Import, or from recordings, set [Options.Catalogue]
// too. Every record must have an integer id, and the service must be able to order by it.
// Collections are read as a whole: pages that a filter or a search selects are not.
//
// # Verification
//
// Each page shows the collection at one instant, but a walk over many pages does
// not: a concurrent insertion or deletion moves records across page boundaries.
// Therefore a walk requests the records ordered by id, which never changes, and
// each page after the first starts with the last record of the page before it.
// If that record is still at its offset, the number of records before it has not
// changed, and the records that follow it on the page are the next ones by id.
// So a completed walk contains every record that existed from the first request
// to the last exactly once, as it was when its page was made. The count must be
// the same on every page and must equal the number of records.
//
// A record inserted or deleted during the walk usually results in an error, from
// the count or from the overlapping record. It is not detected, and does not affect
// the result above, if as many records were inserted as deleted on the same side of
// the page boundary. Changes to fields other than the id are not detected either. A walk
// cannot tell which records existed together at one instant.
//
// Offsets are computed. The links of a page are compared with the expected ones
// and never followed.
//
// Recorded pages need not overlap, so less is verified. The pages must belong to one
// list, have the sizes that their links imply, be contiguous, and agree on a count
// that equals the number of records, and no id may appear twice. If nothing was
// written to the service during the recording, the result is complete. A deletion and
// an insertion between two pages may not be detected.
package client

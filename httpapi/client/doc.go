// Package client reads a live catalogue service, and what was recorded of one:
// all records of a collection, page by page, with the proof that none is missing
// and none came twice.
//
//	service, err := client.New(client.Options{BaseURL: "https://shop.example"})
//	…
//	house := catalogue.New()
//	report, err := client.Import(ctx, house, service)
//
// It sends GET and nothing else, no faster than [Options.Rate] allows.
//
// # The proof
//
// Pages by limit and offset are of one instant each, and the walk over them is of
// none: whoever writes meanwhile moves records over the borders of pages. So a
// walk asks in the order of ids, which never change, and each page but the first
// begins with the last record of the page before. That record still being there,
// at its place, shows that as many records stand before it as did; what stands
// behind it in the page are the next by id at that instant. Thus every record that
// was there from the first request to the last is in the walk, once, as it was when
// its page was made. The count has to be the same on every page, and the number of
// records in the end.
//
// So a record inserted or deleted under the walk is an error: the count tells, or,
// if as many came as went, the border that moved. It does no harm, and is not
// noticed, if as many came as went on one side of the border, before it or behind,
// or if records change in anything but their id. Which records were together at
// one instant no walk can tell.
//
// The offsets are computed and not taken from the links. A link is the service's
// word only: it is compared with what it has to be, and never followed.
//
// A recording of pages has no overlap. What is proven there is less: the pages are
// of one list, as long as their links say, join without a gap, say one count, which
// is that of the records, and no id comes twice. Of a service that nobody wrote to
// while it was recorded that is all there was; a deletion and an insertion between
// two pages may hide.
package client

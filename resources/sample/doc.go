// Package sample generates the records of an invented publishing house: all 39
// collections of the service's document, from a seed. It is for demonstrations,
// experiments, and tests that need more than a few records.
//
//	house := sample.New(sample.Options{Seed: 7})
//	_, err := house.WriteTo(file) // in the format that catalogue.Load reads
//
// [Records] generates records of other collections from their descriptions.
//
//	records, err := sample.Records(7, map[string]int{"films": 100}, films, directors)
//	data, err := json.Marshal(records) // in the same format
//
// # Contents
//
// Events, labels and social links have the fields of the document. The document does not
// show the fields of the other collections. Books and authors have a name, a slug and
// other fields that a shop shows, and the other 34 collections have invented fields.
// Names are combined at random from lists, so any resemblance to a real person or book
// is coincidental. All host names are reserved ones.
//
// Every reference resolves: the labels and authors of an event, the author and label of
// a book, the items of a cart. All dates are within half a year of May 10, 2026, except
// the dates on which books were published.
//
// The oddities of the document recur by id, so that a house of the default size has all
// of them for any seed: events that share a slug, that end on a later day, that begin at
// midnight or when clocks change, that begin at the same instant in different offsets,
// and that have no poster, no authors or several authors; labels with repeated catch
// lines and without a footer logo; social links with the same url and author, with and
// without a logo; and missing ids, as if records had been deleted.
//
// The oddities that are most likely to break a program can be disabled one by one; see
// [Oddity]. Disabling an oddity changes nothing else in the house. So if a program fails
// with all oddities and succeeds without one, that one is the cause.
//
//	plain := sample.New(sample.Options{Without: sample.AllOddities &^ sample.NullLogos})
//
// # Reproducibility
//
// The same options generate the same bytes on every machine and with every Go version:
// random numbers come from SplitMix64, arithmetic uses integers only, and offsets are
// fixed, independent of the time zone database. A record depends only on the seed, its
// collection, its id, and the sizes of the collections it refers to: more news do not
// change any event. In the result of Records, a value depends only on the seed, its
// field, the key of its collection, its id, the size of the collection that the field
// refers to, and, if the field is unique or Created, the size of its own collection. This
// is [Version] 1 of the generator. Any change to the generated records is a new version,
// listed in the changelog.
//
// The package has no state. All functions are safe for concurrent use, and so are the
// methods of a House that is not being modified.
package sample

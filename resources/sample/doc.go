// Package sample makes a publishing house's records up: all 39 collections of
// the service's document, from a seed. It is for demonstrations, for trying
// something out, and for tests that want more than three records.
//
//	house := sample.New(sample.Options{Seed: 7})
//	_, err := house.WriteTo(file) // what catalogue.Load reads
//
// # What is in it
//
// Events, labels and social links have the fields of the document; books and
// authors have a name, a slug and what else a shop shows of them. The fields of
// the other 34 collections the document does not show: those here are made up,
// plausible, and no promise. Names are put together from lists, so that a likeness
// to a real person or book is chance; all hosts are reserved ones.
//
// Every reference resolves: an event's labels and authors, a book's author and
// label, a cart's items. All dates lie within half a year of 10 May 2026, save
// those when a book came out.
//
// The oddities of the document come round by id, so that a house of the default
// size has each of them whatever its seed: events that share a slug, that end
// on a later day, that begin at midnight or in the hours when clocks change, at
// one instant in different offsets, without a poster, without authors or with
// several; labels with repeated catch lines and without a footer logo; links
// with the same url and author, with and without a logo; and ids that are
// missing, as if their records had been deleted.
//
// Those that can break a program are switched off one by one, see [Oddity]: what
// fails with all of them and passes without one is what that one breaks. The rest
// of the house stays as it is, to the byte.
//
//	plain := sample.New(sample.Options{Without: sample.AllOddities &^ sample.NullLogos})
//
// # The same bytes
//
// The same options give the same bytes on every machine and with every Go
// version: the random numbers are SplitMix64's, the arithmetic is whole numbers
// alone, and offsets are fixed, so that no time zone database is asked. What is
// made up of a record depends on the seed, its collection, its id, and on how
// many records there are of what it refers to: more news change no event. This
// is [Version] 1 of the generator; a change to what it makes is a new version, and
// the release notes say so.
//
// Nothing here keeps state; all functions may be called concurrently, and so
// may a House's methods as long as nobody changes it.
package sample

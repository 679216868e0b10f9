// Package catalogue keeps collections of records in memory. Records have a Go type, can
// be ordered by any of their fields, and are read in pages at any offset with an exact
// count.
//
// A [Collection] holds the records of one type:
//
//	films, err := catalogue.NewCollection[Film](catalogue.Options{Name: "films"})
//	id, err := films.Insert(Film{Name: "Vertigo", Year: 1958})
//	page, err := films.Page(pagination.Window{Limit: 21, Offset: 42}, ordering.Desc("year"))
//
// A [Catalogue] is a set of collections with descriptions, for servers. [New] makes one from
// definitions:
//
//	var Films = catalogue.Define[Film]("films", catalogue.Options{})
//
//	c, err := catalogue.New(Directors, Genres, Films)
//	films, err := Films.In(c)
//
// A collection without a Go type of its own holds open records, [schema.Record], which can
// have any members. Package httpapi serves a catalogue over HTTP.
//
// # Concurrency
//
// A Collection is safe for concurrent use. Each read sees one state: every write that
// returned before the read began, and no write that begins after it. A read never waits for a
// writer's work. It takes a lock for microseconds, never while your functions run. Writers of
// one collection take turns. The writes of one batch become visible together or, after an
// error or a panic, not at all.
//
// [Catalogue.Batch] writes to several collections at one instant: a reader that has seen one
// of the writes sees all. [Catalogue.Save], [Catalogue.Clone] and [Catalogue.Snapshot] read
// all collections at one instant. [Catalogue.Load] replaces them at one instant.
//
// # Order
//
// Records can be ordered by every field, under the snake_case form of its JSON name. Package
// ordering specifies how values compare; null is the largest. Records that are equal by all
// terms are in the order of their ids, in the direction of the first term, so -a,b is the
// exact reverse of a,-b. A repeated field has no effect, and neither has a term after the id.
// Without terms, a collection is in its default order, which is by id if Options.Ordering is
// empty. A page, its count and its order come from one state.
//
// # Conditions
//
// Where selects the records that satisfy conditions, such as
// ordering.Equal("slug", "vertigo") or ordering.Between("year", 1950, 1959). Without
// conditions it selects all. A [Selection] is counted and read in pages, and has the first
// record, an iterator in any order, and the position of a record:
//
//	page, err := films.Where(ordering.Less("year", 1960)).Page(pagination.Window{Limit: 21}, ordering.Asc("year"))
//	film, err := films.Where(ordering.Equal("slug", "vertigo")).First()
//	byYear, err := films.Where().All(ordering.Asc("year"))
//
// Where is a method of collections, snapshots and batches. Package ordering specifies what
// conditions mean, and [Selection] what they cost.
//
// # Validity
//
// [Options].Unique are sets of fields of which no two records have the same values. All writes
// observe them. What else tags and the description of a collection demand (lengths, bounds,
// patterns, and the program's own rules, which are methods Validate or functions of the
// description) is checked for requests, and for writes of the program and loads if
// [Options].Validate is set. [schema.Description.Rule] says what a rule may do.
//
// # References
//
// A field can refer to records of a collection of the catalogue, by their ids or by a unique
// text: [schema.Field].Refers and By. Requests can filter, search and order by the fields of
// these records, as in author__name__icontains; such a page shows one instant of all collections
// involved. Requests cannot write a reference to a record that does not exist. A request that
// deletes a record is refused, or deletes or changes the records that refer to it, depending on
// [schema.Field].OnDelete. A request that changes a unique text changes the references to it.
// Everything that a request changes becomes visible at one instant. Writes from Go and loads do
// none of this: [Catalogue.Check] finds the references to no record that they leave, and
// [LoadOptions].References refuses a load that would leave any.
//
// # Indexes
//
// The first use of an ordering sorts the records without holding a lock. The result is
// kept as an index, which every write updates. A read with a context stops waiting for the
// sort when the context ends. A sort stops when no caller waits for it. Sorts leave one
// processor to everything else, unless there is only one.
//
// Queries with conditions are answered by the same indexes, if the fields with conditions come
// first in one. If none exists, records are filtered and sorted, and once that has cost as
// much as building the index that is missing, it is built in the background. No query waits for
// it. [Options].Indexes declares indexes that are there from the beginning.
//
// # Memory
//
// An index takes about 26 bytes a record, or 35 by a string, plus its keys. The keys of a
// single field that is a boolean, an integer or a string take none; others take 16 to 50
// bytes. An ordering with large keys is indexed only if it is declared or [Options].Unique
// names it. Otherwise each state is sorted when it is read.
//
// Indexes that are declared or unique are kept. Of the others there are at most some, which
// together take a bounded number of bytes for each record; those that are used least are
// dropped first, and those that are only written to. Orderings that a held state keeps are
// bounded too, so that no sequence of requests can fill the memory. Parts of an index that are
// read often are kept as arrays. A write drops the array of the part that it changes, and all
// of them if nothing has read the index for many writes.
//
// A deleted or replaced record is garbage as soon as no snapshot, view or history refers
// to it. In a collection of more than a few records, tree nodes may refer to removed records
// for longer, in proportion to the records.
//
// # Following changes
//
// A collection with [Options].History keeps its last changes. [Collection.Since] returns the
// changes after a revision, and [Collection.Changes] waits for more. To follow changes, take
// a snapshot and iterate from its revision:
//
//	start := films.Snapshot() // read it
//	for change, err := range films.Changes(ctx, start.Revision()) {
//		if err != nil {
//			return err // after ErrHistoryTrimmed, start again with a snapshot
//		}
//		before, existed := change.Before()
//		after, exists := change.After()
//	}
//
// A [Change] is the difference that one revision made to one record. Changes are sorted by
// revision and, within a revision, by id. The field Last marks the last change of a
// revision: applying all changes up to it leads to the records of a snapshot of that
// revision. A write that fails has no changes, and neither has a batch that changes
// nothing. A load, like [Collection.ReplaceAll], has a change for every record before or
// after it, even if the record has the same content.
//
// Writers never wait for callers that follow changes. Callers that fall behind get
// [ErrHistoryTrimmed] and start again with a snapshot, as do all callers after a batch or
// a load of more changes than are kept. A clone continues the history of its original.
// Saved data does not contain revisions.
//
// To learn whether anything has changed, compare [Collection.Revision].
//
// # Durability
//
// A catalogue is saved when the program calls [Catalogue.SaveFile]. To have each write on
// disk before it is visible, set a function with [Catalogue.Journal]: it receives each batch
// with all its changes, and its error means that nothing has happened. The directory
// examples/durable in the repository stores them in a bbolt file.
//
// # Evolving records
//
// Records that were saved, or stored by a journal, can be older than the program that loads them.
// Changes of the program have the following effects, on fields of records and on fields inside
// objects, hidden or not:
//
//   - A new field. Records that lack it have its default, such as that of the tag default=5, or
//     else the zero value; in open records it is missing. A member with omitempty or omitzero is
//     zero, because a record that was saved lacks it for that reason.
//   - A renamed field. Its tag formerly=title, or [schema.Field].Formerly, lists the names that
//     older records have. It is an error if a record has two of the names. Requests, conditions and
//     orderings know the present name only.
//   - A removed field. Loads refuse records that have it, unless [LoadOptions].SkipUnknown is set:
//     then its values are lost. Open records keep it.
//   - Another type or kind. Loads refuse a record with a value that the type cannot hold, such as
//     "90" in an int. Give the type a method UnmarshalJSON that reads both forms, or the new field
//     another name. Open records keep the value, unless Validate is set: then they have the value
//     that a request would store, here 90, or are refused.
//   - A bound, choice, pattern or rule that older records do not meet. They are loaded all the
//     same, and validated when a request changes them, a PATCH only in the fields that it sends.
//     [LoadOptions].Validate refuses them and lists all. Options.Validate refuses the first.
//   - A unique field or set. Loads refuse the first record with the values of another, and with
//     Validate list all.
//   - A reference. Loads accept any. [LoadOptions].References refuses references to no record and
//     lists all; [Catalogue.Check] finds them afterwards.
//   - A renamed collection. Loads refuse its former key, or skip its records with SkipUnknown:
//     change the key in the data first, as in {"films":…}.
//
// Loaded records have the present form in memory, and when they are saved again. A journal that
// is set before the load receives all of them in this form. One that is set afterwards, as it
// usually is, receives each when it changes, so its storage has both forms: keep the former
// names. Types with a method UnmarshalJSON of their own read older forms themselves. A program
// that stores records elsewhere calls [schema.Description.Upgrade].
//
// # Cost
//
// With n records and m indexes, a page is O(log n + limit) at any offset, a count is O(1),
// and a write is O(m log n). [Selection] describes the cost of conditions. A [Snapshot] is
// O(1), but the next write copies the tree nodes that it changes. A clone is O(m). The JSON
// of a record is made on first use and kept. A history of h changes adds O(log h) for each
// change.
package catalogue

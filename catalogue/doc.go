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
// A [Catalogue] is a set of collections with descriptions, for servers. [NewOnly] returns a
// catalogue of collections that a program defines with [Define]:
//
//	var Films = catalogue.Define[Film]("films", catalogue.Options{})
//
//	house, err := catalogue.NewOnly(Directors, Genres, Films)
//
// [New] returns the 39 collections of a publishing house's service. Events, labels and
// social links have types of their own. The others hold open records, which can have any
// members, or, with [NewWith], structs of the program. Package httpapi serves a catalogue
// over HTTP. Package cataloguetest provides a fake of the service for tests.
//
// # Concurrency
//
// A Collection is safe for concurrent use. Each read sees one state: every write
// that returned before the read began, and no write that begins after it. A read
// never waits for a writer's work. It waits at most for the step that puts a few
// records in place, which runs no code of the program. Writers of one collection take
// turns. The writes of one batch become visible together or, after an error or a
// panic, not at all.
//
// [Catalogue.Save], [Catalogue.Clone] and [Catalogue.Snapshot] read all collections at one
// instant. [Catalogue.Load] replaces them at one instant.
//
// # Order
//
// Records can be ordered by every field, under the snake_case form of its JSON name.
// Package ordering specifies how values compare. Records that are equal by all terms are
// in the order of their ids, in the direction of the first term, so -a,b is the exact
// reverse of a,-b. A repeated field has no effect, and neither has a term after the id.
// Without terms, a collection is in its default order, which is by id if Options.Ordering
// does not say otherwise. The documented events are in the order of start_date. A page, its
// count and its order are of one state.
//
// # Conditions
//
// [Collection.Where] returns the records that satisfy conditions, such as
// ordering.Equal("slug", "vertigo") or ordering.Between("year", 1950, 1960). They can be
// counted and read in pages like the collection itself:
//
//	page, err := films.Where(ordering.Less("year", 1960)).Page(pagination.Window{Limit: 21}, ordering.Asc("year"))
//
// [Collection.First] returns one record, and [Collection.Position] the place of a record
// in an ordering. [Options].Unique names fields of which no two records have the same
// value. Package ordering specifies what conditions mean, and [Selection] what they cost.
//
// # Indexes
//
// The first use of an ordering sorts the records without holding a lock. The result is
// kept as an index, which every write updates. [Encoded].Page stops waiting for the sort
// when its context ends. A sort stops when no caller waits for it. A collection runs at
// most four sorts by one term and four by several terms at the same time.
//
// # Memory
//
// An index takes about 36 bytes for each record, plus its keys. The keys take at most 512
// bytes for each record on average. They take no memory if the ordering has one term and
// its field, in a struct, is a boolean, a string, an integer other than uint, uint64 and
// uintptr, or a type with a method OrderingKey() int64, without a key function. An
// ordering with larger keys has no index, unless it is by a field in [Options].Unique: it
// is sorted for each state in which it is used, and takes 8 bytes for each record of that
// state.
//
// Indexes of one term are kept. At most eight indexes of several terms are kept, which
// together take at most 512 bytes for each record; the least recently used is dropped
// first. Each state that is held keeps at most eight orderings that have no index, with 8
// bytes for each record.
//
// An index also keeps arrays of 128 records for those of its parts that are read often
// between two writes, with 8 bytes for each record. Pages are copied from them. A part
// has an array from the eighth page that begins or ends in it, but not before about
// n/1000 pages of the index were read. The next write drops the arrays.
//
// If an index is searched for the bounds of conditions or for positions eight times or
// more between two writes, it keeps at most 4096 of its items, in at most 200 kB, so that
// later searches are faster. The next write drops them.
//
// A deleted or replaced record is garbage as soon as no snapshot, view or history refers
// to it. In a collection of more than 63 records, tree nodes may refer to removed records
// for longer, at most one for every eight records.
//
// # Following changes
//
// A collection with [Options].History keeps its last changes. [Collection.Since] returns
// those after a revision, and [Collection.Changes] waits for more. To follow changes, take
// a snapshot and iterate from its revision:
//
//	start := films.Snapshot()
//	// ... read it ...
//	for change, err := range films.Changes(ctx, start.Revision()) { ... }
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
// # Cost
//
// With n records and m indexes, a page is O(log n + limit) at any offset, a count is O(1),
// and a write is O(m log n). [Selection] has the cost of conditions. A [Snapshot] is O(1),
// but the next write copies the tree nodes that it changes. A clone is O(m). The JSON of a
// record is made on first use and kept. A history of h changes adds O(log h) for each
// change.
//
// # Reading the source
//
// The types are in collection.go, definition.go, selection.go and catalogue.go, and their
// methods in read.go, write.go and tx.go. new.go makes catalogues. The files that begin
// with encoded read and write JSON for servers: encoded_where.go has filters and
// encoded_delete.go references. Package internal/store is the engine, which is
// independent of record types and JSON; its doc.go describes states, writes and reads.
// record.go inspects a record type: plan.go and copy.go copy records, and valid.go and reload.go
// reject records that could not be loaded again. load.go, load_records.go, layout.go and
// save.go read and write saved data.
package catalogue

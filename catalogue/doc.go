// Package catalogue keeps records in memory: typed, ordered by any of their fields,
// paged at any offset and counted exactly.
//
// A [Collection] holds the records of one type:
//
//	films, err := catalogue.NewCollection[Film](catalogue.Options{Name: "films"})
//	id, err := films.Insert(Film{Name: "Vertigo", Year: 1958})
//	page, err := films.Page(pagination.Window{Limit: 21, Offset: 42}, ordering.Desc("year"))
//
// A [Catalogue] is a set of collections: the 39 of a publishing house's service. Events,
// labels and social links have types of their own, and the others hold open records or,
// with [Define] and [NewWith], a struct of the program. Package httpapi serves a
// catalogue over HTTP, and package cataloguetest makes it a fake for tests.
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
// [Catalogue.Save], [Catalogue.Clone], [Catalogue.Snapshot] and [Catalogue.Load] see and
// replace all collections at one instant.
//
// # Order
//
// Records can be ordered by every field, under its name in snake_case. Package ordering
// describes how values compare. Records that are equal by all terms are in the order of
// their ids, in the direction of the first term: -a,b is the exact reverse of a,-b. A
// repeated field has no effect, and neither does a term after the id. Without terms a
// collection is in its default order: events by start_date, others by id. A page, its
// count and its order belong to one state.
//
// The first use of an ordering sorts the records outside every lock and keeps the
// result as an index, which every write then updates. A caller that waits for the sort
// stops waiting when its context ends; a sort for which nobody waits stops. At most four
// orderings of one term and four of several terms are sorted at the same time.
//
// # Memory
//
// An index takes about 36 bytes for each record. Its keys take additional memory, at
// most 512 bytes for each record, unless the ordering is by one number, time, boolean or
// string of a struct. An ordering whose keys are longer has no index: it is sorted for
// each state in which it is used and takes 8 bytes for each record of that state.
//
// Indexes of single fields are kept. At most eight indexes of several terms are kept,
// with at most 512 bytes for each record together; the least recently used is dropped
// first. A snapshot that is no longer the current state keeps at most eight orderings of
// its own, with 8 bytes for each record.
//
// Parts of an index that are read repeatedly between two writes are kept as arrays of
// 128 entries, 8 bytes for each record in them, so that a page is a loop. The eighth page
// that begins or ends in a part builds its array, once as many pages have been read as
// pay for that. The next write drops the arrays.
//
// A deleted or replaced record is garbage as soon as no snapshot, view or history holds
// it. In collections of more than 63 records, removed records may stay in memory longer,
// at most one for every eight records: nodes of the B-tree share arrays after a split.
//
// # Following changes
//
// A collection with [Options].History keeps its last changes. [Collection.Since] returns
// those after a revision, and [Collection.Changes] waits for more. To follow changes,
// take a snapshot and iterate from its revision:
//
//	start := films.Snapshot()
//	// ... read it ...
//	for change, err := range films.Changes(ctx, start.Revision()) { ... }
//
// A change is the difference that one revision made to one record. Changes come in the
// order of their revisions, and within one in the order of the ids. The last change of a
// revision is marked: applying all changes up to it leads to the records of a snapshot of
// that revision. The changes of a load are the differences between the records before and
// after it. A write that fails is not a change, and neither is a batch that changes
// nothing.
//
// Writers never wait for a caller that follows changes. A caller that falls behind gets
// [ErrHistoryTrimmed] and starts again with a snapshot. So do all callers after a batch
// or a load of more changes than are kept. A clone keeps the history of its original.
// Revisions are not kept by saving and loading.
//
// # Cost
//
// With n records and m indexes, a page is O(log n + limit) at any offset, the count is
// O(1), and a write is O(m log n). A [Snapshot] is O(1); while it is held, the next write
// copies the nodes that it changes. A clone is O(m). The JSON of a record is made when it
// is first needed, and kept. A history adds O(log n) to a write of n changes.
//
// # Reading the source
//
// collection.go, definition.go and catalogue.go have the types; read.go, write.go and tx.go
// have their methods. Package internal/store is the engine, which knows neither types
// nor JSON; its doc.go describes states, writes and reads. schema.go finds out what a
// record type needs: plan.go and copy.go are about copies, valid.go and reload.go about
// records that could not be loaded again. load.go, load_records.go, layout.go and save.go
// read and write files.
package catalogue

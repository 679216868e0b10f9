// Package catalogue keeps a publishing house's records in memory: typed,
// ordered by any of their fields, paged at any depth and exactly counted.
//
//	house := catalogue.New() // all 39 collections of the service
//	id, err := house.Events().Insert(resources.Event{Name: "Reading", …})
//	page, err := house.Events().Page(pagination.Window{Limit: 21, Offset: 42}, ordering.Desc("start_date"))
//
// A [Catalogue] has the collections of the service's document: events, labels
// and social links with their own types, the others with open records, or with
// a program's own struct ([NewWith]). A [Collection] works as well alone
// ([NewCollection]), for records that have nothing to do with books.
//
// # Concurrency
//
// A Collection is safe for concurrent use. Each read sees one state: everything
// that was written before the read began, nothing that is written after it. A read
// never waits for a writer's work, whatever a writer does in an Update or a Load;
// it waits at most for the step that puts a few records in their places, which runs
// no code of the program. Writers of one collection take turns. The writes of one
// Update become visible together or, on an error or a panic, not at all.
//
// [Catalogue.Save], [Catalogue.Clone] and [Catalogue.Load] see and replace all
// collections at one instant.
//
// # Order
//
// Every field can be ordered by, under its snake_case name; package ordering
// says how values compare. Ties break by id, in the direction of the leading
// term, so that -a,b is the exact mirror of a,-b. A repeated field has no effect,
// nor does anything after the id. Without terms a collection is in its default
// order: events by start_date, all else by id. A page, its count and its ordering
// belong to one state.
//
// The first use of an ordering sorts the records, off every lock, and keeps the
// result as an index, which each write then brings up to date. A caller that waits
// for the sort stops waiting when its context ends; a sort that nobody waits for
// stops. At most four orderings of one term, and four of several, are sorted at once.
//
// # Memory
//
// An index takes about 36 bytes for each record. Its keys take memory of their own
// unless the ordering is by one number, time, boolean or text of a struct: at most 512 bytes for
// each record. An ordering whose keys are longer is sorted for each state in which it is asked for,
// and takes 8 bytes for each record of that state. Indexes of single fields are
// kept. Of those of several terms at most eight are, which take at most 512 bytes
// for each record together; the least recently used is dropped first. A snapshot
// that the collection has left behind keeps at most eight orderings of its own, of
// 8 bytes for each record.
//
// Parts of an index that are read repeatedly between two writes are kept as arrays
// of 128 entries, so that a page is a loop: 8 bytes for each record in them. A part
// is built by the eighth page that begins or ends in it, once as many pages have been
// read as pay for that; the next write drops the arrays.
//
// A record that was deleted or replaced is garbage as soon as no snapshot, view or
// history holds it. In a collection of more than 63 records up to an eighth as many removed records as
// there are records may stay in memory a little longer, because nodes of the B-tree share arrays
// after they are split.
//
// # Following changes
//
// A collection with [Options].History, or a house whose type has [Type.WithHistory],
// keeps its last changes. [Collection.Since] returns those after a revision,
// [Collection.Changes] waits for more. To follow changes, take a snapshot and
// iterate from its revision:
//
//	start := events.Snapshot()
//	// … read it …
//	for change, err := range events.Changes(ctx, start.Revision()) { … }
//
// A change is the difference that a revision made to one record. Applying all
// changes of a revision, the last of which says so, leads to what a snapshot of
// that revision holds, never to half an Update. They come by revision and within
// one by id. A Load is the difference between the records before it and after it.
// A write that failed is no change, and neither is an Update that changes nothing.
//
// No writer waits for a caller that follows. One that falls behind gets
// [ErrHistoryTrimmed] and begins again with a snapshot, as everybody does after an
// Update or a Load of more changes than are kept. A clone keeps the history of its
// original and goes on with its own. Revisions mean nothing to the next run of a
// program.
//
// # Cost
//
// With n records and m indexes a page is O(log n + limit) wherever it lies, the
// count is O(1), and a write is O(m log n). A [Snapshot] is O(1); while it is held
// the next write copies the nodes that it changes. A Clone is O(m). A record's JSON
// is made when it is first asked for and kept. A history adds O(log n) to a
// write of n changes kept, and nothing where there is none.
//
// # Reading the source
//
// collection.go has the types; write.go, tx.go and read.go what is done with them.
// Package internal/store, which knows neither types nor JSON, is the engine: its
// doc.go describes states, writes and reads. schema.go finds out what a
// record type needs; plan.go and copy.go say how records are copied, valid.go and
// reload.go what is refused because it could not be loaded again. load.go,
// layout.go and save.go read and write files.
package catalogue

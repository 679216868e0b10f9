// Package catalogue keeps a publishing house's records in memory: typed,
// ordered by any of their fields, paged at any depth and exactly counted.
//
//	house := catalogue.New() // all 39 collections of the service
//	id, err := house.Events().Insert(resources.Event{Name: "Reading", …})
//	page, err := house.Events().Page(pagination.Window{Limit: 21, Offset: 42}, ordering.Desc("start_date"))
//
// A [Catalogue] has the collections of the service's document: events, labels
// and social links with their own types, the others with open records, or with
// a program's own struct ([NewTyped]). A [Collection] works as well alone
// ([NewCollection]), for records that have nothing to do with books.
//
// # Concurrency
//
// A Collection may be used by any number of goroutines at once. Each read sees
// one snapshot: what had been written when the read began, nothing of what is
// written after. A read never waits for a writer's work, whatever a writer does
// in an Update or a Load: it takes the snapshot that is published or, as the
// first read since a write, publishes it, a step that does not depend on the
// number of records and waits at most for a few of them being put in their
// places. Writers of one collection take turns. Several writes in one Update
// become visible together or, on an error or a panic, not at all.
//
// # Order
//
// Every field can be ordered by, under its snake_case name; package ordering
// says how values compare. Ties break by id, in the direction of the leading
// term, so that -a,b is the exact mirror of a,-b. A second mention of a field
// counts for nothing, nor does anything behind the id. Without terms a
// collection is in its default order: events by start_date, all else by id.
//
// The first use of an ordering sorts the records, off every lock; then it is
// kept up to date. Orders of single fields are kept. Of several terms those used
// last are: 8 at most, and no more than take about 512 bytes a record together;
// 4 at most are sorted at once, so that whoever asks for ever new ones fills no
// memory. An order that comes while a Load or an Update ends may have to be made
// once more.
//
// # Following changes
//
// A collection that was made with [Options].History, or in a house with
// [Type.WithHistory], keeps its last changes. [Collection.Since] gives those after
// a revision, [Collection.Changes] waits for more:
//
//	start := events.Snapshot()
//	// … read it …
//	for change, err := range events.Changes(ctx, start.Revision()) { … }
//
// A change is the difference that a revision made to one record, so whoever has
// applied those of a revision, the last of which says so, has what a snapshot of
// that revision holds; never the half of an Update. They come by revision and
// within one by id. A Load is the difference between the records before it and
// after it, by id. What failed is no change.
//
// Nobody waits for who follows. Who is so slow that what comes next was forgotten
// gets [ErrHistory] and begins again with a snapshot; so does everybody after an
// Update or a Load of more changes than are kept. A clone keeps the history of its
// original, and goes on with its own. Revisions mean nothing to the next run of a
// program.
//
// # Cost
//
// With n records and m orders in use, a read of a page is O(log n + limit)
// wherever it lies, the count is O(1), a write is O(m log n), part of which may be
// left to the next reads: an order is up to 8 changes behind until it is asked
// for. A [Snapshot] or a Clone is O(m), and for open records O(names of their
// members) when one of those came or went. A record's JSON is made when it is
// first asked for and kept. A history adds O(1) to a write, O(k log k) to an Update
// of k writes, and nothing where there is none.
//
// # Where to begin reading
//
// collection.go says what there is; store.go, tables.go and index.go how it is
// kept; write.go and txn.go how it changes; reading.go and settle.go how it is
// read; build.go how an order comes to be while others write; history.go and
// feed.go what is told to who follows the changes; plan.go how records are copied;
// save.go, load.go, file.go and atomicfile.go how a house is kept on disk.
package catalogue

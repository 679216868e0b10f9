// Package pgstore stores collections in PostgreSQL, the 39 documented ones or a program's
// own. The handler of package httpapi serves them with the same responses as from memory,
// byte for byte.
//
//	store, err := pgstore.Open(pgstore.Options{Primary: "host=db1 dbname=house", Replica: "host=db2 dbname=house"})
//	err = store.Migrate(ctx)
//	err = store.Load(ctx, file) // a file of Catalogue.Save
//	handler, err := httpapi.NewHandler(store.Collections(), httpapi.Options{ETags: true})
//
// # Tables
//
// A collection is a table and a record is a row. A row has the id, the JSON exactly as
// it is served, and columns to order by. Collections with known fields have a column of a
// suitable type for each. The members of open records are not known in
// advance, so these have one array of sort keys, made by package ordering.
//
// The table collections has a row for each collection, with its count, the highest id
// ever used, and its revision. A write changes that row in the same transaction. So a
// count costs one row, belongs to the same instant as a page that is read in the same
// snapshot, and is rolled back with the write. Writers of one collection take turns, as
// in memory. Programs that write with SQL must change the row too; [Store.Check]
// reports whether they did.
//
// # Reads
//
// A page and its count are read in one read-only snapshot transaction. The text of a
// statement contains only numbers and the names of declared columns. Everything else is
// a parameter. The driver caches the prepared statements that were used last.
//
// If there is a replica, reads use it. A Store reads its own writes and never an older
// state than it has read before: if the revision on the replica is older than the
// highest revision that the Store has written or read, it reads from the primary. It
// also reads from the primary if the replica fails. Another process does not know the
// writes of this one and may answer from a replica that does not have them yet.
//
// If a standby becomes the primary without the last writes, revisions are used again
// for other states. Restart running programs then.
//
// The cost of an OFFSET is proportional to the number of skipped rows, counted from the
// nearer end. The README has measurements.
//
// # Unavailable databases
//
// If a call cannot finish within the timeout of [Options], the error wraps
// [httpapi.ErrUnavailable], which the handler answers with 503 and Retry-After. The
// program continues when the database is available again. The write of such a call has
// usually not happened. It may have happened if the database failed between the commit
// and its answer, or answered too late.
package pgstore

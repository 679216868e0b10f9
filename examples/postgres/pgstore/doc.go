// Package pgstore keeps the catalogue's 39 collections in PostgreSQL, for the same
// handler that serves them from memory:
//
//	store, err := pgstore.Open(pgstore.Options{Primary: "host=db1 dbname=house", Replica: "host=db2 dbname=house"})
//	err = store.Migrate(ctx)
//	err = store.Load(ctx, file) // what catalogue.Save wrote
//	handler, err := httpapi.NewHandler(store.Collections(), httpapi.Options{ETags: true})
//
// The answers are the same to the byte.
//
// # How it is kept
//
// A collection is a table, and a record a row: its id, its JSON as it is answered,
// to the byte, and columns that are there to be ordered by. Events, labels and social
// links have a column for each field, of its own type; open records have one array
// with a sort key for each member (package ordering makes them), because their
// members are not known in advance.
//
// Table collections has a row for each of them with its count, the highest id ever
// used and its revision. Whoever writes changes that row in the same transaction,
// so a count costs one row, is of the same instant as the page that is read in the
// same snapshot, and goes back with whatever is rolled back. For that writers of one
// collection take turns, as they do in memory. Who writes with SQL of their own has
// to change it as well; [Store.Check] tells whether they did.
//
// # Reads
//
// A page and its count are read in one read-only snapshot transaction. Only names
// of columns that are declared, and numbers, get into the text of a statement;
// all else are its parameters. The driver keeps prepared what was asked last.
//
// Reads go to the replica, if there is one. What this Store has written it reads, and
// what it has read does not become older: the row of a collection tells the replica's
// revision, and if that is not yet the highest that was written or read the primary is
// asked. So is it when the replica cannot answer. Another process does not know what
// this one wrote: it may answer from a replica that has not yet heard of it.
//
// A standby that becomes the primary without the last that was written gives revisions
// a second time, to something else: programs that run are then to be started anew.
//
// What an OFFSET costs lies in the number of rows that it skips, from whichever end
// is nearer: the README has figures.
//
// # When a database is away
//
// What a call cannot have in the time of [Options] is an [httpapi.ErrUnavailable], a 503
// that says when to come again; when the database is back the same program goes on.
// What was to be written is then mostly not there, but may be: if the database went
// away between a commit and its answer, or took too long for it.
package pgstore

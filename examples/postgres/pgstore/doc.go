// Package pgstore stores collections in PostgreSQL, the 39 documented ones or a program's
// own. The handler of package httpapi serves them with the same responses as from memory,
// byte for byte.
//
//	store, err := pgstore.Open(pgstore.Options{DSN: "host=db1 dbname=house"})
//	err = store.Migrate(ctx)
//	err = store.Load(ctx, file, pgstore.LoadOptions{}) // a file of Catalogue.Save
//	handler, err := httpapi.NewHandler(store.Collections(), httpapi.Options{ETags: true})
//
// A collection is a table and a record is a row, with the id or key, the JSON as it is stored and
// as it is served, and columns to order and filter by. Collections with known fields have a column
// for each. Open records have one array of sort keys. The table collections has a row for each
// collection, with its count, the highest id ever used, and its revision. A write changes that row
// in the same transaction, so writers of one collection take turns. A page and its count are read
// in one read-only snapshot transaction.
//
// Paths of filters, searches and orders lead through references in both directions, by an EXISTS for
// each step. Records are served as they are stored, with their computed fields: definitions by
// [catalogue.Show] and [catalogue.ShowInLists] are refused by [Open].
//
// A write reads the records that it can read or change into a catalogue in memory, is made there,
// and stores what has changed, all in one transaction.
//
// If a call cannot finish within the timeout of [Options], the error wraps
// [httpapi.ErrUnavailable]. The write of such a call has usually not happened. It may have
// happened if the database failed between the commit and its answer, or answered too late.
package pgstore

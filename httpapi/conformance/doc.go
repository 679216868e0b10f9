// Package conformance tests implementations of [httpapi.Collection], such as one that
// stores records in a database.
//
//	func TestBooks(t *testing.T) {
//		conformance.Verify(t, conformance.Implementation{
//			New: func(ctx context.Context, records [][]byte) (httpapi.Collection, error) {
//				return newTable(ctx, db, records)
//			},
//			Insert: func(ctx context.Context, c httpapi.Collection, record []byte) error {
//				return c.(*table).insert(ctx, record)
//			},
//		})
//	}
//
// [Check] runs the same checks without a testing.T. The expected results follow the
// documentation of [httpapi.Collection]. They come from a model that filters and sorts a
// slice and shares no code with any implementation.
//
// The optional interfaces [httpapi.Describer], [httpapi.Creator], [httpapi.Retriever],
// [httpapi.Updater], [httpapi.Deleter], [httpapi.Filterer], [httpapi.Revisioned],
// [httpapi.ConditionalUpdater] and [httpapi.ConditionalDeleter] are checked too if the
// collection implements them and the description has their actions and parameters. The
// error messages of single fields, searches in other collections, deletions of records that
// others refer to, and writes between a condition and its write are not checked.
package conformance

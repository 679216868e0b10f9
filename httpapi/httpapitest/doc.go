// Package httpapitest tests implementations of [httpapi.Collection], such as one that stores
// records in a database, by comparing them with a catalogue in memory:
//
//	func TestFilms(t *testing.T) {
//		films, err := collections.New() // the same definitions, with records
//		...
//		httpapitest.Compare(t, films, open, httpapitest.Options{})
//	}
//
//	// open replaces all records in the database by those of a file, and returns its collections.
//	func open(ctx context.Context, file []byte) ([]httpapi.Collection, error) {
//		if err := store.Load(ctx, bytes.NewReader(file)); err != nil {
//			return nil, err
//		}
//		return store.Collections(), nil
//	}
//
// Two handlers with the same options serve the catalogue and the collections. [Compare] sends both
// the same requests and fails the test at the first response that differs in a byte. What no
// request shows is checked by calls of methods: contexts that are done, filters and preconditions of
// writes, arguments and results that are shared, and lists beside writers.
package httpapitest

// Package conformance tests implementations of [httpapi.Collection], so that who
// keeps records in a database of their own knows that a handler answers from it as
// it does from memory.
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
// [Check] needs no testing.T. What is expected comes from the documentation of
// [httpapi.Collection], by a model that sorts a slice and shares no code with any
// implementation.
package conformance

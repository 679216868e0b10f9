package recipes

import (
	"database/sql"
	"iter"
	"slices"

	"github.com/gobacklist/backlist/catalogue"
)

// ReplaceFrom replaces all records of a collection by those of a source that can fail, at one instant.
// After the first error of the source, which it returns, the collection is unchanged.
func ReplaceFrom[T any](c *catalogue.Collection[T], source iter.Seq2[T, error]) error {
	var records []T
	for record, err := range source {
		if err != nil {
			return err
		}
		records = append(records, record)
	}
	return c.ReplaceAll(slices.Values(records))
}

// Rows returns the records that scan reads from the rows of a query, and the error that ends them. It
// closes the rows.
func Rows[T any](rows *sql.Rows, scan func(*sql.Rows) (T, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		defer rows.Close()
		for rows.Next() {
			if record, err := scan(rows); !yield(record, err) {
				return
			}
		}
		if err := rows.Err(); err != nil { // Next is false after an error, too
			var none T
			yield(none, err)
		}
	}
}

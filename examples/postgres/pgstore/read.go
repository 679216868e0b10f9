package pgstore

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// limit returns a context with the timeout of the Store.
func (s *Store) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.timeout < 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, s.timeout)
}

// read calls f in a read-only snapshot transaction, with the state of the collection.
func (t *table) read(ctx context.Context, f func(ctx context.Context, tx *sql.Tx, at state) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", t.about.Key, err)
	}
	limited, cancel := t.store.limit(ctx)
	defer cancel()
	return t.fault(ctx, inSnapshot(limited, t.store.db, func(tx *sql.Tx) error {
		at, err := t.state(limited, tx, stateQuery)
		if err != nil {
			return err
		}
		return f(limited, tx, at)
	}))
}

// inSnapshot runs f in a read-only transaction that sees one snapshot.
func inSnapshot(ctx context.Context, db *sql.DB, f func(tx *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback() // has no effect after Commit
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// Description returns the documented description.
func (t *table) Description() schema.Description { return t.about }

// List returns a page of one snapshot. The collections have no filters.
func (t *table) List(ctx context.Context, q catalogue.Query) (list catalogue.Listing, err error) {
	err = t.read(ctx, func(ctx context.Context, tx *sql.Tx, at state) error {
		numbers, err := t.numbers(ctx, tx, q.Terms)
		if err != nil {
			return err
		}
		list = catalogue.Listing{Count: at.count, Terms: slices.DeleteFunc(slices.Clone(q.Terms), func(term ordering.Term) bool {
			return t.exprs(term.Field, numbers) == nil
		})}
		order, err := t.orderBy(list.Terms, numbers)
		if err != nil {
			return err
		}
		start, end := q.Window.Bounds(at.count)
		list.Records, err = t.rows(ctx, tx, order, start, end, at.count)
		return err
	})
	return list, err
}

// Revision returns the revision of the collection.
func (t *table) Revision(ctx context.Context) (revision uint64, err error) {
	if err := ctx.Err(); err != nil {
		return 0, fmt.Errorf("%s: %w", t.about.Key, err)
	}
	limited, cancel := t.store.limit(ctx)
	defer cancel()
	at, err := t.state(limited, t.store.db, stateQuery)
	return at.revision, t.fault(ctx, err)
}

// rows returns the records from start to end of count. The subquery finds their ids,
// from the nearer end and, if possible, in an index alone.
func (t *table) rows(ctx context.Context, tx *sql.Tx, order orderBy, start, end, count int) ([][]byte, error) {
	if start == end {
		return nil, nil
	}
	inner, skip := order, start
	if count-end < start {
		inner, skip = order.reverse(), count-end
	}
	query := fmt.Sprintf(`SELECT t.record FROM (SELECT t.id FROM %[1]s t ORDER BY %[2]v LIMIT $1 OFFSET $2) page
		JOIN %[1]s t ON t.id = page.id ORDER BY %[3]v`, t.name(), inner, order)
	rows, err := tx.QueryContext(ctx, query, end-start, skip)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	records := make([][]byte, 0, end-start)
	for rows.Next() {
		var record []byte
		if err := rows.Scan(&record); err != nil {
			return nil, err
		}
		records = append(records, record)
	}
	if err := rows.Err(); err != nil {
		return nil, err
	}
	if len(records) != end-start {
		return nil, fmt.Errorf("%w: %d records from %d to %d of %d", ErrCount, len(records), start, end, count)
	}
	return records, nil
}

// state is the row of a collection.
type state struct {
	count    int
	lastID   int
	revision uint64
}

// stateQuery reads the state. With FOR UPDATE it also locks the collection for writing.
const stateQuery = `SELECT count, last_id, revision FROM collections WHERE key = $1`

// state reads the state with a query.
func (t *table) state(ctx context.Context, q interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}, query string) (at state, err error) {
	err = q.QueryRowContext(ctx, query, t.about.Key).Scan(&at.count, &at.lastID, &at.revision)
	return at, err
}

// lock locks the collection for writing and returns its state.
func (t *table) lock(ctx context.Context, tx *sql.Tx) (state, error) {
	return t.state(ctx, tx, stateQuery+" FOR UPDATE")
}

// advance writes the state, with the next revision.
func (t *table) advance(ctx context.Context, tx *sql.Tx, at state) error {
	_, err := tx.ExecContext(ctx, `UPDATE collections SET count = $2, last_id = $3, revision = $4 WHERE key = $1`,
		t.about.Key, at.count, at.lastID, int64(at.revision+1))
	return err
}

package pgstore

import (
	"context"
	"database/sql"
)

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
func (t *table) advance(ctx context.Context, tx *sql.Tx, at state) (revision uint64, err error) {
	_, err = tx.ExecContext(ctx, `UPDATE collections SET count = $2, last_id = $3, revision = $4 WHERE key = $1`,
		t.about.Key, at.count, at.lastID, int64(at.revision+1))
	return at.revision + 1, err
}

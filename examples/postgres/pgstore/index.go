package pgstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"

	"github.com/gobacklist/backlist/ordering"
)

// ErrIndex is returned by [Store.Index] if an index exists but is invalid.
var ErrIndex = errors.New("pgstore: invalid index")

// Index creates an index for an ordering of a collection, unless it exists. It does not
// block reads and writes. With an index the cost of a page is that of the rows on it
// and of those that are skipped from the nearer end. Without it every page sorts all
// rows. An index for -a,b also serves a,-b. An ordering by id uses the primary key. The
// migrations create the indexes for the orderings in the service's document.
//
// The error wraps [ErrCollection] for an unknown key, [ordering.ErrUnknownField] for a
// field that no record has, [httpapi.ErrUnavailable], or [ErrIndex] if PostgreSQL
// reports the index as invalid. In that case an earlier call was interrupted, and the
// index must be dropped, or another process is still creating it. O(n log n).
func (s *Store) Index(ctx context.Context, key string, terms ...ordering.Term) error {
	t, err := s.table(key)
	if err != nil {
		return err
	}
	var order orderBy
	err = inSnapshot(ctx, s.primary, func(tx *sql.Tx) error {
		numbers, err := t.numbers(ctx, tx, terms)
		if err != nil {
			return err
		}
		order, err = t.orderBy(terms, numbers)
		return err
	})
	if err != nil {
		return fault(ctx, key, err)
	}
	if len(order) == 1 { // by id
		return nil
	}
	if order[0].desc { // one index serves both directions
		order = order.reverse()
	}
	columns := order.index()
	name := t.indexName(columns)
	_, err = s.primary.ExecContext(ctx, "CREATE INDEX CONCURRENTLY IF NOT EXISTS "+quote(name)+" ON "+t.name()+" ("+columns+")")
	if err != nil {
		return fault(ctx, key, err)
	}
	valid := false
	const query = "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass($1)"
	if err := s.primary.QueryRowContext(ctx, query, quote(name)).Scan(&valid); err != nil {
		return fault(ctx, key, err)
	}
	if !valid {
		return fmt.Errorf("%s: %w: %s is invalid", key, ErrIndex, name)
	}
	return nil
}

// indexName returns the name of an index of columns. That of a single described field
// is as in the migrations. Others have a hash, since members may have any name.
func (t *table) indexName(columns string) string {
	for _, c := range t.columns {
		if orderBy(append(c.exprs(), expr{text: "t.id"})).index() == columns {
			return t.plainName + "_by_" + c.name
		}
	}
	sum := sha256.Sum256([]byte(columns))
	return fmt.Sprintf("%s_by_%x", t.plainName, sum[:6])
}

package pgstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"

	"github.com/gobacklist/backlist/ordering"
)

// ErrIndex says that an index is there and cannot be used.
var ErrIndex = errors.New("pgstore: bad index")

// Index makes an index for an ordering of a collection, unless it is there, while
// others read and write. Pages near either end of the ordering then cost what they
// show, and those between them the rows that are skipped. Without it every page
// sorts all. An index for -a,b serves a,-b as well, and by id alone the primary key
// does. The migrations have those for what the service's document orders by.
//
// It gives [ErrCollection], an [ordering.ErrUnknownField] for a field that no
// record has, and [httpapi.ErrUnavailable]. An index that was broken off is one that
// PostgreSQL calls invalid, as is one that somebody else is making: that is an
// [ErrIndex] which names it, to be dropped or waited for. O(n log n).
func (s *Store) Index(ctx context.Context, key string, terms ...ordering.Term) error {
	t, err := s.table(key)
	if err != nil {
		return err
	}
	if len(terms) == 0 {
		terms = t.about.Ordering
	}
	if last := terms[len(terms)-1]; last.Field != "id" {
		terms = append(terms[:len(terms):len(terms)], ordering.Term{Field: "id", Desc: terms[0].Desc})
	}
	var order orderBy
	err = inSnapshot(ctx, s.primary, func(tx *sql.Tx) (err error) {
		order, err = t.orderBy(ctx, tx, terms)
		return err
	})
	if err != nil {
		return fault(ctx, key, err)
	}
	if len(order) == 1 { // by id
		return nil
	}
	if order[0].desc { // one for both directions
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

// indexName is that of an index of these columns: of one described field as the
// migrations have it, of all else made up, since members have any names.
func (t *table) indexName(columns string) string {
	for _, c := range t.columns {
		if orderBy(append(c.exprs(), expr{text: "t.id"})).index() == columns {
			return t.plainName + "_by_" + c.name
		}
	}
	sum := sha256.Sum256([]byte(columns))
	return fmt.Sprintf("%s_by_%x", t.plainName, sum[:6])
}

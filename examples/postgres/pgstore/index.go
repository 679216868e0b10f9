package pgstore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"

	"github.com/gobacklist/backlist/ordering"
)

// Index makes an index for an ordering of a collection, unless it is there, while
// others read and write. Pages near either end of the ordering then cost what they
// show, and those between them the rows that are skipped. Without it every page
// sorts all. An index for -a,b serves a,-b as well. The migrations have those for
// what the service's document orders by.
//
// It gives [ErrCollection], an [ordering.ErrUnknownField] for a field that no
// record has, and [httpapi.ErrUnavailable]. What was broken off leaves an index that
// PostgreSQL calls invalid, and that has to be dropped. O(n log n).
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
	columns := order.index()
	sum := sha256.Sum256([]byte(columns))
	name := fmt.Sprintf("%s_by_%x", t.plainName, sum[:6])
	_, err = s.primary.ExecContext(ctx, "CREATE INDEX CONCURRENTLY IF NOT EXISTS "+quote(name)+" ON "+t.name()+" ("+columns+")")
	return fault(ctx, key, err)
}

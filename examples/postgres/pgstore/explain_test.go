package pgstore

import (
	"context"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// Explain returns the plan of the count of the records that a filter selects.
func (s *Store) Explain(ctx context.Context, key string, filter schema.Filter) (plan string, err error) {
	t, err := s.table(key)
	if err != nil {
		return "", err
	}
	err = t.read(ctx, false, func(ctx context.Context, tx querier) error {
		q := statement{ctx: ctx, tx: tx}
		where, err := q.where(t, "t", filter)
		if err != nil {
			return err
		}
		rows, err := tx.QueryContext(ctx, "EXPLAIN SELECT t.record FROM "+t.name()+" t WHERE "+where, q.args...)
		if err != nil {
			return err
		}
		defer rows.Close()
		var lines []string
		for rows.Next() {
			var line string
			if err := rows.Scan(&line); err != nil {
				return err
			}
			lines = append(lines, line)
		}
		plan = strings.Join(lines, "\n")
		return rows.Err()
	})
	return plan, err
}

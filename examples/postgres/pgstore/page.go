package pgstore

import (
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// Description returns the documented description. For open records it reads the names of
// their members; if that fails, Sortable has only the id.
func (t *table) Description() schema.Description {
	d := t.about
	if !t.open() {
		return d
	}
	d.Sortable = []string{"id"}
	_ = t.store.read(context.Background(), t, func(ctx context.Context, tx *sql.Tx, _ state) error {
		all, err := t.members(ctx, tx)
		if err != nil {
			return err
		}
		d.Sortable = append(slices.Collect(maps.Keys(all.fields())), "id")
		slices.Sort(d.Sortable)
		return nil
	})
	return d
}

// List returns a page of one snapshot. The collections have no filters.
func (t *table) List(ctx context.Context, q catalogue.Query) (list catalogue.List, err error) {
	err = t.store.read(ctx, t, func(ctx context.Context, tx *sql.Tx, at state) error {
		numbers, err := t.numbers(ctx, tx, q.Terms)
		if err != nil {
			return err
		}
		list = catalogue.List{Count: at.count, Terms: slices.DeleteFunc(slices.Clone(q.Terms), func(term ordering.Term) bool {
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

// Revision returns the revision on the server that would be asked for a page. It
// returns an error if the revision on the primary is lower than one that was read,
// since revisions may then be reused, as after a failover that lost writes.
func (t *table) Revision(ctx context.Context) (revision uint64, err error) {
	err = t.store.ask(ctx, t, func(ctx context.Context, db *sql.DB, _ uint64) error {
		least := t.seen.Load()
		var at state
		err := retryEnded(ctx, db, func() (err error) {
			at, err = t.state(ctx, db, stateQuery)
			return err
		})
		if err != nil {
			return err
		}
		if at.revision < least {
			return errBehind
		}
		revision = at.revision
		t.saw(revision)
		return nil
	})
	return revision, err
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

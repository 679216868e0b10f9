package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// reader reads from a server. It returns errBehind if the server does not have the
// revision, which is 0 for the primary.
type reader func(ctx context.Context, db *sql.DB, revision uint64) error

// ask calls f with a server that has everything that this Store has written to t or
// read from it. So no page is older than an earlier page or an earlier revision, unless
// the primary itself has lost writes. ask may call f several times, with the replica
// and the primary.
func (s *Store) ask(ctx context.Context, t *table, f reader) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", t.about.Key, err)
	}
	limited, cancel := s.limit(ctx)
	defer cancel()
	rested := time.Now().UnixNano() >= s.resting.Load()
	if s.replica != nil && rested {
		if s.askReplica(limited, t, f) {
			return nil
		}
	}
	err := f(limited, s.primary, 0)
	if s.replica != nil && !rested && isUnavailable(err) { // the replica may have recovered
		if s.askReplica(limited, t, f) {
			return nil
		}
	}
	return t.fault(ctx, err)
}

// limit returns a context with the timeout of the Store.
func (s *Store) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.timeout < 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, s.timeout)
}

// read calls ask with f in a read-only snapshot transaction.
func (s *Store) read(ctx context.Context, t *table, f func(ctx context.Context, tx *sql.Tx, at state) error) error {
	return s.ask(ctx, t, func(ctx context.Context, db *sql.DB, revision uint64) error {
		return inSnapshot(ctx, db, func(tx *sql.Tx) error {
			at, err := t.state(ctx, tx, stateQuery)
			if err != nil {
				return err
			}
			if at.revision < revision {
				return errBehind
			}
			if err := f(ctx, tx, at); err != nil {
				return err
			}
			t.saw(at.revision)
			return nil
		})
	})
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
		at, err := t.state(ctx, db, stateQuery)
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

// errBehind is returned if a server lacks something that this Store wrote or read.
var errBehind = errors.New("pgstore: the server is older than what was read before")

// askReplica calls f with the replica and reports whether it has answered. The replica
// has half of the remaining time, which leaves the other half to the primary.
func (s *Store) askReplica(ctx context.Context, t *table, f reader) (answered bool) {
	half := ctx
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		half, cancel = context.WithTimeout(ctx, time.Until(end)/2)
		defer cancel()
	}
	err := f(half, s.replica, t.seen.Load())
	if err != nil && !errors.Is(err, errBehind) && ctx.Err() == nil { // the request itself has not ended
		// A replica that does not answer would cost each request half of its time.
		pause := max(s.timeout, 0) + time.Second
		s.resting.Store(time.Now().Add(pause).UnixNano())
	}
	return err == nil
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
func (t *table) advance(ctx context.Context, tx *sql.Tx, at state) (revision uint64, err error) {
	_, err = tx.ExecContext(ctx, `UPDATE collections SET count = $2, last_id = $3, revision = $4 WHERE key = $1`,
		t.about.Key, at.count, at.lastID, int64(at.revision+1))
	return at.revision + 1, err
}

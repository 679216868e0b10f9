package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"github.com/gobacklist/backlist/ordering"
)

// state is the row of a collection.
type state struct {
	count    int
	lastID   int
	revision uint64
}

// stateQuery is for a writer behind which nobody else writes, with FOR UPDATE.
const stateQuery = `SELECT count, last_id, revision FROM collections WHERE key = $1`

// state reads it.
func (t *table) state(ctx context.Context, q interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}, query string) (at state, err error) {
	return at, q.QueryRowContext(ctx, query, t.about.Key).Scan(&at.count, &at.lastID, &at.revision)
}

// errBehind says that a replica does not have yet what this Store wrote.
var errBehind = errors.New("pgstore: the replica is behind")

// reader asks one server, which must have a revision: else it is errBehind.
type reader func(ctx context.Context, db *sql.DB, revision uint64) error

// ask lets f read from a server that has all that this Store wrote to t. f may be
// called twice, with the replica and the primary.
func (s *Store) ask(ctx context.Context, t *table, f reader) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", t.about.Key, err)
	}
	limited, cancel := s.limit(ctx)
	defer cancel()
	if s.replica != nil && s.resting.over() {
		if answered, err := s.askReplica(limited, t, f); answered {
			return t.fault(ctx, err)
		}
	}
	return t.fault(ctx, f(limited, s.primary, 0))
}

// askReplica reports whether the replica has answered. It is given half of the
// time that there is, which leaves the other half to the primary.
func (s *Store) askReplica(ctx context.Context, t *table, f reader) (answered bool, err error) {
	half := ctx
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		half, cancel = context.WithTimeout(ctx, time.Until(end)/2)
		defer cancel()
	}
	err = f(half, s.replica, t.written.Load())
	switch {
	case err == nil, errors.Is(err, ordering.ErrUnknownField), ctx.Err() != nil:
		return true, err
	case !errors.Is(err, errBehind):
		s.resting.begin(s.pause())
	}
	return false, nil
}

// pause is for how long a replica that could not answer is not asked: for longer
// than a request may take, so that what such a request asks first and last, a
// revision, is not of a server that gave no page.
func (s *Store) pause() time.Duration { return max(s.timeout, 0) + time.Second }

// limit ends what a request asks.
func (s *Store) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.timeout < 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, s.timeout)
}

// read is ask for f in a read-only snapshot transaction.
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
			return f(ctx, tx, at)
		})
	})
}

// inSnapshot runs f in a read-only transaction that sees one instant.
func inSnapshot(ctx context.Context, db *sql.DB, f func(tx *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

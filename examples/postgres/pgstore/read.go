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
	err = q.QueryRowContext(ctx, query, t.about.Key).Scan(&at.count, &at.lastID, &at.revision)
	return at, err
}

// errBehind says that a replica does not have yet what this Store wrote or read.
var errBehind = errors.New("pgstore: the replica is behind")

// reader asks one server, which must have a revision: else it is errBehind.
type reader func(ctx context.Context, db *sql.DB, revision uint64) error

// ask lets f read from a server that has all that this Store wrote to t, and all that
// it has read of it: nobody is shown a page and after it an older one, and no page is
// older than the revision that was told before it. f may be called several times, with
// the replica and the primary.
func (s *Store) ask(ctx context.Context, t *table, f reader) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", t.about.Key, err)
	}
	limited, cancel := s.limit(ctx)
	defer cancel()
	rested := s.resting.over()
	if s.replica != nil && rested {
		if answered, err := s.askReplica(limited, t, f); answered {
			return t.fault(ctx, err)
		}
	}
	err := f(limited, s.primary, 0)
	if s.replica != nil && !rested && isAway(err) { // one that failed a moment ago is better than none
		if answered, err := s.askReplica(limited, t, f); answered {
			return t.fault(ctx, err)
		}
	}
	return t.fault(ctx, err)
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
	err = f(half, s.replica, t.seen.Load())
	switch {
	case err == nil, errors.Is(err, ordering.ErrUnknownField):
		return true, err
	case !errors.Is(err, errBehind) && ctx.Err() == nil: // it is not the time of the request that was over
		s.resting.begin(s.pause())
	}
	return false, nil
}

// pause is for how long a replica that could not answer is not asked: it costs a
// request half of its time to find out.
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
			if err := f(ctx, tx, at); err != nil {
				return err
			}
			t.saw(at.revision)
			return nil
		})
	})
}

// inSnapshot runs f in a read-only transaction that sees one instant.
func inSnapshot(ctx context.Context, db *sql.DB, f func(tx *sql.Tx) error) error {
	tx, err := begin(ctx, db, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback() // does nothing after Commit
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

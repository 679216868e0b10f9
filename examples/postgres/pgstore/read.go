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

// errBehind says that a replica does not have yet what this Store wrote or read.
var errBehind = errors.New("pgstore: the replica is behind")

// read runs f in a read-only snapshot transaction of a server that has all that
// this Store wrote to t, and all that it has read of it: nobody is shown a page, and
// after it an older one, and a page is not older than the revision that was told
// before it. f may be run twice, for the replica and the primary.
func (s *Store) read(ctx context.Context, t *table, f func(ctx context.Context, tx *sql.Tx, at state) error) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("%s: %w", t.about.Key, err)
	}
	limited, cancel := s.limit(ctx)
	defer cancel()
	rested := s.resting.over()
	if s.replica != nil && rested {
		if answered, err := s.readReplica(limited, t, f); answered {
			return t.fault(ctx, err)
		}
	}
	err := readFrom(limited, s.primary, t, 0, f)
	if s.replica != nil && !rested && isAway(err) { // one that failed a moment ago is better than none
		if answered, err := s.readReplica(limited, t, f); answered {
			return t.fault(ctx, err)
		}
	}
	return t.fault(ctx, err)
}

// readReplica reports whether the replica has answered. For it to leave time for
// the primary it is given half of what there is.
func (s *Store) readReplica(ctx context.Context, t *table, f func(context.Context, *sql.Tx, state) error) (answered bool, err error) {
	half := ctx
	if end, ok := ctx.Deadline(); ok {
		var cancel context.CancelFunc
		half, cancel = context.WithTimeout(ctx, time.Until(end)/2)
		defer cancel()
	}
	err = readFrom(half, s.replica, t, t.seen.Load(), f)
	switch {
	case err == nil, errors.Is(err, ordering.ErrUnknownField), ctx.Err() != nil:
		return true, err
	case !errors.Is(err, errBehind):
		s.resting.begin(s.pause())
	}
	return false, nil
}

// pause is for how long a replica that could not answer is not asked: it costs a
// request half of its time to find out.
func (s *Store) pause() time.Duration { return max(s.timeout, 0) + time.Second }

// readFrom reads from a server that must have the revision.
func readFrom(ctx context.Context, db *sql.DB, t *table, revision uint64, f func(context.Context, *sql.Tx, state) error) error {
	tx, err := begin(ctx, db, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback() // nothing was written; after Commit it does nothing
	at, err := t.state(ctx, tx)
	if err != nil {
		return err
	}
	if at.revision < revision {
		return errBehind
	}
	if err := f(ctx, tx, at); err != nil {
		return err
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	t.saw(at.revision)
	return nil
}

// state reads the row of the collection.
func (t *table) state(ctx context.Context, tx *sql.Tx) (at state, err error) {
	const query = `SELECT count, last_id, revision FROM collections WHERE key = $1`
	return at, tx.QueryRowContext(ctx, query, t.about.Key).Scan(&at.count, &at.lastID, &at.revision)
}

// limit ends what a request asks.
func (s *Store) limit(ctx context.Context) (context.Context, context.CancelFunc) {
	if s.timeout < 0 {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, s.timeout)
}

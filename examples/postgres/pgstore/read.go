package pgstore

import (
	"context"
	"database/sql"
	"fmt"
)

// reader asks one server. It must have a revision, or else it is errBehind: of the
// primary that is 0, since what it has is what there is.
type reader func(ctx context.Context, db *sql.DB, revision uint64) error

// ask lets f read from a server that has all that this Store wrote to t, and all that
// it has read of it: nobody is shown a page and after it an older one, and no page is
// older than the revision that was told before it, unless the primary has become older
// itself. f may be called several times, with the replica and the primary.
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

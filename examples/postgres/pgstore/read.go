package pgstore

import (
	"context"
	"database/sql"
	"fmt"
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
	rested := s.resting.over()
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
	tx, err := begin(ctx, db, &sql.TxOptions{Isolation: sql.LevelRepeatableRead, ReadOnly: true})
	if err != nil {
		return err
	}
	defer tx.Rollback() // has no effect after Commit
	if err := f(tx); err != nil {
		return err
	}
	return tx.Commit()
}

package pgstore

import (
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
)

// copier writes rows with COPY in a transaction.
type copier func(table string, columns []string, rows pgx.CopyFromSource) error

// bulk runs f in a transaction. database/sql does not support COPY, so the copier uses
// the driver's connection, inside the transaction.
func (s *Store) bulk(ctx context.Context, f func(*sql.Tx, copier) error) error {
	conn, tx, err := s.beginOn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer tx.Rollback() // has no effect after Commit
	err = f(tx, func(table string, columns []string, rows pgx.CopyFromSource) error {
		return conn.Raw(func(driver any) error {
			_, err := driver.(*stdlib.Conn).Conn().CopyFrom(ctx, pgx.Identifier{table}, columns, rows)
			return err
		})
	})
	if err != nil {
		return err
	}
	return tx.Commit()
}

// beginOn begins a transaction for writing and also returns its connection.
func (s *Store) beginOn(ctx context.Context) (conn *sql.Conn, tx *sql.Tx, err error) {
	err = retryEnded(ctx, s.primary, func() (err error) {
		if conn, err = s.primary.Conn(ctx); err != nil {
			return err
		}
		if tx, err = conn.BeginTx(ctx, &sql.TxOptions{Isolation: sql.LevelReadCommitted}); err != nil {
			conn.Close()
		}
		return err
	})
	return conn, tx, err
}

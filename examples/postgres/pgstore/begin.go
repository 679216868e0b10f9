package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
)

// begin begins a transaction.
func begin(ctx context.Context, db *sql.DB, opts *sql.TxOptions) (tx *sql.Tx, err error) {
	err = retryEnded(ctx, db, func() error {
		tx, err = db.BeginTx(ctx, opts)
		return err
	})
	return tx, err
}

// retryEnded calls f, the first that a connection is asked, which may be asked twice.
// Connections in the pool may have been ended by a server that was restarted: then the
// next is tried, until one is new.
func retryEnded(ctx context.Context, db *sql.DB, f func() error) error {
	for stale := db.Stats().MaxOpenConnections; ; stale-- {
		err := f()
		if err == nil || stale == 0 || ctx.Err() != nil || !wasEnded(err) {
			return err
		}
	}
}

// wasEnded says that there was a connection, and that it is gone.
func wasEnded(err error) bool {
	var connecting *pgconn.ConnectError
	if errors.As(err, &connecting) {
		return false
	}
	var told *pgconn.PgError
	if errors.As(err, &told) {
		return told.SeverityUnlocalized == "FATAL"
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

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

// retryEnded calls f, which sends the first statement on a connection, and calls it
// again if that connection had ended. After a restart of the server, all connections of
// the pool may have ended, so f is called until it must have used a new connection.
func retryEnded(ctx context.Context, db *sql.DB, f func() error) error {
	for stale := db.Stats().MaxOpenConnections; ; stale-- {
		err := f()
		if err == nil || stale == 0 || ctx.Err() != nil || !wasEnded(err) {
			return err
		}
	}
}

// wasEnded reports whether err means that an open connection has ended.
func wasEnded(err error) bool {
	var connecting *pgconn.ConnectError
	if errors.As(err, &connecting) {
		return false
	}
	var server *pgconn.PgError
	if errors.As(err, &server) {
		return server.SeverityUnlocalized == "FATAL"
	}
	var network net.Error
	return errors.As(err, &network) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

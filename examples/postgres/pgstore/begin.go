package pgstore

import (
	"context"
	"database/sql"
	"errors"
	"io"
	"net"

	"github.com/jackc/pgx/v5/pgconn"
)

// begin begins a transaction. Connections in the pool may have been ended by a
// server that was restarted: nothing was done with them then, and the next is tried,
// until one is new.
func begin(ctx context.Context, db *sql.DB, opts *sql.TxOptions) (*sql.Tx, error) {
	for stale := db.Stats().MaxOpenConnections; ; stale-- {
		tx, err := db.BeginTx(ctx, opts)
		if err == nil || stale == 0 || ctx.Err() != nil || !wasEnded(err) {
			return tx, err
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

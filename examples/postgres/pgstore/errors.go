package pgstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/gobacklist/backlist/httpapi"
)

// ErrCount is returned if the stored count or highest id of a collection does not match
// its records, because something wrote to the table without updating them.
var ErrCount = errors.New("pgstore: wrong count")

// ErrRow is returned if the columns of a row do not match its record.
var ErrRow = errors.New("pgstore: invalid row")

// uniqueViolation is the SQLSTATE for an id in use.
const uniqueViolation = "23505"

// retryAfter is the Retry-After of answers if the database is unavailable.
const retryAfter = time.Second

// fault returns an error of the database as an error for a handler, with the key of
// the collection.
func (t *table) fault(ctx context.Context, err error) error { return fault(ctx, t.about.Key, err) }

func fault(ctx context.Context, where string, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil: // the driver may return another error
		return fmt.Errorf("%s: %w: %v", where, ctx.Err(), err)
	case isUnavailable(err):
		return fmt.Errorf("%s: %w", where, &unavailable{err})
	case hasCode(err, uniqueViolation):
		return fmt.Errorf("%s: %w: %w", where, httpapi.ErrConflict, err)
	}
	return fmt.Errorf("%s: %w", where, err)
}

// unavailable is an [httpapi.ErrUnavailable] with the error of the database.
type unavailable struct{ err error }

func (e *unavailable) Error() string { return "the database is unavailable: " + e.err.Error() }

func (e *unavailable) Unwrap() []error { return []error{httpapi.Unavailable(retryAfter, nil), e.err} }

// isUnavailable reports whether a later attempt may succeed.
func isUnavailable(err error) bool {
	if code, ok := sqlState(err); ok {
		switch code[:2] {
		case "08", // connection
			"40", // serialization failure, deadlock
			"53": // too many connections, disk full, out of memory
			return true
		}
		switch code {
		case "25006", // the server is a standby
			"25P03",                   // idle_in_transaction_session_timeout
			"25P04",                   // transaction_timeout
			"55P03",                   // lock not available
			"57014",                   // statement_timeout
			"57P01", "57P02", "57P03", // shutdown, crash, starting up
			"57P05": // idle session timeout
			return true
		}
	}
	var network net.Error
	var connecting *pgconn.ConnectError
	return errors.As(err, &network) || errors.As(err, &connecting) || pgconn.SafeToRetry(err) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, driver.ErrBadConn) || errors.Is(err, pgconn.ErrConnClosed) ||
		errors.Is(err, sql.ErrTxDone) || // the context ended between two statements
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// isTransient reports whether the transaction was rolled back and should be retried.
func isTransient(err error) bool { return hasCode(err, "40001") || hasCode(err, "40P01") }

func hasCode(err error, code string) bool {
	c, ok := sqlState(err)
	return ok && c == code
}

func sqlState(err error) (code string, ok bool) {
	var e *pgconn.PgError
	if !errors.As(err, &e) || len(e.Code) != 5 {
		return "", false
	}
	return e.Code, true
}

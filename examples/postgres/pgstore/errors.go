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

// ErrCount says that the count of a collection is not the number of its records, or
// that its highest id ever is not: somebody wrote to its table and did not count.
var ErrCount = errors.New("pgstore: wrong count")

// ErrRow says that a row is not what its record is written as.
var ErrRow = errors.New("pgstore: bad row")

// uniqueViolation is the SQLSTATE of an id that is taken.
const uniqueViolation = "23505"

// retryAfter is what clients are told when the database is away.
const retryAfter = time.Second

// fault says what an error of the database means to a handler, and of which
// collection it is.
func (t *table) fault(ctx context.Context, err error) error { return fault(ctx, t.about.Key, err) }

func fault(ctx context.Context, where string, err error) error {
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil: // whatever the driver calls it
		return fmt.Errorf("%s: %w: %v", where, ctx.Err(), err)
	case isAway(err):
		return fmt.Errorf("%s: %w", where, &away{err})
	case hasCode(err, uniqueViolation):
		return fmt.Errorf("%s: %w: %w", where, httpapi.ErrConflict, err)
	}
	return fmt.Errorf("%s: %w", where, err)
}

// away is an [httpapi.ErrUnavailable] that reads as what has happened.
type away struct{ err error }

func (e *away) Error() string { return "the database is away: " + e.err.Error() }

func (e *away) Unwrap() []error { return []error{httpapi.Unavailable(retryAfter, nil), e.err} }

// isAway says that the same may be asked with success later.
func isAway(err error) bool {
	if code, ok := sqlState(err); ok {
		switch code[:2] {
		case "08", // connection
			"40", // serialization failure, deadlock
			"53": // too many connections, disk full, out of memory
			return true
		}
		switch code {
		case "25006", // this is a standby now
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
		errors.Is(err, sql.ErrTxDone) || // the time was over between two statements
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)
}

// isTransient says that the transaction did nothing and is to be tried again.
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

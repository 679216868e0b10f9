package pgstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/gobacklist/backlist/httpapi"
)

// ErrCount is returned if the stored count or highest id of a collection does not match
// its records, because something wrote to the table without updating them.
var ErrCount = errors.New("pgstore: wrong count")

// Values of SQLSTATE.
const (
	uniqueViolation      = "23505"
	serializationFailure = "40001"
	deadlock             = "40P01"
)

// unavailable are codes, and classes of codes.
var unavailable = [...]string{
	"08",                      // connection
	"40",                      // serialization failure, deadlock
	"53",                      // too many connections, disk full, out of memory
	"25006",                   // the server is a standby
	"25P03", "25P04", "57P05", // a transaction or session took too long
	"55P03",                   // lock not available
	"57014",                   // statement_timeout
	"57P01", "57P02", "57P03", // shutdown, crash, starting up
}

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
		return fmt.Errorf("%s: %w", where, httpapi.Unavailable(time.Second, err))
	case hasCode(err, uniqueViolation):
		return fmt.Errorf("%s: %w: %w", where, httpapi.ErrConflict, err)
	}
	if strings.HasPrefix(err.Error(), where+": ") { // one of package catalogue
		return err
	}
	return fmt.Errorf("%s: %w", where, err)
}

// isUnavailable reports whether a later attempt may succeed.
func isUnavailable(err error) bool {
	if slices.ContainsFunc(unavailable[:], func(code string) bool { return strings.HasPrefix(reported(err).Code, code) }) {
		return true
	}
	var network net.Error
	var connecting *pgconn.ConnectError
	return errors.As(err, &network) || errors.As(err, &connecting) || pgconn.SafeToRetry(err) || isLost(err) ||
		errors.Is(err, context.DeadlineExceeded) || errors.Is(err, sql.ErrTxDone) // the context ended between two statements
}

// isLost reports whether a connection has ended.
func isLost(err error) bool {
	var network *net.OpError
	return errors.As(err, &network) && network.Op != "dial" && !network.Timeout() || hasCode(err, "57P01", "57P02", "57P05") ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, pgconn.ErrConnClosed) || errors.Is(err, driver.ErrBadConn)
}

func hasCode(err error, codes ...string) bool { return slices.Contains(codes, reported(err).Code) }

// violated returns the name of the unique index whose violation an error is, or "".
func violated(err error) string {
	if e := reported(err); e.Code == uniqueViolation {
		return e.ConstraintName
	}
	return ""
}

// reported returns the error that the database has reported, or one without a code.
func reported(err error) pgconn.PgError {
	var e *pgconn.PgError
	if !errors.As(err, &e) {
		return pgconn.PgError{}
	}
	return *e
}

package pgstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"
	"time"

	"github.com/gobacklist/backlist/httpapi"
)

// A stub is a database of which nothing is asked: its transactions tell when they are
// rolled back.
type stub struct {
	driver.Conn
	rolledBack chan struct{}
}

func (s *stub) Driver() driver.Driver                                        { return nil }
func (s *stub) Connect(context.Context) (driver.Conn, error)                 { return s, nil }
func (s *stub) BeginTx(context.Context, driver.TxOptions) (driver.Tx, error) { return s, nil }
func (s *stub) Commit() error                                                { return nil }
func (s *stub) Rollback() error                                              { close(s.rolledBack); return nil }
func (s *stub) Close() error                                                 { return nil }

// When the time of a request is over between its last statement and the commit,
// database/sql says that there is no transaction any more.
func TestTimeIsOverBeforeCommit(t *testing.T) {
	s := &stub{rolledBack: make(chan struct{})}
	db := sql.OpenDB(s)
	defer db.Close()
	limited, cancel := context.WithCancel(t.Context())
	tx, err := db.BeginTx(limited, nil)
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	<-s.rolledBack
	err = tx.Commit()
	if !errors.Is(err, sql.ErrTxDone) {
		t.Fatalf("the commit gives %v", err)
	}
	if got := fault(t.Context(), "events", err); !errors.Is(got, httpapi.ErrUnavailable) {
		t.Errorf("%v is no error of a database that is away", got)
	}
}

// When the time is over while a replica tells that it is behind, that is no fault of
// the server's.
func TestTimeIsOverBehindReplica(t *testing.T) {
	s, err := Open(Options{Primary: "host=/nonexistent", Replica: "host=/nonexistent", Timeout: time.Nanosecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	err = s.ask(t.Context(), s.tables[0], func(ctx context.Context, db *sql.DB, _ uint64) error {
		if db == s.replica {
			return errBehind
		}
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, httpapi.ErrUnavailable) {
		t.Errorf("%v is no error of a database that is away", err)
	}
}

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

// stub is a driver whose transactions report a rollback.
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

// TestTimeoutBeforeCommit ends a context between the last statement and the commit.
// database/sql then returns sql.ErrTxDone.
func TestTimeoutBeforeCommit(t *testing.T) {
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
		t.Fatalf("Commit = %v, want %v", err, sql.ErrTxDone)
	}
	if got := fault(t.Context(), "events", err); !errors.Is(got, httpapi.ErrUnavailable) {
		t.Errorf("fault = %v, want %v", got, httpapi.ErrUnavailable)
	}
}

// TestTimeoutAfterReplica ends the timeout after the replica was found to be older.
func TestTimeoutAfterReplica(t *testing.T) {
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
		t.Errorf("ask = %v, want %v", err, httpapi.ErrUnavailable)
	}
}

package pgstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"

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

package pgstore

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"testing"

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

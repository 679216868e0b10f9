package pgtest

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestDatabases(t *testing.T) {
	Require(t)
	const name, copied = `a "b"; 'c' \d`, `Copy, of=it`
	must(t, common.CreateDatabase(withTimeout(t), name, ""))
	conn := connect(t, common.DSN(name))
	if _, err := conn.Exec(withTimeout(t), "CREATE TABLE t AS SELECT 7 AS n"); err != nil {
		t.Fatal(err)
	}
	var taken *pgconn.PgError
	if err := common.CreateDatabase(withTimeout(t), name, ""); !errors.As(err, &taken) || taken.Code != "42P04" {
		t.Errorf("CreateDatabase with a name in use = %v", err)
	}
	must(t, conn.Close(withTimeout(t)))

	must(t, common.CreateDatabase(withTimeout(t), copied, name))
	var n int
	if err := connect(t, common.DSN(copied)).QueryRow(withTimeout(t), "SELECT n FROM t").Scan(&n); err != nil || n != 7 {
		t.Errorf("n in the copy = %d, %v; want 7", n, err)
	}
	for _, drop := range []string{name, copied /* has a connection */, "unknown"} {
		must(t, common.DropDatabase(withTimeout(t), drop))
	}
	if got := ask[int](t, common, "SELECT count(*) FROM pg_database WHERE NOT datistemplate"); got != 1 {
		t.Errorf("%d databases, want postgres alone", got)
	}
}

package pgtest

import (
	"errors"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
)

func TestDatabases(t *testing.T) {
	Require(t)
	const name, copied = `a "b"; 'c' \d`, `Copy, of=it`
	must(t, common.CreateDatabase(soon(t), name, ""))
	conn := connect(t, common.DSN(name))
	if _, err := conn.Exec(soon(t), "CREATE TABLE t AS SELECT 7 AS n"); err != nil {
		t.Fatal(err)
	}
	var taken *pgconn.PgError
	if err := common.CreateDatabase(soon(t), name, ""); !errors.As(err, &taken) || taken.Code != "42P04" {
		t.Errorf("a name that is taken: %v", err)
	}
	must(t, conn.Close(soon(t)))

	must(t, common.CreateDatabase(soon(t), copied, name))
	var n int
	if err := connect(t, common.DSN(copied)).QueryRow(soon(t), "SELECT n FROM t").Scan(&n); err != nil || n != 7 {
		t.Errorf("the copy has %d, %v; want 7", n, err)
	}
	for _, drop := range []string{name, copied /* somebody is connected */, "not there"} {
		must(t, common.DropDatabase(soon(t), drop))
	}
	if got := ask[int](t, common, "SELECT count(*) FROM pg_database WHERE NOT datistemplate"); got != 1 {
		t.Errorf("%d databases, want postgres alone", got)
	}
}

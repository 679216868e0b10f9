package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/gobacklist/backlist/examples/postgres/internal/pgtest"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
)

// shared is the server of the tests that do nothing to it, each in a database of its
// own; nil where there is no PostgreSQL.
var shared *pgtest.Server

// databases is how many were made.
var databases atomic.Int64

// template is a database that Migrate was run in: a copy is made faster.
const template = "migrated"

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) (code int) {
	if _, err := pgtest.Find(); err != nil {
		return m.Run() // who needs it calls Require
	}
	var err error
	if shared, err = pgtest.Start(pgtest.Options{NoSync: true}); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() {
		if err := shared.Stop(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}()
	if err := makeTemplate(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func makeTemplate() error {
	ctx := context.Background()
	if err := shared.CreateDatabase(ctx, template, ""); err != nil {
		return err
	}
	store, err := pgstore.Open(pgstore.Options{Primary: shared.DSN(template)})
	if err != nil {
		return err
	}
	return errors.Join(store.Migrate(ctx), store.Close())
}

// newDSN makes a database of a test's own, with the schema in it.
func newDSN(t testing.TB) string {
	t.Helper()
	return shared.DSN(newDatabase(t, template))
}

// newDatabase copies one; of "" it makes an empty one, which has never been migrated.
func newDatabase(t testing.TB, template string) (name string) {
	t.Helper()
	pgtest.Require(t)
	name = fmt.Sprintf("test%d", databases.Add(1))
	if err := shared.CreateDatabase(t.Context(), name, template); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := shared.DropDatabase(context.Background(), name); err != nil {
			t.Error(err)
		}
	})
	return name
}

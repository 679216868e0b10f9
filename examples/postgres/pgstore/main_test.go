package pgstore_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/gobacklist/backlist/examples/postgres/internal/pgtest"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/ordering"
)

// shared is the server of tests that do not stop it, or nil without PostgreSQL. Each
// test has its own database.
var shared *pgtest.Server

// databases is the number of databases that were created.
var databases atomic.Int64

// template is the name of a migrated database, since copying it is faster than Migrate.
const template = "migrated"

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) (code int) {
	if !pgtest.Installed() {
		return m.Run() // tests that need PostgreSQL call pgtest.Require
	}
	var err error
	if shared, err = pgtest.Start(); err != nil {
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
	if err := onServer(ctx, shared, "CREATE DATABASE "+template); err != nil {
		return err
	}
	store, err := pgstore.Open(pgstore.Options{DSN: shared.DSN(template)})
	if err != nil {
		return err
	}
	err = store.Migrate(ctx)
	for _, i := range []struct{ key, field string }{
		{"events", "start_date"}, {"events", "name"}, {"labels", "name"}, {"labels", "feature_authors"}, {"social-links", "url"},
	} {
		err = errors.Join(err, store.Index(ctx, i.key, ordering.Asc(i.field)))
	}
	return errors.Join(err, store.Close())
}

// onServer runs a statement outside the databases of tests.
func onServer(ctx context.Context, server *pgtest.Server, statement string) error {
	conn, err := pgx.Connect(ctx, server.DSN("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	_, err = conn.Exec(ctx, statement)
	return err
}

// newDSN creates a migrated database for a test and returns its connection string.
func newDSN(t testing.TB) string {
	t.Helper()
	return shared.DSN(newDatabase(t, template))
}

// newDatabase creates a database as a copy of template.
func newDatabase(t testing.TB, template string) (name string) {
	t.Helper()
	pgtest.Require(t)
	name = fmt.Sprintf("test%d", databases.Add(1))
	if err := onServer(t.Context(), shared, "CREATE DATABASE "+name+" TEMPLATE "+template); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := onServer(context.Background(), shared, "DROP DATABASE "+name+" WITH (FORCE)"); err != nil {
			t.Error(err)
		}
	})
	return name
}

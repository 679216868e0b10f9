package pgstore_test

import (
	"context"
	"database/sql"
	"net/http"
	"testing"

	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
)

// connect opens a database without a store.
func connect(t testing.TB, dsn string) *sql.DB {
	t.Helper()
	db, err := sql.Open("pgx", dsn)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// open opens a store and checks it at the end of the test.
func open(t testing.TB, opts pgstore.Options) *pgstore.Store {
	t.Helper()
	store := openUnchecked(t, opts)
	t.Cleanup(func() {
		if err := store.Check(context.Background()); err != nil {
			t.Error(err)
		}
	})
	return store
}

// openUnchecked opens a store without checking it.
func openUnchecked(t testing.TB, opts pgstore.Options) *pgstore.Store {
	t.Helper()
	store, err := pgstore.Open(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := store.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	return store
}

// recordErrors returns an OnError that appends errors to a slice. It is not safe for
// concurrent use.
func recordErrors(errs *[]error) func(*http.Request, error) {
	return func(_ *http.Request, err error) { *errs = append(*errs, err) }
}

// handle returns a handler for a store. By default errors fail the test.
func handle(t testing.TB, store *pgstore.Store, opts httpapi.Options) *httpapi.Handler {
	t.Helper()
	if opts.OnError == nil {
		opts.OnError = func(r *http.Request, err error) { t.Errorf("%s %s: %v", r.Method, r.URL, err) }
	}
	handler, err := httpapi.NewHandler(store.Collections(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return handler
}

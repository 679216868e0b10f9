package pgstore_test

import (
	"errors"
	"testing"

	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
)

// What Open cannot use it names.
func TestOptions(t *testing.T) {
	for _, row := range []struct {
		reason string
		opts   pgstore.Options
		want   string
	}{
		{"no primary", pgstore.Options{Replica: "host=a"}, "pgstore: bad options: Primary is empty"},
		{"fewer connections than none", pgstore.Options{Primary: "host=a", MaxConns: -1}, "pgstore: bad options: MaxConns is -1"},
	} {
		_, err := pgstore.Open(row.opts)
		if !errors.Is(err, pgstore.ErrOptions) || err.Error() != row.want {
			t.Errorf("%s: error %v, want %q", row.reason, err, row.want)
		}
	}
	for _, opts := range []pgstore.Options{{Primary: "host"}, {Primary: "host=a", Replica: "postgres://a:b:c"}} {
		if _, err := pgstore.Open(opts); !errors.Is(err, pgstore.ErrOptions) {
			t.Errorf("%+v, of which one is no DSN: error %v, want %v", opts, err, pgstore.ErrOptions)
		}
	}
}

// A database that is away is none of Open's concern.
func TestOpenWithoutDatabase(t *testing.T) {
	store, err := pgstore.Open(pgstore.Options{Primary: "host=/nonexistent user=postgres"})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := store.Migrate(t.Context()); !errors.Is(err, httpapi.ErrUnavailable) {
		t.Errorf("Migrate: error %v, want %v", err, httpapi.ErrUnavailable)
	}
	if err := store.Insert(t.Context(), "magazines", []byte(`{"id":1}`)); !errors.Is(err, pgstore.ErrCollection) {
		t.Errorf("Insert into no collection: error %v, want %v", err, pgstore.ErrCollection)
	}
}

// The parameters that Open adds can be left out, for a server that has not got them:
// as the server is told nothing, it does not complain about the empty text.
func TestParametersLeftOut(t *testing.T) {
	open(t, pgstore.Options{Primary: newDSN(t) + " jit='' plan_cache_mode=''"})
}

package pgstore_test

import (
	"context"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/examples/postgres/pgstore"
)

// TestCallsOnStaleConnections ends a connection before each call of a method, which
// must not fail.
func TestCallsOnStaleConnections(t *testing.T) {
	s := newSharedServers(t)
	store := s.open("store", pgstore.Options{MaxConns: 1})
	for name, call := range map[string]func(context.Context) error{
		"Revision": func(ctx context.Context) error {
			_, err := collectionOf(store, "books").Revision(ctx)
			return err
		},
		"Load":   func(ctx context.Context) error { return store.Load(ctx, strings.NewReader(`{"books":[{"id":1}]}`)) },
		"Insert": func(ctx context.Context) error { return store.Insert(ctx, "authors", []byte(`{"id":7}`)) },
		"Check":  store.Check,
		"Index":  func(ctx context.Context) error { return store.Index(ctx, "events") },
	} {
		for range 2 { // the driver does not check a connection that was used a moment ago
			_, err := collectionOf(store, "authors").Revision(t.Context())
			s.must(err)
		}
		scalar[int](s, s.primary, "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'store'")
		s.eventually("the connection has ended", func() bool { return s.connections(s.primary, "store") == 0 })
		if err := call(t.Context()); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

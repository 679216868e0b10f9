package pgstore_test

import (
	"errors"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

type user struct {
	ID       int    `json:"id"`
	Password string `json:"password" backlist:"hidden"`
}

// definitions returns those of notes of a type, and of the users to which they refer.
func definitions[T any]() []catalogue.AnyDefinition {
	type user struct {
		ID   int    `json:"id"`
		Name string `json:"name" backlist:"unique"`
	}
	return []catalogue.AnyDefinition{catalogue.Define[user]("users", catalogue.Options{}), catalogue.Define[T]("notes", catalogue.Options{})}
}

func TestInvalidOptions(t *testing.T) {
	for _, row := range []struct {
		reason string
		opts   pgstore.Options
		want   string
	}{
		{"no database", pgstore.Options{}, "pgstore: invalid options: DSN is empty"},
		{"hidden field", pgstore.Options{DSN: "host=a", Definitions: []catalogue.AnyDefinition{catalogue.Define[user]("users", catalogue.Options{})}},
			"pgstore: invalid options: Definitions: users: the field password is hidden or computed, which a Store does not support"},
		{"reference by text", pgstore.Options{DSN: "host=a", Definitions: definitions[struct {
			ID   int    `json:"id"`
			User string `json:"user" backlist:"refers=users.name"`
		}]()}, "pgstore: invalid options: Definitions: notes: the field user refers to records by a text or has an OnDelete, which a Store does not support"},
		{"text without case", pgstore.Options{DSN: "host=a", Definitions: definitions[struct {
			ID   int    `json:"id"`
			Name string `json:"name" backlist:"fold"`
		}]()}, "pgstore: invalid options: Definitions: notes: the field name compares without regard to case, which a Store does not support"},
		{"deletion of what refers", pgstore.Options{DSN: "host=a", Definitions: definitions[struct {
			ID   int `json:"id"`
			User int `json:"user" backlist:"refers=users,ondelete=cascade"`
		}]()}, "pgstore: invalid options: Definitions: notes: the field user refers to records by a text or has an OnDelete, which a Store does not support"},
		{"negative connections", pgstore.Options{DSN: "host=a", MaxConns: -1}, "pgstore: invalid options: MaxConns is -1"},
	} {
		_, err := pgstore.Open(row.opts)
		if !errors.Is(err, pgstore.ErrOptions) || err.Error() != row.want {
			t.Errorf("%s: Open = %v, want %q", row.reason, err, row.want)
		}
	}
	for _, opts := range []pgstore.Options{{DSN: "host"}, {DSN: "postgres://a:b:c"}} {
		if _, err := pgstore.Open(opts); !errors.Is(err, pgstore.ErrOptions) {
			t.Errorf("Open(%+v) = %v, want %v", opts, err, pgstore.ErrOptions)
		}
	}
}

func TestOpenWithoutDatabase(t *testing.T) {
	store, err := pgstore.Open(pgstore.Options{DSN: "host=/nonexistent user=postgres"})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := store.Migrate(t.Context()); !errors.Is(err, httpapi.ErrUnavailable) {
		t.Errorf("Migrate = %v, want %v", err, httpapi.ErrUnavailable)
	}
	if err := store.Insert(t.Context(), "magazines", []byte(`{"id":1}`)); !errors.Is(err, catalogue.ErrUnknownCollection) {
		t.Errorf("Insert into an unknown collection = %v, want %v", err, catalogue.ErrUnknownCollection)
	}
}

// Pages have numbers, which are windows. A store has no filters, so it has no pages by cursors.
func TestPageStyles(t *testing.T) {
	store, err := pgstore.Open(pgstore.Options{DSN: "host=/nonexistent user=postgres"})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if _, err := httpapi.NewHandler(store.Collections(), httpapi.Options{Pages: pagination.Numbers{}}); err != nil {
		t.Errorf("numbers: %v", err)
	}
	if _, err := httpapi.NewHandler(store.Collections(), httpapi.Options{Pages: pagination.Cursors{}}); !errors.Is(err, httpapi.ErrInvalidConfig) {
		t.Errorf("cursors: error %v, want %v", err, httpapi.ErrInvalidConfig)
	}
}

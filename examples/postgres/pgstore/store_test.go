package pgstore_test

import (
	"errors"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/pagination"
)

// definitions returns those of notes of a type.
func definitions[T any]() []catalogue.AnyDefinition {
	return []catalogue.AnyDefinition{catalogue.Define[T]("notes", catalogue.Options{})}
}

func TestInvalidOptions(t *testing.T) {
	for _, row := range []struct {
		reason string
		opts   pgstore.Options
		want   string
	}{
		{"no database", pgstore.Options{}, "pgstore: invalid options: DSN is empty"},
		{"name of a column", pgstore.Options{DSN: "host=a", Definitions: definitions[struct {
			ID     int    `json:"id"`
			Record string `json:"record"`
		}]()}, "pgstore: invalid options: Definitions: notes: a column of each table is named record, as a field is"},
		{"long name", pgstore.Options{DSN: "host=a", Definitions: definitions[struct {
			ID   int    `json:"id"`
			Name string `json:"a_name_of_a_field_that_is_too_long_for_a_column_of_a_table_x"`
		}]()}, "pgstore: invalid options: Definitions: notes: the name a_name_of_a_field_that_is_too_long_for_a_column_of_a_table_x is too long for PostgreSQL"},
		{"records that are shown", pgstore.Options{DSN: "host=a", Definitions: []catalogue.AnyDefinition{catalogue.Show(
			catalogue.Define[profile]("profiles", catalogue.Options{}), func(*catalogue.Catalogue, *profile) (topic, error) { return topic{}, nil }),
			catalogue.Define[writer]("writers", catalogue.Options{})}},
			"pgstore: invalid options: Definitions: profiles: a definition by catalogue.Show or ShowInLists is not supported: what its function reads is not known"},
		{"records that are shown in lists", pgstore.Options{DSN: "host=a", Definitions: []catalogue.AnyDefinition{catalogue.ShowInLists(
			catalogue.Define[mark]("marks", catalogue.Options{}), func(*catalogue.Catalogue, *mark) (topic, error) { return topic{}, nil })}},
			"pgstore: invalid options: Definitions: marks: a definition by catalogue.Show or ShowInLists is not supported: what its function reads is not known"},
		{"records of any members", pgstore.Options{DSN: "host=a", Definitions: []catalogue.AnyDefinition{catalogue.Define[schema.Record]("cards",
			catalogue.Options{Description: &schema.Description{Loose: true, Fields: []schema.Field{{Name: "id", Kind: schema.Integer, ReadOnly: true}}}})}},
			"pgstore: invalid options: Definitions: cards: a description that is Loose is not supported: columns have the kinds of fields"},
		{"a key that is a number", pgstore.Options{DSN: "host=a", Definitions: []catalogue.AnyDefinition{catalogue.Define[schema.Record]("cards",
			catalogue.Options{Description: &schema.Description{Lookup: "id", Fields: []schema.Field{{Name: "id", Kind: schema.Integer, Key: true, Unique: true, Required: true}}}})}},
			"pgstore: invalid options: Definitions: cards: the key id is a number, which is not supported: only texts are"},
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

// TestPageStyles checks that a store can have pages of all styles.
func TestPageStyles(t *testing.T) {
	store, err := pgstore.Open(pgstore.Options{DSN: "host=/nonexistent user=postgres"})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	for _, style := range []pagination.Style{pagination.Numbers{}, pagination.Cursors{}} {
		if _, err := httpapi.NewHandler(store.Collections(), httpapi.Options{Pages: style}); err != nil {
			t.Errorf("%T: %v", style, err)
		}
	}
}

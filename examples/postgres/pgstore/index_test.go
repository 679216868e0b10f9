package pgstore_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// longValue returns a value of a described field that is too long for an index, if the kind
// has such values. Values of a kind have a common prefix.
func (g generator) longValue(f schema.Field) string {
	var list []string
	switch f.Kind {
	case schema.References:
		for range 3_000 {
			list = append(list, fmt.Sprint(1+g.Int64N(1<<60)))
		}
		return "[1," + strings.Join(list, ",") + "]"
	case schema.TextList:
		for range 3 {
			list = append(list, quoted(g.long()))
		}
		return pick(g, []string{"[", `["",`, `["same",`}) + strings.Join(list, ",") + "]"
	case schema.JSON:
		return `{"same":` + quoted(g.long()) + "}"
	case schema.Text, schema.Slug, schema.URL:
		return quoted(g.long())
	}
	return g.member(f)
}

// TestIndexOfLongValues checks that indexes accept values that are too long for an
// entry, and that pages are still ordered by whole values.
func TestIndexOfLongValues(t *testing.T) {
	dsn := newDSN(t)
	store, house := open(t, pgstore.Options{Primary: dsn}), mustNew()
	g := newGenerator(setting(t, "BACKLIST_POSTGRES_SEED", 7))
	const books = `{"books":[{"id":1,"name":1}]}`
	load(t, store, books)
	if err := house.Load(strings.NewReader(books), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	keys := []string{"events", "labels", "social-links", "books"}
	for _, key := range keys {
		for _, field := range fieldsOf(house, key) {
			if err := store.Index(t.Context(), key, ordering.Asc(field)); err != nil {
				t.Fatal(err)
			}
		}
		about := described(key)
		file := fmt.Sprintf(`{%q:[%s]}`, key, strings.Join(g.recordsWithLongValues(about), ","))
		if err := house.Load(strings.NewReader(file), catalogue.LoadOptions{}); err != nil {
			t.Fatal(err)
		}
		load(t, store, file)
	}
	// Without sorts the planner must use the indexes.
	exec(t, connect(t, dsn), `DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET enable_sort = off', current_database());END$$`)
	again := open(t, pgstore.Options{Primary: dsn})
	for _, key := range keys {
		memory, err := house.Collection(key)
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range fieldsOf(house, key) {
			compareOrders(t, field, memory, collectionOf(again, key))
		}
	}
}

// recordsWithLongValues returns 30 records. The last ones have long values.
func (g generator) recordsWithLongValues(about schema.Description) []string {
	var records []string
	for id := 1; id <= 30; id++ {
		switch {
		case id <= 26:
			records = append(records, g.record(about, id))
		case about.Fields == nil:
			records = append(records, fmt.Sprintf(`{"id":%d,"name":%s}`, id, quoted(g.long())))
		default:
			var members []string
			for _, f := range about.Fields[1:] {
				members = append(members, quoted(f.Name)+":"+g.longValue(f))
			}
			records = append(records, fmt.Sprintf(`{"id":%d,%s}`, id, strings.Join(members, ",")))
		}
	}
	return records
}

// compareOrders compares all records of two collections, ordered by a field.
func compareOrders(t *testing.T, field string, memory, sql httpapi.Collection) {
	t.Helper()
	for _, terms := range [][]ordering.Term{
		{ordering.Asc(field), ordering.Asc("id")}, {ordering.Desc(field), ordering.Desc("id")}, {ordering.Desc(field), ordering.Asc("id")},
	} {
		if field == "id" {
			terms = terms[:1]
		}
		w := pagination.Window{Limit: 1000}
		_, want, err := pageOf(t.Context(), memory, w, terms...)
		if err != nil {
			t.Fatal(err)
		}
		_, got, err := pageOf(t.Context(), sql, w, terms...)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(want, got, bytes.Equal) {
			t.Errorf("%s by %v: ids: -memory +PostgreSQL\n%s", memory.Description().Key, terms, cmp.Diff(idsOf(t, want), idsOf(t, got)))
		}
	}
}

// idsOf returns the ids of records.
func idsOf(t *testing.T, records [][]byte) []int {
	t.Helper()
	var ids []int
	for _, wire := range records {
		r, err := schema.ParseRecord(wire)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.ID)
	}
	return ids
}

// TestInvalidIndex marks an index as invalid, as an interrupted creation does.
func TestInvalidIndex(t *testing.T) {
	dsn := newDSN(t)
	store, db := open(t, pgstore.Options{Primary: dsn}), connect(t, dsn)
	if err := store.Index(t.Context(), "events", ordering.Asc("location")); err != nil {
		t.Fatal(err)
	}
	var name string
	const invalidate = `UPDATE pg_index SET indisvalid = false WHERE indexrelid =
		(SELECT indexrelid FROM pg_index WHERE pg_get_indexdef(indexrelid) LIKE '%location%') RETURNING indexrelid::regclass::text`
	if err := db.QueryRow(invalidate).Scan(&name); err != nil {
		t.Fatal(err)
	}
	err := store.Index(t.Context(), "events", ordering.Asc("location"))
	if !errors.Is(err, pgstore.ErrIndex) || !strings.Contains(err.Error(), name) {
		t.Errorf("Index = %v, want %v with %s", err, pgstore.ErrIndex, name)
	}
	if _, err := db.Exec("DROP INDEX " + name); err != nil {
		t.Fatal(err)
	}
	if err := store.Index(t.Context(), "events", ordering.Asc("location")); err != nil {
		t.Errorf("Index after dropping it = %v", err)
	}
}

// TestExistingIndex checks that Index creates none if one for the reverse order, one
// with the same prefixes, one of a migration, or the primary key serves the ordering.
func TestExistingIndex(t *testing.T) {
	dsn := newDSN(t)
	store, db := open(t, pgstore.Options{Primary: dsn}), connect(t, dsn)
	load(t, store, `{"books":[{"id":1,"name":"n"}]}`)
	for _, row := range []struct {
		reason, key, ordering string
		more                  int
	}{
		{"migration", "events", "start_date", 0},
		{"migration, reversed", "events", "-start_date", 0},
		{"migration, default order", "events", "", 0},
		{"migration, prefix of text", "events", "name,location", 0},
		{"migration, boolean", "labels", "-feature_authors", 0},
		{"migration, URL", "social-links", "url", 0},
		{"primary key", "events", "-id", 0},
		{"primary key, default order", "books", "", 0},
		{"new index", "events", "location", 1},
		{"new index, reversed", "events", "-location", 0},
		{"new index of two fields", "events", "published,-start_date", 1},
		{"two fields, reversed", "events", "-published,start_date", 0},
		{"two fields in one direction", "events", "published,start_date", 1},
		{"new index of an open member", "books", "-name", 1},
		{"open member, reversed", "books", "name", 0},
	} {
		terms := ordering.Parse(row.ordering, nil)
		before := countOf(t, db, "pg_index")
		if err := store.Index(t.Context(), row.key, terms...); err != nil {
			t.Fatal(err)
		}
		if got := countOf(t, db, "pg_index") - before; got != row.more {
			t.Errorf("%s: %s by %q: %d indexes created, want %d", row.reason, row.key, row.ordering, got, row.more)
		}
	}
}

// countOf returns the number of rows of a table.
func countOf(t *testing.T, db *sql.DB, table string) (n int) {
	t.Helper()
	if err := db.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

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
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
	"github.com/gobacklist/backlist/resources"
)

// huge is a value of a described field that is longer than an entry of an index may
// be, where it can be; those of one kind begin alike.
func (d dice) huge(f resources.Field) string {
	var list []string
	switch f.Kind {
	case resources.References:
		for range 3_000 {
			list = append(list, fmt.Sprint(1+d.Int64N(1<<60)))
		}
		return "[1," + strings.Join(list, ",") + "]"
	case resources.TextList:
		for range 3 {
			list = append(list, quoted(d.long()))
		}
		return pick(d, []string{"[", `["",`, `["same",`}) + strings.Join(list, ",") + "]"
	case resources.JSON:
		return `{"same":` + quoted(d.long()) + "}"
	case resources.Text, resources.Slug, resources.URL:
		return quoted(d.long())
	}
	return d.member(f)
}

// An index refuses no record, however long what it holds, and the order by it is
// still that of whole values.
func TestIndexOfLongValues(t *testing.T) {
	dsn := newDSN(t)
	store, house := open(t, pgstore.Options{Primary: dsn}), catalogue.New()
	d := newDice(setting(t, "BACKLIST_POSTGRES_SEED", 7))
	load(t, store, `{"books":[{"id":1,"name":1}]}`)
	keys := []string{"events", "labels", "social-links", "books"}
	for _, key := range keys {
		for _, field := range fields(t, store, key) {
			if err := store.Index(t.Context(), key, ordering.Asc(field)); err != nil {
				t.Fatal(err)
			}
		}
		about, _ := resources.Lookup(key)
		file := fmt.Sprintf(`{%q:[%s]}`, key, strings.Join(d.withHuge(about), ","))
		if err := house.Load(strings.NewReader(file)); err != nil {
			t.Fatal(err)
		}
		load(t, store, file)
	}
	// As long as there is an index there is no other way.
	exec(t, connect(t, dsn), `DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET enable_sort = off', current_database());END$$`)
	again := open(t, pgstore.Options{Primary: dsn})
	for _, key := range keys {
		memory, err := house.Encoded(key)
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range fields(t, again, key) {
			compareOrders(t, field, memory, again.Collections()[key])
		}
	}
}

// withHuge are thirty records, the last of them with huge values.
func (d dice) withHuge(about resources.Description) []string {
	var records []string
	for id := 1; id <= 30; id++ {
		switch {
		case id <= 26:
			records = append(records, d.record(about, id))
		case about.Fields == nil:
			records = append(records, fmt.Sprintf(`{"id":%d,"name":%s}`, id, quoted(d.long())))
		default:
			var members []string
			for _, f := range about.Fields[1:] {
				members = append(members, quoted(f.Name)+":"+d.huge(f))
			}
			records = append(records, fmt.Sprintf(`{"id":%d,%s}`, id, strings.Join(members, ",")))
		}
	}
	return records
}

// compareOrders compares all records of two collections in the orders by a field.
func compareOrders(t *testing.T, field string, memory, sql httpapi.Collection) {
	t.Helper()
	for _, terms := range [][]ordering.Term{
		{ordering.Asc(field), ordering.Asc("id")}, {ordering.Desc(field), ordering.Desc("id")}, {ordering.Desc(field), ordering.Asc("id")},
	} {
		if field == "id" {
			terms = terms[:1]
		}
		w := pagination.Window{Limit: 1000}
		_, want, err := memory.Page(t.Context(), w, terms)
		if err != nil {
			t.Fatal(err)
		}
		_, got, err := sql.Page(t.Context(), w, terms)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.EqualFunc(want, got, bytes.Equal) {
			t.Errorf("%v by %v: ids: -memory +PostgreSQL\n%s", memory, terms, cmp.Diff(idsOf(t, want), idsOf(t, got)))
		}
	}
}

// idsOf are those of records.
func idsOf(t *testing.T, records [][]byte) []int {
	t.Helper()
	var ids []int
	for _, wire := range records {
		r, err := resources.ParseRecord(wire)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, r.ID)
	}
	return ids
}

// An index that was broken off is not taken for one that serves.
func TestIndexThatIsInvalid(t *testing.T) {
	dsn := newDSN(t)
	store, db := open(t, pgstore.Options{Primary: dsn}), connect(t, dsn)
	if err := store.Index(t.Context(), "events", ordering.Asc("location")); err != nil {
		t.Fatal(err)
	}
	var name string
	const broken = `UPDATE pg_index SET indisvalid = false WHERE indexrelid =
		(SELECT indexrelid FROM pg_index WHERE pg_get_indexdef(indexrelid) LIKE '%location%') RETURNING indexrelid::regclass::text`
	if err := db.QueryRow(broken).Scan(&name); err != nil {
		t.Fatal(err)
	}
	err := store.Index(t.Context(), "events", ordering.Asc("location"))
	if !errors.Is(err, pgstore.ErrIndex) || !strings.Contains(err.Error(), name) {
		t.Errorf("error %v, want one that matches %q and names %s", err, pgstore.ErrIndex, name)
	}
	if _, err := db.Exec("DROP INDEX " + name); err != nil {
		t.Fatal(err)
	}
	if err := store.Index(t.Context(), "events", ordering.Asc("location")); err != nil {
		t.Errorf("when it was dropped: %v", err)
	}
}

// One index is enough for both directions, for all orders that it holds the beginning
// of, and where a migration or the primary key has it already.
func TestIndexThatIsThere(t *testing.T) {
	dsn := newDSN(t)
	store, db := open(t, pgstore.Options{Primary: dsn}), connect(t, dsn)
	load(t, store, `{"books":[{"id":1,"name":"n"}]}`)
	for _, row := range []struct {
		reason, key, ordering string
		more                  int
	}{
		{"of a migration", "events", "start_date", 0},
		{"of a migration, from its other end", "events", "-start_date", 0},
		{"the default order is that", "events", "", 0},
		{"of a migration, by how texts begin", "events", "name,location", 0},
		{"of a migration, a boolean", "labels", "-feature_authors", 0},
		{"of a migration, a URL", "social-links", "url", 0},
		{"the primary key", "events", "-id", 0},
		{"the primary key, as the default order", "books", "", 0},
		{"there is none", "events", "location", 1},
		{"it was just made", "events", "-location", 0},
		{"one of two fields", "events", "published,-start_date", 1},
		{"the same from its other end", "events", "-published,start_date", 0},
		{"both in one direction are another", "events", "published,start_date", 1},
		{"an open member", "books", "-name", 1},
		{"the same from its other end", "books", "name", 0},
	} {
		terms, err := ordering.ParseStrict(row.ordering, nil)
		if err != nil {
			t.Fatal(err)
		}
		before := countOf(t, db, "pg_index")
		if err := store.Index(t.Context(), row.key, terms...); err != nil {
			t.Fatal(err)
		}
		if got := countOf(t, db, "pg_index") - before; got != row.more {
			t.Errorf("%s: %s by %q: %d indexes were made, want %d", row.reason, row.key, row.ordering, got, row.more)
		}
	}
}

// countOf is how many rows a table has.
func countOf(t *testing.T, db *sql.DB, table string) (n int) {
	t.Helper()
	if err := db.QueryRow("SELECT count(*) FROM " + table).Scan(&n); err != nil {
		t.Fatal(err)
	}
	return n
}

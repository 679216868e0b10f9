package pgstore_test

import (
	"bytes"
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
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
	case schema.References, schema.Array:
		if f.Kind == schema.Array && f.Item.Kind != schema.Integer {
			for range 3 {
				list = append(list, quoted(g.long()))
			}
			return pick(g, []string{"[", `["",`, `["same",`}) + strings.Join(list, ",") + "]"
		}
		for range 3_000 {
			list = append(list, fmt.Sprint(1+g.Int64N(1<<60)))
		}
		return "[1," + strings.Join(list, ",") + "]"
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
	store, cat := open(t, pgstore.Options{DSN: dsn}), mustNew()
	g := newGenerator(setting(t, "BACKLIST_POSTGRES_SEED", 7))
	const books = `{"books":[{"id":1,"name":1}]}`
	load(t, store, books)
	if err := cat.Load(strings.NewReader(books), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	keys := []string{"events", "labels", "social-links", "books"}
	for _, key := range keys {
		for _, field := range fieldsOf(cat, key) {
			if err := store.Index(t.Context(), key, ordering.Asc(field)); err != nil {
				t.Fatal(err)
			}
		}
		about := described(key)
		file := fmt.Sprintf(`{%q:[%s]}`, key, strings.Join(g.recordsWithLongValues(about), ","))
		if err := cat.Load(strings.NewReader(file), catalogue.LoadOptions{}); err != nil {
			t.Fatal(err)
		}
		load(t, store, file)
	}
	// Without sorts the planner must use the indexes.
	exec(t, connect(t, dsn), `DO $$BEGIN EXECUTE format('ALTER DATABASE %I SET enable_sort = off', current_database());END$$`)
	again := open(t, pgstore.Options{DSN: dsn})
	for _, key := range keys {
		memory, err := cat.Collection(key)
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range fieldsOf(cat, key) {
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
	store, db := open(t, pgstore.Options{DSN: dsn}), connect(t, dsn)
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
// with the same prefixes, one of the template, or the primary key serves the ordering.
func TestExistingIndex(t *testing.T) {
	dsn := newDSN(t)
	store, db := open(t, pgstore.Options{DSN: dsn}), connect(t, dsn)
	load(t, store, `{"books":[{"id":1,"name":"n"}]}`)
	for _, row := range []struct {
		reason, key, ordering string
		more                  int
	}{
		{"template", "events", "start_date", 0},
		{"template, reversed", "events", "-start_date", 0},
		{"template, default order", "events", "", 0},
		{"template, prefix of text", "events", "name,location", 0},
		{"template, boolean", "labels", "-feature_authors", 0},
		{"template, URL", "social-links", "url", 0},
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

// Numbers of records. There are fewer books, since Check runs a statement for each.
const (
	eventRows = 20_000
	bookRows  = 4_000
)

// plannedStore is a store with events and books.
type plannedStore struct {
	recorder *recorder
	store    *pgstore.Store
	db       *sql.DB
}

func newPlannedStore(t *testing.T) *plannedStore {
	dsn := newDSN(t)
	p := &plannedStore{recorder: newRecorder(t, dsn), db: connect(t, dsn)}
	p.store = open(t, pgstore.Options{DSN: p.recorder.dsn})
	var events, books []string
	for i := range eventRows {
		id, far := i+1, scattered(i, eventRows)
		events = append(events, fmt.Sprintf(`{"id":%d,"name":"Reading %05d","slug":"s","summary":"","description":"","location":"Room %d",`+
			`"startDate":"20%02d-05-01T18:%02d:%02dZ","endDate":"2026-05-01T18:00:00Z","published":%t,"poster":"","posterWebp":"","labels":[%d],"authors":[]}`,
			id, far, far%50, far%100, far/60%60, far%60, far%2 == 0, far))
	}
	for i := range bookRows {
		id, far := i+1, scattered(i, bookRows)
		books = append(books, fmt.Sprintf(`{"id":%d,"name":"Book %05d","price":%d,"ISBN-13 (\"print\")":%d}`, id, far, far%100, far))
	}
	load(t, p.store, `{"events":[`+strings.Join(events, ",")+`],"books":[`+strings.Join(books, ",")+`]}`)
	p.vacuum(t)
	return p
}

// scattered returns the i-th number of a permutation of n numbers.
func scattered(i, n int) int { return i * 7919 % n }

// vacuum updates statistics and the visibility map, which index-only scans need.
func (p *plannedStore) vacuum(t *testing.T) {
	t.Helper()
	if _, err := p.db.ExecContext(t.Context(), "VACUUM ANALYZE events, books"); err != nil {
		t.Fatal(err)
	}
}

// plan returns the steps of the plan below the limit, by which the database finds the
// records of a page.
func (p *plannedStore) plan(t *testing.T, key string, offset int, terms ...ordering.Term) string {
	t.Helper()
	p.recorder.take()
	if _, _, err := pageOf(t.Context(), collectionOf(p.store, key), pagination.Window{Limit: 21, Offset: offset}, terms...); err != nil {
		t.Fatal(err)
	}
	for _, s := range p.recorder.take() {
		if len(s.params) < 2 || !strings.Contains(s.text, `t."record" FROM (`) {
			continue
		}
		args := []any{binary.BigEndian.Uint64(s.params[0]), binary.BigEndian.Uint64(s.params[1])}
		if len(s.params) == 3 { // with the count of the collection
			args = append(args, string(s.params[2]))
		}
		return explain(t, p.db, s.text, args...)
	}
	t.Fatal("no query of a page")
	return ""
}

// node is a step of a plan.
type node struct {
	Type      string   `json:"Node Type"`
	Direction string   `json:"Scan Direction"`
	Index     string   `json:"Index Name"`
	Presorted []string `json:"Presorted Key"`
	Plans     []node
}

func explain(t *testing.T, db *sql.DB, text string, args ...any) string {
	t.Helper()
	var plan []byte
	if err := db.QueryRowContext(t.Context(), "EXPLAIN (FORMAT JSON) "+text, args...).Scan(&plan); err != nil {
		t.Fatal(err)
	}
	var explained []struct{ Plan node }
	if err := json.NewDecoder(bytes.NewReader(plan)).Decode(&explained); err != nil {
		t.Fatal(err)
	}
	inner := explained[0].Plan.find("Limit")
	if inner == nil {
		t.Fatalf("no limit in %s", plan)
	}
	return inner.Plans[0].String()
}

// find returns the first step of a type, or nil.
func (n *node) find(kind string) *node {
	if n.Type == kind {
		return n
	}
	for i := range n.Plans {
		if found := n.Plans[i].find(kind); found != nil {
			return found
		}
	}
	return nil
}

// String returns the steps, each before the one from which it takes its rows.
func (n *node) String() string {
	text := n.Type
	if n.Direction == "Backward" {
		text += " Backward"
	}
	if n.Index != "" {
		index, _, found := strings.Cut(n.Index, "_by_")
		text += " " + n.Index
		if found && len(n.Index) == len(index)+len("_by_")+12 { // a hash
			text = strings.TrimSuffix(text, n.Index) + index + "_by_…"
		}
	}
	if n.Presorted != nil {
		text += fmt.Sprintf(" of %d", len(n.Presorted))
	}
	for i := range n.Plans {
		text += ", " + n.Plans[i].String()
	}
	return text
}

// TestPlans checks that pages near either end of an ordering are read from its index.
func TestPlans(t *testing.T) {
	p := newPlannedStore(t)
	asc, desc := ordering.Asc, ordering.Desc
	isbn := ordering.Snake(`ISBN-13 ("print")`)
	const sorted = "Sort, Seq Scan"
	for _, row := range []struct {
		reason, key string
		offset      int
		terms       []ordering.Term
		before      string          // the plan
		index       []ordering.Term // created then; nil means none
		after       string          // the plan with it
	}{
		{"default order", "events", 0, []ordering.Term{asc("start_date"), asc("id")},
			"Index Only Scan events_by_start_date", nil, ""},
		{"default order, last page", "events", eventRows - 21, []ordering.Term{asc("start_date"), asc("id")},
			"Index Only Scan Backward events_by_start_date", nil, ""},
		{"default order reversed", "events", 0, []ordering.Term{desc("start_date"), desc("id")},
			"Index Only Scan Backward events_by_start_date", nil, ""},
		{"default order reversed, last page", "events", eventRows - 21, []ordering.Term{desc("start_date"), desc("id")},
			"Index Only Scan events_by_start_date", nil, ""},
		{"by id", "books", 0, []ordering.Term{asc("id")}, "Index Only Scan books_pkey", nil, ""},
		{"by id, last page", "books", bookRows - 30, []ordering.Term{asc("id")}, "Index Only Scan Backward books_pkey", nil, ""},
		{"by text with a prefix index", "events", 0, []ordering.Term{asc("name"), asc("id")},
			"Incremental Sort of 1, Index Scan events_by_name", nil, ""},
		{"by text, last page", "events", eventRows - 30, []ordering.Term{asc("name"), asc("id")},
			"Incremental Sort of 1, Index Scan Backward events_by_name", nil, ""},
		{"by text with many ties", "events", 0, []ordering.Term{asc("location"), desc("start_date"), asc("id")},
			sorted, []ordering.Term{asc("location")}, "Incremental Sort of 1, Index Scan events_by_location"},
		{"mixed directions", "events", 0, []ordering.Term{desc("published"), asc("end_date"), desc("id")},
			sorted, []ordering.Term{desc("published"), asc("end_date")}, "Index Only Scan Backward events_by_…"},
		{"mixed directions reversed", "events", 0, []ordering.Term{asc("published"), desc("end_date"), asc("id")},
			"Index Only Scan events_by_…", nil, ""},
		{"open member", "books", 0, []ordering.Term{asc("price"), asc("id")},
			sorted, []ordering.Term{asc("price")}, "Incremental Sort of 1, Index Scan books_by_…"},
		{"open member, last page", "books", bookRows - 30, []ordering.Term{asc("price"), asc("id")},
			"Incremental Sort of 1, Index Scan Backward books_by_…", nil, ""},
		{"open member as the first of two", "books", 0, []ordering.Term{desc("price"), asc("name"), desc("id")},
			"Incremental Sort of 1, Index Scan Backward books_by_…", nil, ""},
		{"open member with an unusual name", "books", 0, []ordering.Term{desc(isbn), asc("name"), desc("id")},
			sorted, []ordering.Term{desc(isbn), asc("name")}, "Incremental Sort of 1, Index Scan Backward books_by_…"},
	} {
		t.Run(row.reason, func(t *testing.T) {
			if diff := cmp.Diff(row.before, p.plan(t, row.key, row.offset, row.terms...)); diff != "" {
				t.Errorf("plan: -want +got\n%s", diff)
			}
			if row.index == nil {
				return
			}
			for range 2 { // the second call finds the index
				if err := p.store.Index(t.Context(), row.key, row.index...); err != nil {
					t.Fatal(err)
				}
			}
			p.vacuum(t)
			if diff := cmp.Diff(row.after, p.plan(t, row.key, row.offset, row.terms...)); diff != "" {
				t.Errorf("plan with the index: -want +got\n%s", diff)
			}
		})
	}
	t.Run("loaded again", func(t *testing.T) { p.loadAgain(t) })
	t.Run("index of another expression", func(t *testing.T) { p.mismatch(t) })
}

// loadAgain loads other records, which have new members before the indexed ones.
func (p *plannedStore) loadAgain(t *testing.T) {
	var books []string
	second := "" // by price
	for i := range bookRows {
		book := fmt.Sprintf(`{"id":%d,"new":%d,"newer":0,"price":%d}`, i+1, i, scattered(i, bookRows))
		books = append(books, book)
		if scattered(i, bookRows) == 1 {
			second = book
		}
	}
	load(t, p.store, `{"books":[`+strings.Join(books, ",")+`]}`)
	byPrice := []ordering.Term{ordering.Asc("price"), ordering.Asc("id")}
	if diff := cmp.Diff("Incremental Sort of 1, Index Scan books_by_…", p.plan(t, "books", 0, byPrice...)); diff != "" {
		t.Errorf("plan: -want +got\n%s", diff)
	}
	_, records, err := pageOf(t.Context(), collectionOf(p.store, "books"), pagination.Window{Limit: 1, Offset: 1}, byPrice...)
	if err != nil {
		t.Fatal(err)
	}
	if string(records[0]) != second {
		t.Errorf("second by price = %s, want %s", records[0], second)
	}
}

// mismatch checks that an index of a slightly different expression is not used.
func (p *plannedStore) mismatch(t *testing.T) {
	byName := []ordering.Term{ordering.Asc("name"), ordering.Asc("id")}
	for _, index := range []string{"left(name, 255)", "name", "left(name, 256) DESC NULLS LAST", `left(name, 256) COLLATE "C.utf8"`} {
		exec(t, p.db, "DROP INDEX events_by_name; CREATE INDEX events_by_name ON events ("+index+")")
		if diff := cmp.Diff("Sort, Seq Scan", p.plan(t, "events", 0, byName...)); diff != "" {
			t.Errorf("plan with an index on %s: -want +got\n%s", index, diff)
		}
	}
	exec(t, p.db, "DROP INDEX events_by_name; CREATE INDEX events_by_name ON events (left(name, 256))")
	if diff := cmp.Diff("Incremental Sort of 1, Index Scan events_by_name", p.plan(t, "events", 0, byName...)); diff != "" {
		t.Errorf("plan: -want +got\n%s", diff)
	}
}

// exec runs statements without a store.
func exec(t testing.TB, db *sql.DB, statements string) {
	t.Helper()
	for _, text := range strings.Split(statements, "; ") {
		if _, err := db.ExecContext(context.Background(), text); err != nil {
			t.Fatal(err)
		}
	}
}

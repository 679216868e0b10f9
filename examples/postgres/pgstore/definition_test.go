package pgstore_test

import (
	"database/sql"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
)

// film has a field of each kind that the documented collections do not have.
type film struct {
	ID       int      `json:"id"`
	Title    string   `json:"title"`
	Slug     string   `json:"slug" backlist:"slug,unique"`
	Director int      `json:"director" backlist:"refers=directors"`
	Score    float64  `json:"score"`
	Price    string   `json:"price" backlist:"decimal=6.2"`
	Released string   `json:"released" backlist:"date"`
	Tags     []string `json:"tags"`
}

type director struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

func ownDefinitions() []catalogue.AnyDefinition {
	actions := schema.List | schema.Create
	return []catalogue.AnyDefinition{
		catalogue.Define[director]("directors", catalogue.Options{Description: &schema.Description{Actions: actions}}),
		catalogue.Define[film]("films", catalogue.Options{
			Description: &schema.Description{Actions: actions},
			Unique:      [][]string{{"director", "title", "tags"}, {"title", "price"}},
		}),
		catalogue.Define[schema.Record]("notes", catalogue.Options{}),
	}
}

const ownRecords = `{"directors":[{"id":1,"name":"Kira"}],"films":[
	{"id":1,"title":"b","slug":"one","director":1,"score":1e2,"price":"9.50","released":"2024-05-10","tags":["x"]},
	{"id":2,"title":"a","slug":"two","director":1,"score":-0.5,"price":"10.00","released":"1999-12-31","tags":[]},
	{"id":3,"title":"B","slug":"three","director":1,"score":9,"price":"-1.00","released":"2024-05-09","tags":["x","a"]}],
	"notes":[{"id":1,"text":"b"},{"id":2,"price":"10"},{"id":3,"price":"9","text":"a"}]}`

// TestOwnDefinitions compares answers for a program's own collections with those from memory.
func TestOwnDefinitions(t *testing.T) {
	memory, err := catalogue.New(ownDefinitions()...)
	if err != nil {
		t.Fatal(err)
	}
	store := open(t, pgstore.Options{DSN: shared.DSN(newDatabase(t, "template1")), Definitions: ownDefinitions(), Timeout: time.Minute})
	if err := memory.Load(strings.NewReader(ownRecords), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	load(t, store, ownRecords)
	opts := httpapi.Options{Authorizer: httpapi.AllowAll}
	handler, err := httpapi.New(memory, opts)
	if err != nil {
		t.Fatal(err)
	}
	p := &pair{memory: handler, sql: handle(t, store, opts), tags: map[string][2]string{}}
	for _, target := range []string{
		"films/?ordering=score", "films/?ordering=-price", "films/?ordering=released,title", "films/?ordering=-tags",
		"films/?ordering=title&limit=1&offset=1", "films/?ordering=director,-slug", "notes/?ordering=text", "notes/?ordering=-price",
		"directors/", "",
	} {
		path, query, _ := strings.Cut("/api/"+target, "?")
		p.ask(t, testRequest{method: "GET", path: path, query: query})
		p.ask(t, testRequest{method: "OPTIONS", path: path})
	}
	for _, body := range []string{
		`{"title":"c","slug":"four","director":1,"score":0.1,"price":"7.25","released":"2020-02-29","tags":["y"]}`,
		`{"title":"c","slug":"four","director":1,"score":0.1,"price":"7.25","released":"2020-02-29","tags":["y"]}`, // slug in use
		`{"title":"c","slug":"five","director":2,"score":0.1,"price":"7.25","released":"2020-02-29","tags":["y"]}`, // no such director
		`{"title":"c","slug":"six","director":1,"score":0.1,"price":"7.25","released":"2020-02-29","tags":["y"]}`,  // a set in use
		`{"title":"c","slug":"six","director":1,"score":0.1,"price":"7.25","released":"2020-02-29","tags":["z"]}`,  // another one
		`{"slug":"one"}`,
	} {
		header := map[string]string{"Content-Type": "application/json"}
		p.ask(t, testRequest{method: "POST", path: "/api/films/", header: header, body: body})
	}
	p.ask(t, testRequest{method: "GET", path: "/api/films/", query: "ordering=-score"})
	for _, used := range []string{
		`{"id":9,"title":"","slug":"two","director":1,"score":1,"price":"1.00","released":"2024-05-10","tags":[]}`,
		`{"id":9,"title":"a","slug":"seven","director":1,"score":1,"price":"1.00","released":"2024-05-10","tags":[]}`,
	} {
		if err := store.Insert(t.Context(), "films", []byte(used)); !errors.Is(err, httpapi.ErrConflict) {
			t.Errorf("Insert of values in use, %s = %v, want %v", used, err, httpapi.ErrConflict)
		}
	}
}

// TestOwnDefinitionsRefused checks definitions that have no place in the database.
func TestOwnDefinitionsRefused(t *testing.T) {
	for _, key := range []string{"members", "collections"} {
		_, err := pgstore.Open(pgstore.Options{DSN: "host=a", Definitions: []catalogue.AnyDefinition{
			catalogue.Define[director](key, catalogue.Options{}),
		}})
		if !errors.Is(err, pgstore.ErrOptions) {
			t.Errorf("Open with a collection %s = %v, want %v", key, err, pgstore.ErrOptions)
		}
	}
	dsn := shared.DSN(newDatabase(t, "template1"))
	openUnchecked(t, pgstore.Options{DSN: dsn, Definitions: ownDefinitions()})
	type genre struct {
		ID   int    `json:"id"`
		Kind string `json:"kind" backlist:"unique"`
	}
	changed := []catalogue.AnyDefinition{catalogue.Define[genre]("films", catalogue.Options{Description: &schema.Description{Filters: []string{"kind"}}})}
	store, err := pgstore.Open(pgstore.Options{DSN: dsn, Definitions: changed})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	if err := store.Migrate(t.Context()); !errors.Is(err, pgstore.ErrTable) {
		t.Errorf("Migrate with other fields = %v, want %v", err, pgstore.ErrTable)
	}
}

// TestSchema compares the columns after Migrate with the descriptions, and
// checks that text is compared by bytes.
func TestSchema(t *testing.T) {
	dsn := newDSN(t)
	open(t, pgstore.Options{DSN: dsn})
	db := connect(t, dsn)
	for _, about := range descriptions() {
		want := map[string]string{"id": "bigint not null", "record": "text C not null"}
		for _, f := range about.Fields {
			want[ordering.Snake(f.Name)] = sqlType(f)
		}
		if about.Fields == nil {
			want["keys"] = "bytea[] not null"
		}
		got := columnsOf(t, db, strings.ReplaceAll(about.Segment, "-", "_"))
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: -described +there\n%s", about.Key, diff)
		}
	}
}

// sqlType returns the expected type of a described field.
func sqlType(f schema.Field) string {
	name := map[schema.Kind]string{
		schema.Integer: "numeric", schema.Reference: "bigint", schema.References: "bigint[]",
		schema.Text: "text C", schema.Slug: "text C", schema.URL: "text C", schema.Array: "text[] C",
		schema.Boolean: "boolean", schema.Timestamp: "timestamp with time zone", schema.JSON: "bytea",
	}[f.Kind]
	switch {
	case f.Name == "id":
		return "bigint not null"
	case f.Kind == schema.Array && f.Item.Kind == schema.Integer:
		return "bytea"
	}
	return name
}

// columnsOf returns the columns of a table with type, collation and NOT NULL.
func columnsOf(t *testing.T, db *sql.DB, table string) map[string]string {
	t.Helper()
	rows, err := db.Query(`SELECT attname, format_type(atttypid, atttypmod) || coalesce(' ' || collname, '')
			|| CASE WHEN attnotnull THEN ' not null' ELSE '' END
		FROM pg_attribute LEFT JOIN pg_collation c ON c.oid = attcollation AND collname <> 'default'
		WHERE attrelid = quote_ident($1)::regclass AND attnum > 0 AND NOT attisdropped`, table)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	columns := map[string]string{}
	for rows.Next() {
		var name, column string
		if err := rows.Scan(&name, &column); err != nil {
			t.Fatal(err)
		}
		columns[name] = column
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return columns
}

package pgstore_test

import (
	"database/sql"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/ordering"
)

// TestSchema compares the columns after all migrations with the descriptions, and
// checks that text is compared by bytes.
func TestSchema(t *testing.T) {
	dsn := newDSN(t)
	open(t, pgstore.Options{Primary: dsn})
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
		schema.Integer: "bigint", schema.Reference: "bigint", schema.References: "bigint[]",
		schema.Text: "text C", schema.Slug: "text C", schema.URL: "text C", schema.TextList: "text[] C",
		schema.Boolean: "boolean", schema.Timestamp: "timestamp with time zone", schema.JSON: "bytea",
	}[f.Kind]
	if f.Nullable {
		return name
	}
	return name + " not null"
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

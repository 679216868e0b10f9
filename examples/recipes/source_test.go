package recipes

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
)

var errBroken = errors.New("connection lost")

// A table is a database with one column, whose rows end with an error.
type table struct {
	rows []driver.Value
	end  error
}

func (t *table) Connect(context.Context) (driver.Conn, error) { return t, nil }
func (t *table) Driver() driver.Driver                        { return nil }
func (t *table) Prepare(string) (driver.Stmt, error)          { return t, nil }
func (t *table) Close() error                                 { return nil }
func (t *table) Begin() (driver.Tx, error)                    { return nil, errors.ErrUnsupported }
func (t *table) NumInput() int                                { return 0 }
func (t *table) Exec([]driver.Value) (driver.Result, error)   { return nil, errors.ErrUnsupported }
func (t *table) Query([]driver.Value) (driver.Rows, error)    { return t, nil }
func (t *table) Columns() []string                            { return []string{"title"} }

func (t *table) Next(to []driver.Value) error {
	if len(t.rows) == 0 {
		return t.end
	}
	to[0], t.rows = t.rows[0], t.rows[1:]
	return nil
}

// TestReplaceFrom replaces records by the rows of queries, of which some fail in the middle.
func TestReplaceFrom(t *testing.T) {
	type film struct {
		ID    int    `json:"id"`
		Title string `json:"title"`
	}
	films, err := catalogue.NewCollection[film](catalogue.Options{})
	if err != nil {
		t.Fatal(err)
	}
	scan := func(rows *sql.Rows) (f film, err error) {
		err = rows.Scan(&f.Title)
		return f, err
	}
	for _, test := range []struct {
		reason string
		table  table
		fails  bool
		want   string // the titles afterwards
	}{
		{"all rows", table{[]driver.Value{"a", "b", "c"}, io.EOF}, false, "abc"},
		{"an error after a row", table{[]driver.Value{"d"}, errBroken}, true, "abc"},
		{"a row that cannot be scanned", table{[]driver.Value{"d", nil, "e"}, io.EOF}, true, "abc"},
		{"an error before the first row", table{nil, errBroken}, true, "abc"},
		{"no rows", table{nil, io.EOF}, false, ""},
	} {
		rows, err := sql.OpenDB(&test.table).Query("SELECT title FROM films")
		if err != nil {
			t.Fatal(err)
		}
		err = ReplaceFrom(films, Rows(rows, scan))
		if (err != nil) != test.fails || test.table.end == errBroken && !errors.Is(err, errBroken) {
			t.Errorf("%s: %v", test.reason, err)
		}
		titles := ""
		for f := range films.All() {
			titles += f.Title
		}
		if titles != test.want {
			t.Errorf("%s: the films %s, want %s", test.reason, titles, test.want)
		}
	}
}

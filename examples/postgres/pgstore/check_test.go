package pgstore_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/examples/postgres/pgstore"
)

// Check tells whatever somebody's own SQL has left that Go would not have written.
func TestCheck(t *testing.T) {
	file := `{"events":[` + fmt.Sprintf(event, 3, `"Three"`) + `],"books":[{"id":5,"name":"Five","price":1.50}]}`
	for _, row := range []struct {
		reason, statements string
		want               error // nil: all is whole
		says               string
	}{
		{"nothing was done", "SELECT 1", nil, ""},
		{"the highest id is gone", "DELETE FROM events; UPDATE collections SET count = 0 WHERE key = 'events'", nil, ""},
		{"a record that nobody counted", "DELETE FROM events", pgstore.ErrCount, "events: "},
		{"a record above the highest id", "UPDATE collections SET last_id = 2 WHERE key = 'events'", pgstore.ErrCount, "events: "},
		{"a member that nobody counted", "UPDATE members SET records = 2 WHERE name = 'price'", pgstore.ErrCount, "books: "},
		{"a member that nobody has", "UPDATE members SET records = 0 WHERE name = 'price'", pgstore.ErrCount, "books: "},
		{"a column is another", "UPDATE events SET name = 'Four'", pgstore.ErrRow, "events: pgstore: bad row: id 3: "},
		{"a list is another", "UPDATE events SET labels = '{1}'", pgstore.ErrRow, "id 3: "},
		{"a key is another", `UPDATE books SET keys[2] = '\x00'`, pgstore.ErrRow, "books: pgstore: bad row: id 5: "},
		{"a key is missing", `UPDATE books SET keys = '{}'`, pgstore.ErrRow, "id 5: "},
		{"an id is another", "UPDATE events SET id = 2", pgstore.ErrRow, "id 2: "},
		{"a record is another", `UPDATE events SET record = replace(record, 'Three', 'Four')`, pgstore.ErrRow, "id 3: "},
		{"a record is no JSON", "UPDATE events SET record = record || '}'", pgstore.ErrRow, "id 3: "},
		{"a record is JSON of another kind", "UPDATE books SET record = '[]'", pgstore.ErrRow, "id 5: "},
		{"white space, which is not answered", `UPDATE events SET record = replace(record, ',', ', ')`, pgstore.ErrRow, "id 3: "},
		{"white space in an open record", `UPDATE books SET record = replace(record, ',', ', ')`, pgstore.ErrRow, "id 5: "},
		{"a member that is not described", `UPDATE events SET record = replace(record, '"slug"', '"new":1,"slug"')`, pgstore.ErrRow, "id 3: "},
		{"an id that is not given", `UPDATE books SET id = -5, record = replace(record, '5,', '-5,')`, pgstore.ErrRow, "id -5: "},
	} {
		dsn := newDSN(t)
		store := openUnchecked(t, pgstore.Options{Primary: dsn})
		load(t, store, file)
		exec(t, connect(t, dsn), row.statements)
		err := store.Check(t.Context())
		if !errors.Is(err, row.want) || err != nil && !strings.Contains(err.Error(), row.says) {
			t.Errorf("%s: error %v, want %v with %q", row.reason, err, row.want, row.says)
		}
	}
}

// What is wrong is told in the order of the ids, each time.
func TestCheckOrder(t *testing.T) {
	dsn := newDSN(t)
	store := openUnchecked(t, pgstore.Options{Primary: dsn})
	load(t, store, `{"books":[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6},{"id":7},{"id":8},{"id":9}]}`)
	exec(t, connect(t, dsn), "UPDATE books SET keys = '{NULL}'")
	text := fmt.Sprint(store.Check(t.Context()))
	for id := 1; id <= 9; id++ {
		_, behind, found := strings.Cut(text, fmt.Sprintf("id %d: ", id))
		if !found {
			t.Fatalf("id %d is not told in its place of\n%v", id, store.Check(t.Context()))
		}
		text = behind
	}
}

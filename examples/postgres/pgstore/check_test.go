package pgstore_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/examples/postgres/pgstore"
)

// TestCheck damages tables with SQL.
func TestCheck(t *testing.T) {
	file := `{"events":[` + fmt.Sprintf(event, 3, `"Three"`) + `],"books":[{"id":5,"name":"Five","price":1.50}]}`
	for _, row := range []struct {
		reason, statements string
		want               error
		text               string // in the error
	}{
		{"no change", "SELECT 1", nil, ""},
		{"highest id deleted and counted", "DELETE FROM events; UPDATE collections SET count = 0 WHERE key = 'events'", nil, ""},
		{"deletion not counted", "DELETE FROM events", pgstore.ErrCount, "events: "},
		{"record above the highest id", "UPDATE collections SET last_id = 2 WHERE key = 'events'", pgstore.ErrCount, "events: "},
		{"count of a member too high", "UPDATE members SET records = 2 WHERE name = 'price'", pgstore.ErrCount, "books: "},
		{"count of a member too low", "UPDATE members SET records = 0 WHERE name = 'price'", pgstore.ErrCount, "books: "},
		{"changed column", "UPDATE events SET name = 'Four'", pgstore.ErrRow, "events: pgstore: invalid row: id 3: "},
		{"changed list", "UPDATE events SET labels = '{1}'", pgstore.ErrRow, "id 3: "},
		{"changed key", `UPDATE books SET keys[2] = '\x00'`, pgstore.ErrRow, "books: pgstore: invalid row: id 5: "},
		{"missing key", `UPDATE books SET keys = '{}'`, pgstore.ErrRow, "id 5: "},
		{"changed id", "UPDATE events SET id = 2", pgstore.ErrRow, "id 2: "},
		{"changed record", `UPDATE events SET record = replace(record, 'Three', 'Four')`, pgstore.ErrRow, "id 3: "},
		{"record is not JSON", "UPDATE events SET record = record || '}'", pgstore.ErrRow, "id 3: "},
		{"record is not an object", "UPDATE books SET record = '[]'", pgstore.ErrRow, "id 5: "},
		{"white space in a record", `UPDATE events SET record = replace(record, ',', ', ')`, pgstore.ErrRow, "id 3: "},
		{"white space in an open record", `UPDATE books SET record = replace(record, ',', ', ')`, pgstore.ErrRow, "id 5: "},
		{"unknown member", `UPDATE events SET record = replace(record, '"slug"', '"new":1,"slug"')`, pgstore.ErrRow, "id 3: "},
		{"negative id", `UPDATE books SET id = -5, record = replace(record, '5,', '-5,')`, pgstore.ErrRow, "id -5: "},
	} {
		dsn := newDSN(t)
		store := openUnchecked(t, pgstore.Options{Primary: dsn})
		load(t, store, file)
		exec(t, connect(t, dsn), row.statements)
		err := store.Check(t.Context())
		if !errors.Is(err, row.want) || err != nil && !strings.Contains(err.Error(), row.text) {
			t.Errorf("%s: Check = %v, want %v with %q", row.reason, err, row.want, row.text)
		}
	}
}

// TestCheckOrder checks that faults are reported in order of the ids.
func TestCheckOrder(t *testing.T) {
	dsn := newDSN(t)
	store := openUnchecked(t, pgstore.Options{Primary: dsn})
	load(t, store, `{"books":[{"id":1},{"id":2},{"id":3},{"id":4},{"id":5},{"id":6},{"id":7},{"id":8},{"id":9}]}`)
	exec(t, connect(t, dsn), "UPDATE books SET keys = '{NULL}'")
	text := fmt.Sprint(store.Check(t.Context()))
	for id := 1; id <= 9; id++ {
		_, after, found := strings.Cut(text, fmt.Sprintf("id %d: ", id))
		if !found {
			t.Fatalf("id %d is missing or out of order in\n%v", id, store.Check(t.Context()))
		}
		text = after
	}
}

package pgstore_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// TestPreparedStatements checks that a connection prepares a statement again only after
// 64 others.
func TestPreparedStatements(t *testing.T) {
	recorder := newRecorder(t, newDSN(t))
	store := open(t, pgstore.Options{Primary: recorder.dsn, MaxConns: 1})
	if err := store.LoadFrom(t.Context(), houseOf(t, 1)); err != nil {
		t.Fatal(err)
	}
	load(t, store, `{"books":[{"id":1}]}`)
	events, books := collectionOf(store, "events"), collectionOf(store, "books")
	page := func(terms ...ordering.Term) {
		t.Helper()
		if _, _, err := pageOf(t.Context(), books, pagination.Window{Limit: 1}, terms...); err != nil {
			t.Fatal(err)
		}
	}
	otherOrderings := func(orders int) {
		t.Helper()
		fields := events.Description().Fields
		by := func(i int) ordering.Term { return ordering.Asc(ordering.Snake(fields[i].Name)) }
		for i := range orders {
			if _, _, err := pageOf(t.Context(), events, pagination.Window{Limit: 1}, by(1+i/10), by(1+(i/10+1+i%10)%12)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, row := range []struct {
		reason         string
		do             func()
		prepared, used int
	}{
		{"first use", func() { page(ordering.Asc("id")) }, 1, 1},
		{"repeated use", func() { page(ordering.Asc("id")); page(ordering.Asc("id")) }, 0, 2},
		{"after few others", func() { otherOrderings(5); page(ordering.Asc("id")) }, 0, 1},
		{"after many others", func() { otherOrderings(70); page(ordering.Asc("id")) }, 1, 1},
	} {
		recorder.take()
		row.do()
		prepared, used := 0, 0
		for _, s := range recorder.take() {
			switch {
			case !strings.Contains(s.text, `FROM "books" t ORDER BY t.id`):
			case s.params == nil:
				prepared++
			default:
				used++
			}
		}
		if diff := cmp.Diff(fmt.Sprint(row.prepared, row.used), fmt.Sprint(prepared, used)); diff != "" {
			t.Errorf("%s: prepared and used: -want +got\n%s", row.reason, diff)
		}
	}
}

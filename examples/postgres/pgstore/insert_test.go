package pgstore_test

import (
	"errors"
	"fmt"
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

// TestInsertInvalidRecord also checks that nothing is stored.
func TestInsertInvalidRecord(t *testing.T) {
	store := open(t, pgstore.Options{Primary: newDSN(t)})
	load(t, store, `{"books":[{"id":5,"name":"Old"}]}`)
	before, revisionsBefore := all(t, store), revisions(t, store)
	for _, row := range []struct {
		reason, key, record string
		want                error
	}{
		{"no record", "books", ``, catalogue.ErrInvalidData},
		{"white space", "books", ` `, catalogue.ErrInvalidData},
		{"two records", "books", `{"id":6},{"id":7}`, catalogue.ErrInvalidData},
		{"record and end of an array", "books", `{"id":6}],[{"id":7}`, catalogue.ErrInvalidData},
		{"no id", "books", `{"new":1}`, catalogue.ErrInvalidData},
		{"array", "books", `[{"id":6}]`, catalogue.ErrInvalidData},
		{"null", "books", `null`, catalogue.ErrInvalidData},
		{"missing members", "events", `{"id":6}`, catalogue.ErrInvalidData},
		{"id in use", "books", `{"id":5,"new":1}`, httpapi.ErrConflict},
		{"unknown collection", "item_variants", `{"id":6}`, pgstore.ErrCollection},
		{"U+0000 in described text", "events", fmt.Sprintf(event, 6, `"\u0000"`), schema.ErrInvalid},
		{"U+0000 in the name of a member", "books", `{"id":6,"new\u0000":1}`, schema.ErrInvalid},
	} {
		t.Run(row.reason, func(t *testing.T) {
			if err := store.Insert(t.Context(), row.key, []byte(row.record)); !errors.Is(err, row.want) {
				t.Errorf("Insert = %v, want %v", err, row.want)
			} else if row.want != pgstore.ErrCollection && !namedOnce(err, row.key) {
				t.Errorf("Insert = %q, want an error that begins with the key and has it once", err)
			}
			if diff := cmp.Diff(before, all(t, store)); diff != "" {
				t.Errorf("records: -before +after\n%s", diff)
			}
			if diff := cmp.Diff(revisionsBefore, revisions(t, store)); diff != "" {
				t.Errorf("revisions: -before +after\n%s", diff)
			}
			if diff := cmp.Diff([]string{"id", "name"}, knownOf(t, collectionOf(store, "books"), "id", "name", "new")); diff != "" {
				t.Errorf("fields: -before +after\n%s", diff)
			}
		})
	}
}

// namedOnce reports whether an error begins with a key and contains it only once.
func namedOnce(err error, key string) bool {
	return strings.HasPrefix(err.Error(), key+": ") && strings.Count(err.Error(), key+": ") == 1
}

// TestListErrors checks that errors of List name the collection once.
func TestListErrors(t *testing.T) {
	dsn := newDSN(t)
	store := openUnchecked(t, pgstore.Options{Primary: dsn})
	events := collectionOf(store, "events")
	exec(t, connect(t, dsn), "UPDATE collections SET count = 1 WHERE key = 'events'")
	_, _, err := pageOf(t.Context(), events, pagination.Window{Limit: 1}, ordering.Asc("id"))
	if !errors.Is(err, pgstore.ErrCount) || !namedOnce(err, "events") {
		t.Errorf("List with a wrong count = %v", err)
	}
	exec(t, connect(t, dsn), "DROP TABLE events")
	_, _, err = pageOf(t.Context(), events, pagination.Window{Limit: 1}, ordering.Asc("id"))
	if err == nil || !namedOnce(err, "events") {
		t.Errorf("List of a dropped table = %v", err)
	}
}

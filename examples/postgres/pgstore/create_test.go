package pgstore_test

import (
	"errors"
	"testing"

	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
)

// TestCreateNextIDInUse uses the next id with SQL. The error is not a conflict, because
// the client cannot resolve it.
func TestCreateNextIDInUse(t *testing.T) {
	dsn := newDSN(t)
	store, db := openUnchecked(t, pgstore.Options{Primary: dsn}), connect(t, dsn)
	load(t, store, `{"authors":[{"id":1}]}`)
	exec(t, db, `INSERT INTO social_links (id, record, title, url, type, author) VALUES (1, '{}', '', '', '', 1)`)
	links := collectionOf(store, "social-links")
	const body = `{"title":"T","url":"https://x.example/","type":"instagram","author":1}`
	_, err := links.Create(t.Context(), []byte(body))
	if !errors.Is(err, pgstore.ErrCount) || errors.Is(err, httpapi.ErrConflict) || !namedOnce(err, "social-links") {
		t.Errorf("Create = %v, want %v", err, pgstore.ErrCount)
	}
	exec(t, db, `UPDATE collections SET count = 1, last_id = 1 WHERE key = 'social-links'`)
	if _, err := links.Create(t.Context(), []byte(body)); err != nil {
		t.Errorf("Create after correcting the count = %v", err)
	}
}

package pgstore_test

import (
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
)

// TestLostRevision lowers a revision, as a failover that loses writes does. Pages have
// no tag until the revision is higher than before, since it may be reused.
func TestLostRevision(t *testing.T) {
	dsn := newDSN(t)
	store, db := open(t, pgstore.Options{Primary: dsn}), connect(t, dsn)
	load(t, store, `{"books":[{"id":1}]}`)
	var errs []error
	handler := handle(t, store, httpapi.Options{ETags: true, OnError: recordErrors(&errs)})
	get := func() (status int, tag, body string) {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", "/api/books/", nil))
		return w.Code, w.Header().Get("ETag"), w.Body.String()
	}
	_, tag, body := get()
	if tag == "" || errs != nil {
		t.Fatalf("before: tag %q, errors %v", tag, errs)
	}
	if _, err := db.Exec(`UPDATE collections SET revision = revision - 1 WHERE key = 'books'`); err != nil {
		t.Fatal(err)
	}
	status, tag, after := get()
	if status != 200 || tag != "" || after != body || len(errs) != 1 {
		t.Errorf("lower revision: status %d, tag %q, body %q, errors %v; want 200, no tag, %q, one error", status, tag, after, errs, body)
	}
	if _, err := db.Exec(`UPDATE collections SET revision = revision + 2 WHERE key = 'books'`); err != nil {
		t.Fatal(err)
	}
	if status, tag, _ := get(); status != 200 || tag == "" || len(errs) != 1 {
		t.Errorf("higher revision: status %d, tag %q, errors %v; want 200, a tag, no more errors", status, tag, errs)
	}
}

func TestCreateReadOnly(t *testing.T) {
	store := open(t, pgstore.Options{Primary: newDSN(t)})
	_, err := collectionOf(store, "books").Create(t.Context(), []byte(`{}`))
	if !errors.Is(err, catalogue.ErrReadOnly) {
		t.Errorf("Create = %v, want %v", err, catalogue.ErrReadOnly)
	}
}

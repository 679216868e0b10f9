package pgstore_test

import (
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	"github.com/gobacklist/backlist/httpapi"
)

// A primary that has lost what was read, as behind a failover, gives numbers that
// stood for something else: its pages are answered, and have no tag.
func TestRevisionThatIsLost(t *testing.T) {
	dsn := newDSN(t)
	store, db := open(t, pgstore.Options{Primary: dsn}), connect(t, dsn)
	load(t, store, `{"books":[{"id":1}]}`)
	var told []error
	handler := handle(t, store, httpapi.Options{ETags: true, OnError: tell(&told)})
	get := func() (status int, tag, body string) {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest("GET", "/api/books/", nil))
		return w.Code, w.Header().Get("ETag"), w.Body.String()
	}
	_, tag, body := get()
	if tag == "" || told != nil {
		t.Fatalf("before: tag %q, errors %v", tag, told)
	}
	if _, err := db.Exec(`UPDATE collections SET revision = revision - 1 WHERE key = 'books'`); err != nil {
		t.Fatal(err)
	}
	status, tag, after := get()
	if status != 200 || tag != "" || after != body || len(told) != 1 {
		t.Errorf("a lower revision: status %d, tag %q, body %q, errors %v; want 200, none, %q, one", status, tag, after, told, body)
	}
	if _, err := db.Exec(`UPDATE collections SET revision = revision + 2 WHERE key = 'books'`); err != nil {
		t.Fatal(err)
	}
	if status, tag, _ := get(); status != 200 || tag == "" || len(told) != 1 {
		t.Errorf("a higher one: status %d, tag %q, errors %v; want 200, one, no other", status, tag, told)
	}
}

// What the document lets nobody post to stores nothing, whoever asks.
func TestCreateWhereNobodyMay(t *testing.T) {
	store := open(t, pgstore.Options{Primary: newDSN(t)})
	_, err := store.Collections()["books"].(httpapi.Creator).Create(t.Context(), []byte(`{}`))
	if !errors.Is(err, catalogue.ErrInvalidType) {
		t.Errorf("error %v, want one that matches %v", err, catalogue.ErrInvalidType)
	}
}

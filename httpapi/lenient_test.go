package httpapi_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// afterFields is a collection that calls a function after Fields, so that a write
// comes between Fields and Page if both are called.
type afterFields struct {
	catalogue.Encoded
	httpapi.LenientPager
	call func()
}

func (c afterFields) Fields(ctx context.Context) ([]string, error) {
	fields, err := c.Encoded.Fields(ctx)
	c.call()
	return fields, err
}

// A page of open records and the fields that determine its ordering are of one instant,
// even while members of the records are added and removed.
func TestPageAndOrderingOfOneInstant(t *testing.T) {
	house := catalogue.New()
	books, err := house.Records("books")
	if err != nil {
		t.Fatal(err)
	}
	set := func(member string) { // reverses the order of all records
		err := books.Batch(func(tx *catalogue.Tx[schema.Record]) error {
			for id := 1; id <= 3; id++ {
				r, err := schema.ParseRecord(fmt.Appendf(nil, `{"id":%d,%q:%d}`, id, member, -id))
				if err != nil {
					return err
				}
				if _, err := tx.Upsert(r); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	}
	collections := map[string]httpapi.Collection{}
	for key, c := range house.All() {
		collections[key] = c
	}
	encoded, err := house.Encoded("books")
	if err != nil {
		t.Fatal(err)
	}
	collections["books"] = afterFields{encoded, encoded.(httpapi.LenientPager), func() { set("rank") }}
	h, err := httpapi.NewHandler(collections, httpapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	set("title")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/books/?ordering=no_such,rank&limit=1", nil))
	var page struct{ Results []json.RawMessage }
	if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || len(page.Results) != 1 {
		t.Fatalf("%v: %s", err, w.Body)
	}
	first, want := string(page.Results[0]), `{"id":1,"title":-1}` // by id if no record has a rank
	if strings.Contains(first, "rank") {
		want = `{"id":3,"rank":-3}`
	}
	if first != want {
		t.Errorf("the first record is %s, want %s", first, want)
	}
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}

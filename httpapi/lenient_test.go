package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources"
)

// A page of open records is in the order that its own records have, though members come
// and go between requests: in states whose records have a rank it is by rank, in others
// by id.
func TestPageAndOrderingOfOneInstant(t *testing.T) {
	house := catalogue.New()
	books, err := house.Open("books")
	if err != nil {
		t.Fatal(err)
	}
	set := func(ranked bool) {
		err := books.Update(func(tx *catalogue.Tx[resources.Record]) error {
			for id := 1; id <= 5; id++ {
				text := fmt.Sprintf(`{"id":%d}`, id)
				if ranked {
					text = fmt.Sprintf(`{"id":%d,"rank":%d}`, id, -id)
				}
				r, err := resources.ParseRecord([]byte(text))
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
	set(false)
	h, err := httpapi.New(house, httpapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var readers sync.WaitGroup
	stop := make(chan struct{})
	for range 2 {
		readers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				w := httptest.NewRecorder()
				h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/books/?ordering=rank,no_such", nil))
				var page struct{ Results []json.RawMessage }
				if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || len(page.Results) != 5 {
					t.Errorf("%v: %s", err, w.Body)
					return
				}
				first, want := string(page.Results[0]), `{"id":1}`
				if strings.Contains(first, "rank") {
					want = `{"id":5,"rank":-5}`
				}
				if first != want {
					t.Errorf("the first record is %s, want %s", first, want)
				}
			}
		})
	}
	for i := range 1500 {
		set(i%2 == 0)
	}
	close(stop)
	readers.Wait()
	if err := house.Check(); err != nil {
		t.Error(err)
	}
}

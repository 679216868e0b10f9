package pgstore_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/examples/postgres/pgstore"
	shops "github.com/gobacklist/backlist/examples/shop/collections"
	"github.com/gobacklist/backlist/httpapi"
)

// TestConcurrentReferences creates, renames and deletes categories and products of them concurrently,
// through two stores of one database. No reference may lead to a record that does not exist.
func TestConcurrentReferences(t *testing.T) {
	dsn := shared.DSN(newDatabase(t, "template1"))
	var handlers []http.Handler
	var store *pgstore.Store
	for range 2 {
		store = open(t, pgstore.Options{DSN: dsn, Catalogue: made(t, shops.New), Timeout: time.Minute})
		handlers = append(handlers, handle(t, store, httpapi.Options{Authorizer: httpapi.AllowAll}))
	}
	const product = `{"slug":"p%d-%d","name":"P","sku":"ABC-1234","price":"2.00","salePrice":null,"weight":null,"availableFrom":null,` +
		`"availableUntil":null,"tags":[],"sizes":[1],"attributes":{},"dimensions":null,"details":null,"category":%q,"currencies":[]}`
	codes := []string{"a", "b", "c"}
	rounds := 60
	var wait sync.WaitGroup
	var mu sync.Mutex
	statuses := map[int]int{}
	for worker := range 4 {
		wait.Go(func() {
			g := newGenerator(uint64(worker))
			ask := func(method, target, body string) {
				r := httptest.NewRequest(method, "/api/"+target, strings.NewReader(body))
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				handlers[worker%2].ServeHTTP(w, r)
				mu.Lock()
				statuses[w.Code]++
				mu.Unlock()
				if w.Code >= 500 {
					t.Errorf("%s %s: %d %s", method, target, w.Code, w.Body)
				}
			}
			for i := range rounds {
				code := pick(g, codes)
				ask("POST", "categories/", fmt.Sprintf(`{"code":%q,"name":"N%[1]s","parent":null}`, code))
				ask("POST", "products/", fmt.Sprintf(product, worker, i, code))
				id := 1 + g.IntN(4*(i+1))
				ask("PATCH", fmt.Sprintf("categories/%d/", id), fmt.Sprintf(`{"code":%q}`, pick(g, codes)))
				ask("DELETE", fmt.Sprintf("products/p%d-%d/", g.IntN(4), g.IntN(i+1)), "")
				ask("DELETE", fmt.Sprintf("categories/%d/", id), "")
			}
		})
	}
	wait.Wait()
	t.Log(statuses)
	cat := made(t, shops.New)
	if err := cat.Load(strings.NewReader(all(t, store)), catalogue.LoadOptions{References: true}); err != nil {
		t.Error(err)
	}
	if statuses[201] == 0 || statuses[204] == 0 || statuses[409] == 0 {
		t.Errorf("statuses = %v, want records that are created, deleted, and protected", statuses)
	}
}

package etcdstore_test

import (
	"net/http"
	"testing"

	"github.com/gobacklist/backlist/httpapi"
)

// TestDeletedIDs checks that the highest id is not used again after its record was deleted,
// even by a store that is opened later.
func TestDeletedIDs(t *testing.T) {
	for _, row := range []struct{ reason, method, target, body string }{
		{"no other write", "GET", "/api/genres/1/", ""},
		{"a change of another record", "PATCH", "/api/genres/1/", `{"position":7}`},
		{"a deletion of another record", "DELETE", "/api/genres/1/", ""},
	} {
		t.Run(row.reason, func(t *testing.T) {
			n := newNodes(t, typedFilms(), httpapi.Options{Authorizer: httpapi.AllowAll})
			n.load(t, 0, `{"genres":[{"id":1,"name":"a"},{"id":8,"name":"b"}]}`)
			expect(t, n.handlers[1], http.StatusNoContent, "DELETE", "/api/genres/8/", "")
			send(n.handlers[2], row.method, row.target, row.body)
			n.compare(t)
			later, err := n.open(t, 1).NewHandler(httpapi.Options{Authorizer: httpapi.AllowAll})
			if err != nil {
				t.Fatal(err)
			}
			if id := expect(t, later, http.StatusCreated, "POST", "/api/genres/", `{"name":"c"}`); id != 9 {
				t.Errorf("id %d of a new record, want 9", id)
			}
			n.compare(t)
		})
	}
}

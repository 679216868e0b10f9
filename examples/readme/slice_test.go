package readme

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

func listBooks(books []Book) http.Handler {
	fields, err := ordering.FieldsOf[Book]() // from the json tags
	if err != nil {
		panic(err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sorted := slices.Clone(books)
		if err := fields.Sort(sorted, fields.Parse(r.FormValue("ordering"))...); err != nil {
			panic(err)
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(pagination.Page(sorted, r.URL, pagination.Limits{}))
	})
}

func Example_slice() {
	w := httptest.NewRecorder()
	listBooks([]Book{{1, "Emma", 474}, {2, "Dune", 412}, {3, "Solaris", 204}}).
		ServeHTTP(w, httptest.NewRequest("GET", "/books/?ordering=-pages&limit=1", nil))
	var page pagination.Envelope[Book]
	err := json.Unmarshal(w.Body.Bytes(), &page)
	fmt.Println(page.Count, page.Next, page.Records, err)
	// Output: 3 /books/?limit=1&offset=1&ordering=-pages [{1 Emma 474}] <nil>
}

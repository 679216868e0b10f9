package httpapi_test

import (
	"fmt"
	"net/http/httptest"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

// Two clients read the same record and change it. The second change is refused, since it
// would undo the first.
func Example_ifMatch() {
	type Film struct {
		ID   int    `json:"id"`
		Name string `json:"name"`
	}
	house, err := catalogue.NewOnly(catalogue.Define[Film]("films", catalogue.Options{}))
	if err != nil {
		panic(err)
	}
	handler, err := httpapi.New(house, httpapi.Options{Authorizer: httpapi.AllowAll, ETags: true})
	if err != nil {
		panic(err)
	}
	request := func(method, target, body, match string) (tag string) {
		r := httptest.NewRequest(method, target, strings.NewReader(body))
		r.Header.Set("Content-Type", "application/json")
		if match != "" {
			r.Header.Set("If-Match", match)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		fmt.Println(method, w.Code, w.Body)
		return w.Header().Get("ETag")
	}
	tag := request("POST", "/api/films/", `{"name":"Rope"}`, "")
	request("PATCH", "/api/films/1/", `{"name":"Rope (1948)"}`, tag)
	request("PATCH", "/api/films/1/", `{"name":"The Rope"}`, tag)
	// Output:
	// POST 201 {"id":1,"name":"Rope"}
	// PATCH 200 {"id":1,"name":"Rope (1948)"}
	// PATCH 412 {"detail":"Precondition failed: no entity tag in If-Match is current."}
}

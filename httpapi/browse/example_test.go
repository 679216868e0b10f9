package browse_test

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/browse"
)

type film struct {
	ID    int    `json:"id"`
	Title string `json:"title"`
}

func ExampleNew() {
	films := catalogue.Define[film]("films", catalogue.Options{})
	c, err := catalogue.New(films)
	if err != nil {
		log.Fatal(err)
	}
	if err := c.Load(strings.NewReader(`{"films":[{"id":1,"title":"Rope"}]}`), catalogue.LoadOptions{}); err != nil {
		log.Fatal(err)
	}
	handler, err := httpapi.New(c, httpapi.Options{})
	if err != nil {
		log.Fatal(err)
	}
	pages, err := browse.New(handler, browse.Options{Title: "Our films"})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	if err := httpapi.Mount(mux, "", pages); err != nil {
		log.Fatal(err)
	}

	for _, accept := range []string{"text/html,application/xml;q=0.9,*/*;q=0.8", "*/*"} {
		r := httptest.NewRequest("GET", "/api/films/", nil)
		r.Header.Set("Accept", accept)
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, r)
		fmt.Println(w.Header().Get("Content-Type"), strings.Contains(w.Body.String(), "<td"))
	}
	// Output:
	// text/html; charset=utf-8 true
	// application/json false
}

package readme

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/browse"
)

func mountPages(mux *http.ServeMux, handler http.Handler) {
	pages := browse.New(handler, browse.Options{Title: "Our house"})
	if err := httpapi.Mount(mux, "/shop", pages); err != nil {
		log.Fatal(err)
	}
}

func Example_browse() {
	handler, err := httpapi.New(catalogue.New(), httpapi.Options{})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	mountPages(mux, handler)
	r := httptest.NewRequest("GET", "/shop/api/", nil)
	r.Header.Set("Accept", "text/html,*/*;q=0.8")
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, r)
	fmt.Println(w.Code, w.Header().Get("Content-Type"))
	// Output: 200 text/html; charset=utf-8
}

package openapi_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/openapi"
)

type film struct {
	ID       int     `json:"id"`
	Title    string  `json:"title"`
	Subtitle *string `json:"subtitle"`
	Minutes  int     `json:"minutes,omitempty"`
}

// filmHandler returns a handler that serves films.
func filmHandler() *httpapi.Handler {
	c, err := catalogue.New(catalogue.Define[film]("films", catalogue.Options{}))
	if err != nil {
		panic(err)
	}
	handler, err := httpapi.New(c, httpapi.Options{})
	if err != nil {
		panic(err)
	}
	return handler
}

func ExampleDocument_ServeHTTP() {
	handler := filmHandler()
	document, err := openapi.New(handler, openapi.Options{})
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	if err := httpapi.Mount(mux, "", handler); err != nil {
		panic(err)
	}
	mux.Handle("/openapi.json", document)

	recorder := httptest.NewRecorder()
	mux.ServeHTTP(recorder, httptest.NewRequest("GET", "/openapi.json", nil))
	fmt.Println(recorder.Code, recorder.Header().Get("Content-Type"))
	fmt.Println(bytes.Equal(recorder.Body.Bytes(), document.JSON()))
	// Output:
	// 200 application/json
	// true
}

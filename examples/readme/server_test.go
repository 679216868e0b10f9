package readme

import (
	"bytes"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources/sample"
)

func newServer() *http.Server {
	house := catalogue.New()
	var file bytes.Buffer
	sample.New(sample.Options{}).WriteTo(&file) // or a file of your own
	if err := house.Load(&file); err != nil {
		log.Fatal(err)
	}

	handler, err := httpapi.New(house, httpapi.Options{Authorizer: httpapi.Bearer("s3cret")})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	if err := httpapi.Mount(mux, "/shop", handler); err != nil {
		log.Fatal(err)
	}
	server := &http.Server{
		Addr:              "127.0.0.1:8080",
		Handler:           mux, // serves /shop/api/events/ and the rest
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      30 * time.Second,
	}
	return server
}

func Example_server() {
	w := httptest.NewRecorder()
	newServer().Handler.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1:8080/shop/api/events/?limit=0&offset=9", nil))
	fmt.Println(w.Code, bytes.Contains(w.Body.Bytes(), []byte(`"http://127.0.0.1:8080/shop/api/events/?limit=21&offset=30"`)))
	// Output: 200 true
}

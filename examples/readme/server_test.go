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

func serveShop() {
	house := catalogue.New()
	if err := house.LoadFile("house.json"); err != nil {
		log.Fatal(err)
	}
	handler, err := httpapi.New(house, httpapi.Options{Authorizer: httpapi.Bearer("s3cret")})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	if err := httpapi.Mount(mux, "/shop", handler); err != nil { // /shop/api/events/ and the rest
		log.Fatal(err)
	}
	server := &http.Server{
		Addr:              "127.0.0.1:8080",
		Handler:           mux,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second,
		WriteTimeout:      30 * time.Second,
	}
	log.Fatal(server.ListenAndServe())
}

// The snippet serves an address that may be taken, so it is compiled alone; what
// it mounts is asked below.
var _ = serveShop

func Example_server() {
	house := catalogue.New()
	var file bytes.Buffer
	if _, err := sample.New(sample.Options{}).WriteTo(&file); err != nil {
		log.Fatal(err)
	}
	if err := house.Load(&file); err != nil {
		log.Fatal(err)
	}
	handler, err := httpapi.New(house, httpapi.Options{})
	if err != nil {
		log.Fatal(err)
	}
	mux := http.NewServeMux()
	if err := httpapi.Mount(mux, "/shop", handler); err != nil {
		log.Fatal(err)
	}
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "http://127.0.0.1:8080/shop/api/events/?limit=0&offset=9", nil))
	fmt.Println(w.Code, bytes.Contains(w.Body.Bytes(), []byte(`"http://127.0.0.1:8080/shop/api/events/?limit=21&offset=30"`)))
	// Output: 200 true
}

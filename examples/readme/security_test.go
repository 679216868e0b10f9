package readme

import (
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

func newPublicServer() *http.Server {
	house := catalogue.New()

	handler, err := httpapi.New(house, httpapi.Options{
		Authorizer:     httpapi.Bearer(os.Getenv("CATALOGUE_TOKEN")), // unset: nobody may write
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.1/32")},
		OnError: func(r *http.Request, err error) {
			log.Printf("%s %q: %v", r.Method, r.URL.Path, err) // quoted: a path may hold line ends
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	server := &http.Server{
		Addr:              "10.0.0.2:8080",
		Handler:           handler,
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       15 * time.Second, // head and body
		WriteTimeout:      30 * time.Second, // counts from the head, so more: the slow are told
		IdleTimeout:       2 * time.Minute,
		MaxHeaderBytes:    64 << 10,
	}
	return server
}

func Example_security() {
	r := httptest.NewRequest("GET", "http://10.0.0.2:8080/api/events/?limit=1&offset=1", nil) // by 192.0.2.1
	r.Header.Set("X-Forwarded-Host", "books.example")
	r.Header.Set("X-Forwarded-Proto", "https")
	w := httptest.NewRecorder()
	newPublicServer().Handler.ServeHTTP(w, r)
	fmt.Println(w.Body)

	w = httptest.NewRecorder()
	newPublicServer().Handler.ServeHTTP(w, httptest.NewRequest("POST", "http://10.0.0.2:8080/api/events/", nil))
	fmt.Println(w.Code)
	// Output:
	// {"count":0,"next":null,"previous":"https://books.example/api/events/?limit=1","results":[]}
	// 401
}

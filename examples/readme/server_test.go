package readme

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources"
)

// serveHouse is compiled but not called, because its port may be in use.
var _ = serveHouse

func serveHouse() {
	house := catalogue.New()
	check(house.LoadFile("house.json"))
	handler, err := httpapi.New(house, httpapi.Options{Authorizer: httpapi.Bearer("s3cret")})
	check(err)
	mux := http.NewServeMux()
	check(httpapi.Mount(mux, "/shop", handler)) // /shop/api/events/ and all others
	server := &http.Server{Addr: "127.0.0.1:8080", Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	check(server.ListenAndServe())
}

// TestServer sends a request to a handler that is mounted as in serveHouse.
func TestServer(t *testing.T) {
	house := catalogue.New()
	_, err := house.Events().Insert(resources.Event{Name: "Reading"})
	check(err)
	handler, err := httpapi.New(house, httpapi.Options{Authorizer: httpapi.Bearer("s3cret")})
	check(err)
	mux := http.NewServeMux()
	check(httpapi.Mount(mux, "/shop", handler))
	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest("GET", "/shop/api/events/", nil))
	if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"name":"Reading"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

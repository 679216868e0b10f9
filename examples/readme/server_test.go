package readme

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// serveFilms is compiled but not called, because its port may be in use.
var _ = serveFilms

func serveFilms() {
	type Director struct {
		ID   int    `json:"id"`
		Name string `json:"name" backlist:"unique"`
	}
	type Film struct {
		ID       int    `json:"id"`
		Name     string `json:"name"`
		Minutes  int    `json:"minutes" backlist:"min=0"`
		Director int    `json:"director" backlist:"refers=directors"`
	}
	cat, err := catalogue.New(
		catalogue.Define[Director]("directors", catalogue.Options{}),
		catalogue.Define[Film]("films", catalogue.Options{Description: &schema.Description{
			Filters: []string{"director", "minutes__gte"}, Search: []string{"name", "director__name"},
		}}),
	)
	check(err)
	handler, err := httpapi.New(cat, httpapi.Options{Root: "/v1/", Authorizer: httpapi.Bearer("s3cret")})
	check(err)
	server := &http.Server{Addr: "127.0.0.1:8080", Handler: handler, ReadHeaderTimeout: 5 * time.Second}
	check(server.ListenAndServe()) // /v1/films/?minutes__gte=90&search=lights, /v1/films/7/
}

// TestServer sends requests to a handler with collections like those in serveFilms.
func TestServer(t *testing.T) {
	type director struct {
		ID   int    `json:"id"`
		Name string `json:"name" backlist:"unique"`
	}
	type film struct {
		ID       int    `json:"id"`
		Name     string `json:"name"`
		Minutes  int    `json:"minutes" backlist:"min=0"`
		Director int    `json:"director" backlist:"refers=directors"`
	}
	cat, err := catalogue.New(
		catalogue.Define[director]("directors", catalogue.Options{}),
		catalogue.Define[film]("films", catalogue.Options{Description: &schema.Description{
			Filters: []string{"director", "minutes__gte"}, Search: []string{"name", "director__name"},
		}}),
	)
	check(err)
	handler, err := httpapi.New(cat, httpapi.Options{Root: "/v1/", Authorizer: httpapi.Bearer("s3cret")})
	check(err)
	for _, request := range []struct{ method, target, body, want string }{
		{"POST", "/v1/directors/", `{"name":"Agnès Varda"}`, `{"id":1,"name":"Agnès Varda"}`},
		{"POST", "/v1/films/", `{"name":"Cléo","minutes":90,"director":1}`, `{"id":1,"name":"Cléo","minutes":90,"director":1}`},
		{"PATCH", "/v1/films/1/", `{"minutes":-1}`, `{"minutes":["Ensure this value is greater than or equal to 0."]}`},
		{"GET", "/v1/films/?minutes__gte=90&search=varda", "", `"results":[{"id":1,"name":"Cléo","minutes":90,"director":1}]`},
		{"GET", "/v1/films/?minutes__gte=91", "", `{"count":0,`},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest(request.method, request.target, strings.NewReader(request.body))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer s3cret")
		handler.ServeHTTP(w, r)
		if !strings.Contains(w.Body.String(), request.want) {
			t.Errorf("%s %s: %d %s, want %s", request.method, request.target, w.Code, w.Body, request.want)
		}
	}
}

package httpapi_test

import (
	"errors"
	"fmt"
	"net/http/httptest"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources"
)

func TestNewRefuses(t *testing.T) {
	if _, err := httpapi.New(nil, httpapi.Options{}); !errors.Is(err, httpapi.ErrCollections) {
		t.Errorf("no catalogue: %v", err)
	}
	if _, err := httpapi.New(catalogue.New(), httpapi.Options{BaseURL: "shop"}); !errors.Is(err, httpapi.ErrOptions) {
		t.Errorf("a base URL that is none: %v", err)
	}
}

func ExampleNew() {
	house := catalogue.New()
	house.Labels().Insert(resources.Label{Name: "Blue", Slug: "blue"})
	handler, err := httpapi.New(house, httpapi.Options{})
	if err != nil {
		panic(err)
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, httptest.NewRequest("HEAD", "http://127.0.0.1/api/labels/", nil))
	fmt.Println(w.Code, w.Header().Get("Allow"))
	// Output: 200 GET, HEAD, OPTIONS
}

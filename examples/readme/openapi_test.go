package readme

import (
	"context"
	"encoding/json"
	"log"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/openapi"
)

func TestOpenAPI(t *testing.T) {
	handler, err := httpapi.New(catalogue.New(), httpapi.Options{})
	if err != nil {
		t.Fatal(err)
	}
	ctx, mux := context.Background(), http.NewServeMux()

	document, err := openapi.New(ctx, handler, openapi.Options{Title: "The Shop", Server: "/shop", Scheme: "Bearer"})
	if err != nil {
		log.Fatal(err)
	}
	mux.Handle("/openapi.json", document)

	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest("GET", "/openapi.json", nil))
	var served struct{ Paths map[string]any }
	if err := json.NewDecoder(answer.Body).Decode(&served); err != nil || len(served.Paths) != 40 {
		t.Errorf("%d, %d paths, %v", answer.Code, len(served.Paths), err)
	}
}

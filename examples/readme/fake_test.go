package readme

import (
	"testing"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
)

func TestFilmNames(t *testing.T) {
	server := cataloguetest.NewWith(t, cataloguetest.Options{
		File:    "testdata/films.json",
		Handler: httpapi.Options{Root: "/v1/"},
	})
	server.Inject(cataloguetest.Match{Nth: 1}, cataloguetest.Status(503, "busy"))
	_, err := filmNames(t.Context(), server.Client, server.URL)
	if err == nil {
		t.Error("the first request failed, and no error was returned")
	}
}

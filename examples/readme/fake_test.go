package readme

import (
	"os"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi/cataloguetest"
)

func TestFilmNames(t *testing.T) {
	films := catalogue.Define[Film]("films", catalogue.Options{})
	server := cataloguetest.NewWith(t, cataloguetest.Options{ // without a port
		Definitions: []catalogue.AnyDefinition{films},
		Root:        "/v1/",
		Fixtures:    os.DirFS("testdata"),
	})
	server.Inject(cataloguetest.Match{Nth: 1}, cataloguetest.Status(503, "busy"))
	_, err := filmNames(t.Context(), server.Client, server.URL)
	if err == nil {
		t.Error("the first request failed, and no error was returned")
	}
}

package cataloguetest

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

type director struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

type film struct {
	ID       int    `json:"id"`
	Title    string `json:"title"`
	Director int    `json:"director" backlist:"refers=directors"`
}

type draft struct {
	ID int `json:"id"`
}

// filmDefinitions returns definitions of collections of a program. The segment of the
// films is not their key, and drafts have no list and no paths of records.
func filmDefinitions() []catalogue.AnyDefinition {
	return []catalogue.AnyDefinition{
		catalogue.Define[draft]("drafts", catalogue.Options{Description: &schema.Description{Actions: schema.Create}}),
		catalogue.Define[director]("directors", catalogue.Options{}),
		catalogue.Define[film]("shortFilms", catalogue.Options{
			Description: &schema.Description{Segment: "films", Filters: []string{"director"}, Search: []string{"title"}},
		}),
	}
}

// filmRecords returns the JSON of films with the ids from 1.
func filmRecords(n int) string {
	var all []string
	for id := 1; id <= n; id++ {
		all = append(all, fmt.Sprintf(`{"id":%d,"title":"Film %d","director":%d}`, id, id, 1+id%2))
	}
	return "[" + strings.Join(all, ",") + "]"
}

// newFilms returns a server of two directors and the given number of films.
func newFilms(t *testing.T, films int) *Server {
	t.Helper()
	return NewWith(t, Options{
		Definitions: filmDefinitions(),
		Root:        "/v1/",
		Fixtures: files(
			"directors.json", `[{"id":1,"name":"Varda"},{"id":2,"name":"Rohrwacher"}]`,
			"films.json", filmRecords(films)),
	})
}

func TestOptionsDefinitions(t *testing.T) {
	server := newFilms(t, 3)
	if _, body := get(t, server, "/v1/"); body != `{"drafts":"http://catalogue.test/v1/drafts/","directors":"http://catalogue.test/v1/directors/","shortFilms":"http://catalogue.test/v1/films/"}` {
		t.Errorf("root: %s", body)
	}
	if _, body := get(t, server, "/v1/films/2/"); body != `{"id":2,"title":"Film 2","director":1}` {
		t.Errorf("film 2: %s", body)
	}
	if _, err := server.TryInject(Match{Collection: "books"}, ResetConnection()); err == nil {
		t.Error("a fault was injected into a documented collection")
	}
	if status, _ := get(t, server, "/api/"); status != http.StatusNotFound {
		t.Errorf("/api/: status %d, want 404", status)
	}
	if p := page(t, server, "/v1/films/?director=2"); p.Count != 2 {
		t.Errorf("%d films of director 2, want 2", p.Count)
	}
	if err := server.Catalogue.Check(); err != nil {
		t.Error(err)
	}
}

// A status replaces a write of a record, which then has no effect. A fault of pages leaves
// records alone.
func TestFaultsOfRecords(t *testing.T) {
	server := newFilms(t, 3)
	busy := server.Inject(Match{Method: "DELETE", Path: "/v1/films/2/"}, Status(503, "busy"))
	rows := server.Inject(Match{Collection: "films", Method: "GET"}, MissingRow())
	if resp, _ := ask(t, server, "DELETE /v1/films/2/", ""); resp.StatusCode != 503 || busy.Count() != 1 {
		t.Errorf("DELETE: %s after %d faults, want 503", resp.Status, busy.Count())
	}
	if _, body := get(t, server, "/v1/films/2/"); body != `{"id":2,"title":"Film 2","director":1}` || rows.Count() != 0 {
		t.Errorf("film 2: %s after %d faults of pages", body, rows.Count())
	}
	if p := page(t, server, "/v1/films/"); len(p.Records) != 2 || p.Count != 3 || rows.Count() != 1 {
		t.Errorf("%d of %d films, want 2 of 3", len(p.Records), p.Count)
	}
}

package openapi

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources"
)

func TestOperationsOfRecords(t *testing.T) {
	d := documentOf(t, filmHouse(t), httpapi.Options{ETags: true}, Options{Scheme: "Bearer"})
	for _, tt := range []struct {
		path, method, id string
		statuses         string
		parameters       string // of the operation
		secured          bool
	}{
		{"/api/films/", "post", "createFilm", "201 400 401 403 404 406 413 414 415 default", "format", true},
		{"/api/films/{id}/", "get", "getFilm", "200 304 400 404 406 414 default", "ifNoneMatch", false},
		{"/api/films/{id}/", "head", "headFilm", "200 304 4XX default", "ifNoneMatch", false},
		{"/api/films/{id}/", "put", "updateFilm", "200 400 401 403 404 406 409 413 414 415 default", "", true},
		{"/api/films/{id}/", "patch", "patchFilm", "200 400 401 403 404 406 409 413 414 415 default", "", true},
		{"/api/films/{id}/", "delete", "deleteFilm", "204 400 401 403 404 406 409 414 default", "", true},
		{"/api/films/{id}/", "options", "describeFilm", "200 400 404 406 414 default", "", false},
		{"/api/directors/{id}/", "get", "getDirector", "200 304 400 404 406 414 default", "ifNoneMatch", false},
		{"/api/directors/", "get", "listDirectors", "200 304 400 404 406 414 default", "format DirectorOrdering limit offset Director.filter.search ifNoneMatch", false},
		{"/api/genres/", "get", "listGenres", "200 304 400 404 406 414 default", "format GenreOrdering limit offset ifNoneMatch", false},
	} {
		op := d.operation(t, tt.path, tt.method)
		statuses := strings.Join(slices.Sorted(maps.Keys(op.Responses)), " ")
		got := []string{op.OperationID, statuses, strings.Join(op.parameters(), " ")}
		if diff := cmp.Diff([]string{tt.id, tt.statuses, tt.parameters}, got); diff != "" {
			t.Errorf("%s %s (-want +got):\n%s", tt.method, tt.path, diff)
		}
		if secured := op.Security != nil; secured != tt.secured {
			t.Errorf("%s %s: security = %v", tt.method, tt.path, op.Security)
		}
	}
}

// A 400 has the errors by field if a filter or the body can be invalid.
func TestInvalidRequests(t *testing.T) {
	d := documentOf(t, filmHouse(t), httpapi.Options{}, Options{})
	for _, tt := range []struct{ path, method, want string }{
		{"/api/films/", "get", "BadFilter"},
		{"/api/films/", "post", "BadRecord"}, // which ignores the filters
		{"/api/films/{id}/", "get", "BadFilter"},
		{"/api/films/{id}/", "put", "BadFilter"},
		{"/api/films/{id}/", "delete", "BadFilter"},
		{"/api/films/{id}/", "options", "BadRequest"},
		{"/api/directors/", "get", "BadRequest"}, // a search is never invalid
		{"/api/genres/{id}/", "get", "BadRequest"},
		{"/api/genres/{id}/", "put", "BadRecord"},
		{"/api/genres/{id}/", "patch", "BadRecord"},
		{"/api/genres/{id}/", "delete", "BadRequest"},
	} {
		want := `{"$ref":"#/components/responses/` + tt.want + `"}`
		if got := compactJSON(t, d.operation(t, tt.path, tt.method).Responses["400"]); got != want {
			t.Errorf("%s %s: 400 is %s, want %s", tt.method, tt.path, got, want)
		}
	}
}

// The parameters of a record's path are those that select records, not those of pages.
func TestParametersOfRecords(t *testing.T) {
	d := documentOf(t, filmHouse(t), httpapi.Options{}, Options{})
	for path, want := range map[string]string{
		"/api/directors/{id}/": "id format Director.filter.search",
		"/api/genres/{id}/":    "id format",
	} {
		var op operationParts
		if err := json.Unmarshal(d.Paths[path]["parameters"], &op.Parameters); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(op.parameters(), " "); got != want {
			t.Errorf("%s has parameters %s, want %s", path, got, want)
		}
	}
}

// The methods of the document are those that the handler allows.
func TestMethodsOfActions(t *testing.T) {
	const every = resources.AllActions + 1
	for actions := resources.Actions(1); actions < every; actions++ {
		house, err := catalogue.NewOnly(catalogue.Define[director]("directors", catalogue.Options{
			Description: &resources.Description{Actions: actions},
		}))
		if err != nil {
			t.Fatal(err)
		}
		h, err := httpapi.New(house, httpapi.Options{Root: "/v1/"})
		if err != nil {
			t.Fatal(err)
		}
		d := documentOf(t, house, httpapi.Options{Root: "/v1/"}, Options{})
		for path, target := range map[string]string{"/v1/directors/": "/v1/directors/", "/v1/directors/{id}/": "/v1/directors/7/"} {
			var want []string
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodOptions, target, nil))
			if w.Code == http.StatusOK {
				want = strings.Split(strings.ToLower(w.Header().Get("Allow")), ", ")
			}
			slices.Sort(want)
			item := maps.Clone(d.Paths[path])
			delete(item, "parameters")
			if diff := cmp.Diff(want, slices.Sorted(maps.Keys(item))); diff != "" {
				t.Errorf("actions %b: %s (-allowed +described):\n%s", actions, path, diff)
			}
		}
	}
}

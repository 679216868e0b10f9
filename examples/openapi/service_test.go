package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources"
	"github.com/gobacklist/backlist/resources/sample"
)

// A FilmRecord has more kinds of fields than a Film.
type FilmRecord struct {
	Film
	Slug       string           `json:"slug" backlist:"slug,unique"`
	Synopsis   string           `json:"synopsis" backlist:"blank"`
	PremiereAt *schema.DateTime `json:"premiereAt"`
	Rating     *json.Number     `json:"rating"`
	Published  bool             `json:"published"`
	Awards     []int            `json:"awards" backlist:"refers=awards"`
	CreatedAt  schema.DateTime  `json:"createdAt" backlist:"created"`

	Contact  *string            `json:"contact" backlist:"email,maxlength=60"`
	Serial   *string            `json:"serial" backlist:"uuid"`
	Keywords []string           `json:"keywords" backlist:"maxlength=3,item.minlength=2,item.maxlength=10"`
	Takings  map[string]float64 `json:"takings" backlist:"item.min=0.5"`
	Studio   *Studio            `json:"studio"`
	Cuts     []Cut              `json:"cuts"`
}

// A Studio is an object inside a film.
type Studio struct {
	Name string  `json:"name" backlist:"minlength=2,maxlength=20"`
	City string  `json:"city" backlist:"default=Rome"`
	Lot  *string `json:"lot,omitempty" backlist:"optional,blank"`
}

// A Cut is an object in a list.
type Cut struct {
	Name    string `json:"name"`
	Minutes int    `json:"minutes" backlist:"min=1,max=600"`
}

// A DirectorRecord cannot be changed, and is deleted only without films.
type DirectorRecord struct {
	Director
	Slug    string  `json:"slug" backlist:"slug,unique"`
	Born    *string `json:"born" backlist:"date"`
	Website string  `json:"website" backlist:"url,blank"`
}

// An AwardRecord describes the members that every award has.
type AwardRecord struct {
	Award
	Position int `json:"position" backlist:"default=0"`
}

var filmDefinition = catalogue.Define[FilmRecord]("films", catalogue.Options{Description: &schema.Description{
	Name:   "film",
	Search: []string{"title", "director__name"},
	Filters: []string{
		"status", "status__in", "published", "director", "director__in", "awards", "minutes", "minutes__gte", "minutes__range",
		"released", "released__gte", "released__isnull", "rating__lt", "price", "price__in", "title__icontains", "premiere_at__gte",
	},
}})

// testDefinitions returns the definitions of the program's collections with more fields,
// filters and methods.
func testDefinitions(t *testing.T) []catalogue.AnyDefinition {
	t.Helper()
	award, err := schema.DescriptionOf[AwardRecord]("awards")
	if err != nil {
		t.Fatal(err)
	}
	award.Name, award.Actions = "award", schema.List|schema.Create|schema.Retrieve|schema.Destroy
	return []catalogue.AnyDefinition{
		filmDefinition,
		catalogue.Define[DirectorRecord]("directors", catalogue.Options{Description: &schema.Description{
			Name: "director", Search: []string{"^name", "=slug"}, Actions: award.Actions,
		}}),
		catalogue.Define[schema.Record]("awards", catalogue.Options{Description: &award}),
	}
}

// newService returns a catalogue of 42 collections with several pages of each: films,
// directors and awards, and the 39 of a larger service, which package resources defines.
func newService(t *testing.T, more ...catalogue.AnyDefinition) *catalogue.Catalogue {
	t.Helper()
	c, err := resources.New(append(testDefinitions(t), more...)...)
	if err != nil {
		t.Fatal(err)
	}
	var records bytes.Buffer
	if err := sample.Write(&records, sample.Options{}); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{records.String(), films()} {
		if err := c.Load(strings.NewReader(file), catalogue.LoadOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() {
		if err := c.Check(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// films returns 25 directors, awards and films. Each second film has no value where the
// others have one, if that is possible.
func films() string {
	var directors, awards, films []string
	for id := 1; id <= 25; id++ {
		released, premiere, rating, reviews, award := "null", "null", "null", "", ""
		parts := `"contact":null,"serial":null,"studio":null`
		if id%2 == 0 {
			released, premiere, rating = fmt.Sprintf(`"19%d-02-01"`, 50+id), `"2021-10-27T19:15:00+02:00"`, "7.5"
			reviews, award = `,"reviews":[{"by":"a","stars":null},{"by":"b","stars":3}]`, `,"note":["any"]`
			parts = `"contact":"a@b.example","serial":"01234567-89ab-cdef-0123-456789abcdef","keywords":["sea"],"takings":{"1999":1.5},` +
				`"studio":{"name":"Cine","city":"Rome"},"cuts":[{"name":"long","minutes":180}]`
		}
		directors = append(directors,
			fmt.Sprintf(`{"id":%d,"name":"Director %[1]d","slug":"director-%[1]d","born":%s,"website":""}`, id, released))
		awards = append(awards, fmt.Sprintf(`{"id":%d,"name":"award %[1]d","position":%[1]d%s}`, id, award))
		films = append(films, fmt.Sprintf(`{"id":%d,"title":"Film %[1]d","slug":"film-%[1]d","synopsis":"","released":%s,"premiereAt":%s,`+
			`"minutes":%[1]d,"rating":%[4]s,"price":"%[1]d.50","status":"released","published":true,"director":%[1]d,"awards":[%[1]d],`+
			`"createdAt":"2021-10-27T19:15:00Z"%[5]s,%[6]s}`, id, released, premiere, rating, reviews, parts))
	}
	return fmt.Sprintf(`{"directors":[%s],"awards":[%s],"films":[%s]}`,
		strings.Join(directors, ","), strings.Join(awards, ","), strings.Join(films, ","))
}

func newHandler(t *testing.T, c *catalogue.Catalogue, opts httpapi.Options) *httpapi.Handler {
	t.Helper()
	h, err := httpapi.New(c, opts)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// Tokens with which writes are refused: with 401 and with 403.
const (
	wrongToken   = "wrong"
	readersToken = "reader"
)

// authorize is an [httpapi.Authorizer] that permits all but the tokens that are refused.
func authorize(r *http.Request, _ string, _ schema.Actions) error {
	switch r.Header.Get("Authorization") {
	case "Bearer " + wrongToken:
		return httpapi.Unauthorized("Bearer", "Invalid token.")
	case "Bearer " + readersToken:
		return httpapi.Forbidden("")
	}
	return nil
}

type request struct {
	method, target, body string
	header               http.Header
}

// to returns the request with a base URL before its target.
func (r request) to(url string) *http.Request {
	out := httptest.NewRequest(r.method, url+r.target, strings.NewReader(r.body))
	out.RequestURI = "" // which a client must not set
	if r.body != "" {
		out.Header.Set("Content-Type", "application/json")
	}
	maps.Copy(out.Header, r.header)
	return out
}

func (r request) do(h http.Handler) *httptest.ResponseRecorder {
	out := httptest.NewRecorder()
	h.ServeHTTP(out, r.to(""))
	return out
}

// path returns the path of the target in the document.
func (r request) path() string {
	path, _, _ := strings.Cut(r.target, "?")
	if parts := strings.Split(path, "/"); len(parts) == 5 {
		parts[3] = "{id}"
		return strings.Join(parts, "/")
	}
	return path
}

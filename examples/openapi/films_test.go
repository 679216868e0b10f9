package main

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// Collections of a program's own: directors, genres, which are open records, and films.
type (
	director struct {
		ID      int     `json:"id"`
		Name    string  `json:"name"`
		Slug    string  `json:"slug" backlist:"slug,unique"`
		Born    *string `json:"born" backlist:"date"`
		Website string  `json:"website" backlist:"url,blank"`
	}

	film struct {
		ID         int              `json:"id"`
		Title      string           `json:"title"`
		Slug       string           `json:"slug" backlist:"slug,unique"`
		Synopsis   string           `json:"synopsis" backlist:"blank"`
		Released   *string          `json:"released" backlist:"date"`
		PremiereAt *schema.DateTime `json:"premiereAt"`
		Minutes    int32            `json:"minutes" backlist:"min=0"`
		Rating     *json.Number     `json:"rating"`
		Price      string           `json:"price" backlist:"decimal=8.2"`
		Status     string           `json:"status" backlist:"choices=announced|released|withdrawn,default=announced"`
		Published  bool             `json:"published"`
		Director   int              `json:"director" backlist:"refers=directors"`
		Genres     []int            `json:"genres" backlist:"refers=genres"`
		Awards     []award          `json:"awards,omitempty"`
		CreatedAt  schema.DateTime  `json:"createdAt" backlist:"created"`
	}

	award struct {
		Name string `json:"name"`
		Year *int   `json:"year"`
	}
)

// filmsOf is the definition of the films without its options.
var filmsOf = catalogue.Define[film]("films", catalogue.Options{})

const filmRecords = `{
	"directors": [
		{"id":1,"name":"Giulia de Santis","slug":"giulia","born":null,"website":""},
		{"id":2,"name":"Anna Rossi","slug":"anna","born":"1961-02-03","website":"https://x.example/"}],
	"genres": [{"id":1,"name":"drama"},{"id":3,"name":"noir","position":2,"note":["any"]}],
	"films": [
		{"id":1,"title":"Night","slug":"night","synopsis":"","released":null,"premiereAt":null,"minutes":90,"rating":null,
			"price":"9.90","status":"withdrawn","published":true,"director":1,"genres":[1],"createdAt":"2021-10-27T19:15:00Z"},
		{"id":2,"title":"City","slug":"city","synopsis":"s","released":"2014-11-30","premiereAt":"2021-10-27T19:15:00+02:00","minutes":100,
			"rating":7.5,"price":"-5.00","status":"released","published":false,"director":1,"genres":[],"createdAt":"2021-10-27T19:15:00Z",
			"awards":[{"name":"a","year":null},{"name":"b","year":1999}]}]}`

// filmDefinitions returns the definitions of directors, genres and films.
func filmDefinitions(t *testing.T) []catalogue.AnyDefinition {
	t.Helper()
	about, err := schema.DescriptionOf[struct {
		ID       int    `json:"id"`
		Name     string `json:"name" backlist:"unique"`
		Position int    `json:"position" backlist:"default=0"`
	}]("genres")
	if err != nil {
		t.Fatal(err)
	}
	about.Name = "genre"
	return []catalogue.AnyDefinition{
		catalogue.Define[director]("directors", catalogue.Options{Description: &schema.Description{Search: []string{"^name", "=slug"}}}),
		catalogue.Define[schema.Record]("genres", catalogue.Options{Description: &about}),
		catalogue.Define[film]("films", catalogue.Options{Description: &schema.Description{
			Search: []string{"title", "director__name"},
			Filters: []string{
				"status", "status__in", "published", "director", "director__in", "genres", "minutes", "minutes__gte", "minutes__range",
				"released", "released__gte", "released__isnull", "rating__lt", "price", "price__in", "title__icontains", "premiere_at__gte",
			},
		}}),
	}
}

// filmHouse returns a catalogue with two directors, genres and films.
func filmHouse(t *testing.T) *catalogue.Catalogue {
	t.Helper()
	house, err := catalogue.New(filmDefinitions(t)...)
	if err != nil {
		t.Fatal(err)
	}
	if err := house.Load(strings.NewReader(filmRecords), catalogue.LoadOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := house.Check(); err != nil {
			t.Error(err)
		}
	})
	return house
}

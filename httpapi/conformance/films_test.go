package conformance_test

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/conformance"
	"github.com/gobacklist/backlist/ordering"
)

type film struct {
	ID         int              `json:"id"`
	Title      string           `json:"title"`
	Slug       string           `json:"slug" backlist:"slug,unique"`
	Synopsis   string           `json:"synopsis" backlist:"blank"`
	Website    string           `json:"website" backlist:"url,blank"`
	Released   *string          `json:"released" backlist:"date"`
	PremiereAt *schema.DateTime `json:"premiereAt"`
	Minutes    int32            `json:"minutes" backlist:"min=0"`
	Rating     *schema.Float64  `json:"rating"`
	Price      string           `json:"price" backlist:"decimal=8.2"`
	Status     string           `json:"status" backlist:"choices=announced|released|withdrawn,default=announced"`
	Published  bool             `json:"published"`
	Director   int              `json:"director" backlist:"refers=directors"`
	Genres     []int            `json:"genres" backlist:"refers=genres"`
	Tags       []string         `json:"tags"`
	CreatedAt  schema.DateTime  `json:"createdAt" backlist:"created"`
}

type director struct {
	ID   int    `json:"id"`
	Name string `json:"name"`
}

type genre struct {
	ID       int    `json:"id"`
	Name     string `json:"name" backlist:"unique"`
	Position int    `json:"position" backlist:"min=-5,max=5,default=0"`
}

// newHouse returns a catalogue of films with a director and a genre.
func newHouse() (*catalogue.Catalogue, error) {
	house, err := catalogue.NewOnly(
		catalogue.Define[director]("directors", catalogue.Options{}),
		catalogue.Define[genre]("genres", catalogue.Options{Description: &schema.Description{
			Ordering: []ordering.Term{ordering.Desc("position")},
			Filters:  []string{"id", "id__in", "name__istartswith", "position__lt"},
		}}),
		catalogue.Define[film]("films", catalogue.Options{Description: &schema.Description{
			Search: []string{"title", "^synopsis", "=slug", "director__name"},
			Filters: []string{
				"status", "status__in", "published", "director", "director__in", "genres",
				"minutes", "minutes__in", "minutes__gt", "minutes__gte", "minutes__lt", "minutes__lte", "minutes__range",
				"released", "released__gte", "released__lte", "released__isnull", "price", "price__gte", "price__lte",
				"rating__lt", "rating__isnull", "title", "title__iexact", "title__contains", "title__icontains",
				"title__startswith", "title__istartswith", "slug__in", "premiere_at__gte", "premiere_at__lte", "website__startswith",
			},
		}}),
	)
	if err != nil {
		return nil, err
	}
	return house, house.Load(strings.NewReader(`{"directors":[{"id":1,"name":"Anna Rossi"},{"id":2,"name":"Tom"}],"genres":[{"id":1,"name":"drama","position":0}]}`))
}

const newFilm = `{"title":"T","slug":"t","minutes":90,"price":"9.50","director":1,"genres":[1],"rating":2.5,"status":"released"}`

// ofFilms returns the implementation of a catalogue's collection.
func ofFilms[T any](t *testing.T, key, body string) conformance.Implementation {
	house, err := newHouse()
	if err != nil {
		t.Fatal(err)
	}
	c, err := house.Encoded(key)
	if err != nil {
		t.Fatal(err)
	}
	return conformance.Implementation{
		Description: c.Description(),
		Body:        body,
		New: func(_ context.Context, records [][]byte) (httpapi.Collection, error) {
			if err := house.Check(); err != nil {
				t.Error(err)
			}
			if house, err = newHouse(); err != nil {
				return nil, err
			}
			array := "[" + string(bytes.Join(records, []byte(","))) + "]"
			if err := house.LoadCollection(key, strings.NewReader(array)); err != nil {
				return nil, err
			}
			return house.Encoded(key)
		},
		Insert: func(_ context.Context, _ httpapi.Collection, record []byte) error {
			c, err := catalogue.Define[T](key, catalogue.Options{}).In(house)
			if err != nil {
				return err
			}
			return insert(c, record)
		},
	}
}

func TestCatalogueOfFilms(t *testing.T) {
	tests := map[string]conformance.Implementation{
		"films":            ofFilms[film](t, "films", newFilm),
		"genres":           ofFilms[genre](t, "genres", `{"name":"comedy","position":2}`),
		"directors":        ofFilms[director](t, "directors", `{"name":"Anna"}`),
		"films, no Body":   ofFilms[film](t, "films", ""),
		"films, all of it": ofFilms[film](t, "films", `{"title":"T","slug":"t","minutes":90,"price":"9.50","director":2,"genres":[1],"rating":2.5,"status":"released","tags":["a"],"premiereAt":"2024-05-10T18:00:00Z","released":"2024-05-10","published":true,"synopsis":"S","website":"https://t.example/"}`),
	}
	for reason, impl := range tests {
		t.Run(reason, func(t *testing.T) { conformance.Verify(t, impl) })
	}
}

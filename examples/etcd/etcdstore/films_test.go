package etcdstore_test

import (
	"encoding/json"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/examples/etcd/etcdstore"
)

// The records of a program's own collections, those of examples/films.
type (
	director struct {
		ID      int     `json:"id"`
		Name    string  `json:"name"`
		Slug    string  `json:"slug" backlist:"slug,unique"`
		Born    *string `json:"born" backlist:"date"`
		Website string  `json:"website" backlist:"url,blank"`
	}
	genre struct {
		ID       int    `json:"id"`
		Name     string `json:"name" backlist:"unique"`
		Position int32  `json:"position" backlist:"default=0"`
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
		CreatedAt  schema.DateTime  `json:"createdAt" backlist:"created"`
	}
)

// now is the time at which films are created. It is that of the recorded requests.
func now() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC) }

// directors, genres and films are the definitions of the collections.
func directors() catalogue.Definition[director] {
	return catalogue.Define[director]("directors", catalogue.Options{
		Description: &schema.Description{Search: []string{"^name", "=slug"}},
	})
}

func genres() catalogue.Definition[genre] {
	return catalogue.Define[genre]("genres", catalogue.Options{})
}

func films() catalogue.Definition[film] {
	return catalogue.Define[film]("films", catalogue.Options{
		Now: now,
		Description: &schema.Description{
			Search: []string{"title", "synopsis", "director__name"},
			Filters: []string{
				"status", "status__in", "published", "director", "director__in", "genres",
				"minutes", "minutes__gt", "minutes__gte", "minutes__lt", "minutes__lte", "minutes__range",
				"released", "released__gte", "released__lte", "released__isnull",
				"price", "price__gte", "price__lte",
				"title", "title__iexact", "title__contains", "title__icontains", "title__startswith", "title__istartswith",
				"premiere_at__gte", "premiere_at__lte",
			},
		},
	})
}

// typedFilms returns the definitions for a Store.
func typedFilms() []etcdstore.Definition {
	return []etcdstore.Definition{etcdstore.Of(directors()), etcdstore.Of(genres()), etcdstore.Of(films())}
}

// newFilms returns an empty catalogue of films in memory.
func newFilms() (*catalogue.Catalogue, error) {
	return catalogue.New(directors(), genres(), films())
}

// openFilms returns definitions with the same descriptions whose records are open.
func openFilms() (list []etcdstore.Definition, err error) {
	house, err := newFilms()
	if err != nil {
		return nil, err
	}
	for key, c := range house.All() {
		about := c.Description()
		list = append(list, etcdstore.Of(catalogue.Define[schema.Record](key, catalogue.Options{Description: &about, Now: now})))
	}
	return list, nil
}

package main

import (
	"encoding/json"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// A Director directs films.
type Director struct {
	ID      int     `json:"id"`
	Name    string  `json:"name"`
	Slug    string  `json:"slug" backlist:"slug,unique"`
	Born    *string `json:"born" backlist:"date"`
	Website string  `json:"website" backlist:"url,blank"`
}

// A Genre is a kind of films.
type Genre struct {
	ID       int    `json:"id"`
	Name     string `json:"name" backlist:"unique"`
	Position int32  `json:"position" backlist:"default=0"`
}

// A Film has a director and any number of genres.
type Film struct {
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

// newHouse returns an empty catalogue of films. now returns the time at which a film is
// created; if it is nil, that is the current time.
func newHouse(now func() time.Time) (*catalogue.Catalogue, error) {
	return catalogue.New(
		catalogue.Define[Director]("directors", catalogue.Options{
			Description: &schema.Description{Search: []string{"^name", "=slug"}},
		}),
		catalogue.Define[Genre]("genres", catalogue.Options{}),
		catalogue.Define[Film]("films", catalogue.Options{
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
		}),
	)
}

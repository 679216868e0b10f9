// Package collections has the collections of examples/films.
package collections

import (
	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// A Director directs films.
type Director struct {
	ID   int     `json:"id"`
	Name string  `json:"name" backlist:"unique"`
	Born *string `json:"born" backlist:"date"`
}

// A Film has a director.
type Film struct {
	ID       int    `json:"id"`
	Name     string `json:"name"`
	Year     int    `json:"year" backlist:"min=1888"`
	Minutes  int    `json:"minutes" backlist:"min=1"`
	Genre    string `json:"genre" backlist:"choices=comedy|crime|drama|science fiction|thriller"`
	Director int    `json:"director" backlist:"refers=directors"`
}

// A Screening shows a film.
type Screening struct {
	ID       int             `json:"id"`
	Film     int             `json:"film" backlist:"refers=films"`
	StartsAt schema.DateTime `json:"startsAt"`
	Price    string          `json:"price" backlist:"decimal=5.2"`
	SoldOut  bool            `json:"soldOut"`
}

// The collections, in the order of the root listing. Each column of their pages is an order with
// an index, and so is each column of the films of a genre.
var (
	directors = catalogue.Define[Director]("directors", catalogue.Options{
		Indexes:     by("born"),
		Description: &schema.Description{Search: []string{"name"}},
	})
	films = catalogue.Define[Film]("films", catalogue.Options{
		Indexes: by("name", "year", "minutes", "genre", "director", "genre,name", "genre,year", "genre,minutes", "genre,director"),
		Description: &schema.Description{
			Filters: []string{"director", "genre", "genre__in", "year__gte", "year__lte", "minutes__gte", "minutes__lte"},
			Search:  []string{"name", "director__name"},
		},
	})
	screenings = catalogue.Define[Screening]("screenings", catalogue.Options{
		Ordering: []ordering.Term{ordering.Asc("starts_at")},
		Indexes:  by("starts_at", "film", "price", "sold_out"),
		Description: &schema.Description{
			Filters: []string{"film", "starts_at__gte", "starts_at__lt", "price__lte", "sold_out"},
			Search:  []string{"film__name"},
			Label:   "starts_at",
		},
	})
)

// by returns an index for each order, such as "genre,year", which also serves its reverse.
func by(orders ...string) [][]ordering.Term {
	indexes := make([][]ordering.Term, len(orders))
	for i, order := range orders {
		indexes[i] = ordering.Parse(order, nil)
	}
	return indexes
}

// New returns the collections, without records.
func New() (*catalogue.Catalogue, error) {
	return catalogue.New(directors, films, screenings)
}

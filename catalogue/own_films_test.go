package catalogue_test

import (
	"net/url"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// The records of a program's own collections, as in the service whose requests and
// responses were recorded.
type (
	ownDirector struct {
		ID      int     `json:"id"`
		Name    string  `json:"name"`
		Slug    string  `json:"slug" backlist:"slug,unique"`
		Born    *string `json:"born" backlist:"date"`
		Website string  `json:"website" backlist:"url,blank"`
	}
	ownGenre struct {
		ID       int    `json:"id"`
		Name     string `json:"name" backlist:"unique"`
		Position int    `json:"position" backlist:"min=-2147483648,max=2147483647,default=0"`
	}
	ownFilm struct {
		ID         int              `json:"id"`
		Title      string           `json:"title"`
		Slug       string           `json:"slug" backlist:"slug,unique"`
		Synopsis   string           `json:"synopsis" backlist:"blank"`
		Released   *string          `json:"released" backlist:"date"`
		PremiereAt *schema.DateTime `json:"premiereAt"`
		Minutes    int              `json:"minutes" backlist:"min=0,max=2147483647"`
		Rating     *float64         `json:"rating"`
		Price      string           `json:"price" backlist:"decimal=8.2"`
		Status     string           `json:"status" backlist:"choices=announced|released|withdrawn,default=announced"`
		Published  bool             `json:"published"`
		Director   int              `json:"director" backlist:"refers=directors"`
		Genres     []int            `json:"genres" backlist:"refers=genres,default=[]"`
		CreatedAt  schema.DateTime  `json:"createdAt" backlist:"created"`
	}
)

func ownNow() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC) }

// ownDescription returns the description of the collection with the key, with fields that
// T has.
func ownDescription[T any](tb testing.TB, key string) *schema.Description {
	tb.Helper()
	d := mustDescribe[T](tb, key)
	switch key {
	case "directors":
		d.Name = "director"
		d.Search = []string{"^name", "=slug"}
	case "genres":
		d.Name = "genre"
	case "films":
		d.Name = "film"
		d.Search = []string{"title", "synopsis", "director__name"}
		d.Filters = []string{"status", "status__in", "published", "director", "director__in", "genres",
			"minutes", "minutes__gt", "minutes__gte", "minutes__lt", "minutes__lte", "minutes__range",
			"released", "released__gte", "released__lte", "released__isnull", "price", "price__gte", "price__lte",
			"title", "title__iexact", "title__contains", "title__icontains", "title__startswith", "title__istartswith",
			"premiere_at__gte", "premiere_at__lte"}
	}
	return &d
}

// ownOptions returns the options of the collection with the key.
func ownOptions[T any](tb testing.TB, key string) catalogue.Options {
	return catalogue.Options{Description: ownDescription[T](tb, key), Now: ownNow}
}

// ownTyped returns an empty catalogue with collections of structs.
func ownTyped(tb testing.TB) *catalogue.Catalogue {
	return mustCatalogue(tb,
		catalogue.Define[ownDirector]("directors", ownOptions[ownDirector](tb, "directors")),
		catalogue.Define[ownGenre]("genres", ownOptions[ownGenre](tb, "genres")),
		catalogue.Define[ownFilm]("films", ownOptions[ownFilm](tb, "films")))
}

// ownOpen returns an empty catalogue with collections of open records.
func ownOpen(tb testing.TB) *catalogue.Catalogue {
	return mustCatalogue(tb,
		catalogue.Define[schema.Record]("directors", ownOptions[ownDirector](tb, "directors")),
		catalogue.Define[schema.Record]("genres", ownOptions[ownGenre](tb, "genres")),
		catalogue.Define[schema.Record]("films", ownOptions[ownFilm](tb, "films")))
}

// filterOf returns the filter of the parameters of a query.
func filterOf(tb testing.TB, c catalogue.AnyCollection, params url.Values) schema.Filter {
	tb.Helper()
	filter, err := c.Description().Filter(tb.Context(), func(name string) []string { return params[name] }, schema.Checks{Find: c.Find})
	must(tb, err)
	return filter
}

package recorded

import (
	"crypto/sha256"
	"fmt"
	"regexp"
	"strings"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// Now is the time at which the services created records.
func Now() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 678_000_000, time.UTC) }

// Records of a service of films.
type (
	Director struct {
		ID      int     `json:"id"`
		Name    string  `json:"name"`
		Slug    string  `json:"slug" backlist:"slug,unique"`
		Born    *string `json:"born" backlist:"date"`
		Website string  `json:"website" backlist:"url,blank"`
	}

	Genre struct {
		ID       int    `json:"id"`
		Name     string `json:"name" backlist:"unique"`
		Position int32  `json:"position" backlist:"default=0"`
	}

	Film struct {
		ID         int              `json:"id"`
		Title      string           `json:"title"`
		Slug       string           `json:"slug" backlist:"slug,unique"`
		Synopsis   string           `json:"synopsis" backlist:"blank"`
		Released   *string          `json:"released" backlist:"date"`
		PremiereAt *schema.DateTime `json:"premiereAt"`
		Minutes    int32            `json:"minutes" backlist:"min=0"`
		Rating     *float64         `json:"rating"`
		Price      string           `json:"price" backlist:"decimal=8.2"`
		Status     string           `json:"status" backlist:"choices=announced|released|withdrawn,default=announced"`
		Published  bool             `json:"published"`
		Director   int              `json:"director" backlist:"refers=directors"`
		Genres     []int            `json:"genres" backlist:"refers=genres"`
		CreatedAt  schema.DateTime  `json:"createdAt" backlist:"created"`
	}
)

// Directors defines the collection of the people who make films.
func Directors() catalogue.Definition[Director] {
	return catalogue.Define[Director]("directors", catalogue.Options{
		Description: &schema.Description{Search: []string{"^name", "=slug"}},
	})
}

// Genres defines the collection of genres.
func Genres() catalogue.Definition[Genre] {
	return catalogue.Define[Genre]("genres", catalogue.Options{})
}

// Films defines the collection of films.
func Films() catalogue.Definition[Film] {
	return catalogue.Define[Film]("films", catalogue.Options{
		Now: Now,
		Description: &schema.Description{
			Search: []string{"title", "synopsis", "director__name"},
			Filters: []string{
				"status", "status__in", "published", "director", "director__in", "genres",
				"minutes", "minutes__gt", "minutes__gte", "minutes__lt", "minutes__lte", "minutes__range",
				"released", "released__gte", "released__lte", "released__isnull", "price", "price__gte", "price__lte",
				"title", "title__iexact", "title__contains", "title__icontains", "title__startswith",
				"title__istartswith", "premiere_at__gte", "premiere_at__lte",
			},
		},
	})
}

// Records of a service of records with keys.
type (
	country struct {
		Code     string `json:"code" backlist:"key,maxlength=8"`
		Name     string `json:"name" backlist:"maxlength=30"`
		Position int32  `json:"position" backlist:"default=0"`
	}

	maker struct {
		ID     string  `json:"id" backlist:"key,uuid,readonly"`
		Name   string  `json:"name" backlist:"maxlength=30"`
		Parent *string `json:"parent" backlist:"refers=makers,ondelete=setnull"`
	}

	item struct {
		ID        int      `json:"id"`
		Title     string   `json:"title" backlist:"maxlength=30"`
		Maker     string   `json:"maker" backlist:"refers=makers,ondelete=cascade"`
		Country   *string  `json:"country" backlist:"refers=countries,ondelete=setnull"`
		Countries []string `json:"countries" backlist:"refers=countries"`
		Price     string   `json:"price" backlist:"decimal=6.2,default=0"`
	}

	ticket struct {
		ID      string   `json:"id" backlist:"key,uuid,optional"`
		Subject string   `json:"subject" backlist:"maxlength=30"`
		Item    *int     `json:"item" backlist:"refers=items,ondelete=cascade"`
		Country *string  `json:"country" backlist:"refers=countries"`
		Makers  []string `json:"makers" backlist:"refers=makers"`
	}
)

// Keys defines the collections of records with keys: those that clients choose, those that the
// server makes, and those that either may make.
func Keys() []catalogue.AnyDefinition {
	countries, err := schema.DescriptionOf[country]("countries")
	if err != nil {
		panic(err)
	}
	countries.Fields[0].Pattern = regexp.MustCompile("") // any text, as in Django
	countries.Filters = strings.Fields("code code__in code__istartswith code__gte code__lt name__icontains position__gte")
	countries.Search = []string{"^code", "name"}
	return []catalogue.AnyDefinition{
		catalogue.Define[country]("countries", catalogue.Options{Description: &countries}),
		catalogue.Define[maker]("makers", catalogue.Options{NewKey: newKeys("makers"), Description: &schema.Description{
			Filters: strings.Fields("id id__in id__gt name name__icontains parent parent__in parent__isnull parent__name__icontains"),
			Search:  []string{"name", "^id", "=parent__id"},
		}}),
		catalogue.Define[item]("items", catalogue.Options{Description: &schema.Description{
			Filters: strings.Fields("maker maker__in country country__in country__isnull countries maker__name__icontains maker__parent " +
				"country__name country__code__istartswith price__gte price__lte"),
			Search:   []string{"title", "=country__code", "maker__name"},
			Sortable: strings.Fields("id title maker country price maker__name country__position"),
		}}),
		catalogue.Define[ticket]("tickets", catalogue.Options{NewKey: newKeys("tickets"), Description: &schema.Description{
			Filters: strings.Fields("id id__in item item__isnull country makers item__maker item__maker__in"),
			Search:  []string{"subject", "id", "item__country__code"},
		}}),
	}
}

// newKeys returns the function that returns the keys that the recorded service makes.
func newKeys(collection string) func() string {
	n := 0
	return func() string {
		n++
		b := sha256.Sum256(fmt.Appendf(nil, "%s %d", collection, n))
		b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
		return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:16])
	}
}

// An issue is a record of each collection of a service whose pages have numbers or cursors.
type issue struct {
	ID        int       `json:"id"`
	Name      string    `json:"name" backlist:"maxlength=100"`
	Kind      string    `json:"kind" backlist:"choices=note|news|review,default=note"`
	Rank      *int32    `json:"rank"`
	Price     string    `json:"price" backlist:"decimal=8.2,default=0.00"`
	Published bool      `json:"published" backlist:"default=false"`
	Day       *string   `json:"day" backlist:"date"`
	Created   time.Time `json:"created" backlist:"default=now"`
}

// Pages defines those collections.
func Pages() []catalogue.AnyDefinition {
	define := func(key, name string, about schema.Description) catalogue.AnyDefinition {
		about.Name, about.Search = name, []string{"name"}
		about.Filters = strings.Fields("kind kind__in rank rank__gte rank__lte rank__isnull published created__gte created__lte")
		return catalogue.Define[issue](key, catalogue.Options{Description: &about, Now: Now})
	}
	limits := pagination.Limits{Default: 10, Max: 50}
	return []catalogue.AnyDefinition{
		define("numbers", "number", schema.Description{Pages: pagination.Numbers{Limits: limits}}),
		define("sheets", "sheet", schema.Description{Pages: pagination.Numbers{Limits: limits, Page: "p", Size: "page_size"}}),
		define("stories", "story", schema.Description{
			Ordering: []ordering.Term{ordering.Desc("created")}, Sortable: []string{},
			Pages: pagination.Cursors{Limits: pagination.Limits{Default: 7, Max: 50}, Size: "page_size"},
		}),
		define("entries", "entry", schema.Description{
			Ordering: []ordering.Term{ordering.Desc("created"), ordering.Asc("name")},
			Pages:    pagination.Cursors{Limits: limits},
		}),
	}
}

package catalogue_test

import (
	"errors"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
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
	filter := mustHave(c.Description().Filter(tb.Context(), func(name string) []string { return params[name] }, schema.Checks{Find: c.Find}))
	return filter
}

func described(d schema.Description) catalogue.Options {
	return catalogue.Options{Description: &d}
}

// TestNewOnlyRefuses checks the errors for invalid definitions.
func TestNewOnlyRefuses(t *testing.T) {
	directors := catalogue.Define[ownDirector]("directors", catalogue.Options{})
	genres := catalogue.Define[ownGenre]("genres", catalogue.Options{})
	films := func(d schema.Description) []catalogue.AnyDefinition {
		return []catalogue.AnyDefinition{directors, genres, catalogue.Define[ownFilm]("films", described(d))}
	}
	backwards := func(name string, filters ...string) []catalogue.AnyDefinition {
		all := films(schema.Description{})
		about := mustHave(schema.DescriptionOf[ownFilm]("films"))
		about.Fields[slices.IndexFunc(about.Fields, func(f schema.Field) bool { return f.Name == "director" })].Related = name
		all[2] = catalogue.Define[ownFilm]("films", described(about))
		all[0] = catalogue.Define[ownDirector]("directors", described(schema.Description{Filters: filters}))
		return all
	}
	one := func(d catalogue.AnyDefinition) []catalogue.AnyDefinition { return []catalogue.AnyDefinition{d} }
	for _, row := range []struct {
		reason      string
		definitions []catalogue.AnyDefinition
		want        error
		text        string
	}{
		{"no definition", nil, catalogue.ErrInvalidType, "no definitions"},
		{"nil", one(nil), catalogue.ErrInvalidType, "nil definition"},
		{"nil pointer", one((*catalogue.Definition[ownGenre])(nil)), catalogue.ErrInvalidType, "nil definition"},
		{"zero Definition", one(catalogue.Definition[ownGenre]{}), catalogue.ErrUnknownCollection, "no key"},
		{"repeated key", []catalogue.AnyDefinition{genres, genres}, catalogue.ErrInvalidType, "genres: invalid record type: it is defined twice"},
		{"not a struct", one(catalogue.DefineBare[int]("films", catalogue.Options{})), catalogue.ErrInvalidType, "int"},
		{"reference to no collection", []catalogue.AnyDefinition{catalogue.Define[ownDirector]("director", catalogue.Options{}), genres, catalogue.Define[ownFilm]("films", catalogue.Options{})}, catalogue.ErrInvalidType, "did you mean director?"},
		{"the same segment", []catalogue.AnyDefinition{genres, catalogue.Define[ownGenre]("kinds", described(schema.Description{Segment: "genres"}))}, catalogue.ErrInvalidType, "kinds"},
		{"other key in the description", one(catalogue.Define[ownGenre]("genres", described(schema.Description{Key: "kinds"}))), catalogue.ErrInvalidType, `"kinds"`},
		{"filter of no field", films(schema.Description{Filters: []string{"minuets"}}), catalogue.ErrInvalidType, "minutes"},
		{"search in no field of another collection", films(schema.Description{Search: []string{"director__nmae"}}), catalogue.ErrInvalidType, "did you mean name?"},
		{"filter by an unknown name backwards", backwards("films", "movies__title"), catalogue.ErrInvalidType, `unknown field "movies": want one of id, name, slug, born, website, films`},
		{"filter by an unknown field of what refers", backwards("films", "films__titel__in"), catalogue.ErrInvalidType, "did you mean title?"},
		{"name backwards that is a member", backwards("website"), catalogue.ErrInvalidType, `directors: invalid record type: schema: invalid description of "directors": related: "website" of field "director" of films is a name of field "website"`},
		{"search in a number of another collection", films(schema.Description{Search: []string{"director__id"}}), catalogue.ErrInvalidType, "not text"},
		{"field that T does not have", one(catalogue.Define[ownGenre]("genres", described(schema.Description{Fields: []schema.Field{{Name: "nmae", Kind: schema.Text}}}))), catalogue.ErrInvalidType, "did you mean name?"},
		{"posts of open records without fields", one(catalogue.Define[schema.Record]("notes", described(schema.Description{Actions: schema.AllActions}))), catalogue.ErrInvalidType, "Fields"},
		{"ordering by no field", one(catalogue.Define[ownGenre]("genres", catalogue.Options{Ordering: ordering.Parse("nmae", nil)})), ordering.ErrUnknownField, "did you mean name?"},
		{"Options.Name", one(catalogue.Define[ownGenre]("genres", catalogue.Options{Name: "x"})), catalogue.ErrInvalidType, "Options.Name"},
		{"Options.ID", one(catalogue.Define[ownGenre]("genres", catalogue.Options{ID: "position"})), catalogue.ErrInvalidType, "field Position: the id has no tag"},
		{"control character in a key", one(catalogue.Define[ownGenre]("a\x01", described(schema.Description{Segment: "x", Name: "x"}))), catalogue.ErrInvalidType, "the key contains control characters"},
		{"invalid UTF-8 in a key", one(catalogue.Define[ownGenre]("a\xff", described(schema.Description{Segment: "x", Name: "x"}))), catalogue.ErrInvalidType, "the key contains control characters or invalid UTF-8"},
		{"key of saved data", one(catalogue.Define[ownGenre]("$lastIds", described(schema.Description{Segment: "x", Name: "x"}))), catalogue.ErrInvalidType, "$lastIds"},
	} {
		cat, err := catalogue.New(row.definitions...)
		if cat != nil || !errors.Is(err, row.want) || !strings.Contains(err.Error(), row.text) {
			t.Errorf("%s: error %v, want one that wraps %v and contains %q", row.reason, err, row.want, row.text)
		}
	}
}

package schema

import (
	"net/url"
	"testing"
)

// The three collections of drf-own.md, section 0, as far as filters need them.

func filterDirectors() Description {
	return Description{
		Key: "directors", Segment: "directors", Name: "director", Actions: AllActions,
		Fields: []Field{
			{Name: "id", Kind: Integer, ReadOnly: true},
			{Name: "name", Kind: Text, Required: true},
			{Name: "slug", Kind: Slug, Required: true, Unique: true},
			{Name: "born", Kind: Date, Nullable: true, Default: `null`},
			{Name: "website", Kind: URL, Blank: true, Default: `""`},
		},
		Search: []string{"^name", "=slug"},
	}
}

func filterGenres() Description {
	return Description{
		Key: "genres", Segment: "genres", Name: "genre", Actions: AllActions,
		Fields: []Field{
			{Name: "id", Kind: Integer, ReadOnly: true},
			{Name: "name", Kind: Text, Required: true, Unique: true},
			{Name: "position", Kind: Integer, Default: `0`},
		},
	}
}

func filterFilms() Description {
	return Description{
		Key: "films", Segment: "films", Name: "film", Actions: AllActions,
		Fields: []Field{
			{Name: "id", Kind: Integer, ReadOnly: true},
			{Name: "title", Kind: Text, Required: true},
			{Name: "slug", Kind: Slug, Required: true, Unique: true},
			{Name: "synopsis", Kind: Text, Blank: true, Default: `""`},
			{Name: "released", Kind: Date, Nullable: true, Default: `null`},
			{Name: "premiereAt", Kind: Timestamp, Nullable: true, Default: `null`},
			{Name: "minutes", Kind: Integer, Required: true},
			{Name: "rating", Kind: Float, Nullable: true, Default: `null`},
			{Name: "price", Kind: Decimal, Required: true, Digits: 8, Places: 2},
			{Name: "status", Kind: Choice, Choices: []string{"announced", "released", "withdrawn"}, Default: `"announced"`},
			{Name: "published", Kind: Boolean, Default: `false`},
			{Name: "director", Kind: Reference, Required: true, Refers: "directors"},
			{Name: "genres", Kind: References, Refers: "genres", Default: `[]`},
			{Name: "createdAt", Kind: Timestamp, ReadOnly: true, Created: true},
		},
		Filters: []string{
			"status", "status__in", "published", "director", "director__in", "genres",
			"minutes", "minutes__gt", "minutes__gte", "minutes__lt", "minutes__lte", "minutes__range",
			"released", "released__gte", "released__lte", "released__isnull",
			"price", "price__gte", "price__lte",
			"title", "title__iexact", "title__contains", "title__icontains", "title__startswith", "title__istartswith",
			"premiere_at__gte", "premiere_at__lte",
		},
		Search: []string{"title", "synopsis", "director__name"},
	}
}

// filterExists reports that the directors 1 to 12 and the genres 1 to 6 exist.
func filterExists(collection string, id int) bool {
	return collection == "directors" && id <= 12 || collection == "genres" && id <= 6
}

// query parses a query as a server does.
func query(t testing.TB, text string) url.Values {
	t.Helper()
	params, err := url.ParseQuery(text)
	if err != nil {
		t.Fatal(err)
	}
	return params
}

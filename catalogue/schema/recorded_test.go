package schema

import (
	"encoding/json"
	"errors"
	"os"
	"testing"
)

// dataset returns the records of the reference server by collection, with their bytes.
func dataset(t testing.TB) map[string][]json.RawMessage {
	t.Helper()
	data, err := os.ReadFile("testdata/dataset.json")
	must(t, err)
	var set map[string][]json.RawMessage
	must(t, json.Unmarshal(data, &set))
	return set
}

// own returns the descriptions of the collections of drf-own.md, section 0.
func own() map[string]Description {
	return map[string]Description{
		"directors": {Key: "directors", Segment: "directors", Name: "director", Actions: AllActions, Fields: []Field{
			{Name: "id", Kind: Integer, ReadOnly: true},
			{Name: "name", Kind: Text, Required: true},
			{Name: "slug", Kind: Slug, Required: true, Unique: true},
			{Name: "born", Kind: Date, Nullable: true, Default: "null"},
			{Name: "website", Kind: URL, Blank: true, Default: `""`},
		}, Search: []string{"^name", "=slug"}},
		"genres": {Key: "genres", Segment: "genres", Name: "genre", Actions: AllActions, Fields: []Field{
			{Name: "id", Kind: Integer, ReadOnly: true},
			{Name: "name", Kind: Text, Required: true, Unique: true},
			{Name: "position", Kind: Integer, Min: "-2147483648", Max: "2147483647", Default: "0"},
		}},
		"films": {Key: "films", Segment: "films", Name: "film", Actions: AllActions, Fields: []Field{
			{Name: "id", Kind: Integer, ReadOnly: true},
			{Name: "title", Kind: Text, Required: true},
			{Name: "slug", Kind: Slug, Required: true, Unique: true},
			{Name: "synopsis", Kind: Text, Blank: true, Default: `""`},
			{Name: "released", Kind: Date, Nullable: true, Default: "null"},
			{Name: "premiereAt", Kind: Timestamp, Nullable: true, Default: "null"},
			{Name: "minutes", Kind: Integer, Required: true, Min: "0", Max: "2147483647"},
			{Name: "rating", Kind: Float, Nullable: true, Default: "null"},
			{Name: "price", Kind: Decimal, Required: true, Digits: 8, Places: 2},
			{Name: "status", Kind: Choice, Choices: []string{"announced", "released", "withdrawn"}, Default: `"announced"`},
			{Name: "published", Kind: Boolean, Default: "false"},
			{Name: "director", Kind: Reference, Required: true, Refers: "directors"},
			{Name: "genres", Kind: References, Refers: "genres", Default: "[]"},
			{Name: "createdAt", Kind: Timestamp, ReadOnly: true, Created: true},
		}, Filters: []string{
			"status", "status__in", "published", "director", "director__in", "genres",
			"minutes", "minutes__gt", "minutes__gte", "minutes__lt", "minutes__lte", "minutes__range",
			"released", "released__gte", "released__lte", "released__isnull",
			"price", "price__gte", "price__lte",
			"title", "title__iexact", "title__contains", "title__icontains", "title__startswith", "title__istartswith",
			"premiere_at__gte", "premiere_at__lte",
		}, Search: []string{"title", "synopsis", "director__name"}},
	}
}

// response returns the JSON of a record, or of the errors of its fields.
func response(t testing.TB, record Record, err error) string {
	t.Helper()
	var errs FieldErrors
	if !errors.As(err, &errs) {
		must(t, err)
		return record.String()
	}
	text, err := errs.MarshalJSON()
	must(t, err)
	return string(text)
}

// only returns a description with one of its fields.
func only(t testing.TB, d Description, field string) Description {
	t.Helper()
	for _, f := range d.Fields {
		if f.Name == field {
			d.Fields = []Field{f}
			return d
		}
	}
	t.Fatalf("no field %q", field)
	return d
}

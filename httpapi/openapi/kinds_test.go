package openapi

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// objectSchema holds the parts of an object's schema that tests check.
type objectSchema struct {
	Properties           map[string]json.RawMessage
	Required             []string
	AdditionalProperties json.RawMessage
}

func (d pathsDocument) object(t *testing.T, name string) (s objectSchema) {
	t.Helper()
	if err := json.Unmarshal(d.Components.Schemas[name], &s); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
}

// The expected schemas follow the documentation of the kinds. Only a posted field is
// bound to the rules for new values, and only in a POST does it have a default.
func TestFieldSchemas(t *testing.T) {
	d := documentOf(t, filmCatalogue(t), httpapi.Options{}, Options{})
	const at, choice = `{"oneOf":[{"type":"string","format":"date-time"},{"type":"null"}]`, `{"type":"string","enum":["announced","released","withdrawn"]`
	for _, tt := range []struct{ field, stored, posted, changed string }{
		{"id", `{"type":"integer","format":"int64","readOnly":true}`, ``, ``},
		{"title", `{"type":"string"}`, `{"type":"string","minLength":1}`, `{"type":"string","minLength":1}`},
		{"slug", `{"description":"No two records have the same value.","type":"string"}`,
			`{"description":"No two records have the same value.","type":"string","pattern":"^[-a-zA-Z0-9_]+$","minLength":1}`,
			`{"description":"No two records have the same value.","type":"string","pattern":"^[-a-zA-Z0-9_]+$","minLength":1}`},
		{"synopsis", `{"type":"string"}`, `{"type":"string","default":""}`, `{"type":"string"}`},
		{"released", `{"oneOf":[{"type":"string","format":"date"},{"type":"null"}]}`, `{"oneOf":[{"type":"string","format":"date"},{"type":"null"}],"default":null}`, `{"oneOf":[{"type":"string","format":"date"},{"type":"null"}]}`},
		{"premiereAt", at + `}`, at + `,"default":null}`, at + `}`},
		{"minutes", `{"type":"integer","format":"int64"}`, `{"type":"integer","format":"int64","minimum":0,"maximum":2147483647}`,
			`{"type":"integer","format":"int64","minimum":0,"maximum":2147483647}`},
		{"rating", `{"oneOf":[{"type":"number","format":"double"},{"type":"null"}]}`, `{"oneOf":[{"type":"number","format":"double"},{"type":"null"}],"default":null}`, `{"oneOf":[{"type":"number","format":"double"},{"type":"null"}]}`},
		{"price", `{"description":"A number with 2 decimal places.","type":"string"}`,
			`{"description":"A number with at most 8 digits, 2 of them after the point.","type":"string","pattern":"^-?[0-9]{1,6}(\\.[0-9]{1,2})?$"}`,
			`{"description":"A number with at most 8 digits, 2 of them after the point.","type":"string","pattern":"^-?[0-9]{1,6}(\\.[0-9]{1,2})?$"}`},
		{"status", choice + `}`, choice + `,"default":"announced"}`, choice + `}`},
		{"published", `{"type":"boolean"}`, `{"type":"boolean","default":false}`, `{"type":"boolean"}`},
		{"director", `{"description":"The id of a record of the collection directors.","type":"integer","format":"int64"}`,
			`{"description":"The id of a record of the collection directors.","type":"integer","format":"int64"}`,
			`{"description":"The id of a record of the collection directors.","type":"integer","format":"int64"}`},
		{"genres", `{"description":"Ids of records of the collection genres.","type":"array","items":{"type":"integer","format":"int64"}}`,
			`{"description":"Ids of records of the collection genres. The default is [].","type":"array","items":{"type":"integer","format":"int64"}}`,
			`{"description":"Ids of records of the collection genres.","type":"array","items":{"type":"integer","format":"int64"}}`},
		{"createdAt", `{"description":"The time at which the record was created.","type":"string","format":"date-time","readOnly":true}`, ``, ``},
	} {
		for name, want := range map[string]string{"Film": tt.stored, "NewFilm": tt.posted, "FilmUpdate": tt.changed, "FilmPatch": tt.changed} {
			got := ""
			if text := d.object(t, name).Properties[tt.field]; text != nil {
				got = compactJSON(t, text)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s of %s (-want +got):\n%s", tt.field, name, diff)
			}
		}
	}
	needed := []string{"title", "slug", "minutes", "price", "director"}
	for name, want := range map[string][]string{
		"NewFilm": needed, "FilmUpdate": needed, "FilmPatch": nil, "NewDirector": {"name", "slug"}, "DirectorPatch": nil,
		"Director": {"id", "name", "slug", "born", "website"},
	} {
		if diff := cmp.Diff(want, d.object(t, name).Required); diff != "" {
			t.Errorf("required members of %s (-want +got):\n%s", name, diff)
		}
	}
}

// Rare attributes of fields, each described for a POST.
func TestPostedFields(t *testing.T) {
	for _, tt := range []struct {
		reason string
		field  schema.Field
		want   string
	}{
		{"nullable choice", schema.Field{Kind: schema.Choice, Choices: []string{"a"}, Nullable: true},
			`{"oneOf":[{"type":"string","enum":["a"]},{"type":"null"}]}`},
		{"choice that may be empty", schema.Field{Kind: schema.Choice, Choices: []string{"a"}, Blank: true},
			`{"type":"string","enum":["a",""]}`},
		{"choice that may be empty or null", schema.Field{Kind: schema.Choice, Choices: []string{"a"}, Blank: true, Nullable: true},
			`{"oneOf":[{"type":"string","enum":["a",""]},{"type":"null"}]}`},
		{"choice that is empty", schema.Field{Kind: schema.Choice, Choices: []string{"", "a"}, Blank: true}, `{"type":"string","enum":["","a"]}`},
		{"slug that may be empty", schema.Field{Kind: schema.Slug, Blank: true}, `{"type":"string","pattern":"^[-a-zA-Z0-9_]*$"}`},
		{"slug", schema.Field{Kind: schema.Slug}, `{"type":"string","pattern":"^[-a-zA-Z0-9_]+$","minLength":1}`},
		{"decimal below 1", schema.Field{Kind: schema.Decimal, Digits: 3, Places: 3},
			`{"description":"A number with at most 3 digits, 3 of them after the point.","type":"string","pattern":"^-?0(\\.[0-9]{1,3})?$"}`},
		{"decimal without places", schema.Field{Kind: schema.Decimal, Digits: 4},
			`{"description":"A number with at most 4 digits, 0 of them after the point.","type":"string","pattern":"^-?[0-9]{1,4}$"}`},
		{"unique reference", schema.Field{Kind: schema.Reference, Refers: "films", Unique: true},
			`{"description":"The id of a record of the collection films. No two records have the same value.","type":"integer","format":"int64"}`},
		{"unique URL that may be empty", schema.Field{Kind: schema.URL, Blank: true, Unique: true},
			`{"description":"A URL, or empty. No two records have the same value.","type":"string","maxLength":2048}`},
	} {
		got := postedField(tt.field)
		got.write(version31)
		if diff := cmp.Diff(tt.want, compact(t, got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

// The Go type of a described record determines which members may be absent, which pointers
// may be null, and what those hold whose kind is not known. Lists and maps are never null,
// because a catalogue stores empty ones for nil; inside another value they may be.
func TestDescribedStruct(t *testing.T) {
	type credit struct {
		Role string `json:"role"`
	}
	type Extra struct {
		Trailer string `json:"trailer" backlist:"url"`
	}
	type play struct {
		*Extra
		ID      int            `json:"id"`
		Note    string         `json:"note,omitempty" backlist:"blank"`
		Tags    []string       `json:"tags"`
		Names   []string       `json:"names,omitempty"`
		Credits []credit       `json:"credits"`
		Free    map[string]int `json:"free,omitempty"`
		Based   *play          `json:"based"`
		More    any            `json:"more" backlist:"readonly"`
	}
	cat, err := catalogue.New(catalogue.Define[play]("plays", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	s := documentOf(t, cat, httpapi.Options{}, Options{}).object(t, "Play")
	if diff := cmp.Diff([]string{"id", "tags", "credits", "based", "more"}, s.Required); diff != "" {
		t.Errorf("required members (-want +got):\n%s", diff)
	}
	nested := documentOf(t, cat, httpapi.Options{}, Options{}).object(t, "play")
	if diff := cmp.Diff(`{"oneOf":[{"type":"array","items":{"type":"string"}},{"type":"null"}]}`, compactJSON(t, nested.Properties["tags"])); diff != "" {
		t.Errorf("tags of a play in another (-want +got):\n%s", diff)
	}
	for name, want := range map[string]string{
		"trailer": `{"type":"string","format":"uri"}`,
		"note":    `{"type":"string"}`,
		"tags":    `{"type":"array","items":{"type":"string"}}`,
		"names":   `{"type":"array","items":{"type":"string"}}`,
		"credits": `{"type":"array","items":{"$ref":"#/components/schemas/credit"}}`,
		"free":    `{"type":"object","additionalProperties":{"type":"integer","format":"int64"}}`,
		"more":    `{"readOnly":true}`,
		"based":   `{"oneOf":[{"$ref":"#/components/schemas/play"},{"type":"null"}]}`,
	} {
		if diff := cmp.Diff(want, compactJSON(t, s.Properties[name])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// An open record with a description has at least its required members.
func TestDescribedOpenRecord(t *testing.T) {
	d := documentOf(t, filmCatalogue(t), httpapi.Options{}, Options{})
	want := `{"type":"object","properties":{"id":{"type":"integer","format":"int64","readOnly":true},` +
		`"name":{"description":"No two records have the same value.","type":"string"},` +
		`"position":{"type":"integer","format":"int64"}},"required":["id","name"],"additionalProperties":{}}`
	if diff := cmp.Diff(want, compactJSON(t, d.Components.Schemas["Genre"])); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	terms := `{"type":"string","enum":["id","-id","name","-name","position","-position"]}`
	if diff := cmp.Diff(terms, compactJSON(t, d.Components.Schemas["GenreOrderingTerm"])); diff != "" {
		t.Errorf("terms (-want +got):\n%s", diff)
	}
	posted := `{"type":"object","properties":{"name":{"description":"No two records have the same value.","type":"string","minLength":1},` +
		`"position":{"type":"integer","format":"int64","minimum":-10,"default":0}},"required":["name"]}`
	if diff := cmp.Diff(posted, compactJSON(t, d.Components.Schemas["NewGenre"])); diff != "" {
		t.Errorf("posted (-want +got):\n%s", diff)
	}
}

func TestFilterParameters(t *testing.T) {
	const (
		text    = `{"type":"string"}`
		decimal = `{"type":"string","pattern":"^\\s*[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?\\s*$"}`
		id      = `{"type":"integer","format":"int64"}`
	)
	list := func(items string) string { return `{"type":"array","items":` + items + `}` }
	d := documentOf(t, filmCatalogue(t), httpapi.Options{}, Options{})
	got := 0
	for name := range d.Components.Parameters {
		if strings.HasPrefix(name, "Film.filter.") {
			got++
		}
	}
	tests := []struct{ name, description, schema, explode string }{
		{"status", "Records whose status is equal to the value.", `{"type":"string","enum":["announced","released","withdrawn"]}`, ""},
		{"status__in", "Records whose status is one of the values, which are separated by commas.", list(text), "false"},
		{"published", "Records whose published is equal to the value.", `{"type":"boolean"}`, ""},
		{"director", "Records whose director is equal to the value.", id, ""},
		{"director__in", "Records whose director is one of the values, which are separated by commas.", list(id), "false"},
		{"genres", "Records whose genres contain one of the ids.", list(id), "true"},
		{"minutes", "Records whose minutes is equal to the value.", decimal, ""},
		{"minutes__gt", "Records whose minutes is greater than the value.", decimal, ""},
		{"minutes__gte", "Records whose minutes is at least the value.", decimal, ""},
		{"minutes__lt", "Records whose minutes is less than the value.", decimal, ""},
		{"minutes__lte", "Records whose minutes is at most the value.", decimal, ""},
		{"minutes__range", "Records whose minutes is at least the first and at most the second of two values, which are separated by a comma.",
			`{"type":"array","items":` + decimal + `,"minItems":2,"maxItems":2}`, "false"},
		{"released", "Records whose released is equal to the value.", `{"type":"string","format":"date"}`, ""},
		{"released__isnull", "Records whose released is null if the value is true, and is not null if it is false.", `{"type":"boolean"}`, ""},
		{"price__gte", "Records whose price is at least the value.", decimal, ""},
		{"rating__lte", "Records whose rating is at most the value.", decimal, ""},
		{"premiere_at__gte", "Records whose premiereAt is at least the value.", `{"type":"string","format":"date-time"}`, ""},
		{"title", "Records whose title is equal to the value.", text, ""},
		{"title__iexact", "Records whose title is equal to the value in any letter case.", text, ""},
		{"title__contains", "Records whose title contains the value.", text, ""},
		{"title__icontains", "Records whose title contains the value in any letter case.", text, ""},
		{"title__startswith", "Records whose title begins with the value.", text, ""},
		{"title__istartswith", "Records whose title begins with the value in any letter case.", text, ""},
		{"search", "Words, separated by white space or commas. Records in which each of them is found, in any letter case. " +
			"The fields are title, synopsis, director__name.", text, ""},
	}
	if got != len(tests) {
		t.Errorf("%d filters are described, want %d", got, len(tests))
	}
	parameters := d.operation(t, "/api/films/", "get").parameters()
	for _, tt := range tests {
		var p struct {
			Name, In, Description string
			Schema, Explode       json.RawMessage
		}
		if err := json.Unmarshal(d.Components.Parameters["Film.filter."+tt.name], &p); err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		got := []string{p.Name, p.In, p.Description, compactJSON(t, p.Schema), string(p.Explode)}
		if diff := cmp.Diff([]string{tt.name, "query", tt.description, tt.schema, tt.explode}, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if !slices.Contains(parameters, "Film.filter."+tt.name) {
			t.Errorf("GET /api/films/ has no parameter %s", tt.name)
		}
	}
}

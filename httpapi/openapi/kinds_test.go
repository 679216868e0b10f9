package openapi

import (
	"context"
	"encoding/json"
	"reflect"
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

func (d parsedDocument) object(t *testing.T, name string) (s objectSchema) {
	t.Helper()
	if err := json.Unmarshal(d.Components.Schemas[name], &s); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return s
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
		if diff := cmp.Diff(tt.want, compact(t, got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

// The Go type of a described record determines which members may be absent and which pointers
// may be null. Lists and maps are never null, because a catalogue stores empty ones for nil.
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
		Size    [2]int         `json:"size"`
		More    any            `json:"more" backlist:"readonly"`
	}
	cat, err := catalogue.New(catalogue.Define[play]("plays", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	s := documentOf(t, cat, httpapi.Options{}, Options{}).object(t, "Play")
	if diff := cmp.Diff([]string{"id", "tags", "credits", "based", "size", "more"}, s.Required); diff != "" {
		t.Errorf("required members (-want +got):\n%s", diff)
	}
	for name, want := range map[string]string{
		"trailer": `{"type":"string","format":"uri"}`,
		"note":    `{"type":"string"}`,
		"tags":    `{"type":"array","items":{"type":"string"}}`,
		"names":   `{"type":"array","items":{"type":"string"}}`,
		"credits": `{"type":"array","items":{}}`,
		"free":    `{"type":"object","additionalProperties":{}}`,
		"size":    `{"type":"array","items":{}}`,
		"more":    `{}`,
		"based":   `{"oneOf":[{"type":"object","additionalProperties":{}},{"type":"null"}]}`,
	} {
		if diff := cmp.Diff(want, compactJSON(t, s.Properties[name])); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The example of a record, without what is only read, is a valid body.
func TestExamples(t *testing.T) {
	examples := 0
	for key, c := range filmCatalogue(t).All() {
		about := c.Description()
		s := described(about.Fields, nil)
		if len(s.Examples) != 1 {
			t.Fatalf("%s: %d examples, want 1", key, len(s.Examples))
		}
		var members map[string]json.RawMessage
		if err := json.Unmarshal(s.Examples[0], &members); err != nil {
			t.Fatal(err)
		}
		if len(members) != len(about.Fields) {
			t.Errorf("%s: the example has %d members, want %d", key, len(members), len(about.Fields))
		}
		exists := func(context.Context, string, int) (bool, error) { return true, nil }
		if _, err := about.Validate(t.Context(), s.Examples[0], schema.Checks{Exists: exists}); err != nil {
			t.Errorf("%s: %v: %s", key, err, s.Examples[0])
		}
		examples++
	}
	if examples != 3 {
		t.Errorf("%d examples, want 3", examples)
	}
}

// Bounds and kinds that no film has.
func TestExampleOf(t *testing.T) {
	for _, tt := range []struct {
		field  schema.Field
		schema *jsonSchema
		want   string
	}{
		{schema.Field{Kind: schema.Integer, Min: "5"}, nil, `5`},
		{schema.Field{Kind: schema.Integer, Max: "-3"}, nil, `-3`},
		{schema.Field{Kind: schema.Decimal, Places: 2}, nil, `"0.00"`},
		{schema.Field{Kind: schema.Text, Name: "shortTitle"}, nil, `"Short title"`},
		{schema.Field{Kind: schema.Array, Item: &schema.Field{Kind: schema.Text}, Name: "tags"}, nil, `["Tags"]`},
		{schema.Field{Kind: schema.JSON, Nullable: true}, shape(reflect.TypeFor[[]int]()), `null`},
		{schema.Field{Kind: schema.JSON}, shape(reflect.TypeFor[[]int]()), `[]`},
		{schema.Field{Kind: schema.JSON}, shape(reflect.TypeFor[map[string]int]()), `{}`},
		{schema.Field{Kind: schema.JSON}, shape(reflect.TypeFor[pointerText]()), ``},
	} {
		if got := exampleOf(tt.field, tt.schema); got != tt.want {
			t.Errorf("%v: %s, want %s", tt.field.Kind, got, tt.want)
		}
	}
}

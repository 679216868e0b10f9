package values

import (
	"context"
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"testing"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// A valid value of each kind is accepted, and a broken one is JSON that often is not.
func TestMaker(t *testing.T) {
	m := Maker{Rand: rand.New(rand.NewPCG(3, 4))}
	inner := []schema.Field{
		{Name: "city", Kind: schema.Text, Required: true, MinLength: 2, MaxLength: 20},
		{Name: "lat", Kind: schema.Float, Min: "-90.5", Max: "90"},
	}
	exists := func(context.Context, string, int) (bool, error) { return true, nil }
	for _, f := range []schema.Field{
		{Kind: schema.Integer}, {Kind: schema.Integer, Min: "5"}, {Kind: schema.Integer, Max: "-2000"}, {Kind: schema.Integer, Min: "0", Max: "0"},
		{Kind: schema.Float, Min: "0.001", Max: "5000"}, {Kind: schema.Float, Min: "0.3", Max: "0.4"},
		{Kind: schema.Decimal, Digits: 8, Places: 2, Min: "0.01", Max: "9999.99"}, {Kind: schema.Decimal, Digits: 2, Places: 2}, {Kind: schema.Decimal, Digits: 3, Places: 2, Max: "0.5"},
		{Kind: schema.Text, Nullable: true, MinLength: 3}, {Kind: schema.Text, Blank: true, MaxLength: 5}, {Kind: schema.Text, Pattern: regexp.MustCompile(`^\+?[0-9]+$`)},
		{Kind: schema.Regex, Pattern: regexp.MustCompile(`^[A-Z]{3}-[0-9]{4}$`)}, {Kind: schema.Slug, MinLength: 4, MaxLength: 8}, {Kind: schema.UnicodeSlug, MaxLength: 3},
		{Kind: schema.Email, MaxLength: 60}, {Kind: schema.URL}, {Kind: schema.UUID}, {Kind: schema.Timestamp}, {Kind: schema.Date}, {Kind: schema.Boolean},
		{Kind: schema.Choice, Choices: []string{"a", "b"}}, {Kind: schema.Reference, Refers: "x"}, {Kind: schema.References, Refers: "x"}, {Kind: schema.JSON, Nullable: true},
		{Kind: schema.Array, MinLength: 1, MaxLength: 3, Item: &schema.Field{Kind: schema.Integer}}, {Kind: schema.Map, Item: &schema.Field{Kind: schema.Boolean}},
		{Kind: schema.Object, Fields: inner}, {Kind: schema.Array, Item: &schema.Field{Kind: schema.Object, Fields: inner}},
	} {
		f.Name, f.Required = "f", true
		d := schema.Description{Key: "x", Segment: "x", Name: "x", Fields: []schema.Field{f}}
		if err := d.Check(); err != nil {
			t.Fatal(err)
		}
		refused := 0
		for range 300 {
			body := `{"f":` + m.Valid(f) + `}`
			if _, err := d.Validate(t.Context(), []byte(body), schema.Checks{Exists: exists}); err != nil {
				t.Fatalf("%v: %s: %v", f.Kind, body, err)
			}
			body = `{"f":` + m.Broken(f) + `}`
			if !json.Valid([]byte(body)) {
				t.Fatalf("%v: %s is not JSON", f.Kind, body)
			}
			if _, err := d.Validate(t.Context(), []byte(body), schema.Checks{Exists: exists}); err != nil {
				refused++
			}
		}
		if refused < 100 && f.Kind != schema.JSON {
			t.Errorf("%v: %d of 300 broken values are refused", f.Kind, refused)
		}
	}
}

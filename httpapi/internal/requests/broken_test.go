package requests

import (
	"encoding/json"
	"regexp"
	"slices"
	"testing"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/catalogue/schema/values"
)

// A broken value is JSON that often is not valid.
func TestBroken(t *testing.T) {
	m := newMaker(3)
	inner := []schema.Field{{Name: "city", Kind: schema.Text, Required: true, MinLength: 2}, {Name: "lat", Kind: schema.Float, Min: "-90.5", Max: "90"}}
	for _, f := range slices.Concat(values.Fields(), []schema.Field{
		{Kind: schema.Integer}, {Kind: schema.Decimal, Digits: 8, Places: 2, Min: "0.01", Max: "9999.99"}, {Kind: schema.Text, Blank: true, MaxLength: 5},
		{Kind: schema.Regex, Pattern: regexp.MustCompile(`^[A-Z]{3}-[0-9]{4}$`)}, {Kind: schema.Email}, {Kind: schema.UUID}, {Kind: schema.Timestamp}, {Kind: schema.Boolean},
		{Kind: schema.Choice, Choices: []string{"a", "b"}}, {Kind: schema.Array, MaxLength: 3, Item: &schema.Field{Kind: schema.Integer}},
		{Kind: schema.Map, Item: &schema.Field{Kind: schema.Boolean}}, {Kind: schema.Object, Fields: inner},
	}) {
		least := 100
		if f.Name != "" { // no bounds
			least = 20
		}
		f.Name, f.Required = "f", true
		d := schema.Description{Key: "x", Segment: "x", Name: "x", Fields: []schema.Field{f}}
		refused := 0
		for range 300 {
			body := `{"f":` + m.Broken(f) + `}`
			if !json.Valid([]byte(body)) {
				t.Fatalf("%v: %s is not JSON", f.Kind, body)
			}
			if _, err := d.Validate(t.Context(), []byte(body), schema.Checks{}); err != nil {
				refused++
			}
		}
		if refused < least && f.Kind != schema.JSON { // which may be anything
			t.Errorf("%v, kind %d: %d of 300 broken values are refused", f.Kind, f.Kind, refused)
		}
	}
}

package openapi

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/httpapi"
)

func TestFilterParameters(t *testing.T) {
	const (
		text    = `{"type":"string"}`
		decimal = `{"type":"string","pattern":"^\\s*[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?\\s*$"}`
		id      = `{"type":"integer","format":"int64"}`
	)
	list := func(items string) string { return `{"type":"array","items":` + items + `}` }
	d := documentOf(t, filmHouse(t), httpapi.Options{}, Options{})
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

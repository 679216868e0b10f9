package openapi

import (
	"testing"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

// The response to an invalid body has the errors by field, or a detail, as in the framework.
// If a field is called detail, its errors are in that member.
func TestFieldErrors(t *testing.T) {
	type note struct {
		ID     int    `json:"id"`
		Detail string `json:"detail"`
	}
	type film struct {
		ID   int `json:"id"`
		Year int `json:"release_year"`
	}
	type team struct {
		ID   int      `json:"id"`
		Tags []string `json:"tags"`
	}
	notes := catalogue.Define[note]("notes", catalogue.Options{})
	films := catalogue.Define[film]("films", catalogue.Options{})
	of := func(definitions ...catalogue.AnyDefinition) *catalogue.Catalogue {
		cat, err := catalogue.New(definitions...)
		must(t, err)
		return cat
	}
	const about = `"description":"What is wrong with the request as a whole. If present, there are no errors by field."`
	const lists = `{"type":"array","items":{"type":"string"}}`
	const tree = `{"$ref":"#/components/schemas/FieldError"}`
	const detailText = `{` + about + `,"type":"string"}`
	const detailList = `{"description":"If this is a list, the errors of the field detail.","oneOf":[{` + about + `,"type":"string"},` + lists + `]}`
	for _, tt := range []struct {
		reason string
		cat    *catalogue.Catalogue
		detail string
		others string
	}{
		{"names in snake_case", of(films), detailText, lists},
		{"a field called detail", of(notes), detailList, lists},
		{"both", of(notes, films), detailList, lists},
		{"a field with parts", of(catalogue.Define[team]("teams", catalogue.Options{})), detailText, tree},
	} {
		want := `{"description":"The errors by field. Those in nonFieldErrors, or non_field_errors if the fields are in snake_case, concern the whole record.","type":"object",` +
			`"properties":{"detail":` + tt.detail + `},"additionalProperties":` + tt.others + `}`
		got := compactJSON(t, documentOf(t, tt.cat, httpapi.Options{}, Options{}).Components.Schemas["FieldErrors"])
		equal(t, tt.reason, want, got)
	}
}

package openapi

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/httpapi"
)

// The forms of OpenAPI 3.1 are those of JSON Schema 2020-12. Those of 3.0 follow its
// section Schema Object: null is accepted if nullable is true, and is listed in an enum;
// other members beside a reference are ignored; base64 is the format byte.
func TestVersions(t *testing.T) {
	with := func(s *jsonSchema, set func(*jsonSchema)) *jsonSchema { set(s); return s }
	base64 := func() *jsonSchema { return &jsonSchema{Type: "string", Encoding: "base64"} }
	for _, tt := range []struct {
		reason   string
		schema   func() *jsonSchema
		v31, v30 string
	}{
		{"not null", integer, `{"type":"integer","format":"int64"}`, `{"type":"integer","format":"int64"}`},
		{"null", func() *jsonSchema { return orNull(integer()) },
			`{"oneOf":[{"type":"integer","format":"int64"},{"type":"null"}]}`, `{"type":"integer","nullable":true,"format":"int64"}`},
		{"null twice", func() *jsonSchema { return orNull(orNull(ofKind("string"))) },
			`{"oneOf":[{"type":"string"},{"type":"null"}]}`, `{"type":"string","nullable":true}`},
		{"null or any value", func() *jsonSchema { return orNull(&jsonSchema{}) }, `{}`, `{}`},
		{"annotations", func() *jsonSchema {
			return with(orNull(ofKind("string")), func(s *jsonSchema) {
				s.Description, s.MinLength = "D", 1
			})
		}, `{"description":"D","oneOf":[{"type":"string","minLength":1},{"type":"null"}]}`,
			`{"description":"D","type":"string","nullable":true,"minLength":1}`},
		{"null in an enum", func() *jsonSchema { return orNull(&jsonSchema{Type: "string", Enum: choices{list: []string{"a"}}}) },
			`{"oneOf":[{"type":"string","enum":["a"]},{"type":"null"}]}`, `{"type":"string","nullable":true,"enum":["a",null]}`},
		{"null or a component", func() *jsonSchema { return orNull(ref("Event")) },
			`{"oneOf":[{"$ref":"#/components/schemas/Event"},{"type":"null"}]}`,
			`{"nullable":true,"allOf":[{"$ref":"#/components/schemas/Event"}]}`},
		{"parts", func() *jsonSchema {
			return orNull(listOf(mapOf(orNull(with(object(), func(s *jsonSchema) { s.Properties.add("a", orNull(base64())) })))))
		}, `{"oneOf":[{"type":"array","items":{"type":"object","additionalProperties":{"oneOf":[` +
			`{"type":"object","properties":{"a":{"oneOf":[{"type":"string","contentEncoding":"base64"},{"type":"null"}]}}},{"type":"null"}]}}},{"type":"null"}]}`,
			`{"type":"array","nullable":true,"items":{"type":"object","additionalProperties":` +
				`{"type":"object","nullable":true,"properties":{"a":{"type":"string","nullable":true,"format":"byte"}}}}}`},
		{"base64", base64, `{"type":"string","contentEncoding":"base64"}`, `{"type":"string","format":"byte"}`},
	} {
		for version, want := range map[string]string{version31: tt.v31, version30: tt.v30} {
			got := tt.schema()
			got.write(version)
			got.write(version) // parts that are shared are written twice
			if diff := cmp.Diff(want, compact(t, got)); diff != "" {
				t.Errorf("%s in %s (-want +got):\n%s", tt.reason, version, diff)
			}
		}
	}
}

// The response to an invalid body has the errors by field, or a detail, as in the framework.
// If a field is called detail, its errors are in that member.
func TestFieldErrors(t *testing.T) {
	type note struct {
		ID     int    `json:"id"`
		Detail string `json:"detail"`
	}
	notes, err := catalogue.New(catalogue.Define[note]("notes", catalogue.Options{}))
	if err != nil {
		t.Fatal(err)
	}
	const about = `"description":"What is wrong with the request as a whole. If present, there are no errors by field."`
	const lists = `{"type":"array","items":{"type":"string"}}`
	for _, tt := range []struct {
		reason string
		cat    *catalogue.Catalogue
		detail string
	}{
		{"documented collections", mustNew(), `{` + about + `,"type":"string"}`},
		{"a field called detail", notes, `{"description":"If this is a list, the errors of the field detail.","oneOf":[{` + about + `,"type":"string"},` + lists + `]}`},
	} {
		want := `{"description":"The errors by field. Those in nonFieldErrors concern the whole record.","type":"object",` +
			`"properties":{"detail":` + tt.detail + `},"additionalProperties":` + lists + `}`
		got := compactJSON(t, documentOf(t, tt.cat, httpapi.Options{}, Options{}).Components.Schemas["FieldErrors"])
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.reason, diff)
		}
	}
}

package openapi

import (
	"math"
	"slices"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// commonSchemas returns the schemas that belong to no collection.
func commonSchemas(collections []collection) members[*jsonSchema] {
	rules := slices.ContainsFunc(collections, hasRules)
	return members[*jsonSchema]{
		{detail, object(member[*jsonSchema]{"detail", ofKind("string")})},
		{fieldErrors, fieldErrorsSchema(collections)},
		{metadata, metadataSchema("POST")},
		{fieldMetadata, fieldMetadataSchema(rules)},
		{format, &jsonSchema{Type: "string", Enum: choices{list: []string{"json", "api"}}}},
	}
}

// fieldErrorsSchema returns the schema of the response to an invalid body or filter: the
// errors by field, or a detail if the request cannot be read. One object describes both,
// because generators support alternatives of objects poorly.
func fieldErrorsSchema(collections []collection) *jsonSchema {
	messages := listOf(ofKind("string"))
	whole := ofKind("string")
	whole.Description = "What is wrong with the request as a whole. If present, there are no errors by field."
	if slices.ContainsFunc(collections, hasDetail) {
		whole = &jsonSchema{OneOf: []*jsonSchema{whole, messages}, Description: "If this is a list, the errors of the field detail."}
	}
	s := mapOf(messages)
	s.Description = "The errors by field. Those in nonFieldErrors concern the whole record."
	s.Properties = one("detail", whole)
	return s
}

// hasDetail reports whether the collection has a field whose errors are in the member
// detail.
func hasDetail(c collection) bool {
	return slices.ContainsFunc(c.Description.Fields, func(f schema.Field) bool { return f.Name == "detail" })
}

// Parameters of all collections.
const (
	formatParameter = "format"
	limitParameter  = "limit"
	offsetParameter = "offset"
)

func parameterRef(name string) parameter { return parameter{Ref: "#/components/parameters/" + name} }

func commonParameters(limits pagination.Limits) members[parameter] {
	limit := &jsonSchema{Type: "integer", Minimum: number(1), Default: intText(byDefault(limits))}
	text := "The maximum number of records on the page."
	if most := maximum(limits); most < math.MaxInt {
		limit.Maximum = number(most)
		text += " Larger limits are reduced to the maximum."
	}
	offset := &jsonSchema{Type: "integer", Minimum: number(0), Default: intText(0)}
	return members[parameter]{
		query(formatParameter, "Both formats are JSON.", ref(format)),
		query(limitParameter, text, limit),
		query(offsetParameter, "The number of records to skip.", offset),
	}
}

func query(name, text string, s *jsonSchema) member[parameter] {
	return member[parameter]{name, parameter{Name: name, In: "query", Description: text, Schema: s}}
}

// orderingParameter returns a parameter whose value is a comma-separated list of terms.
func orderingParameter(term *jsonSchema, byDefault []ordering.Term) parameter {
	joined := false
	return parameter{
		Name: "ordering", In: "query", Explode: &joined, Schema: listOf(term),
		Description: "Names in snake_case, with a leading minus for descending order. Unknown names are ignored. " +
			"The default is " + ordering.Format(byDefault) + ".",
	}
}

// byDefault returns the page size of requests without a limit.
func byDefault(limits pagination.Limits) int { return limits.Parse("", "").Limit }

// maximum returns the maximum page size, or math.MaxInt if there is no limit.
func maximum(limits pagination.Limits) int {
	const huge = "99999999999999999999" // parsed as math.MaxInt
	return limits.Parse(huge, "").Limit
}

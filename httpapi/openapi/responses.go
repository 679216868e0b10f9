package openapi

import (
	"slices"

	"github.com/gobacklist/backlist/catalogue/schema"
)

// common is a response that operations share.
type common struct {
	name   string // component
	status string // key in an operation
	text   string
	body   string // schema; empty: none
	header string // empty: none
}

// Some of the responses share a status.
var (
	badRequest         = common{"BadRequest", "400", "The request exceeds a limit, or its Host or a forwarded header is invalid.", detail, ""}
	badRecord          = common{"BadRecord", "400", "The body is not valid JSON or not a valid record, with the errors by field.", fieldErrors, ""}
	unauthorized       = common{"Unauthorized", "401", "The credentials are missing or invalid.", detail, challengeHeader}
	forbidden          = common{"Forbidden", "403", "The client may not send this request.", detail, ""}
	notFound           = common{"NotFound", "404", "The path does not exist.", detail, ""}
	failure            = common{"Failure", "default", "Any other error, such as 406, 413, 414, 415, 500 or 503.", detail, ""}
	noRecord           = common{"NoRecord", "404", "The record does not exist, or a filter excludes the record.", detail, ""}
	conflict           = common{"Conflict", "409", "The request conflicts with stored records, such as one that refers to the record.", detail, ""}
	badFilter          = common{"BadFilter", "400", "A filter or the body is invalid, with the errors by parameter or field, or the request exceeds a limit.", fieldErrors, ""}
	notModified        = common{"NotModified", "304", "The client's copy is current.", "", tagHeader}
	preconditionFailed = common{"PreconditionFailed", "412", "The record does not have any of the entity tags in If-Match.", detail, ""}
)

// shared returns the response, and adds the components that it needs.
func (d *describer) shared(c common) response {
	r := response{Description: c.text}
	if c.header != "" {
		r.Headers = d.header(c.header)
	}
	switch c.body {
	case detail:
		r.Content = jsonBody(d.schema(detail, object(member[*jsonSchema]{"detail", ofKind("string")})))
	case fieldErrors:
		r.Content = jsonBody(d.schema(fieldErrors, d.errors))
		if d.errors.Others.Ref != "" {
			for _, s := range fieldErrorSchemas() {
				d.schema(s.name, s.value)
			}
		}
	}
	return r
}

// Response headers, which are components.
const (
	challengeHeader = "WWW-Authenticate"
	tagHeader       = "ETag"
)

// header adds the component of a response header, and returns a reference to it.
func (d *describer) header(name string) members[parameter] {
	text := "The entity tag of the response."
	if name == challengeHeader {
		text = "The credentials that are required."
	}
	share(d, "headers/", &d.model.Components.Headers, name, parameter{Description: text, Schema: ofKind("string")})
	return one(name, parameter{Ref: "#/components/headers/" + name})
}

func jsonBody(s *jsonSchema) members[media] { return one("application/json", media{s}) }

// fieldErrorsSchema returns the schema of the response to an invalid body or filter: the
// errors by field, or a detail if the request cannot be read. One object describes both,
// because generators support alternatives of objects poorly.
func fieldErrorsSchema(collections []collection) *jsonSchema {
	messages := listOf(ofKind("string"))
	whole := ofKind("string")
	whole.Description = "What is wrong with the request as a whole. If present, there are no errors by field."
	for _, c := range collections {
		if slices.ContainsFunc(c.Description.Fields, func(f schema.Field) bool { return f.Name == "detail" }) {
			whole = &jsonSchema{OneOf: []*jsonSchema{whole, messages}, Description: "If this is a list, the errors of the field detail."}
			break
		}
	}
	s := mapOf(messages)
	if slices.ContainsFunc(collections, collection.hasParts) {
		s.Others = ref(fieldError)
	}
	s.Description = "The errors by field. Those in nonFieldErrors, or non_field_errors if the fields are in snake_case, concern the whole record."
	s.Properties = one("detail", whole)
	return s
}

// hasParts reports whether some field is a list, a map or an object with described parts.
func (c collection) hasParts() bool {
	return slices.ContainsFunc(c.Description.Fields, func(f schema.Field) bool { return f.Item != nil || f.Fields != nil })
}

// fieldErrorSchemas returns the schemas of the errors of a field with parts, which are a tree. Each
// form has a name, because ogen does not end if a schema contains itself in another way.
func fieldErrorSchemas() members[*jsonSchema] {
	messages := listOf(ofKind("string"))
	return members[*jsonSchema]{
		{fieldError, &jsonSchema{
			Description: "What is wrong with a value: messages, or the errors of each object in a list, or those of its parts.",
			OneOf:       []*jsonSchema{listOf(ref(fieldErrorItem)), ref(fieldErrorParts)},
		}},
		{fieldErrorItem, &jsonSchema{
			Description: "A message, or what is wrong with an object in a list. If nothing is, it is empty.",
			OneOf:       []*jsonSchema{ofKind("string"), ref(fieldErrorParts), messages},
		}},
		{fieldErrorParts, &jsonSchema{
			Description: "The errors of an object or map by member, or of a list by index.",
			Type:        "object", Others: ref(fieldError),
		}},
	}
}

package openapi

import "slices"

// Components for responses with entity tags.
const (
	tagHeader    = "ETag"
	tagParameter = "ifNoneMatch"
	notModified  = "NotModified"
)

// addTags adds the components for entity tags.
func (c *components) addTags() {
	c.Headers.add(tagHeader, header{Description: "The entity tag of the response.", Schema: ofKind("string")})
	c.Responses.add(notModified, response{
		Description: "The client's copy is current.", Headers: one(tagHeader, headerRef(tagHeader)),
	})
	c.Parameters.add(tagParameter, parameter{
		Name: "If-None-Match", In: "header", Description: "The entity tags of the client's copies.", Schema: ofKind("string"),
	})
}

// tagged adds an entity tag to the first response of the operation, and a 304.
func (op *operation) tagged() {
	op.Parameters = append(slices.Clip(op.Parameters), parameterRef(tagParameter))
	op.Responses[0].value.Headers = one(tagHeader, headerRef(tagHeader))
	op.Responses = slices.Insert(op.Responses, 1, member[response]{"304", responseRef(notModified)})
}

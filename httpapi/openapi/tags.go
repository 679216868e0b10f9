package openapi

import "slices"

// Components of handlers whose answers have entity tags.
const (
	tagHeader    = "ETag"
	tagParameter = "ifNoneMatch"
	notModified  = "NotModified"
)

// addTags adds those components.
func (c *components) addTags() {
	c.Headers.add(tagHeader, header{Description: "The entity tag of the answer.", Schema: ofKind("string")})
	c.Responses.add(notModified, response{
		Description: "The sender has it already.", Headers: one(tagHeader, headerRef(tagHeader)),
	})
	c.Parameters.add(tagParameter, parameter{
		Name: "If-None-Match", In: "header", Description: "Entity tags of what the sender has.", Schema: ofKind("string"),
	})
}

// tagged is an operation whose first answer has an entity tag.
func (op *operation) tagged() {
	op.Parameters = append(slices.Clip(op.Parameters), parameterRef(tagParameter))
	op.Responses[0].value.Headers = one(tagHeader, headerRef(tagHeader))
	op.Responses = slices.Insert(op.Responses, 1, member[response]{"304", responseRef(notModified)})
}

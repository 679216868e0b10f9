package openapi

import "slices"

// Components for responses with entity tags.
const (
	tagHeader      = "ETag"
	tagParameter   = "ifNoneMatch"
	matchParameter = "ifMatch"
	notModified    = "NotModified"
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

// addConditions adds the components for conditional writes.
func (c *components) addConditions() {
	c.Responses.add(string(preconditionFailed), preconditionFailed.response("The record does not have any of the entity tags in If-Match."))
	c.Parameters.add(matchParameter, parameter{
		Name: "If-Match", In: "header", Description: "The entity tags of the record that the request is for.", Schema: ofKind("string"),
	})
}

// conditional adds If-Match and a 412 to a write of a record.
func (op *operation) conditional() {
	op.Parameters = append(slices.Clip(op.Parameters), parameterRef(matchParameter))
	at := slices.IndexFunc(op.Responses, func(m member[response]) bool { return m.name > preconditionFailed.status() })
	op.Responses = slices.Insert(op.Responses, at, member[response]{preconditionFailed.status(), responseRef(string(preconditionFailed))})
}

// tagged adds an entity tag to the first response of the operation, and a 304.
func (op *operation) tagged() {
	op.Parameters = append(slices.Clip(op.Parameters), parameterRef(tagParameter))
	op.Responses[0].value.Headers = one(tagHeader, headerRef(tagHeader))
	op.Responses = slices.Insert(op.Responses, 1, member[response]{"304", responseRef(notModified)})
}

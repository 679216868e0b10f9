package openapi

import (
	"slices"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// recordActions are those of the path of a record.
const recordActions = schema.Retrieve | schema.Update | schema.PartialUpdate | schema.Destroy

// idParameter is the name of the parameter in the path of a record, and its component.
const idParameter = "id"

// addRecords adds the components for the paths of records.
func (c *components) addRecords() {
	id := integer()
	id.Minimum = number(1)
	c.Parameters.add(idParameter, parameter{
		Name: "id", In: "path", Description: "The id of the record.", Required: true, Schema: id,
	})
	c.Responses.add(string(noRecord), noRecord.response("The record or the format does not exist, or a filter excludes the record."))
	c.Responses.add(string(conflict), conflict.response("The request conflicts with stored records, such as one that refers to the record."))
	c.Schemas.add(recordMetadata, metadataSchema("PUT"))
}

// hasRecordPath reports whether the records of the collection have paths.
func (c collection) hasRecordPath() bool { return c.Actions&recordActions != 0 }

// recordPath returns the description of the path of a collection's records.
func (d *describer) recordPath(c collection, filters []parameter) pathItem {
	found := jsonBody(ref(c.record))
	item := pathItem{Parameters: slices.Concat([]parameter{parameterRef(idParameter), parameterRef(formatParameter)}, filters)}
	if c.Actions.Has(schema.Retrieve) {
		item.Get = d.get(&operation{
			ID: "get" + c.name, Summary: "A record of " + c.Description.Segment,
			Description: "Returns the record with the id.",
			Responses: responses("200", response{Description: "The record.", Content: found},
				c.invalid(badRequest), noRecord, notAcceptable, targetTooLong, failure),
		}, d.tags)
		item.Head = d.head("head"+c.name, d.tags, nil)
	}
	if c.Actions.Has(schema.Update) {
		item.Put = d.change(c, schema.Update, &operation{
			ID: "update" + c.name, Summary: "Change a record of " + c.Description.Segment,
			Description: "Validates the body and changes the record. Optional members that are absent keep their values.",
		})
	}
	if c.Actions.Has(schema.PartialUpdate) {
		item.Patch = d.change(c, schema.PartialUpdate, &operation{
			ID: "patch" + c.name, Summary: "Change members of a record of " + c.Description.Segment,
			Description: "Validates the body and changes the record. Members that are absent keep their values.",
		})
	}
	if c.Actions.Has(schema.Destroy) {
		_, conditional := c.Collection.(httpapi.ConditionalDeleter)
		item.Delete = d.writeRecord(conditional, &operation{
			ID: "delete" + c.name, Summary: "Delete a record of " + c.Description.Segment,
			Description: "Deletes the record, unless other records refer to it.",
			Responses: responses("204", response{Description: "The record is deleted."},
				c.invalid(badRequest), unauthorized, forbidden, noRecord, notAcceptable, conflict, targetTooLong, failure),
		})
	}
	item.Options = d.options("describe"+c.name, "PUT if the record exists and the client may change it", recordMetadata, nil)
	return item
}

// change completes the description of PUT or PATCH. The response to a PUT has no tag.
func (d *describer) change(c collection, action schema.Actions, op *operation) *operation {
	changed := response{Description: "The changed record.", Content: jsonBody(ref(c.record))}
	if action == schema.PartialUpdate {
		changed.Headers = d.tagOf(c)
	}
	op.RequestBody = c.body(action)
	op.Responses = responses("200", changed,
		c.invalid(badRecord), unauthorized, forbidden, noRecord, notAcceptable, conflict, tooLarge, targetTooLong, unsupported, failure)
	_, conditional := c.Collection.(httpapi.ConditionalUpdater)
	return d.writeRecord(conditional, op)
}

// writeRecord completes the description of a method that writes a record. conditional is
// whether the collection can compare its entity tag.
func (d *describer) writeRecord(conditional bool, op *operation) *operation {
	if d.tags && conditional {
		op.conditional()
	}
	return d.write(op)
}

// tagOf returns the header with the entity tag of a record, or nil if there is none.
func (d *describer) tagOf(c collection) members[header] {
	if !d.tags || !c.Actions.Has(schema.Retrieve) {
		return nil
	}
	return one(tagHeader, headerRef(tagHeader))
}

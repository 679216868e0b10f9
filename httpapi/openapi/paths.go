package openapi

import (
	"slices"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
)

// Tags of operations.
const (
	recordsTag  = "records"
	metadataTag = "metadata"
)

const jsonType = "application/json"

// jsonBody returns a JSON body with the schema s.
func jsonBody(s *jsonSchema) members[media] { return one(jsonType, media{s}) }

// root adds the path that lists the collections.
func (d *describer) root(served httpapi.Served, collections []collection) {
	keys := ofKind("object")
	for _, c := range collections {
		keys.Properties.add(c.Description.Key, formatted("string", "uri"))
		keys.Required = append(keys.Required, c.Description.Key)
	}
	d.model.Components.Schemas.add(root, keys)
	format := parameterRef(formatParameter)
	d.model.Paths.add(escaped(served.Path), pathItem{
		Get: d.get(&operation{
			ID: "listCollections", Summary: "The URLs of all collections",
			Description: "Returns the absolute URL of each collection.",
			Parameters:  []parameter{format},
			Responses: responses("200", response{Description: "The URLs of the collections by key.", Content: jsonBody(ref(root))},
				badRequest, notFound, notAcceptable, targetTooLong, failure),
		}, served.Tagged),
		Head:    d.head("headCollections", served.Tagged, []parameter{format}),
		Options: d.options("describeCollections", "POST if the client may post", metadata, []parameter{format}),
	})
}

// listPath returns the description of the path of a collection. order is the component
// of the parameter ordering.
func (d *describer) listPath(c collection, order string, filters []parameter) pathItem {
	list := listName(c.Description)
	format := []parameter{parameterRef(formatParameter)}
	item := pathItem{}
	if c.Actions.Has(schema.List) {
		parameters := slices.Concat(format, []parameter{parameterRef(order), parameterRef(limitParameter), parameterRef(offsetParameter)}, filters)
		item.Get = d.get(&operation{
			ID: "list" + list, Summary: "A page of " + c.Description.Segment,
			Description: "Returns records in the requested order, their total number, and the URLs of the next and the previous page.",
			Parameters:  parameters,
			Responses: responses("200", response{Description: "One page.", Content: jsonBody(ref(pageOf(c.record)))},
				c.invalid(badRequest), notFound, notAcceptable, targetTooLong, failure),
		}, c.Tagged)
		item.Head = d.head("head"+list, c.Tagged, parameters)
	}
	if c.Actions.Has(schema.Create) {
		item.Post = d.write(&operation{
			ID: "create" + c.name, Summary: "Add a record to " + c.Description.Segment,
			Description: "Validates the body and adds a record with a new id.",
			Parameters:  format,
			RequestBody: c.body(schema.Create),
			Responses: responses("201", response{Description: "The record, with its id.", Headers: d.tagOf(c), Content: jsonBody(ref(c.record))},
				badRecord, unauthorized, forbidden, notFound, notAcceptable, tooLarge, targetTooLong, unsupported, failure),
		})
	}
	item.Options = d.options("describe"+list, "POST if the client may post", metadata, format)
	return item
}

// get completes the description of GET.
func (d *describer) get(op *operation, tagged bool) *operation {
	op.ID, op.Tags = d.operations.take(op.ID), []string{recordsTag}
	if tagged {
		op.tagged()
	}
	if d.reads {
		op.denied()
	}
	return op
}

// write completes the description of a method that needs permission.
func (d *describer) write(op *operation) *operation {
	op.ID, op.Tags = d.operations.take(op.ID), []string{recordsTag}
	d.writes = true
	if d.scheme != "" && !d.reads { // otherwise all operations require credentials
		op.Security = required()
	}
	return op
}

// head returns the description of HEAD, whose responses are those of GET without their
// bodies.
func (d *describer) head(id string, tagged bool, parameters []parameter) *operation {
	like := response{Description: "Same as for GET, without a body."}
	op := &operation{
		ID: d.operations.take(id), Summary: "The headers of the response to GET",
		Description: "Returns the status and the headers of GET, without a body.",
		Tags:        []string{metadataTag},
		Parameters:  parameters,
		Responses:   members[response]{{"200", like}, {"4XX", like}, {"default", like}},
	}
	if tagged {
		op.tagged()
	}
	return op
}

// options returns the description of OPTIONS, which lists the fields for a method.
func (d *describer) options(id, method, schema string, parameters []parameter) *operation {
	op := &operation{
		ID: d.operations.take(id), Summary: "The supported operations",
		Description: "Returns the name of the path, its media types, and the fields for " + method + ".",
		Tags:        []string{metadataTag},
		Parameters:  parameters,
		Responses: responses("200", response{
			Description: "The description of the path.",
			Headers:     one(allowHeader, headerRef(allowHeader)),
			Content:     jsonBody(ref(schema)),
		}, badRequest, notFound, notAcceptable, targetTooLong, failure),
	}
	if d.reads {
		op.denied()
	}
	return op
}

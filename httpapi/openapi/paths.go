package openapi

import (
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources"
)

// Tags of operations.
const (
	recordsTag  = "records"
	metadataTag = "metadata"
)

// credentials is the name of the security scheme.
const credentials = "credentials"

const jsonType = "application/json"

// jsonBody returns a JSON body with the schema s.
func jsonBody(s *schema) members[media] { return one(jsonType, media{s}) }

// root adds the path that lists the collections.
func (d *describer) root(served httpapi.Served) {
	keys := ofKind("object")
	for _, c := range resources.Descriptions() {
		keys.Properties.add(c.Key, formatted("string", "uri"))
		keys.Required = append(keys.Required, c.Key)
	}
	d.model.Components.Schemas.add(root, keys)
	format := parameterRef(formatParameter)
	d.model.Paths.add(served.Path, pathItem{
		Get: get(served, &operation{
			ID: "listCollections", Summary: "The URLs of all collections", Tags: []string{recordsTag},
			Parameters: []parameter{format},
		}, response{Description: "The URLs of the collections by key.", Content: jsonBody(ref(root))}),
		Head:    head(served, "headCollections", []parameter{format}),
		Options: metadataOf("describeCollections", []parameter{format}),
	})
}

// listPath returns the description of the path of a collection. record is the
// component of its records.
func (d *describer) listPath(served httpapi.Served, record string) pathItem {
	about := served.Description
	list := listName(about)
	parameters := []parameter{
		parameterRef(formatParameter), parameterRef(orderOf(record)), parameterRef(limitParameter), parameterRef(offsetParameter),
	}
	item := pathItem{
		Get: get(served, &operation{
			ID: "list" + list, Summary: "A page of " + about.Segment, Tags: []string{recordsTag},
			Parameters: parameters,
		}, response{Description: "One page.", Content: jsonBody(ref(pageOf(record)))}),
		Head:    head(served, "head"+list, parameters),
		Options: metadataOf("describe"+list, parameters[:1]),
	}
	if served.Actions.Has(resources.Create) {
		item.Post = d.post(about, record)
	}
	return item
}

// post returns the description of the operation that creates a record.
func (d *describer) post(about resources.Description, record string) *operation {
	op := &operation{
		ID: "create" + recordName(about), Summary: "Add a record to " + about.Segment, Tags: []string{recordsTag},
		Parameters:  []parameter{parameterRef(formatParameter)},
		RequestBody: &requestBody{Required: true, Content: jsonBody(ref(newOf(record)))},
		Responses: responses("201", response{Description: "The record, with its id.", Content: jsonBody(ref(record))},
			badRecord, unauthorized, forbidden, notFound, notAcceptable, tooLarge, targetTooLong, unsupported, failure),
	}
	if d.scheme != "" {
		op.Security = []members[[]struct{}]{one(credentials, []struct{}{})}
	}
	return op
}

// get completes an operation with its responses: good if it succeeds.
func get(served httpapi.Served, op *operation, good response) *operation {
	op.Responses = responses("200", good, badRequest, notFound, notAcceptable, targetTooLong, failure)
	if served.Tagged {
		op.tagged()
	}
	return op
}

// head returns the description of HEAD, whose responses are those of GET without their
// bodies.
func head(served httpapi.Served, id string, parameters []parameter) *operation {
	like := response{Description: "Same as for GET, without a body."}
	op := &operation{
		ID: id, Summary: "The headers of the response to GET", Tags: []string{metadataTag},
		Parameters: parameters,
		Responses:  members[response]{{"200", like}, {"default", like}},
	}
	if served.Tagged {
		op.tagged()
	}
	return op
}

// metadataOf returns the description of OPTIONS.
func metadataOf(id string, parameters []parameter) *operation {
	return &operation{
		ID: id, Summary: "The supported operations", Tags: []string{metadataTag},
		Parameters: parameters,
		Responses: responses("200", response{
			Description: "The description of the path, with the fields for POST if the client may post.",
			Headers:     one(allowHeader, headerRef(allowHeader)),
			Content:     jsonBody(ref(metadata)),
		}, badRequest, notFound, notAcceptable, targetTooLong, failure),
	}
}

package openapi

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/gobacklist/backlist/httpapi"
)

// describer builds a document, path by path.
type describer struct {
	model      *model
	types      *types
	operations names
	scheme     string
	reads      bool // reads need permission too
	tags       bool // records have entity tags
	writes     bool // some operation writes
}

// collection is a collection with its names in the document.
type collection struct {
	httpapi.Served
	name   string // of one record, such as "ItemVariant"; unique
	record string // component of the records; shared by those without a description
}

func describe(ctx context.Context, h *httpapi.Handler, opts Options) (*model, error) {
	served := h.Served()
	top, collections := served[0], make([]collection, len(served)-1)
	taken := reserved()
	for i, s := range served[1:] {
		collections[i] = collection{Served: s, name: taken.takeRecord(s.Description)}
	}
	m := newModel(h, opts, collections)
	if top.Tagged {
		m.Components.addTags()
		m.Components.addConditions()
	}
	d := &describer{
		model: m, types: newTypes(taken, &m.Components.Schemas), operations: names{},
		scheme: opts.Scheme, reads: h.AuthorizesReads(), tags: top.Tagged,
	}
	d.root(top, collections)
	d.know(collections)
	for _, c := range collections {
		if err := d.collection(ctx, c); err != nil {
			return nil, fmt.Errorf("openapi: %s: %w", c.Description.Key, err)
		}
	}
	d.secure()
	m.Components.write(opts.OpenAPI)
	return m, m.prune()
}

// newModel returns a document without paths.
func newModel(h *httpapi.Handler, opts Options, collections []collection) *model {
	m := &model{
		OpenAPI: patch(opts.OpenAPI),
		Info:    info{opts.Title, opts.Description, opts.Version},
		Servers: []server{{opts.Server}},
		Tags: []tag{
			{recordsTag, "Reading and adding records."},
			{metadataTag, "The headers of a path and its description."},
		},
		Components: components{
			Schemas:    commonSchemas(collections),
			Responses:  commonResponses(),
			Parameters: commonParameters(h.Limits()),
			Headers:    commonHeaders(),
		},
	}
	if slices.ContainsFunc(collections, collection.hasRecordPath) {
		m.Tags[0].Description = "Reading and writing records."
		m.Components.addRecords()
	}
	if slices.ContainsFunc(collections, collection.filtered) {
		m.Components.addFilters()
	}
	return m
}

// know lets types refer to the components of the collections with fields.
func (d *describer) know(collections []collection) {
	for _, c := range collections {
		t := recordType(c.Collection)
		if c.Description.Fields != nil && t != nil && t.Kind() == reflect.Struct && !isOpen(t) && d.types.known[t] == "" {
			d.types.known[t] = c.name
		}
	}
}

// collection adds the paths of a collection and the components that they need.
func (d *describer) collection(ctx context.Context, c collection) error {
	fields, known, err := d.record(ctx, &c)
	if err != nil {
		return err
	}
	term := ofKind("string")
	if known {
		d.once(termOf(c.record), orderingTerm(fields))
		term = ref(termOf(c.record))
	}
	order := d.ordering(c, orderingParameter(term, c.Description.Ordering))
	filters := d.filters(c)
	path := escaped(c.Path)
	d.model.Paths.add(path, d.listPath(c, order, filters))
	if c.hasRecordPath() {
		d.model.Paths.add(path+"{"+idParameter+"}/", d.recordPath(c, filters))
	}
	return nil
}

// ordering returns the name of the parameter ordering of a collection. Collections with
// the same records share it if their default orders are the same.
func (d *describer) ordering(c collection, p parameter) string {
	name := orderOf(c.record)
	for _, other := range d.model.Components.Parameters {
		if other.name == name && other.value.Description != p.Description {
			name = orderOf(c.name)
		}
	}
	if parameters := &d.model.Components.Parameters; !parameters.has(name) {
		parameters.add(name, p)
	}
	return name
}

// once adds a schema if there is none of that name.
func (d *describer) once(name string, s *jsonSchema) {
	if schemas := &d.model.Components.Schemas; !schemas.has(name) {
		schemas.add(name, s)
	}
}

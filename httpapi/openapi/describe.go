package openapi

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/resources"
)

// describer builds a document, path by path.
type describer struct {
	model  *model
	types  *types
	scheme string
}

func describe(ctx context.Context, h *httpapi.Handler, opts Options) (*model, error) {
	m := &model{
		OpenAPI: "3.1.0",
		Info:    info{opts.Title, opts.Description, opts.Version},
		Tags: []tag{
			{recordsTag, "Reading and adding records."},
			{metadataTag, "The headers of a path and its description."},
		},
		Components: components{
			Schemas:    commonSchemas(),
			Responses:  commonResponses(),
			Parameters: commonParameters(h.Limits()),
			Headers:    commonHeaders(),
		},
	}
	if opts.Server != "" {
		m.Servers = []server{{opts.Server}}
	}
	if opts.Scheme != "" {
		m.Components.SecuritySchemes = one(credentials, securityScheme{"http", strings.ToLower(opts.Scheme)})
	}
	d := &describer{m, newTypes(&m.Components.Schemas), opts.Scheme}
	for _, served := range h.Served() {
		if served.Collection == nil {
			if served.Tagged {
				m.Components.addTags()
			}
			d.root(served)
			continue
		}
		if err := d.collection(ctx, served); err != nil {
			return nil, fmt.Errorf("openapi: %s: %w", served.Description.Key, err)
		}
	}
	return m, nil
}

// collection adds the path of a collection and the components it needs.
func (d *describer) collection(ctx context.Context, served httpapi.Served) error {
	record, known := d.record(served)
	term := ofKind("string")
	if known {
		fields, err := served.Collection.Fields(ctx)
		if err != nil {
			return err
		}
		d.once(termOf(record), orderingTerm(fields))
		term = ref(termOf(record))
	}
	order := orderOf(record)
	if parameters := &d.model.Components.Parameters; !parameters.has(order) {
		parameters.add(order, orderingParameter(term, served.Description.Ordering))
	}
	d.model.Paths.add(served.Path, d.listPath(served, record))
	return nil
}

// record adds the components for the records and pages of a collection if they are
// missing. It returns the name of the former and reports whether all members are known.
func (d *describer) record(served httpapi.Served) (name string, known bool) {
	about := served.Description
	t := recordType(served.Collection)
	schemas := &d.model.Components.Schemas
	switch {
	case about.Fields != nil:
		name, known = recordName(about), true
		schemas.add(name, described(about.Fields))
		if served.Actions.Has(resources.Create) {
			schemas.add(newOf(name), posted(about.Fields))
		}
	case t == nil:
		name = unknownRecord
		d.once(name, ofKind("object"))
	case t == reflect.TypeFor[resources.Record]():
		name = openRecord
		d.once(name, openSchema())
	default:
		name, known = recordName(about), true
		d.types.record(name, t)
	}
	d.once(pageOf(name), pageSchema(name))
	return name, known
}

// once adds a schema if there is none of that name.
func (d *describer) once(name string, s *schema) {
	if schemas := &d.model.Components.Schemas; !schemas.has(name) {
		schemas.add(name, s)
	}
}

// recordType returns the type of a collection's records, or nil if it is unknown.
func recordType(c httpapi.Collection) reflect.Type {
	if c, ok := c.(interface{ RecordType() reflect.Type }); ok {
		return c.RecordType()
	}
	return nil
}

// openSchema returns the schema of records with an id and any other members.
func openSchema() *schema {
	id := integer()
	id.ReadOnly = true
	s := object(member[*schema]{"id", id})
	s.Others = &schema{}
	return s
}

// pageSchema returns the schema of a page's envelope.
func pageSchema(record string) *schema {
	count := ofKind("integer")
	count.Description, count.Minimum = "The total number of records.", number(0)
	next, previous := orNull(formatted("string", "uri")), orNull(formatted("string", "uri"))
	next.Description = "The URL of the next page, or null on the last."
	previous.Description = "The URL of the previous page, or null on the first."
	return object(
		member[*schema]{"count", count},
		member[*schema]{"next", next},
		member[*schema]{"previous", previous},
		member[*schema]{"results", listOf(ref(record))},
	)
}

// orderingTerm returns the schema of a term: each field, in both directions.
func orderingTerm(fields []string) *schema {
	s := ofKind("string")
	for _, name := range fields {
		if !slices.Contains(s.Enum, name) {
			s.Enum = append(s.Enum, name, "-"+name)
		}
	}
	return s
}

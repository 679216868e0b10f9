package openapi

import (
	"context"
	"reflect"
	"slices"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
)

// record adds the components for the records and pages of a collection if they are
// missing, and sets c.record. It returns the fields that records can be ordered by and
// reports whether they are known.
func (d *describer) record(ctx context.Context, c *collection) (fields []string, known bool, err error) {
	about, t, schemas := c.Description, recordType(c.Collection), &d.model.Components.Schemas
	c.record, known = c.name, true
	switch {
	case about.Fields != nil && isOpen(t):
		schemas.add(c.record, describedOpen(about.Fields))
		for _, f := range about.Fields { // not those of the stored records
			fields = append(fields, ordering.Snake(f.Name))
		}
	case about.Fields != nil:
		schemas.add(c.record, d.types.described(about.Fields, t))
	case t == nil:
		c.record, known = unknownRecord, false
		d.once(c.record, ofKind("object"))
	case isOpen(t):
		c.record, known = openRecord, false
		d.once(c.record, openSchema())
	default:
		d.types.record(c.record, t)
	}
	d.bodies(*c)
	d.once(pageOf(c.record), pageSchema(c.record))
	if known && fields == nil {
		fields, err = c.Collection.Fields(ctx)
	}
	return fields, known, err
}

// recordType returns the type of a collection's records, or nil if it is unknown.
func recordType(c httpapi.Collection) reflect.Type {
	if c, ok := c.(interface{ RecordType() reflect.Type }); ok {
		return c.RecordType()
	}
	return nil
}

// isOpen reports whether t is the type of records with any members.
func isOpen(t reflect.Type) bool { return t == reflect.TypeFor[schema.Record]() }

// openSchema returns the schema of records with an id and any other members.
func openSchema() *jsonSchema {
	id := integer()
	id.ReadOnly = true
	s := object(member[*jsonSchema]{"id", id})
	s.Others = &jsonSchema{}
	return s
}

// describedOpen returns the schema of open records with the given fields. Records that
// were loaded have the required ones, and may have other members.
func describedOpen(fields []schema.Field) *jsonSchema {
	s := ofKind("object")
	for _, f := range fields {
		s.Properties.add(f.Name, storedField(f))
		if f.Required || f.Name == "id" {
			s.Required = append(s.Required, f.Name)
		}
	}
	s.Others = &jsonSchema{}
	return s
}

// pageSchema returns the schema of a page's envelope.
func pageSchema(record string) *jsonSchema {
	count := ofKind("integer")
	count.Description, count.Minimum = "The total number of records.", number(0)
	next, previous := orNull(formatted("string", "uri")), orNull(formatted("string", "uri"))
	next.Description = "The URL of the next page, or null on the last."
	previous.Description = "The URL of the previous page, or null on the first."
	return object(
		member[*jsonSchema]{"count", count},
		member[*jsonSchema]{"next", next},
		member[*jsonSchema]{"previous", previous},
		member[*jsonSchema]{"results", listOf(ref(record))},
	)
}

// orderingTerm returns the schema of a term: each field, in both directions.
func orderingTerm(fields []string) *jsonSchema {
	s := ofKind("string")
	for _, name := range fields {
		if !slices.Contains(s.Enum.list, name) {
			s.Enum.list = append(s.Enum.list, name, "-"+name)
		}
	}
	return s
}

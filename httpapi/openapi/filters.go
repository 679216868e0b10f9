package openapi

import (
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/ordering"
)

// numberPattern is the pattern of numbers in filters, which are decimals for all kinds.
const numberPattern = `^\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*$`

// addFilters adds the component for invalid filters.
func (c *components) addFilters() {
	c.Responses.add(string(badFilter), badFilter.response(
		"A filter or the body is invalid, with the errors by parameter or field, or the request exceeds a limit."))
}

// filtered reports whether parameters select records of the collection.
func (c collection) filtered() bool {
	_, ok := c.Collection.(httpapi.Filterer)
	return ok && len(c.Description.Filters)+len(c.Description.Search) > 0
}

// invalid returns the response to an invalid request: badFilter if there are filters, and
// otherwise the given one. A search is never invalid.
func (c collection) invalid(otherwise failing) failing {
	if c.filtered() && len(c.Description.Filters) > 0 {
		return badFilter
	}
	return otherwise
}

// filters adds the components for the parameters that select records of a collection and
// returns references to them.
func (d *describer) filters(c collection) (references []parameter) {
	if !c.filtered() {
		return nil
	}
	taken := names{}
	add := func(p parameter) {
		// No other component has a point. Generators derive the name of a type from that of
		// the component. Without ".filter" it could be that of the type of a field.
		name := c.name + ".filter." + taken.take(p.Name)
		d.model.Components.Parameters.add(name, p)
		references = append(references, parameterRef(name))
	}
	for _, name := range c.Description.Filters {
		field, lookup := filterOf(c.Description.Fields, name)
		add(filterParameter(name, field, lookup))
	}
	if fields := c.Description.Search; len(fields) > 0 {
		text := "Words, separated by white space or commas. Records in which each of them is found, in any letter case. The fields are "
		add(parameter{Name: "search", In: "query", Description: text + strings.Join(fields, ", ") + ".", Schema: ofKind("string")})
	}
	return references
}

// filterOf returns the field and the lookup of a filter: the name of a field, or that, two
// underscores and a lookup.
func filterOf(fields []schema.Field, name string) (f schema.Field, lookup string) {
	named := func(snake string) (f schema.Field, ok bool) {
		i := slices.IndexFunc(fields, func(f schema.Field) bool { return ordering.Snake(f.Name) == snake })
		if i < 0 {
			return schema.Field{Name: snake}, false
		}
		return fields[i], true
	}
	f, ok := named(name)
	if at := strings.LastIndex(name, "__"); !ok && at >= 0 {
		f, _ = named(name[:at])
		return f, name[at+len("__"):]
	}
	return f, "exact"
}

func filterParameter(name string, f schema.Field, lookup string) parameter {
	value := filterValue(f)
	p := parameter{Name: name, In: "query", Description: filterText(f, lookup), Schema: value}
	joined, repeated := false, true
	switch lookup {
	case "exact":
		switch f.Kind {
		case schema.Choice:
			value.Enum.list = f.Choices
		case schema.References:
			p.Schema, p.Explode = listOf(value), &repeated
		}
	case "in":
		p.Schema, p.Explode = listOf(value), &joined
	case "range":
		p.Schema, p.Explode = listOf(value), &joined
		p.Schema.MinItems, p.Schema.MaxItems = number(2), number(2)
	case "isnull":
		p.Schema = ofKind("boolean")
	}
	return p
}

// filterValue returns the schema of one value of a filter.
func filterValue(f schema.Field) *jsonSchema {
	switch f.Kind {
	case schema.Integer, schema.Float, schema.Decimal:
		return &jsonSchema{Type: "string", Pattern: numberPattern}
	case schema.Date:
		return formatted("string", "date")
	case schema.Timestamp:
		return formatted("string", "date-time")
	case schema.Boolean:
		return ofKind("boolean")
	case schema.Reference, schema.References:
		return integer()
	}
	return ofKind("string")
}

// filterText returns the description of a filter.
func filterText(f schema.Field, lookup string) string {
	text := "Records whose " + f.Name
	switch lookup {
	case "in":
		return text + " is one of the values, which are separated by commas."
	case "gt":
		return text + " is greater than the value."
	case "gte":
		return text + " is at least the value."
	case "lt":
		return text + " is less than the value."
	case "lte":
		return text + " is at most the value."
	case "range":
		return text + " is at least the first and at most the second of two values, which are separated by a comma."
	case "isnull":
		return text + " is null if the value is true, and is not null if it is false."
	case "contains":
		return text + " contains the value."
	case "startswith":
		return text + " begins with the value."
	case "iexact":
		return text + " is equal to the value in any letter case."
	case "icontains":
		return text + " contains the value in any letter case."
	case "istartswith":
		return text + " begins with the value in any letter case."
	}
	if f.Kind == schema.References {
		return text + " contain one of the ids."
	}
	return text + " is equal to the value."
}

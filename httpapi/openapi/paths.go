package openapi

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/internal/formdata"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// root adds the path that lists the collections.
func (d *describer) root(served httpapi.Served) {
	d.setTag("collections", "The URLs of the collections.")
	keys := ofKind("object")
	for _, c := range served.Collections {
		keys.Properties.add(c.Description.Key, formatted("string", "uri"))
		keys.Required = append(keys.Required, c.Description.Key)
	}
	d.model.Paths.add(escaped(served.Root), pathItem{Get: d.get(&operation{
		ID: "listCollections", Summary: "List the collections",
		Description: "Returns the absolute URL of each collection.",
	}, served.ETags, response{Description: "The URLs of the collections by key.", Content: jsonBody(d.schema(root, keys))}, badRequest, notFound)})
}

// listPath returns the description of the path of a collection. known reports whether the
// fields of its records are.
func (d *describer) listPath(c collection, known bool) (item pathItem) {
	if c.Description.Actions.Has(schema.List) {
		about := c.Description
		term := ofKind("string")
		if known {
			term = d.schema(c.record+"OrderingTerm", orderingTerm(asWritten(about, wire.Sortable(about))))
		}
		order := d.parameter(c.record+"Ordering", orderingParameter(term, about))
		found, text := d.list(c, pagination.TraitsOf(about.Pages))
		filters, names, invalid := d.filters(c), asWritten(about, about.Filters), badRequest
		if len(about.Search) > 0 {
			_, search := about.Params()
			names = append(names, search)
		}
		if names != nil {
			invalid = badFilter
			text += " The filters are " + strings.Join(names, ", ") + "."
		}
		item.Get = d.get(&operation{
			ID: "list" + joined(c.Description.Segment), Summary: "List " + wire.Words(c.Description.Segment),
			Description: text,
			Parameters:  slices.Concat([]parameter{order}, d.pages(c.Description.Pages), filters),
		}, c.Tagged, found, invalid, notFound)
	}
	if c.Description.Actions.Has(schema.Create) {
		text, result := "Validates the body and adds a record with a new id.", "The record, with its id."
		if slices.ContainsFunc(c.Description.Fields, func(f schema.Field) bool { return f.Key }) {
			text, result = "Validates the body and adds a record.", "The record."
		}
		created := response{Description: result, Headers: d.tagOf(c), Content: jsonBody(ref(c.record))}
		item.Post = d.write(&operation{
			ID: "create" + c.name, Summary: "Add " + article(c.Description.Name),
			Description: text,
			RequestBody: d.body(c, schema.Create),
		}, "201", created, badRecord, notFound)
	}
	return item
}

// address returns the path parameter that identifies a record, its id or its Lookup, and that
// field's label.
func (d *describer) address(c collection) (p parameter, label string) {
	if c.Description.Lookup == "" {
		return d.parameter("id", idParameter), "id"
	}
	f, _, _ := c.Description.Parameter(c.Description.Lookup) // the handler has checked it
	text := "The " + f.Label() + " of the record."
	s := formsOf(f).filter
	if f.Kind == schema.Integer {
		s = integer()
	}
	return parameter{Name: f.Name, In: "path", Description: text, Required: true, Schema: s}, f.Label()
}

// recordPath returns the description of the path of a collection's records.
func (d *describer) recordPath(c collection) pathItem {
	address, label := d.address(c)
	item, name := pathItem{Parameters: []parameter{address}}, article(c.Description.Name)
	if c.Description.Actions.Has(schema.Retrieve) {
		item.Get = d.get(&operation{
			ID: "get" + c.name, Summary: "Get " + name,
			Description: "Returns the record with the " + label + ".",
		}, d.tags, response{Description: "The record.", Content: jsonBody(ref(c.record))}, badRequest, noRecord)
	}
	if c.Description.Actions.Has(schema.Update) {
		item.Put = d.change(c, schema.Update, &operation{
			ID: "update" + c.name, Summary: "Change " + name,
			Description: "Validates the body and changes the record. Optional members that are absent keep their values.",
		})
	}
	if c.Description.Actions.Has(schema.PartialUpdate) {
		item.Patch = d.change(c, schema.PartialUpdate, &operation{
			ID: "patch" + c.name, Summary: "Change members of " + name,
			Description: "Validates the body and changes the record. Members that are absent keep their values.",
		})
	}
	if c.Description.Actions.Has(schema.Destroy) {
		item.Delete = d.writeRecord(&operation{
			ID: "delete" + c.name, Summary: "Delete " + name,
			Description: "Deletes the record, unless other records refer to it.",
		}, "204", response{Description: "The record is deleted."}, badRequest)
	}
	return item
}

// change completes the description of PUT or PATCH. The response to a PUT has no tag.
func (d *describer) change(c collection, action schema.Actions, op *operation) *operation {
	changed := response{Description: "The changed record.", Content: jsonBody(ref(c.record))}
	if action == schema.PartialUpdate {
		changed.Headers = d.tagOf(c)
	}
	op.RequestBody = d.body(c, action)
	return d.writeRecord(op, "200", changed, badRecord)
}

// writeRecord completes the description of a method that writes a record.
func (d *describer) writeRecord(op *operation, status string, good response, others ...common) *operation {
	if d.tags {
		op.Parameters = append(op.Parameters, d.parameter("ifMatch", matchParameter))
		others = append(others, preconditionFailed)
	}
	return d.write(op, status, good, append(others, noRecord, conflict)...)
}

// tagOf returns the header with the entity tag of a record, or nil if none exists.
func (d *describer) tagOf(c collection) members[parameter] {
	if !d.tags || !c.Description.Actions.Has(schema.Retrieve) {
		return nil
	}
	return d.header(tagHeader)
}

// get completes the description of GET.
func (d *describer) get(op *operation, tagged bool, found response, others ...common) *operation {
	if tagged {
		op.Parameters = append(op.Parameters, d.parameter("ifNoneMatch", tagParameter))
		found.Headers = d.header(tagHeader)
		others = append(others, notModified)
	}
	if d.reads {
		others = append(others, unauthorized, forbidden)
	}
	return d.operation(op, "200", found, others)
}

// write completes the description of a method that needs permission.
func (d *describer) write(op *operation, status string, good response, others ...common) *operation {
	d.writes = true
	if d.scheme != "" && !d.reads { // otherwise all operations require credentials
		op.Security = required()
	}
	return d.operation(op, status, good, append(others, unauthorized, forbidden))
}

// operation completes the description of a method with its responses, ordered by status.
func (d *describer) operation(op *operation, status string, good response, others []common) *operation {
	op.ID, op.Tags = d.operations.take(op.ID), []string{d.tag}
	op.Responses = one(status, good)
	for _, r := range append(others, failure) {
		name := share(d, "responses/", &d.model.Components.Responses, r.name, d.shared(r))
		op.Responses.add(r.status, response{Ref: "#/components/responses/" + name})
	}
	slices.SortFunc(op.Responses, func(a, b member[response]) int { return cmp.Compare(a.name, b.name) })
	return op
}

func (d *describer) body(c collection, action schema.Actions) *requestBody {
	s, inner := ofKind("object"), schema.Create
	if action == schema.PartialUpdate {
		inner = action
	}
	if c.Description.Fields != nil {
		s = posted(c.Description.Written(), action, inner)
		s = d.schema(bodyOf(c.name, action), s)
	}
	content := jsonBody(s)
	if d.forms {
		content = append(content, member[media]{formdata.Encoded, media{s}}, member[media]{formdata.Multipart, media{s}})
	}
	return &requestBody{Required: true, Content: content}
}

// credentials is the name of the security scheme.
const credentials = "credentials"

// required returns the requirement of credentials.
func required() requirements { return requirements{one(credentials, []struct{}{})} }

// Parameters of all collections.
var (
	idParameter    = parameter{Name: "id", In: "path", Description: "The id of the record.", Required: true, Schema: &jsonSchema{Type: "integer", Format: "int64", Minimum: intText(1)}}
	tagParameter   = parameter{Name: "If-None-Match", In: "header", Description: "The entity tags of the client's copies.", Schema: ofKind("string")}
	matchParameter = parameter{Name: "If-Match", In: "header", Description: "The entity tags of the record that the request is for.", Schema: ofKind("string")}
)

// pages returns the parameters of pages.
func (d *describer) pages(style pagination.Style) (list []parameter) {
	is := pagination.TraitsOf(style)
	place := parameter{Name: is.Place, In: "query", Description: is.About, Schema: ofKind("string")}
	if is.Anywhere {
		place.Schema = &jsonSchema{Type: "integer", Minimum: intText(0), Default: intText(0)}
	}
	size := &jsonSchema{Type: "integer", Minimum: intText(1), Default: intText(is.Default)}
	text := "The maximum number of records on the page."
	if is.Max < math.MaxInt {
		size.Maximum = intText(is.Max)
		text += " Larger values are reduced to the maximum."
	}
	all := []parameter{place, {Name: is.Size, In: "query", Description: text, Schema: size}}
	slices.SortFunc(all, func(a, b parameter) int { return strings.Compare(a.Name, b.Name) })
	for _, p := range all {
		if p.Name != "" {
			list = append(list, d.parameter(clean(p.Name), p))
		}
	}
	return list
}

// orderingParameter returns a parameter whose value is a comma-separated list of terms.
func orderingParameter(term *jsonSchema, about schema.Description) parameter {
	text := "Names in snake_case, with a leading minus for descending order. Unknown names are ignored. The default is "
	if about.JSONNames {
		text = strings.Replace(text, " in snake_case", "", 1)
	}
	name, _ := about.Params()
	byDefault := asWritten(about, strings.Split(ordering.Format(about.Ordering), ","))
	if about.Loose && about.Ordering == nil {
		byDefault = []string{"the order in which records were inserted"}
	}
	return parameter{
		Name: name, In: "query", Explode: new(false), Schema: listOf(term),
		Description: text + strings.Join(byDefault, ",") + ".",
	}
}

// asWritten returns the names of fields as requests should have them: as in JSON if the description
// permits that, and otherwise unchanged, in snake_case. Terms and lookups may be among the names.
func asWritten(about schema.Description, names []string) (list []string) {
	for _, name := range names {
		list = append(list, written(about, name))
	}
	return list
}

func written(about schema.Description, name string) string {
	if field, descends := strings.CutPrefix(name, "-"); descends {
		return "-" + written(about, field)
	}
	for _, f := range about.Fields {
		rest, ok := strings.CutPrefix(name, ordering.Snake(f.Name))
		if !ok || !about.JSONNames || rest != "" && !strings.HasPrefix(rest, "__") {
			continue
		}
		inside := schema.Description{Fields: f.Fields, JSONNames: true, Related: about.Related}
		if to := about.Related[f.Refers]; to != nil {
			inside.Fields = to.Fields
		}
		if rest != "" {
			rest = "__" + written(inside, rest[2:])
		}
		if about.Named(f.Name+rest) == name {
			return f.Name + rest
		}
	}
	return name
}

// filters adds the components for the parameters that select records of a collection and
// returns references to them.
func (d *describer) filters(c collection) (references []parameter) {
	add := func(p parameter) {
		// No other component has a point. Generators derive the name of a type from the
		// component's. Without ".filter" it could be the name of a field's type.
		references = append(references, d.parameter(c.name+".filter."+clean(p.Name), p))
	}
	for _, name := range c.Description.Filters {
		field, lookup, _ := c.Description.Parameter(name) // the handler has checked it
		add(filterParameter(written(c.Description, name), field, lookup))
	}
	if fields := c.Description.Search; len(fields) > 0 {
		text := "Words, separated by white space or commas. Records in which each of them is found, in any letter case. The fields are "
		_, name := c.Description.Params()
		add(parameter{Name: name, In: "query", Description: text + strings.Join(asWritten(c.Description, fields), ", ") + ".", Schema: ofKind("string")})
	}
	return references
}

func filterParameter(name string, f schema.Field, lookup string) parameter {
	of := formsOf(f)
	p := parameter{Name: name, In: "query", Schema: of.filter}
	_, text := schema.DescribeLookup(lookup)
	switch lookup {
	case "exact":
		p.Schema = of.exact
		if p.Schema.Type == "array" {
			p.Explode, text = new(true), "contain one of the values."
		}
	case "in":
		p.Schema, p.Explode = listOf(of.filter), new(false)
	case "range":
		p.Schema, p.Explode = listOf(of.filter), new(false)
		p.Schema.MinItems, p.Schema.MaxItems = new(2), new(2)
	case "isnull":
		p.Schema = ofKind("boolean")
	}
	p.Description = "Records whose " + f.Name + " " + text
	return p
}

// list returns the response with a list of records, and a sentence about it.
func (d *describer) list(c collection, is pagination.Traits) (found response, text string) {
	if is.Members != nil {
		page := d.schema(c.record+"Page", pageSchema(c.listed, is.Members))
		return response{Description: "One page.", Content: jsonBody(page)}, "Returns a page of records in the requested order."
	}
	all, text := listOf(ref(c.listed)), "Returns all records in the requested order."
	if is.Max < math.MaxInt {
		all.MaxItems = new(is.Max)
		text += fmt.Sprintf(" A list of more than %d is an error.", is.Max)
	}
	return response{Description: "All records.", Content: jsonBody(all)}, text
}

// pageSchema returns the schema of a page's envelope, which has members.
func pageSchema(record string, names []string) *jsonSchema {
	count := ofKind("integer")
	count.Description, count.Minimum = "The total number of records.", intText(0)
	next, previous := orNull(formatted("string", "uri")), orNull(formatted("string", "uri"))
	next.Description = "The URL of the next page, or null on the last."
	previous.Description = "The URL of the previous page, or null on the first."
	known := map[string]*jsonSchema{"count": count, "next": next, "previous": previous, "results": listOf(ref(record))}
	var all members[*jsonSchema]
	for _, name := range names {
		all.add(name, known[name])
	}
	return object(all...)
}

// orderingTerm returns the schema of a term: each field, in both directions.
func orderingTerm(fields []string) *jsonSchema {
	var names []string
	for _, name := range fields {
		if !slices.Contains(names, name) {
			names = append(names, name, "-"+name)
		}
	}
	return &jsonSchema{Type: "string", Enum: choicesOf(schema.Field{Choices: names}, false)}
}

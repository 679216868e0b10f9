package openapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// forms are the schemas of the values of a field other than null.
type forms struct {
	stored *jsonSchema
	posted *jsonSchema // stricter: records that were loaded need not satisfy the rules for new values
	exact  *jsonSchema // in a filter without a lookup
	filter *jsonSchema // one value of any other filter
}

// formsOf returns the schemas that follow from the kind of a field.
func formsOf(f schema.Field) forms {
	s := forms{stored: &jsonSchema{}, filter: ofKind("string")}
	least := 1
	if f.Blank {
		least = 0
	}
	switch f.Kind {
	case schema.Integer:
		s.stored, s.posted, s.filter = integer(), integer(), numberText()
		s.posted.Minimum, s.posted.Maximum = json.RawMessage(f.Min), json.RawMessage(f.Max)
	case schema.Float:
		s.stored, s.filter = formatted("number", "double"), numberText()
	case schema.Decimal:
		s.stored = &jsonSchema{Type: "string", Description: fmt.Sprintf("A number with %d decimal places.", f.Places)}
		s.posted = &jsonSchema{Type: "string", Pattern: decimalPattern(f),
			Description: fmt.Sprintf("A number with at most %d digits, %d of them after the point.", f.Digits, f.Places)}
		s.filter = numberText()
	case schema.Text:
		s.stored, s.posted = ofKind("string"), &jsonSchema{Type: "string", MinLength: least}
	case schema.Slug:
		s.stored, s.posted = ofKind("string"), &jsonSchema{Type: "string", MinLength: least, Pattern: "^[-a-zA-Z0-9_]+$"}
		if f.Blank {
			s.posted.Pattern = "^[-a-zA-Z0-9_]*$"
		}
	case schema.URL:
		s.stored = formatted("string", "uri")
		if f.Blank { // an empty string does not have the format uri
			s.stored = &jsonSchema{Type: "string", Description: "A URL, or empty."}
		}
		posted := *s.stored
		posted.MinLength, posted.MaxLength = least, maxURL
		s.posted = &posted
	case schema.Date:
		s.stored, s.filter = formatted("string", "date"), formatted("string", "date")
	case schema.Timestamp:
		s.stored, s.filter = formatted("string", "date-time"), formatted("string", "date-time")
	case schema.Boolean:
		s.stored, s.filter = ofKind("boolean"), ofKind("boolean")
	case schema.Choice:
		s.exact = &jsonSchema{Type: "string", Enum: f.Choices}
		s.stored = &jsonSchema{Type: "string", Enum: choicesOf(f)}
	case schema.Reference:
		s.stored, s.filter = integer(), integer()
	case schema.References:
		s.stored, s.exact, s.filter = listOf(integer()), listOf(integer()), integer()
	case schema.Array:
		item := formsOf(*f.Item)
		s.stored, s.posted = listOf(item.stored), listOf(item.posted)
	}
	s.posted, s.exact = cmp.Or(s.posted, s.stored), cmp.Or(s.exact, s.filter)
	return s
}

// maxURL is the maximum length of a posted URL in code points.
const maxURL = 2048

// numberText returns the schema of numbers in filters, which are decimals for all kinds.
func numberText() *jsonSchema {
	return &jsonSchema{Type: "string", Pattern: `^\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*$`}
}

// choicesOf returns the values of a Choice, of which one may be empty.
func choicesOf(f schema.Field) []string {
	if f.Blank && !slices.Contains(f.Choices, "") {
		return append(slices.Clip(f.Choices), "")
	}
	return f.Choices
}

// decimalPattern returns the pattern of a Decimal as it should be sent.
func decimalPattern(f schema.Field) string {
	whole := "0"
	if n := f.Digits - f.Places; n > 0 {
		whole = fmt.Sprintf("[0-9]{1,%d}", n)
	}
	if f.Places == 0 {
		return "^-?" + whole + "$"
	}
	return fmt.Sprintf(`^-?%s(\.[0-9]{1,%d})?$`, whole, f.Places)
}

// described returns the schema of records with the given fields. All of them are always
// present, unless t is a struct whose JSON may omit some. Open records that were loaded
// have the required ones, and may have other members. t may be nil.
func described(fields []schema.Field, t reflect.Type) *jsonSchema {
	var own []jsonmember.Member
	if t != nil && !marshals(t) {
		own, _ = jsonmember.Of(t)
	}
	s := ofKind("object")
	var examples members[json.RawMessage]
	for _, f := range fields {
		field, required := storedField(f), !isOpen(t) || f.Required || f.Name == "id"
		if i := slices.IndexFunc(own, func(m jsonmember.Member) bool { return m.Name == f.Name }); i >= 0 {
			if s := shape(own[i].Field.Type); field.acceptsAny() && !s.acceptsAny() {
				field = s
			}
			var nullable bool
			required, nullable = presence(own[i])
			if nullable && (f.Nullable || !isList(own[i].Field.Type)) { // a catalogue stores empty lists for nil
				field = orNull(field)
			}
		}
		s.Properties.add(f.Name, field)
		if required {
			s.Required = append(s.Required, f.Name)
		}
		if value := exampleOf(f, field); value != "" {
			examples.add(f.Name, json.RawMessage(value))
		}
	}
	if isOpen(t) {
		s.Others = &jsonSchema{}
	}
	if text, err := examples.MarshalJSON(); err == nil && len(examples) == len(fields) {
		s.Examples = []json.RawMessage{text}
	}
	return s
}

// exampleOf returns an example of a field with the given schema, or "" if none is known.
func exampleOf(f schema.Field, s *jsonSchema) string {
	label := wire.Quote(wire.Capital(wire.Words(f.Label())))
	switch f.Kind {
	case schema.Integer:
		n := 1
		if most, err := strconv.Atoi(f.Max); err == nil {
			n = min(n, most)
		}
		if least, err := strconv.Atoi(f.Min); err == nil {
			n = max(n, least)
		}
		return strconv.Itoa(n)
	case schema.Float:
		return "1.5"
	case schema.Decimal:
		return wire.Quote(strconv.FormatFloat(0, 'f', f.Places, 64))
	case schema.Text:
		return label
	case schema.Slug:
		return `"a-slug"`
	case schema.URL:
		return `"https://www.example.com/"`
	case schema.Date:
		return `"2026-05-10"`
	case schema.Timestamp:
		return `"2026-05-10T18:00:00Z"`
	case schema.Boolean:
		return "true"
	case schema.Choice:
		return wire.Quote(f.Choices[0])
	case schema.Reference:
		return "1"
	case schema.References:
		return "[1]"
	case schema.Array:
		item := *f.Item
		item.Name = f.Name
		return "[" + exampleOf(item, s) + "]"
	}
	switch {
	case f.Nullable:
		return "null"
	case s.Type == "array":
		return "[]"
	case s.Type == "object":
		return "{}"
	}
	return ""
}

// storedField returns the schema of a field of a stored record.
func storedField(f schema.Field) *jsonSchema { return fieldSchema(f, formsOf(f).stored) }

// postedField returns the schema of a field in a request.
func postedField(f schema.Field) *jsonSchema { return fieldSchema(f, formsOf(f).posted) }

// fieldSchema adds to the schema of a field's values what does not follow from its kind.
func fieldSchema(f schema.Field, s *jsonSchema) *jsonSchema {
	var parts []string
	if s.Description != "" {
		parts = append(parts, s.Description)
	}
	switch {
	case f.Refers != "" && s.Type == "array":
		parts = append(parts, "Ids of records of the collection "+f.Refers+".")
	case f.Refers != "":
		parts = append(parts, "The id of a record of the collection "+f.Refers+".")
	case f.Created:
		parts = append(parts, "The time at which the record was created.")
	}
	if f.Unique {
		parts = append(parts, "No two records have the same value.")
	}
	s.Description = strings.Join(parts, " ")
	if f.Nullable {
		return orNull(s)
	}
	return s
}

// posted returns the schema of the body of a request with an action. An absent field has
// its default only in a new record.
func posted(fields []schema.Field, action schema.Actions) *jsonSchema {
	s := ofKind("object")
	for _, f := range fields {
		if f.ReadOnly {
			continue
		}
		field := postedField(f)
		if action == schema.Create {
			field.setDefault(f.Default)
		}
		s.Properties.add(f.Name, field)
		if f.Required && action != schema.PartialUpdate {
			s.Required = append(s.Required, f.Name)
		}
	}
	return s
}

// setDefault describes a default in words. With the keyword, openapi-typescript makes the
// member required, and ogen generates no operation if a list has it.
func (s *jsonSchema) setDefault(text string) {
	if text != "" {
		s.Description = strings.TrimSpace(s.Description + " The default is " + text + ".")
	}
}

// filtered reports whether parameters select records of the collection.
func (c collection) filtered() bool {
	return len(c.Description.Filters)+len(c.Description.Search) > 0
}

// invalid returns the response to an invalid request: badFilter if there are filters or a
// search, which can have too many words, and otherwise the given one.
func (c collection) invalid(otherwise common) common {
	if c.filtered() {
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
		// No other component has a point. Generators derive the name of a type from the
		// component's. Without ".filter" it could be the name of a field's type.
		name := c.name + ".filter." + taken.take(p.Name)
		references = append(references, d.parameter(name, p))
	}
	for _, name := range c.Description.Filters {
		field, lookup, _ := c.Description.Parameter(name) // the handler has checked it
		add(filterParameter(name, field, lookup))
	}
	if fields := c.Description.Search; len(fields) > 0 {
		text := "Words, separated by white space or commas. Records in which each of them is found, in any letter case. The fields are "
		add(parameter{Name: wire.Search, In: "query", Description: text + strings.Join(fields, ", ") + ".", Schema: ofKind("string")})
	}
	return references
}

func filterParameter(name string, f schema.Field, lookup string) parameter {
	joined, repeated := false, true
	values := formsOf(f)
	p := parameter{Name: name, In: "query", Schema: values.filter}
	text := wire.LookupOf(lookup).Sentence
	switch lookup {
	case "exact":
		p.Schema = values.exact
		if p.Schema.Type == "array" {
			p.Explode, text = &repeated, "contain one of the ids."
		}
	case "in":
		p.Schema, p.Explode = listOf(values.filter), &joined
	case "range":
		p.Schema, p.Explode = listOf(values.filter), &joined
		p.Schema.MinItems, p.Schema.MaxItems = number(2), number(2)
	case "isnull":
		p.Schema = ofKind("boolean")
	}
	p.Description = "Records whose " + f.Name + " " + text
	return p
}

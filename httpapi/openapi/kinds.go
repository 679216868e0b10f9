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
	"github.com/gobacklist/backlist/httpapi/internal/kinds"
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

// formsOf returns the schemas that follow from the kind of a field. Those of lists and objects
// say nothing of their parts.
func formsOf(f schema.Field) forms {
	s := forms{stored: ofKind("string"), filter: ofKind("string")}
	row := kinds.Of(f.Kind)
	switch f.Kind {
	case schema.Integer, schema.Float:
		number := integer()
		if f.Kind == schema.Float {
			number = formatted("number", "double")
		} else if _, err := strconv.ParseInt(f.Max, 10, 64); err != nil && f.Max != "" {
			number.Format = "uint64"
		}
		bounded := *number
		bounded.Minimum, bounded.Maximum = json.RawMessage(f.Min), json.RawMessage(f.Max)
		s.stored, s.posted, s.filter = number, &bounded, numberText()
		if f.Choices != nil {
			s.stored = &jsonSchema{Type: "integer", Enum: choicesOf(f, false)}
			s.posted, s.exact = s.stored, s.stored
		}
	case schema.Decimal:
		s.stored.Description = fmt.Sprintf("A number with %d decimal places.", f.Places)
		s.posted = &jsonSchema{Type: "string", Pattern: decimalPattern(f),
			Description: fmt.Sprintf("A number with at most %d digits, %d of them after the point.", f.Digits, f.Places) + bounds(f)}
		s.filter = numberText()
	case schema.URL:
		s.stored = formatted("string", "uri")
		f.MaxLength = min(maxURL, cmp.Or(f.MaxLength, maxURL))
		s.posted = textForm(f, row)
	case schema.Boolean:
		s.stored, s.filter = ofKind("boolean"), ofKind("boolean")
	case schema.Choice:
		s.exact = &jsonSchema{Type: "string", Enum: choicesOf(f, false)}
		s.stored = &jsonSchema{Type: "string", Enum: choicesOf(f, f.Blank)}
	case schema.Reference, schema.References:
		if s.filter = integer(); f.By != "" {
			s.filter = ofKind("string")
		}
		if s.stored = s.filter; f.Kind == schema.References {
			s.stored, s.exact = listOf(s.filter), listOf(s.filter)
		}
	case schema.JSON, schema.Array, schema.Map, schema.Object:
		s.stored = &jsonSchema{}
	default:
		if row.Form { // records that were loaded may have texts that are not of the form
			s.posted = textForm(f, row)
			break
		}
		if s.stored = formatted("string", row.Format); row.Format != "" {
			s.filter = s.stored
		}
		s.stored.Pattern, s.stored.Description = row.Pattern, row.About
	}
	if f.Blank && s.stored.Format+s.stored.Pattern != "" { // an empty text has neither
		s.stored = &jsonSchema{Type: "string", Description: "Of the form " + cmp.Or(s.stored.Format, s.stored.Pattern) + ", or empty."}
	}
	if f.Quoted {
		s.stored = &jsonSchema{Type: "string", Description: "A text with the " + s.stored.Type + "."}
		s.posted = s.stored
	}
	s.posted, s.exact = cmp.Or(s.posted, s.stored), cmp.Or(s.exact, s.filter)
	return s
}

// textForm returns the schema of a text in a request, with the length and the pattern of its field.
func textForm(f schema.Field, row kinds.Row) *jsonSchema {
	if f.Blank {
		row.Pattern = strings.Replace(row.Pattern, "+$", "*$", 1)
	}
	s := &jsonSchema{Type: "string", Format: row.Format, Pattern: row.Pattern, MinLength: max(f.MinLength, 1), MaxLength: f.MaxLength}
	switch {
	case s.Format == "":
		s.Description = row.About
	case f.Blank:
		s.Format, s.Description = "", row.About+", or empty."
	}
	switch {
	case f.Pattern == nil:
	case s.Pattern == "" && wire.IsPortable(f.Pattern.String()):
		s.Pattern = f.Pattern.String()
	default:
		s.Description = strings.TrimSpace(s.Description + " Matches the pattern " + f.Pattern.String())
	}
	if f.Blank {
		s.MinLength = 0
		if f.Pattern != nil && s.Pattern == f.Pattern.String() && !f.Pattern.MatchString("") {
			s.Pattern = "^$|" + s.Pattern
		}
	}
	return s
}

// bounds returns sentences about the bounds of a number, each after a space.
func bounds(f schema.Field) (text string) {
	if f.Min != "" {
		text += " At least " + f.Min + "."
	}
	if f.Max != "" {
		text += " At most " + f.Max + "."
	}
	return text
}

// maxURL is the maximum length of a posted URL in code points.
const maxURL = 2048

// numberText returns the schema of numbers in filters, which are decimals for all kinds.
func numberText() *jsonSchema {
	return &jsonSchema{Type: "string", Pattern: `^\s*[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?\s*$`}
}

// choicesOf returns the JSON of the choices of a field, and of an empty text if that may be one.
func choicesOf(f schema.Field, blank bool) (values []json.RawMessage) {
	for _, value := range f.ChoiceValues() {
		values = append(values, json.RawMessage(value))
	}
	if blank && !slices.Contains(f.Choices, "") {
		values = append(values, json.RawMessage(`""`))
	}
	return values
}

// decimalPattern returns the pattern of a Decimal as it should be sent.
func decimalPattern(f schema.Field) string {
	whole := "0"
	if n := f.Digits - f.Places; n > 0 {
		whole = fmt.Sprintf("[0-9]{1,%d}", n)
	}
	if f.Places > 0 {
		whole += fmt.Sprintf(`(\.[0-9]{1,%d})?`, f.Places)
	}
	if f.Blank {
		return "^(-?" + whole + ")?$"
	}
	return "^-?" + whole + "$"
}

// stored returns the schema of stored objects with the given fields: of records, or of objects
// inside them. Required fields and those with a default are always present, unless t is a struct
// whose JSON may omit them. Open records that were loaded have the required ones, and may have
// other members. t may be nil.
func stored(fields []schema.Field, t reflect.Type, record bool) *jsonSchema {
	var own []jsonmember.Member
	if t != nil && t.Kind() == reflect.Struct {
		own, _ = jsonmember.Of(t)
		computed, _ := schema.ComputedMembers(t) // an error of the catalogue
		own = append(own, computed...)
	}
	s := ofKind("object")
	for _, f := range fields {
		if f.Hidden {
			continue
		}
		typ, required := t, f.Required || f.IsID() || f.Key || !isOpen(t) && (f.Default != "" || f.ReadOnly || f.Computed)
		if !isOpen(t) {
			typ = nil
		}
		if i := slices.IndexFunc(own, func(m jsonmember.Member) bool { return m.Name == f.Name }); i >= 0 {
			m := own[i]
			typ, required = m.Field.Type, f.IsID() || f.Key || !m.Omits()
			// Records have empty lists for nil, objects inside them do not.
			f.Nullable = f.Nullable || required && writesNull(typ) && !(record && (isList(typ) || f.IsID() || f.Key))
			if !required && !m.Indirect && typ.Kind() == reflect.Pointer { // nil is omitted
				f.Nullable = false
			}
		}
		field := storedField(f, typ)
		field.ReadOnly = f.Computed
		s.Properties.add(f.Name, field)
		if required {
			s.Required = append(s.Required, f.Name)
		}
	}
	if isOpen(t) {
		s.Others = &jsonSchema{}
	}
	return s
}

// storedField returns the schema of a field of a stored record. t is the Go type of the values,
// or nil if it is unknown.
func storedField(f schema.Field, t reflect.Type) *jsonSchema {
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s := formsOf(f).stored
	switch {
	case f.Kind == schema.Array:
		s = listOf(storedItem(*f.Item, t))
	case f.Kind == schema.Map:
		s = mapOf(storedItem(*f.Item, t))
	case f.Kind == schema.Object:
		s = stored(f.Fields, t, false)
	case f.Kind == schema.JSON && t != nil && !isOpen(t):
		s = shape(t)
	}
	return fieldSchema(f, s)
}

// storedItem returns the schema of the elements of a list or map of type t, which may be nil.
func storedItem(f schema.Field, t reflect.Type) *jsonSchema {
	if t != nil && !isOpen(t) {
		if !isList(t) || hasMethods(t) {
			return storedField(f, nil)
		}
		t = t.Elem()
		f.Nullable = f.Nullable || writesNull(t)
	}
	return storedField(f, t)
}

// postedField returns the schema of a field in a request. The members of an object are those of a
// request with the given action.
func postedField(f schema.Field, inner schema.Actions) *jsonSchema {
	s := formsOf(f).posted
	switch f.Kind {
	case schema.Array:
		s = listOf(postedField(*f.Item, schema.Create))
	case schema.Map:
		s = mapOf(postedField(*f.Item, schema.Create))
	case schema.Object:
		s = posted(f.Fields, inner, schema.Create)
	}
	if s.Type == "array" && f.MinLength > 0 {
		s.MinItems = new(f.MinLength)
	}
	if s.Type == "array" && f.MaxLength > 0 {
		s.MaxItems = new(f.MaxLength)
	}
	return fieldSchema(f, s)
}

// fieldSchema adds to the schema of a field's values what does not follow from its kind.
func fieldSchema(f schema.Field, s *jsonSchema) *jsonSchema {
	var parts []string
	if s.Description != "" {
		parts = append(parts, s.Description)
	}
	switch {
	case f.Refers != "":
		each := "The "
		if s.Type == "array" {
			each = "Each element is the "
		}
		parts = append(parts, each+cmp.Or(f.By, "id")+" of a record of the collection "+f.Refers+".")
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

// posted returns the schema of an object in a request with an action. An absent field has its
// default only in a new record or object. A PATCH can omit members of objects in the record, but
// not of those inside them: inner is the action for these.
func posted(fields []schema.Field, action, inner schema.Actions) *jsonSchema {
	s := ofKind("object")
	for _, f := range fields {
		if f.ReadOnly || f.Computed {
			continue
		}
		field := postedField(f, inner)
		field.WriteOnly = f.Hidden
		// With the keyword, openapi-typescript makes the member required, and ogen generates no
		// operation if a list has it.
		if action == schema.Create && f.Default != "" {
			field.Description = strings.TrimSpace(field.Description + " The default is " + f.Default + ".")
		}
		s.Properties.add(f.Name, field)
		if f.Required && action != schema.PartialUpdate {
			s.Required = append(s.Required, f.Name)
		}
	}
	return s
}

// shape returns the schema of the values of type t as encoding/json encodes them: lists, objects
// or single values. If their form is unknown, it is that of any value.
func shape(t reflect.Type) *jsonSchema {
	switch kind := t.Kind(); {
	case hasMethods(t):
	case kind == reflect.String:
		return ofKind("string")
	case kind == reflect.Bool:
		return ofKind("boolean")
	case kind == reflect.Float32, kind == reflect.Float64:
		return formatted("number", "double")
	case reflect.Int <= kind && kind <= reflect.Uintptr:
		return integer()
	case kind == reflect.Slice, kind == reflect.Array:
		return listOf(&jsonSchema{})
	case kind == reflect.Map, kind == reflect.Struct:
		return mapOf(&jsonSchema{})
	}
	return &jsonSchema{}
}

// isList reports whether t is the type of lists or maps, which can be nil.
func isList(t reflect.Type) bool { return t.Kind() == reflect.Slice || t.Kind() == reflect.Map }

// writesNull reports whether nil is encoded as null.
func writesNull(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer || isList(t) && !hasMethods(t)
}

// hasMethods reports whether values of type t have methods, which may encode them.
func hasMethods(t reflect.Type) bool { return reflect.PointerTo(t).NumMethod() > 0 }

// isOpen reports whether t is the type of records with any members.
func isOpen(t reflect.Type) bool { return t == reflect.TypeFor[schema.Record]() }

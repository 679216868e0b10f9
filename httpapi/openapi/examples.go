package openapi

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/gobacklist/backlist/catalogue"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/catalogue/schema/values"
	"github.com/gobacklist/backlist/httpapi"
	"github.com/gobacklist/backlist/httpapi/internal/wire"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// longest is the number of bytes of the longest record that is an example.
const longest = 4 << 10

// firstRecord returns the first record of a collection as it is served, or nil if it has no record, or
// clients may not read it. Of collections that a catalogue does not serve itself, a record may
// depend on the client.
func firstRecord(c httpapi.ServedCollection) (record json.RawMessage) {
	defer func() { _ = recover() }() // of a function that shows records
	own, ok := c.Collection.(catalogue.AnyCollection)
	if !ok || c.Description.Actions&(schema.List|schema.Retrieve) == 0 {
		return nil
	}
	byID := []ordering.Term{{Field: ordering.Snake(c.Description.Identity().Name)}}
	found, err := own.List(context.Background(), catalogue.Query{Window: pagination.Window{Limit: 1}, Terms: byID})
	if err != nil || len(found.Records) == 0 {
		return nil
	}
	first := found.Records[0]
	if c.Description.ShownInLists != nil {
		if first, err = own.Get(context.Background(), segmentOf(c.Description, first), schema.Filter{}); err != nil {
			return nil
		}
	}
	if len(first) > longest {
		return nil
	}
	return first
}

// segmentOf returns the segment of the path of a record, or "" if the record does not have it.
func segmentOf(about schema.Description, record json.RawMessage) (segment string) {
	address := about.Identity()
	if about.Lookup != "" {
		address, _, _ = about.Parameter(about.Lookup) // the handler has checked it
	}
	value := membersOf(record)[address.Name]
	if json.Unmarshal(value, &segment) != nil {
		return string(value)
	}
	return segment
}

// membersOf returns the values of the members of an object, or nil if it is no object.
func membersOf(object json.RawMessage) (all map[string]json.RawMessage) {
	_ = json.Unmarshal(object, &all)
	return all
}

// examples returns an example of the response to an action, or of the body of its request, or nil if
// none is known. It is the first record, or what can be sent of it, or is made up. In a POST,
// values that must be unique are new.
func (d *describer) examples(c collection, action schema.Actions) []json.RawMessage {
	reads := action == schema.Retrieve
	if reads && c.first != nil {
		return []json.RawMessage{c.first}
	}
	stored, object := membersOf(c.first), members[json.RawMessage]{}
	fields, written := c.Description.Fields, c.Description.Written()
	if reads {
		fields = wire.Shown(c.Description)
		written = fields
	}
	for i, f := range fields {
		value, known := stored[f.Name]
		known = known && (reads || f.Write == "")
		switch {
		case reads && f.Hidden, !reads && (f.ReadOnly || f.Computed), !known && c.first != nil && !f.Required:
			continue
		case !known && reads && slices.ContainsFunc(parts(f), func(f schema.Field) bool { return f.ReadOnly }):
			return nil
		case !known, action == schema.Create && distinguishes(c.Description, f):
			value = d.made(c.Description, f)
		}
		switch {
		case len(value) > 0:
			object.add(written[i].Name, value)
		case reads || f.Required:
			return nil
		}
	}
	text, _ := object.MarshalJSON() // of valid values
	return []json.RawMessage{text}
}

// distinguishes reports whether a new record must have another value of a field than any stored one:
// the field is unique, or the first in a set for which there are many values.
func distinguishes(about schema.Description, f schema.Field) bool {
	many := func(name string) bool {
		i := slices.IndexFunc(about.Fields, func(f schema.Field) bool { return ordering.Snake(f.Name) == name })
		return i >= 0 && about.Fields[i].Refers == "" && about.Fields[i].Kind != schema.Choice && about.Fields[i].Kind != schema.Boolean
	}
	return f.Unique || f.Key || slices.ContainsFunc(about.Unique, func(set []string) bool {
		i := slices.IndexFunc(set, many)
		return i >= 0 && set[i] == ordering.Snake(f.Name)
	})
}

// made returns a made-up value of a field, which is empty if none is known.
func (d *describer) made(about schema.Description, f schema.Field) json.RawMessage {
	m := values.Maker{Choose: func(n int) int { return min(1, n-1) }}
	m.Text = func(f schema.Field) string { return wire.Capital(f.Label()) }
	m.Refer = func(f schema.Field) string {
		field := schema.Field{Name: cmp.Or(f.By, "id"), Kind: schema.Text}
		if to := about.Related[f.Refers]; to != nil && f.By != "" {
			field, _, _ = to.Parameter(f.By) // the catalogue has checked it
		} else if to != nil {
			field = to.Identity()
		}
		switch value := d.firsts[f.Refers][field.Name]; {
		case value != nil:
			return string(value)
		case field.IsID():
			return "1"
		}
		return m.Value(field)
	}
	if holdsAny(f) {
		return nil
	}
	if distinguishes(about, f) {
		f.Unique = true
		m.Choose = func(n int) int { return n - 1 - n/8 } // stored numbers are smaller
		m.Text = func(f schema.Field) string { return "New " + f.Label() }
	}
	return json.RawMessage(m.Value(f))
}

// parts returns the fields inside a field or the elements of a list.
func parts(f schema.Field) []schema.Field {
	if f.Item != nil {
		return parts(*f.Item)
	}
	return f.Fields
}

// holdsAny reports whether a field or a part of it is of the kind JSON, whose valid values are not
// known.
func holdsAny(f schema.Field) bool {
	return f.Kind == schema.JSON || f.Item != nil && holdsAny(*f.Item) || slices.ContainsFunc(f.Fields, holdsAny)
}

package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// Check returns the first violated invariant of a collection, or else the violations of all records.
func (c *Set) Check() error {
	for _, m := range c.All {
		if err := m.Check(); err != nil {
			return err
		}
	}
	if found := c.violations(nil, func(*store.Entry) int { return 0 }); found != nil {
		return fmt.Errorf("catalogue: %w", c.errors.Violations(found))
	}
	return nil
}

// violations returns the violations of all records at one instant, in which others replaces the
// records of some collections, which are validated when they are read. line returns the number of
// the line where an entry was read.
func (c *Set) violations(others map[*Collection][]*store.Entry, line func(*store.Entry) int) (found []RecordError) {
	in := newInstant(context.Background())
	in.others = others
	for i, s := range store.Freeze(storesOf(c.All)...) {
		in.states[c.All[i]] = s
	}
	for _, m := range c.All {
		if m.Type.About == nil { // standalone
			continue
		}
		columns := slices.DeleteFunc(slices.Clone(m.Type.Fields), func(f *layout.Field) bool { return f.Inside || f.Refers == "" })
		outer := slices.DeleteFunc(slices.Clone(m.Type.Fields), func(f *layout.Field) bool { return f.Inside || !refersInside(f.Field) })
		validates := m.Type.validates && others == nil
		if len(columns)+len(outer) == 0 && !validates {
			continue
		}
		for _, e := range in.entries(m) {
			if validates {
				if err := m.Type.unfit(e); err != nil {
					found = append(found, RecordError{m.Key(), 0, m.Type.Identity.Of(e), 0, "", err}.split()...)
				}
			}
			refuse := func(field string, err error) {
				found = append(found, RecordError{m.Key(), 0, m.Type.Identity.Of(e), line(e), field, err})
			}
			for _, col := range columns {
				to := c.All[c.byKey[col.Refers]]
				p := in.all(by{to, col.By})
				col.AnyReference(e, func(v, k sortkey.Key) bool {
					if p.at(k) < 0 {
						id, _ := layout.ReferenceOf(v)
						text, _ := v.AsText()
						refuse(col.Name, to.dangling(schema.Identity{ID: id, Key: text}))
					}
					return false
				})
			}
			for _, col := range outer {
				eachInside(col.Field, col.Snake, m.Type.ValueIn(e, col), func(to, path, value string) {
					if other := c.All[c.byKey[to]]; in.all(by{other, ""}).at(sortkey.JSON(value)) < 0 {
						refuse(path, other.dangling(value))
					}
				})
			}
		}
	}
	return found
}

// dangling returns the error of a reference to no record of the collection: to an identity or, in JSON,
// an id.
func (c *Collection) dangling(to any) error {
	return fmt.Errorf("%w: %v of %s", ErrDangling, to, c.Key())
}

// split returns an error for each field that the error names.
func (v RecordError) split() (all []RecordError) {
	var fields schema.FieldErrors
	if !errors.As(v.Err, &fields) {
		return []RecordError{v}
	}
	for _, f := range fields {
		if v.Field = f.Field; f.Field == "nonFieldErrors" {
			v.Field = ""
		}
		v.Err = layout.Invalid(schema.FieldErrors{f})
		all = append(all, v)
	}
	return all
}

// refersInside reports whether there are references inside the values of a field.
func refersInside(f schema.Field) bool {
	return slices.ContainsFunc(everyField(partsOf(f)), func(part schema.Field) bool { return part.Refers != "" })
}

// eachInside calls f for each reference inside a value of a field, which is JSON, with the
// collection to which it refers, its path and its value.
func eachInside(of schema.Field, path, value string, f func(to, path, value string)) {
	each := func(part schema.Field, name, value string) {
		name = path + "__" + name
		switch {
		case part.Refers == "":
			eachInside(part, name, value, f)
		case part.Kind == schema.References:
			for item := range jsontext.Elements(value) {
				f(part.Refers, name, item)
			}
		case value != "null":
			f(part.Refers, name, value)
		}
	}
	n := 0
	for item := range jsontext.Elements(value) { // none unless it is an Array
		each(*of.Item, strconv.Itoa(n), item)
		n++
	}
	for name, value := range jsontext.Members(value) {
		if of.Kind == schema.Map {
			each(*of.Item, name, value)
		}
		if i := slices.IndexFunc(of.Fields, func(f schema.Field) bool { return f.Name == name }); i >= 0 {
			each(of.Fields[i], ordering.Snake(name), value)
		}
	}
}

// everyField returns fields and those inside them, at any depth. Elements have the name of their
// list or map.
func everyField(fields []schema.Field) (all []schema.Field) {
	for _, f := range fields {
		all = append(all, f)
		for _, part := range everyField(partsOf(f)) {
			part.Name = cmp.Or(part.Name, f.Name)
			all = append(all, part)
		}
	}
	return all
}

// partsOf returns the fields that are directly inside a field. That of the elements of a list or
// map has no name.
func partsOf(f schema.Field) []schema.Field {
	if f.Item != nil {
		return []schema.Field{*f.Item}
	}
	return f.Fields
}

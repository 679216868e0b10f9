package catalogue

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
)

// documented reports whether the collection is based on the documented description.
func (d Definition[T]) documented(only bool) bool {
	_, known := schema.Lookup(d.key)
	return known && (!only || d.opts.Description == nil && (isOpen[T]() || documented[T]()))
}

// isOpen reports whether T is the type of open records.
func isOpen[T any]() bool {
	_, open := any((*T)(nil)).(*schema.Record)
	return open
}

// describe returns the description of the collection.
func (d Definition[T]) describe(documented bool) (about schema.Description, err error) {
	var given schema.Description
	if d.opts.Description != nil {
		given = *d.opts.Description
	}
	switch {
	case d.key == lastIDsKey:
		return about, fmt.Errorf("saved data has the key %s", lastIDsKey)
	case given.Key != "" && given.Key != d.key:
		return about, fmt.Errorf("Options.Description has the key %q", given.Key)
	case documented:
		about, _ = schema.Lookup(d.key)
		if d.opts.Description != nil && about.Fields == nil && !isOpen[T]() {
			of, err := schema.DescriptionOf[T](d.key)
			if err != nil {
				return about, err
			}
			about.Fields = of.Fields
		}
	default:
		about, err = schema.DescriptionOf[T](d.key)
	}
	if err != nil {
		return about, err
	}
	if isOpen[T]() && given.Fields == nil && !documented {
		about.Actions = schema.ReadActions
	}
	about = overridden(about, given)
	if len(d.opts.Ordering) > 0 {
		about.Ordering = slices.Clone(d.opts.Ordering)
	}
	const fielded = schema.Create | schema.Update | schema.PartialUpdate
	if about.Actions&fielded != 0 && len(about.Fields) == 0 {
		return about, errors.New("Options.Description has actions that need Fields")
	}
	return about, about.Check()
}

// overridden returns a description with the members of another one that are not zero.
// Nothing in the result is shared with it.
func overridden(about, by schema.Description) schema.Description {
	about.Segment = cmp.Or(by.Segment, about.Segment)
	about.Name = cmp.Or(by.Name, about.Name)
	about.Actions = cmp.Or(by.Actions, about.Actions)
	about.Vary = cmp.Or(by.Vary, about.Vary)
	about.Query = cmp.Or(by.Query, about.Query)
	if by.Ordering != nil {
		about.Ordering = slices.Clone(by.Ordering)
	}
	if by.Fields != nil {
		about.Fields = slices.Clone(by.Fields)
	}
	if by.Filters != nil {
		about.Filters = slices.Clone(by.Filters)
	}
	if by.Search != nil {
		about.Search = slices.Clone(by.Search)
	}
	return about
}

// checkTogether returns an error if the descriptions of a catalogue contradict each other.
func checkTogether(all []schema.Description) error {
	byKey, bySegment := map[string]schema.Description{}, map[string]string{}
	var keys []string
	for _, d := range all {
		if other, twice := bySegment[d.Segment]; twice {
			return fmt.Errorf("%s: %w: its segment %q is that of %s", d.Key, ErrInvalidType, d.Segment, other)
		}
		byKey[d.Key], bySegment[d.Segment] = d, d.Key
		keys = append(keys, d.Key)
	}
	for _, d := range all {
		for _, f := range d.Fields {
			if _, known := byKey[f.Refers]; f.Refers != "" && !known {
				return fmt.Errorf("%s: %w: field %s refers to %w", d.Key, ErrInvalidType, f.Name, unknownCollection(f.Refers, keys))
			}
		}
		for _, t := range d.SearchTests("") {
			if err := checkSearch(d, t.Field, byKey); err != nil {
				return fmt.Errorf("%s: %w: search %q: %w", d.Key, ErrInvalidType, t.Field, err)
			}
		}
	}
	return nil
}

// checkSearch returns an error if a path in Search goes to a field of another collection
// that does not exist. [schema.Description.Check] checks all else.
func checkSearch(d schema.Description, path string, byKey map[string]schema.Description) error {
	reference, field, ok := strings.Cut(path, "__")
	if _, err := fieldOf(d, path); err == nil || !ok {
		return nil
	}
	f, err := fieldOf(d, reference)
	if err != nil {
		return err
	}
	other := byKey[f.Refers]
	other.Search = []string{field}
	return other.Check()
}

// fieldOf returns the field with a name in snake_case.
func fieldOf(d schema.Description, name string) (schema.Field, error) {
	known := make([]string, len(d.Fields))
	for i, f := range d.Fields {
		if known[i] = ordering.Snake(f.Name); known[i] == name {
			return f, nil
		}
	}
	return schema.Field{}, unknownField(name, known)
}

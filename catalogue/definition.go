package catalogue

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// A Definition specifies the record type and the options of one collection of a catalogue.
// [Define] returns a Definition, [New] makes the collections, and [Definition.In] returns the
// collection of a catalogue. A Definition is immutable and safe for concurrent use. The zero
// Definition has no key: New and In return [ErrUnknownCollection] for it.
type Definition[T any] struct {
	key  string
	opts Options
}

// Define returns a definition of the collection with the given key, such as "films". It
// is usually assigned to a package variable:
//
//	var Films = catalogue.Define[Film]("films", catalogue.Options{
//		Description: &schema.Description{Filters: []string{"status", "minutes__gte"}},
//	})
//
// [NewCollection] lists the requirements for T. The options Name and ID cannot be set:
// the name is the key, and the id is the field id. Define does not check its arguments;
// New does.
//
// Requests are validated: [AnyCollection].Create and Update apply the whole description.
// [Collection.Insert], the other methods that take a T, and loading check the types of the
// fields and unique values. Unless Options.Validate is set, they do not check choices, formats,
// bounds and rules, and do not set defaults. They never check references and do not set times
// of creation. A nil slice or map is stored as an empty one, also inside other fields, unless
// its field is Nullable.
//
// # Description
//
// The description of a collection is the result of [schema.DescriptionOf] for T, overridden
// by the members of Options.Description that are not zero. Options.Ordering overrides its
// Ordering. Fields in Options.Description replace all fields; to change one, change the
// result of DescriptionOf. The name of a record, which appears in messages and titles, is the
// name of T in words, such as "film star" for FilmStar. Open records are named by the key,
// "films": set Name to "film". Their fields are not known: without Options.Description they
// can only be listed and retrieved. If the description has Fields, all actions are served.
// Records can have members that are not among the fields.
//
// The fields of the description configure the collection. Its Unique fields and sets are added
// to Options.Unique, and those in Options.Unique to the description, unless it lacks one of the
// fields. The fields of a set of several are Required unless they are ReadOnly or have a Default
// other than null, or "" of a blank text. Those with such a Default are Reset. Collections of open
// records can be ordered by all fields of the description, even if no record has them.
func Define[T any](key string, opts Options) Definition[T] {
	return Definition[T]{key, opts}
}

// Key returns the key of the collection.
func (d Definition[T]) Key() string { return d.key }

// WithDescription returns the definition with a description, unless it has one. O(1).
func (d Definition[T]) WithDescription(about schema.Description) AnyDefinition {
	if d.opts.Description == nil {
		d.opts.Description = &about
	}
	return d
}

// In returns the collection of c that has the key and the type of d. It need not have been
// made with d. The error wraps [ErrUnknownCollection] if there is no collection with the
// key, and [ErrInvalidType] if its records have another type. O(1).
func (d Definition[T]) In(c *Catalogue) (*Collection[T], error) {
	m, err := c.set.lookup(d.key)
	if err != nil {
		return nil, err
	}
	coll, ok := m.handle.(*Collection[T])
	if !ok {
		return nil, notOf(m, tableOf[T]().reflect)
	}
	return coll, nil
}

// notOf returns the error of a definition whose records have another type.
func notOf(c *core, t reflect.Type) error {
	return fmt.Errorf("catalogue: %s: %w: its records are %v, not %v: make the catalogue with this definition", c.key(), ErrInvalidType, c.typ.reflect, t)
}

// Tx returns the transaction of d's collection in b. All calls for one batch share one
// transaction. The error wraps [ErrUnknownCollection] if the catalogue of b has no collection
// with the key, [ErrInvalidType] if its records have another type, and [ErrTxDone] if b is
// nil or the zero Batch. O(1).
func (d Definition[T]) Tx(b *Batch) (*Tx[T], error) {
	if b == nil || b.set == nil {
		return nil, fmt.Errorf("catalogue: %s: %w: there is no batch", d.key, ErrTxDone)
	}
	coll, err := d.In(&Catalogue{b.set})
	if err != nil {
		return nil, err
	}
	return &Tx[T]{coll.core, b.txs[slices.Index(b.set.all, coll.core)]}, nil
}

// AnyDefinition is a [Definition] of any type.
type AnyDefinition interface {
	// Key returns the key of the collection.
	Key() string

	// WithDescription returns the definition with a description, unless it has one. The
	// members of the description that are zero follow from the type of the records.
	WithDescription(schema.Description) AnyDefinition

	// make returns a new collection of c.
	make(c *set) error
}

func (d Definition[T]) make(c *set) error {
	return define(c, d.key, tableOf[T](), options(d.opts), handleOf[T])
}

func handleOf[T any](c *core) any { return &Collection[T]{c} }

// define adds a collection to a set.
func define(c *set, key string, t table, opts options, handle func(*core) any) error {
	if err := c.checkKey(key); err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	about, err := describe(key, t, opts)
	if err != nil {
		return fmt.Errorf("catalogue: %s: %w: %w", key, ErrInvalidType, err)
	}
	opts.Name, opts.Ordering = about.Key, about.Ordering
	opts.Unique = unite(&about, opts.Unique)
	l, err := newLayout(t, opts, about.Fields)
	if err != nil {
		return err
	}
	if err := l.describe(&about, opts.StrictLoad); err != nil {
		return fmt.Errorf("catalogue: %s: %w: %w", key, ErrInvalidType, err)
	}
	l.engine.Cores = c.cores
	s := &recordType{layout: l, handle: handle, demands: &about, validates: opts.Validate, now: opts.Now}
	s.judged = about.Rule != nil || about.Unique != nil || slices.ContainsFunc(about.Fields, func(f schema.Field) bool { return f.Kind == schema.Object || hasRule(f) })
	c.byKey[key] = len(c.all)
	c.all = append(c.all, newMember(c, s, nil))
	return nil
}

// describeEvolution sets the members that loads rename or add.
func (s *builder) describeEvolution() error {
	for _, f := range s.described {
		for _, name := range f.Formerly {
			if name == s.identity.wire || s.member(name) != nil {
				return fmt.Errorf("field %q: the former name %q is the name of another member", f.Name, name)
			}
		}
	}
	s.describeOmitted()
	if s.ownJSON {
		return nil
	}
	for _, f := range s.described {
		m := s.member(f.Name)
		if m != nil && isZero(f, m.Member) {
			f.Default = ""
		}
		if f.Formerly != nil || f.Default != "" {
			s.evolving.Fields = append(s.evolving.Fields, f)
		}
		if m != nil && f.Default != "" {
			m.filled = true
			s.filled++
		}
	}
	return nil
}

// isZero reports whether a member that is missing from a loaded record is zero: its default is zero,
// or encoding/json omits it.
func isZero(f schema.Field, m jsonmember.Member) bool {
	zero := reflect.New(m.Field.Type)
	switch {
	case omits(m), f.Default == "null", !f.Nullable && (f.Default == "[]" || f.Default == "{}"):
		return true
	}
	return json.Unmarshal([]byte(f.Default), zero.Interface()) == nil && zero.Elem().IsZero()
}

// describeOmitted sets the fields with a default that JSON omits if they are zero, and whose zero
// value is valid.
func (s *builder) describeOmitted() {
	for _, f := range s.described {
		m := s.member(f.Name)
		if m == nil || f.Default == "" || !omits(m.Member) {
			continue
		}
		zero := reflect.New(m.Field.Type)
		if fill := filling(f, m.Field.Type); fill != nil {
			fill(zero.Elem())
		}
		r, err := schema.Record{}.With(f.Name, zero.Interface())
		if f.Rule, f.Check = nil, nil; err == nil {
			_, err = schema.Description{Fields: []schema.Field{f}}.ValidateRecord(context.Background(), r)
		}
		if err == nil {
			f.Default, _ = r.Get(f.Name)
			s.omitted = append(s.omitted, f)
		}
	}
}

// omits reports whether encoding/json omits a member that is zero.
func omits(m jsonmember.Member) bool {
	return m.Indirect || slices.Contains(m.Options, "omitempty") || slices.Contains(m.Options, "omitzero")
}

// filling returns a function that sets nil lists and maps in a value of type t to empty ones, at
// any depth, unless they are Nullable. It returns nil if t has none.
func filling(f schema.Field, t reflect.Type) func(v reflect.Value) {
	switch t.Kind() {
	case reflect.Pointer:
		if t.Elem().Kind() == reflect.Pointer { // a type may point to itself
			return nil
		}
		if fill := filling(f, t.Elem()); fill != nil {
			return func(v reflect.Value) {
				if !v.IsNil() {
					fill(v.Elem())
				}
			}
		}
	case reflect.Struct:
		var all []func(v reflect.Value)
		members, _ := jsonmember.Of(t)
		for _, m := range members {
			i := slices.IndexFunc(f.Fields, func(f schema.Field) bool { return f.Name == m.Name })
			if i < 0 {
				continue
			}
			if fill := filling(f.Fields[i], m.Field.Type); fill != nil {
				all = append(all, func(v reflect.Value) {
					if v, err := v.FieldByIndexErr(m.Field.Index); err == nil && v.CanSet() { // not in an embedded struct that is nil or not exported
						fill(v)
					}
				})
			}
		}
		if all != nil {
			return func(v reflect.Value) {
				for _, fill := range all {
					fill(v)
				}
			}
		}
	case reflect.Slice, reflect.Map:
		return fillingList(f, t)
	}
	return nil
}

// fillingList returns what filling returns for a list or a map.
func fillingList(f schema.Field, t reflect.Type) func(v reflect.Value) {
	var fill func(v reflect.Value)
	if f.Item != nil {
		fill = filling(*f.Item, t.Elem())
	}
	return func(v reflect.Value) {
		switch {
		case v.IsNil() && f.Nullable:
		case v.IsNil() && t.Kind() == reflect.Map:
			v.Set(reflect.MakeMap(t))
		case v.IsNil():
			v.Set(reflect.MakeSlice(t, 0, 0))
		case fill == nil:
		case t.Kind() == reflect.Map:
			for _, key := range v.MapKeys() {
				item := reflect.New(t.Elem()).Elem() // items of maps cannot be changed
				item.Set(v.MapIndex(key))
				fill(item)
				v.SetMapIndex(key, item)
			}
		default:
			for i := range v.Len() {
				fill(v.Index(i))
			}
		}
	}
}

// unite adds sets of unique fields to those of a description, if it has their fields. It
// returns the sets of both.
func unite(about *schema.Description, sets [][]string) (all [][]string) {
	place := func(name string) int {
		return slices.IndexFunc(about.Fields, func(f schema.Field) bool { return ordering.Snake(f.Name) == name })
	}
	for _, set := range sets {
		switch {
		case slices.ContainsFunc(set, func(name string) bool { return place(name) < 0 }) || len(set) == 0:
			all = append(all, set)
		case len(set) == 1:
			about.Fields[place(set[0])].Unique = true
		case !containsSet(about.Unique, set):
			about.Unique = append(about.Unique, set)
		}
	}
	for _, name := range slices.Concat(about.Unique...) {
		if i := place(name); i >= 0 {
			f := &about.Fields[i]
			given := f.Default != "" && f.Default != "null" && !(f.Blank && f.Default == `""`)
			f.Required = f.Required || !f.ReadOnly && !given
			f.Reset = f.Reset || !f.ReadOnly && given
		}
	}
	return append(all, about.Unique...)
}

// hasRule reports whether values of a field, or values inside them, have a rule.
func hasRule(f schema.Field) bool {
	return f.Rule != nil || f.Item != nil && hasRule(*f.Item) || slices.ContainsFunc(f.Fields, hasRule)
}

// describe returns the description of a collection.
func describe(key string, t table, opts options) (about schema.Description, err error) {
	var given schema.Description
	if opts.Description != nil {
		given = *opts.Description
	}
	switch {
	case opts.Name != "":
		return about, errors.New("Options.Name is not empty")
	case opts.ID != "":
		return about, errors.New("Options.ID is not empty: in a catalogue the id is the field id")
	case key == lastIDsKey:
		return about, fmt.Errorf("saved data has the key %s", lastIDsKey)
	case given.Key != "" && given.Key != key:
		return about, fmt.Errorf("Options.Description has the key %q", given.Key)
	}
	if about, err = t.description(key); err != nil {
		return about, err
	}
	if t.open() && given.Fields == nil {
		about.Actions = schema.List | schema.Retrieve
	}
	about = overridden(about, given)
	if len(opts.Ordering) > 0 {
		about.Ordering = slices.Clone(opts.Ordering)
	}
	const fielded = schema.Create | schema.Update | schema.PartialUpdate
	if about.Actions&fielded != 0 && len(about.Fields) == 0 {
		return about, errors.New("Options.Description has actions that need Fields")
	}
	own := about
	own.Filters, own.Search, own.Sortable = nil, nil, nil // New checks them when it has all collections
	return about, own.Check()
}

// overridden returns a description with the members of another one that are not zero.
// Nothing in the result is shared with it.
func overridden(about, by schema.Description) schema.Description {
	to, from := reflect.ValueOf(&about).Elem(), reflect.ValueOf(by)
	for i := range to.NumField() {
		switch member := from.Field(i); {
		case member.IsZero():
		case member.Kind() == reflect.Slice:
			fresh := reflect.MakeSlice(member.Type(), member.Len(), member.Len())
			reflect.Copy(fresh, member)
			to.Field(i).Set(fresh)
		default:
			to.Field(i).Set(member)
		}
	}
	return about
}

// checkTogether returns an error if a description is invalid, or if those of the collections
// contradict each other.
func (c *set) checkTogether() error {
	bySegment, related := map[string]string{}, map[string]*schema.Description{}
	for _, m := range c.all {
		related[m.key()] = m.typ.about
		m.typ.describeReferences(c)
	}
	for _, m := range c.all {
		d := m.typ.about
		if other, twice := bySegment[d.Segment]; twice {
			return fmt.Errorf("%s: %w: its segment %q is that of %s", d.Key, ErrInvalidType, d.Segment, other)
		}
		bySegment[d.Segment] = d.Key
		for _, f := range everyField(d.Fields) {
			if f.Refers == "" {
				continue
			}
			to, known := c.byKey[f.Refers]
			if !known {
				return fmt.Errorf("%s: %w: field %s refers to %w", d.Key, ErrInvalidType, f.Name, c.unknown(f.Refers))
			}
			if f.By == "" && c.all[to].typ.identity.key != nil {
				return fmt.Errorf("%s: %w: field %s, inside another one, refers to ids, which records of %s do not have", d.Key, ErrInvalidType, f.Name, f.Refers)
			}
			d.Related = related
		}
		for _, f := range d.Fields {
			if err := c.checkBy(m.typ, f); err != nil {
				return fmt.Errorf("%s: %w: field %s: %w", d.Key, ErrInvalidType, f.Name, err)
			}
		}
		if err := d.Check(); err != nil {
			return fmt.Errorf("%s: %w: %w", d.Key, ErrInvalidType, err)
		}
	}
	return nil
}

// describeReferences sets By of the fields that refer to records with a key.
func (s *recordType) describeReferences(c *set) {
	for i := range s.about.Fields {
		f := &s.about.Fields[i]
		if to, ok := c.byKey[f.Refers]; ok && f.By == "" && c.all[to].typ.identity.key != nil {
			f.By = c.all[to].typ.identity.key.name
			s.column(ordering.Snake(f.Name)).By = f.By
		}
	}
}

// checkBy returns an error if a field refers to records by a field that is not a unique text, to
// ids by text, or to texts by numbers. It sets the order of a reference by a text.
func (c *set) checkBy(s *recordType, f schema.Field) error {
	if f.Refers == "" {
		return nil
	}
	other := c.all[c.byKey[f.Refers]].typ
	if t := s.column(ordering.Snake(f.Name)).typ; t != nil {
		if t.Kind() == reflect.Slice {
			t = t.Elem()
		}
		if t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		switch {
		case f.By == "" && t.Kind() == reflect.String:
			return fmt.Errorf("it refers to ids of %s, but is text", f.Refers)
		case f.By != "" && reflect.Int <= t.Kind() && t.Kind() <= reflect.Uintptr:
			return fmt.Errorf("it refers to texts of %s, their %s, but is a number", f.Refers, f.By)
		}
	}
	if f.By == "" {
		return nil
	}
	to := other.column(f.By)
	if to == nil {
		return other.unknownColumn(f.By)
	}
	about := *other.about
	about.Filters, about.Search, about.Sortable = nil, nil, nil
	if about.Lookup = f.By; about.Check() != nil {
		return fmt.Errorf("%s of %s is not a unique text", f.By, f.Refers)
	}
	if !slices.Contains(other.targets, to) {
		other.targets = append(other.targets, to)
	}
	s.column(ordering.Snake(f.Name)).comparesAs(to)
	return nil
}

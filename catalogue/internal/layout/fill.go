package layout

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// filling returns a function that sets nil lists and maps in a value of type t to empty ones, at
// any depth, unless they are Nullable or JSON omits them. It returns nil if t has none.
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
				omitted := slices.Contains(m.Options, "omitzero")
				all = append(all, func(v reflect.Value) {
					if v, err := v.FieldByIndexErr(m.Field.Index); err == nil && v.CanSet() && !(omitted && v.IsZero()) { // not in an embedded struct that is nil or not exported
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

// describeEvolution sets the members that loads rename or add, and those that JSON omits.
func (s *builder) describeEvolution() error {
	for _, f := range s.described {
		for _, name := range f.Formerly {
			if name == s.Identity.Wire || s.Member(name) != nil {
				return fmt.Errorf("field %q: the former name %q is the name of another member", f.Name, name)
			}
		}
		m := s.Member(f.Name)
		if m != nil && f.Default != "" && m.Go.Omits() {
			s.describeOmitted(f, m.Go.Field.Type)
		}
		if s.OwnJSON {
			continue
		}
		if s.Loose() || m != nil && isZero(f, m.Go.Member) {
			f.Default = ""
		}
		if f.Formerly != nil || f.Default != "" {
			s.evolving.Fields = append(s.evolving.Fields, f)
		}
		if m != nil {
			m.needed = f.Default != ""
		}
	}
	return nil
}

// isZero reports whether a member that is missing from a loaded record is zero: its default is zero,
// or encoding/json omits it.
func isZero(f schema.Field, m jsonmember.Member) bool {
	zero := reflect.New(m.Field.Type)
	switch {
	case m.Omits(), f.Default == "null", !f.Nullable && (f.Default == "[]" || f.Default == "{}"):
		return true
	}
	return json.Unmarshal([]byte(f.Default), zero.Interface()) == nil && zero.Elem().IsZero()
}

// describeOmitted adds a field with a default that JSON omits if it is zero to those whose zero value is
// valid.
func (s *builder) describeOmitted(f schema.Field, t reflect.Type) {
	zero := reflect.New(t)
	if fill := filling(f, t); fill != nil {
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

// All returns all members of an entry, including those that its JSON omits because they are zero.
func (s *Type) All(e *store.Entry) (schema.Record, error) {
	members, err := s.Parsed(e)
	if err != nil {
		return members, err
	}
	return s.completed(members)
}

// completed returns the members of a record and those that its JSON omits because they are zero.
func (s *Type) completed(members schema.Record) (_ schema.Record, err error) {
	for _, f := range s.omitted {
		if _, ok := members.Get(f.Name); !ok && err == nil {
			members, err = members.With(f.Name, json.RawMessage(f.Default))
		}
	}
	return members, err
}

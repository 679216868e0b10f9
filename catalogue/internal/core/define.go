package core

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// Define adds a collection to a set.
func Define(c *Set, key string, t layout.Table, opts layout.Options, shown, listed *Shown, handle func(*Collection) any) error {
	if _, twice := c.byKey[key]; twice {
		return fmt.Errorf("catalogue: %s: %w: it is defined twice", key, ErrInvalidType)
	}
	if key == "" {
		return fmt.Errorf("catalogue: %w: the definition has no key", ErrUnknownCollection)
	}
	about, err := describe(key, t, opts)
	if err != nil {
		return fmt.Errorf("catalogue: %s: %w: %w", key, ErrInvalidType, err)
	}
	opts.Name, opts.Ordering, opts.Description = about.Key, about.Ordering, &about
	opts.Unique = unite(&about, t.Reflect, opts.Unique)
	l, err := layout.New(t, opts, &about)
	if err != nil {
		return err
	}
	about.Ordering, about.Positions = l.Terms(about.Ordering), true
	l.Engine.Cores = c.cores
	s := &Type{Type: l, handle: handle, demands: &about, validates: opts.Validate, now: opts.Now, shown: shown, listed: cmp.Or(listed, shown)}
	s.whole = about.Rule != nil || about.Unique != nil || slices.ContainsFunc(about.Fields, func(f schema.Field) bool { return hasRule(f) || !l.Common(f.Name) })
	c.byKey[key] = len(c.All)
	c.All = append(c.All, newMember(c, s, nil))
	return nil
}

// unite adds sets of unique fields to those of a description, if it has their fields. It
// returns the sets of both. Requests must have these fields, unless they have a default or JSON omits them.
func unite(about *schema.Description, t reflect.Type, sets [][]string) (all [][]string) {
	members, _ := jsonmember.Of(t)
	place := func(name string) int {
		return slices.IndexFunc(about.Fields, func(f schema.Field) bool { return ordering.Snake(f.Name) == name || f.Name == name })
	}
	for _, set := range sets {
		set = slices.Clone(set)
		for i, name := range set {
			if at := place(name); at >= 0 {
				set[i] = ordering.Snake(about.Fields[at].Name)
			}
		}
		switch {
		case slices.ContainsFunc(set, func(name string) bool { return place(name) < 0 }) || len(set) == 0:
			all = append(all, set)
		case len(set) == 1:
			about.Fields[place(set[0])].Unique = true
		case !layout.ContainsSet(about.Unique, set):
			about.Unique = append(about.Unique, set)
		}
	}
	for _, name := range slices.Concat(about.Unique...) {
		i := place(name)
		omitted := func(m jsonmember.Member) bool { return m.Name == about.Fields[i].Name && m.Omits() }
		if i >= 0 && !slices.ContainsFunc(members, omitted) {
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
func describe(key string, t layout.Table, opts layout.Options) (about schema.Description, err error) {
	given := *cmp.Or(opts.Description, &schema.Description{})
	switch {
	case opts.Name != "":
		return about, errors.New("Options.Name is not empty")
	case key == lastIDsKey:
		return about, fmt.Errorf("saved data has the key %s", lastIDsKey)
	case given.Key != "" && given.Key != key:
		return about, fmt.Errorf("Options.Description has the key %q", given.Key)
	}
	if about, err = schema.Describe(t.Reflect, key, opts.ID); err != nil {
		return about, err
	}
	own := about
	if t.Open() && given.Fields == nil {
		about.Actions = schema.List | schema.Retrieve
	}
	about = overridden(about, given)
	if opts.ID != "" && given.Fields != nil {
		identifyBy(opts.ID, &about, own, t.Reflect)
	}
	if about.Loose && about.Identity().Key && given.Ordering == nil {
		about.Ordering = nil
	}
	if len(opts.Ordering) > 0 {
		about.Ordering = slices.Clone(opts.Ordering)
	}
	const fielded = schema.Create | schema.Update | schema.PartialUpdate
	if about.Actions&fielded != 0 && len(about.Fields) == 0 {
		return about, errors.New("Options.Description has actions that need Fields")
	}
	alone := about
	alone.Filters, alone.Parameters, alone.Search, alone.Sortable = nil, nil, nil, nil // New checks them when it has all collections
	return about, alone.Check()
}

// identifyBy makes the field with a name the identity of a description that may be of DescriptionOf, which
// does not know the option and may have found another field. own is what Describe returns for the name.
func identifyBy(name string, about *schema.Description, own schema.Description, t reflect.Type) {
	guess, _ := schema.Describe(t, about.Key, "")
	for i, f := range about.Fields {
		at := slices.IndexFunc(own.Fields, func(o schema.Field) bool { return o.Name == f.Name })
		switch {
		case f.Name == name:
			about.Fields[i] = own.Identity()
		case at >= 0 && f.Name == guess.Identity().Name && (f.Key || f.ID):
			about.Fields[i] = own.Fields[at]
		}
	}
	if about.Lookup == guess.Lookup {
		about.Lookup = own.Lookup
	}
	if slices.Equal(about.Ordering, guess.Ordering) {
		about.Ordering = own.Ordering
	}
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

// Complete returns an error if the descriptions of the collections contradict each other.
// Otherwise the set can be used.
func (c *Set) Complete() error {
	if err := c.checkTogether(); err != nil {
		return fmt.Errorf("catalogue: %w", err)
	}
	for _, m := range c.All { // the order of a field may follow from that of another collection
		m.Store = store.New(m.Type.Engine)
	}
	return nil
}

// checkTogether returns an error if a description is invalid, or if those of the collections
// contradict each other.
func (c *Set) checkTogether() error {
	bySegment, related := map[string]string{}, map[string]*schema.Description{}
	for _, m := range c.All {
		related[m.Key()] = m.Type.About
		m.Type.describeReferences(c)
		for _, f := range everyField(m.Type.About.Fields) {
			if f.Refers != "" {
				m.Type.About.Related = related
			}
			if to, known := c.byKey[f.Refers]; known && f.Related != "" {
				c.All[to].Type.About.Related = related
			}
		}
	}
	for _, m := range c.All {
		d := m.Type.About
		if err := c.describeShown(m.Type); err != nil {
			return fmt.Errorf("%s: %w: %w", d.Key, ErrInvalidType, err)
		}
		if other, twice := bySegment[d.Segment]; twice {
			return fmt.Errorf("%s: %w: its segment %q is that of %s", d.Key, ErrInvalidType, d.Segment, other)
		}
		bySegment[d.Segment] = d.Key
		for _, f := range everyField(slices.Concat(d.Fields, d.Shown, d.ShownInLists)) {
			if f.Refers == "" {
				continue
			}
			to, known := c.byKey[f.Refers]
			if !known {
				return fmt.Errorf("%s: %w: field %s refers to %w", d.Key, ErrInvalidType, f.Name, c.unknown(f.Refers))
			}
			if f.By == "" && c.All[to].Type.Identity.Key != nil {
				return fmt.Errorf("%s: %w: field %s, inside another one, refers to ids, which records of %s do not have", d.Key, ErrInvalidType, f.Name, f.Refers)
			}
		}
		for _, col := range m.Type.Fields {
			if col.Refers == "" || col.Inside {
				continue
			}
			if err := c.checkBy(m.Type, col); err != nil {
				return fmt.Errorf("%s: %w: field %s: %w", d.Key, ErrInvalidType, col.Name, err)
			}
		}
		if err := d.Check(); err != nil {
			return fmt.Errorf("%s: %w: %w", d.Key, ErrInvalidType, err)
		}
	}
	return nil
}

// describeReferences sets By of the fields that refer to records with a key.
func (s *Type) describeReferences(c *Set) {
	for i := range s.About.Fields {
		f := &s.About.Fields[i]
		if to, ok := c.byKey[f.Refers]; ok && f.By == "" && c.All[to].Type.Identity.Key != nil {
			f.By = c.All[to].Type.Identity.Key.Snake
			s.Column(ordering.Snake(f.Name)).By = f.By
		}
	}
}

// checkBy returns an error if a field refers to records by a field that is not a unique text, to
// ids by text, or to texts by numbers. It sets the order of a reference by a text.
func (c *Set) checkBy(s *Type, f *layout.Field) error {
	other := c.All[c.byKey[f.Refers]].Type
	to := other.Column(f.By)
	numbers := to != nil && to.Kind == schema.Integer
	if t := f.Go.Field.Type; t != nil {
		for !jsontext.Writes(t) && (t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer) {
			t = t.Elem()
		}
		switch {
		case f.By == "" && t.Kind() == reflect.String:
			return fmt.Errorf("it refers to ids of %s, but is text", f.Refers)
		case numbers && t.Kind() == reflect.String:
			return fmt.Errorf("it refers to numbers of %s, their %s, but is text", f.Refers, f.By)
		case f.By != "" && !numbers && jsontext.IsIntegral(t) && !jsontext.Writes(t):
			return fmt.Errorf("it refers to texts of %s, their %s, but is a number", f.Refers, f.By)
		}
	}
	if f.By == "" {
		return nil
	}
	if to == nil {
		return unknownColumn(other, f.By)
	}
	about := *other.About
	about.Filters, about.Parameters, about.Search, about.Sortable, about.Related = nil, nil, nil, nil, nil
	if about.Lookup = f.By; about.Check() != nil {
		return fmt.Errorf("%s of %s is not a unique text", f.By, f.Refers)
	}
	if !slices.Contains(other.targets, to) {
		other.targets = append(other.targets, to)
	}
	s.Compare(f, to)
	return nil
}

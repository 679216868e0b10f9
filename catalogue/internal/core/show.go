package core

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/layout"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// ShowAs returns how records of type T are shown as structs of type S, which a function of the
// collections with the keys of reads makes.
func ShowAs[T, S any](f func(at *Set, r *T) (S, error), reads []string) *Shown {
	s := &Shown{typ: reflect.TypeFor[S](), reads: reads}
	if f != nil {
		s.show = func(at *Set, e *store.Entry) (reflect.Value, error) {
			shown, err := f(at, layout.Typed[T](layout.RecordOf(e)))
			return reflect.ValueOf(&shown).Elem(), err
		}
	}
	return s
}

// describe returns the fields of what is shown of records of a type, and makes its encoder. A member with
// the name of a stored field is that field, unless that has another name in bodies.
func (s *Shown) describe(t *Type) ([]schema.Field, error) {
	d, err := schema.DescribeShown(s.typ, t.About.Key)
	if err != nil {
		return nil, err
	}
	members, _ := jsonmember.Of(s.typ) // Describe has checked them
	s.encoder, s.check = value.EncoderOf(s.typ, members), value.Of(s.typ)
	for i := range d.Fields {
		f := &d.Fields[i]
		at := slices.IndexFunc(t.About.Fields, func(g schema.Field) bool { return g.Name == f.Name })
		if at < 0 || t.About.Fields[at].Write != "" {
			f.ReadOnly, f.Computed, f.Required, f.Unique, f.Default = true, true, false, false, ""
			f.Write, f.Related, f.OnDelete = "", "", schema.Protect
			continue
		}
		is := members[slices.IndexFunc(members, func(m jsonmember.Member) bool { return m.Name == f.Name })].Field.Type
		if m := t.Member(f.Name); m != nil && m.Go.Field.Type != is {
			return nil, fmt.Errorf("member %s has type %v, but the stored field has type %v: give that another name in bodies, with the tag write, or the member another name", f.Name, is, m.Go.Field.Type)
		}
		*f = t.About.Fields[at]
	}
	for _, m := range members {
		null := slices.ContainsFunc(d.Fields, func(f schema.Field) bool { return f.Name == m.Name && f.Nullable })
		if k := m.Field.Type.Kind(); (k == reflect.Slice || k == reflect.Map) && !null && !m.Omits() {
			s.lists = append(s.lists, m)
		}
	}
	return d.Fields, nil
}

// A showing is how the entries of an instant are shown: as they are stored if as is nil.
type showing struct {
	of *Collection
	as *Shown
	at *Set // what is read
}

// showing returns how entries of an instant are shown.
func (c *Collection) showing(in *instant, as *Shown) showing {
	s := showing{of: c, as: as}
	if as == nil {
		return s
	}
	s.at = &Set{byKey: map[string]int{}, readOnly: true, errors: c.Set.errors}
	for _, key := range as.reads {
		m, _ := c.Set.Lookup(key) // Complete has checked it
		s.at.byKey[key] = len(s.at.All)
		s.at.All = append(s.at.All, newMember(s.at, m.Type, store.Held(in.states[m])))
	}
	return s
}

// encoded returns the JSON of an entry.
func (s showing) encoded(e *store.Entry) ([]byte, error) {
	if s.as == nil {
		return s.of.Type.Encoded(e)
	}
	b, err := s.as.encode(s.at, e)
	if errors.Is(err, ErrUnknownCollection) {
		err = fmt.Errorf("%w, since Show says that its function reads %q", err, s.as.reads)
	}
	if err != nil {
		t := s.of.Type
		return nil, t.Errorf("%s is not shown: %v", t.Identity.Name(e), err) // not wrapped: it is no error of the request
	}
	return b, nil
}

// encode returns the JSON of an entry as it is shown.
func (s *Shown) encode(at *Set, e *store.Entry) ([]byte, error) {
	shown, err := s.show(at, e)
	if err == nil {
		err = s.check.Check(shown)
	}
	if err != nil {
		return nil, err
	}
	for _, m := range s.lists {
		if list, err := shown.FieldByIndexErr(m.Field.Index); err != nil || !list.IsNil() {
			continue // err: its struct is embedded and nil
		} else if list.Kind() == reflect.Map {
			list.Set(reflect.MakeMap(list.Type()))
		} else {
			list.Set(reflect.MakeSlice(list.Type(), 0, 0))
		}
	}
	return s.encoder.Encode(shown.Addr().UnsafePointer())
}

// all sets records to the JSON of entries.
func (s showing) all(entries iter.Seq2[int, *store.Entry], records [][]byte) (err error) {
	for i, e := range entries {
		if records[i], err = s.encoded(e); err != nil {
			return err
		}
	}
	return nil
}

// served returns the JSON of an entry as it is served alone, of the current instant if it still exists.
func (c *Collection) served(e *store.Entry) ([]byte, error) {
	as := c.Type.shown
	if as == nil {
		return c.Type.Encoded(e)
	}
	in, err := instantOf(context.Background(), c, schema.Filter{}, nil, as)
	if err != nil {
		return nil, err
	}
	if now := in.states[c].Get(e.ID); now != nil {
		e = now
	}
	s := c.showing(in, as)
	return s.encoded(e)
}

// ShownTypes returns the types of what is served of a record, alone and in lists.
func (c *Collection) ShownTypes() (record, listed reflect.Type) {
	stored := &Shown{typ: c.Type.Reflect}
	return cmp.Or(c.Type.shown, stored).typ, cmp.Or(c.Type.listed, stored).typ
}

// Revision returns the number of writes that led to what is served.
func (c *Collection) Revision() uint64 {
	n := c.Store.Revision()
	for _, as := range [...]*Shown{c.Type.shown, c.Type.listed} {
		if as == nil {
			continue
		}
		for _, key := range as.reads {
			m, _ := c.Set.Lookup(key) // Complete has checked it
			n += m.Store.Revision()
		}
	}
	return n
}

// describeShown checks which collections the functions of a type read, and describes what they show.
func (c *Set) describeShown(t *Type) (err error) {
	for _, how := range []struct {
		*Shown
		fields *[]schema.Field
	}{{t.shown, &t.About.Shown}, {t.listed, &t.About.ShownInLists}} {
		switch {
		case how.Shown == nil:
			continue
		case how.show == nil:
			return fmt.Errorf("the function that returns %v is nil", how.typ)
		}
		for _, key := range how.reads {
			if _, known := c.byKey[key]; !known {
				return fmt.Errorf("the function that returns %v reads %w", how.typ, c.unknown(key))
			}
		}
		if *how.fields, err = how.describe(t); err != nil {
			return fmt.Errorf("%v: %w", how.typ, err)
		}
	}
	return nil
}

package core

import (
	"context"
	"fmt"
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
	return &Shown{typ: reflect.TypeFor[S](), reads: reads, show: func(at *Set, e *store.Entry) (reflect.Value, error) {
		shown, err := f(at, layout.Typed[T](layout.RecordOf(e)))
		return reflect.ValueOf(&shown).Elem(), err
	}}
}

// describe returns the fields of what is shown, and makes its encoder.
func (s *Shown) describe(stored *schema.Description) ([]schema.Field, error) {
	d, err := schema.Describe(s.typ, stored.Key, "")
	if err != nil {
		return nil, err
	}
	members, _ := jsonmember.Of(s.typ)
	s.encoder, s.check = value.EncoderOf(s.typ, members), value.Of(s.typ)
	for i, f := range d.Fields {
		at := slices.IndexFunc(stored.Fields, func(g schema.Field) bool { return g.Name == f.Name })
		if at >= 0 {
			d.Fields[i] = stored.Fields[at]
			continue
		}
		d.Fields[i].ReadOnly, d.Fields[i].Required = true, false
	}
	return d.Fields, nil
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
	return s.encoder.Encode(shown.Addr().UnsafePointer())
}

// encoded returns the function that returns the JSON of entries of an instant as they are shown.
func (c *Collection) encoded(in *instant, as *Shown) func(*store.Entry) ([]byte, error) {
	if as == nil {
		return c.Type.Encoded
	}
	at := &Set{byKey: map[string]int{}, readOnly: true, errors: c.Set.errors}
	for _, key := range as.reads {
		m, _ := c.Set.Lookup(key) // Complete has checked it
		at.byKey[key] = len(at.All)
		at.All = append(at.All, newMember(at, m.Type, store.Held(in.states[m])))
	}
	return func(e *store.Entry) ([]byte, error) {
		b, err := as.encode(at, e)
		if err != nil {
			return nil, c.Type.Errorf("%s is not shown: %w", c.Type.Identity.Name(e), err)
		}
		return b, nil
	}
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
	return c.encoded(in, as)(e)
}

// checkShown checks what the functions of a collection read, and describes what they show.
func (c *Set) checkShown(s *Type) (err error) {
	for _, how := range []struct {
		*Shown
		fields *[]schema.Field
	}{{s.shown, &s.About.Shown}, {s.listed, &s.About.ShownInLists}} {
		if how.Shown == nil {
			continue
		}
		for _, key := range how.reads {
			if _, err := c.Lookup(key); err != nil {
				return err
			}
		}
		if *how.fields, err = how.describe(s.About); err != nil {
			return fmt.Errorf("%v: %w", how.typ, err)
		}
	}
	return nil
}

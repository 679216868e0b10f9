package core

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// A Shown is how records are shown where that differs from how they are stored.
type Shown struct {
	Type  reflect.Type // of what is shown
	Reads []string     // the keys of the collections that Show reads
	Show  func(at *Set, e *store.Entry) (unsafe.Pointer, error)

	encoder *value.Encoder
	check   *value.Copier
}

// describe returns the fields of what is shown, and makes its encoder.
func (s *Shown) describe(stored *schema.Description) ([]schema.Field, error) {
	d, err := schema.Describe(s.Type, stored.Key, "")
	if err != nil {
		return nil, err
	}
	members, _ := jsonmember.Of(s.Type)
	s.encoder, s.check = value.EncoderOf(s.Type, members), value.Of(s.Type)
	for i, f := range d.Fields {
		at := slices.IndexFunc(stored.Fields, func(g schema.Field) bool { return g.Name == f.Name })
		if at >= 0 && stored.Fields[at].Write == "" {
			d.Fields[i] = stored.Fields[at]
			continue
		}
		d.Fields[i].ReadOnly, d.Fields[i].Required = true, false
	}
	return d.Fields, nil
}

// encode returns the JSON of an entry as it is shown.
func (s *Shown) encode(at *Set, e *store.Entry) ([]byte, error) {
	p, err := s.Show(at, e)
	if err == nil {
		err = s.check.Check(reflect.NewAt(s.Type, p).Elem())
	}
	if err != nil {
		return nil, err
	}
	return s.encoder.Encode(p)
}

// shown returns the function that returns the JSON of entries of the instant as they are served, in lists or
// alone.
func (c *Collection) shown(in *instant, listed bool) func(*store.Entry) ([]byte, error) {
	s := c.Type.shown
	if listed && c.Type.listed != nil {
		s = c.Type.listed
	}
	if s == nil {
		return c.Type.Encoded
	}
	at := &Set{byKey: map[string]int{}, readOnly: true, errors: c.Set.errors}
	for _, key := range s.Reads {
		m, _ := c.Set.Lookup(key) // Complete has checked it
		at.byKey[key] = len(at.All)
		at.All = append(at.All, newMember(at, m.Type, store.Held(in.states[m])))
	}
	return func(e *store.Entry) ([]byte, error) {
		b, err := s.encode(at, e)
		if err != nil {
			return nil, c.Type.Errorf("%s is not shown: %w", c.Type.Identity.Name(e), err)
		}
		return b, nil
	}
}

// served returns the JSON of an entry of the current instant as it is served alone.
func (c *Collection) served(e *store.Entry) ([]byte, error) {
	if c.Type.shown == nil {
		return c.Type.Encoded(e)
	}
	in, err := instantOf(context.Background(), c, schema.Filter{}, nil)
	if err != nil {
		return nil, err
	}
	return c.shown(in, false)(e)
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
		for _, key := range how.Reads {
			if _, err := c.Lookup(key); err != nil {
				return err
			}
		}
		if *how.fields, err = how.describe(s.About); err != nil {
			return fmt.Errorf("%v: %w", how.Type, err)
		}
	}
	return nil
}

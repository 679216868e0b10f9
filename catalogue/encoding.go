package catalogue

import (
	"reflect"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
)

// encoded returns the JSON of an entry as it is served. Concurrent first calls may each make it;
// the results are equal.
func (s *recordType) encoded(e *store.Entry) ([]byte, error) {
	kept := &headerOf(e).encoding
	if b := kept.Load(); b != nil {
		return *b, nil
	}
	b, err := s.stored(e)
	if err == nil && s.hasTwoForms {
		b, err = s.served(e, b)
	}
	if err != nil {
		return nil, err
	}
	kept.Store(&b)
	return b, nil
}

// stored returns the JSON of an entry as it is saved, with hidden members and without computed
// ones. If it is not also what is served, it is not kept.
func (s *recordType) stored(e *store.Entry) ([]byte, error) {
	if b := headerOf(e).encoding.Load(); b != nil && !s.hasTwoForms {
		return *b, nil
	}
	b, err := s.encode(recordOf(e))
	if err != nil {
		return nil, s.errorf("%w: %s: %w", ErrInvalid, s.identify(e), err)
	}
	return b, nil
}

// hasHiddenOrComputed reports whether a record is served in another form than it is stored.
func hasHiddenOrComputed(fields []schema.Field) bool {
	return slices.ContainsFunc(fields, func(f schema.Field) bool { return f.Hidden || f.Computed })
}

// served returns the JSON of an entry as it is served: the members of what is stored that are not
// hidden, and the computed ones, in the order of the description.
func (s *recordType) served(e *store.Entry, stored []byte) ([]byte, error) {
	members, err := s.parse(stored)
	if err != nil {
		return nil, s.errorf("%w: %s: %w", ErrInvalid, s.identify(e), err)
	}
	computed, err := s.computed(e)
	if err != nil {
		return nil, s.errorf("%w: %s: %w", ErrInvalid, s.identify(e), err)
	}
	b := []byte{'{'}
	add := func(name, text string) {
		if len(b) > 1 {
			b = append(b, ',')
		}
		b = append(append(jsontext.AppendString(b, name), ':'), text...)
	}
	for _, f := range s.about.Fields {
		from := members
		if f.Computed {
			from = computed
		}
		if text, ok := from.Get(f.Name); ok && !f.Hidden {
			add(f.Name, text)
		}
	}
	for name, text := range members.All() {
		if !slices.ContainsFunc(s.about.Fields, func(f schema.Field) bool { return f.Name == name }) {
			add(name, text)
		}
	}
	return append(b, '}'), nil
}

// computed returns the members that the method Computed of a record returns, if it has one.
func (s *recordType) computed(e *store.Entry) (schema.Record, error) {
	method := reflect.ValueOf(s.pointer(recordOf(e))).MethodByName("Computed")
	if !method.IsValid() || s.computes == nil {
		return schema.Record{}, nil
	}
	result := reflect.New(method.Type().Out(0))
	result.Elem().Set(method.Call(nil)[0])
	b, err := s.computes.Encode(result.UnsafePointer())
	if err != nil {
		return schema.Record{}, err
	}
	return schema.ParseRecord(b)
}

// describeComputed sets the encoder of what the method Computed of a struct returns, if it has
// one.
func (s *recordType) describeComputed() error {
	members, err := schema.ComputedMembers(s.reflect)
	if err == nil && members != nil {
		method, _ := reflect.PointerTo(s.reflect).MethodByName("Computed")
		s.computes = value.EncoderOf(method.Type.Out(0), members)
	}
	return err
}

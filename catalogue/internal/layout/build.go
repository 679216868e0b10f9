package layout

import (
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// IsTagged reports whether a member of a type has a tag of this library.
func IsTagged(t reflect.Type) bool {
	members, _ := jsonmember.Of(t)
	return slices.ContainsFunc(members, func(m jsonmember.Member) bool {
		_, ok := m.Field.Tag.Lookup("backlist")
		return ok
	})
}

// New returns the layout of the records of a collection. Valid records meet a description, which is
// Options.Description unless the collection is standalone.
func New(t Table, opts Options, demands *schema.Description) (*Type, error) {
	fields := demands.Fields
	s := &builder{&Type{Table: t, Name: opts.Name, About: opts.Description}, opts, fields}
	s.Identity.Wire = cmp.Or(opts.ID, t.idName())
	if i := slices.IndexFunc(fields, func(f schema.Field) bool { return f.ID }); i >= 0 {
		s.Identity.Wire = fields[i].Name
	}
	s.Identity.Number = ordering.Snake(s.Identity.Wire)
	s.Engine = &store.Type{ID: s.Identity.Number, Default: slices.Clone(opts.Ordering), History: max(opts.History, 0)}
	if i := slices.IndexFunc(fields, func(f schema.Field) bool { return f.Key }); i >= 0 {
		s.Identity.Wire, s.Identity.Number = fields[i].Name, sequence
		s.Engine.ID, s.Engine.Key = sequence, ordering.Snake(fields[i].Name)
		if len(opts.Ordering) == 0 && !demands.Loose {
			s.Engine.Default = []ordering.Term{ordering.Asc(s.Engine.Key)}
		}
	}
	s.Engine.Field, s.Engine.FieldOf = s.engineField, s.FieldOf
	describe := s.describeStruct
	if s.Open() {
		describe = s.describeOpen
	}
	if err := describe(); err != nil {
		return nil, s.Errorf("%w: %w", ErrInvalidType, err)
	}
	if err := s.describeEvolution(); err != nil {
		return nil, s.Errorf("%w: %w", ErrInvalidType, err)
	}
	if err := s.describeUnique(); err != nil {
		return nil, s.Errorf("Options.Unique: %w", err)
	}
	if err := s.describeIndexes(); err != nil {
		return nil, s.Errorf("%w", err)
	}
	s.Engine.Default = s.Terms(s.Engine.Default)
	for _, t := range s.Engine.Default {
		if _, err := s.Field(t.Field); err != nil {
			return nil, s.Errorf("default ordering: %w", err)
		}
	}
	if s.About != nil {
		if err := s.describeShown(); err != nil {
			return nil, fmt.Errorf("catalogue: %w", s.Errorf("%w: %w", ErrInvalidType, err))
		}
	}
	s.describeFits(demands)
	return s.Type, nil
}

// describeUnique sets the sets of unique fields: those with the names, and the fields that are
// Unique. Those of one field that is text find records.
func (s *builder) describeUnique() error {
	sets := slices.Clip(s.opts.Unique)
	for _, f := range s.described {
		if set := []string{ordering.Snake(f.Name)}; f.Unique && !ContainsSet(sets, set) {
			sets = append(sets, set)
		}
	}
	for _, set := range sets {
		if len(set) == 0 {
			return fmt.Errorf("%w: a set has no fields", ErrInvalidType)
		}
		names := make([]string, len(set))
		for i, name := range set {
			f, err := s.Field(name)
			if err != nil {
				return err
			}
			if names[i] = f.Name; slices.Contains(names[:i], f.Name) {
				return fmt.Errorf("%w: field %q is repeated", ErrInvalidType, f.Name)
			}
		}
		s.Engine.Unique = append(s.Engine.Unique, names)
		if f := s.Row(set[0]); len(set) == 1 && f.Snake != s.Identity.Number && f.hasText() {
			s.Texts = append(s.Texts, f)
		}
	}
	return nil
}

// ContainsSet reports whether sets of fields contain one, with its fields in the same order.
func ContainsSet(sets [][]string, set []string) bool {
	return slices.ContainsFunc(sets, func(other []string) bool { return slices.Equal(other, set) })
}

// describeIndexes adds the indexes of Options.Indexes.
func (s *builder) describeIndexes() error {
	for _, terms := range s.opts.Indexes {
		for _, t := range terms {
			if _, err := s.Field(t.Field); err != nil {
				return fmt.Errorf("Options.Indexes: %w", err)
			}
		}
		if err := s.Engine.AddIndex(s.Terms(terms)); err != nil {
			return fmt.Errorf("%w: Options.Indexes: %w", ErrInvalidType, err)
		}
	}
	return nil
}

func (s *builder) describeStruct() error {
	if s.Loose() {
		return fmt.Errorf("the description is Loose: only open records can have any members, not %v", s.Reflect)
	}
	if s.opts.Members != nil {
		return errors.New("Options.Members are for open records: give the fields of the struct the tag backlist")
	}
	t := s.Reflect
	members, conflicts := jsonmember.Of(t)
	s.encoder = value.EncoderOf(t, members)
	s.OwnJSON = jsontext.Implements[json.Unmarshaler](t)
	if err := s.describeTable(); err != nil {
		return err
	}
	if err := checkMethods(t); err != nil {
		return err
	}
	if conflicts != nil { // encoding/json would write none of them
		return fmt.Errorf("%v has two members %q", t, conflicts[0])
	}
	if s.Engine.Key != "" {
		s.describeNumber()
		return cmp.Or(s.describeKey(), s.describeCopies())
	}
	return cmp.Or(s.describeID(), s.describeCopies())
}

// checkMethods returns an error if a record type has methods by which encoding/json does
// not write an object that it can read.
func checkMethods(t reflect.Type) error {
	marshals, unmarshals := jsontext.Implements[json.Marshaler](t), jsontext.Implements[json.Unmarshaler](t)
	switch {
	case marshals && !unmarshals:
		return fmt.Errorf("%v has the method MarshalJSON but no UnmarshalJSON that reads what it writes: give it both or neither", t)
	case !marshals && jsontext.Implements[encoding.TextMarshaler](t):
		return fmt.Errorf("%v has the method MarshalText, by which its JSON is a string: a record is an object: give it the methods MarshalJSON and UnmarshalJSON, or remove MarshalText", t)
	case !unmarshals && jsontext.Implements[encoding.TextUnmarshaler](t):
		return fmt.Errorf("%v has the method UnmarshalText, which reads only strings: a record is an object: give it the method UnmarshalJSON, or remove UnmarshalText", t)
	}
	return nil
}

// describeCopies sets how records of a struct type are copied and checked.
func (s *builder) describeCopies() error {
	t := s.Reflect
	c, writes := value.Of(t), jsontext.Writes(t)
	switch {
	case c.NoJSON != nil:
		return fmt.Errorf("%v: %w", t, c.NoJSON)
	case c.Clones:
	case c.NoCopy != nil:
		return fmt.Errorf("%v: %w: give %v the method Clone() %v, or the type of the field such a method", t, c.NoCopy, t, t)
	}
	s.Copier = c
	methods := c.Methods || s.OwnJSON
	s.trusted = !methods && !c.Cloning
	walks := !writes || c.Open // otherwise the JSON depends only on the method of T
	reloads, decodes := methods || c.Deep, methods && !c.WriteOnly
	s.check = func(r *Record) error {
		if walks {
			if err := c.Check(s.value(r)); err != nil {
				return err
			}
		}
		if reloads {
			return s.checkJSON(r, decodes)
		}
		return nil
	}
	return nil
}

// describeShown sets what follows from the description of a collection of a catalogue.
func (s *builder) describeShown() (err error) {
	for _, f := range s.described {
		s.hasTwoForms = s.hasTwoForms || f.Hidden || f.Computed
		switch {
		case s.Open():
			s.Engine.Known = append(s.Engine.Known, ordering.Snake(f.Name))
		case f.Computed:
		case s.Member(f.Name) == nil && !s.OwnJSON:
			return fmt.Errorf("the JSON of %v has no field %q: %s", s.Reflect, f.Name, Suggest(f.Name, s.members, (*Field).member))
		}
	}
	if !s.Open() {
		s.fill = filling(schema.Field{Fields: s.described}, s.Reflect)
	}
	s.computes, err = encoderOfComputed(s.Reflect)
	return err
}

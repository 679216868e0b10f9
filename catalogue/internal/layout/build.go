package layout

import (
	"cmp"
	"context"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"strconv"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/jsonmember"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// describeEvolution sets the members that loads rename or add.
func (s *builder) describeEvolution() error {
	for _, f := range s.described {
		for _, name := range f.Formerly {
			if name == s.Identity.Wire || s.Member(name) != nil {
				return fmt.Errorf("field %q: the former name %q is the name of another member", f.Name, name)
			}
		}
	}
	s.describeOmitted()
	if s.OwnJSON {
		return nil
	}
	for _, f := range s.described {
		m := s.Member(f.Name)
		if m != nil && isZero(f, m.Go.Member) {
			f.Default = ""
		}
		if f.Formerly != nil || f.Default != "" {
			s.evolving.Fields = append(s.evolving.Fields, f)
		}
		if m != nil && f.Default != "" {
			m.needed = true
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

// describeOmitted sets the fields with a default that JSON omits if they are zero, and whose zero
// value is valid.
func (s *builder) describeOmitted() {
	for _, f := range s.described {
		m := s.Member(f.Name)
		if m == nil || f.Default == "" || !m.Go.Omits() {
			continue
		}
		zero := reflect.New(m.Go.Field.Type)
		if fill := filling(f, m.Go.Field.Type); fill != nil {
			fill(zero.Elem())
		}
		r, err := schema.Record{}.With(f.Name, zero.Interface())
		if f.Rule, f.Check = nil, nil; err == nil {
			_, err = schema.Description{Fields: []schema.Field{f}}.ValidateRecord(context.Background(), r)
		}
		if err == nil {
			f.Default, _ = r.Get(f.Name)
			s.Omitted = append(s.Omitted, f)
		}
	}
}

// A builder makes a layout.
type builder struct {
	*Type
	opts      Options
	described []schema.Field // of the description
}

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
	s.Identity.Number = ordering.Snake(s.Identity.Wire)
	s.Engine = &store.Type{ID: s.Identity.Number, Default: slices.Clone(opts.Ordering), History: max(opts.History, 0)}
	if i := slices.IndexFunc(fields, func(f schema.Field) bool { return f.Key }); i >= 0 {
		s.Identity.Wire, s.Identity.Number = fields[i].Name, sequence
		s.Engine.ID, s.Engine.Key = sequence, ordering.Snake(fields[i].Name)
		if len(opts.Ordering) == 0 {
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
		unique, names := make([]store.Field, len(set)), make([]string, len(set))
		for i, name := range set {
			var err error
			if unique[i], err = s.Field(name); err != nil {
				return err
			}
			if name = unique[i].Name; slices.Contains(names[:i], name) {
				return fmt.Errorf("%w: field %q is repeated", ErrInvalidType, name)
			}
			names[i] = name
		}
		s.Unique = append(s.Unique, unique)
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

// describeOpen sets the record type of open records. They need no copies and no checks,
// because their members are immutable and valid JSON.
func (s *builder) describeOpen() error {
	if s.Identity.Wire != "id" && s.Engine.Key == "" {
		return fmt.Errorf("Options.ID is %q, but the id of an open record is named id", s.Identity.Wire)
	}
	if err := (schema.Description{Key: "members", Segment: "members", Name: "member", Fields: s.opts.Members}).Check(); err != nil && s.opts.Members != nil {
		return fmt.Errorf("Options.Members: %w", err)
	}
	if err := s.describeTable(); err != nil {
		return err
	}
	for _, d := range slices.Concat(s.opts.Members, schema.Nested(s.opts.Members)) {
		if f := s.newField(d); s.byName[f.Snake] == nil {
			s.byName[f.Snake] = f
		}
	}
	s.describeNumber()
	s.Engine.Members = openMembers
	s.describeOpenID()
	s.Copier = new(value.Copier) // the members of an open record are immutable, so a flat copy is enough
	s.check = func(r *Record) error {
		members := *Typed[schema.Record](r)
		if id := members.ID; id != 0 && s.Identity.Key != nil {
			return fmt.Errorf("ID is %d, but the record has a key", id)
		}
		members.ID = 0
		if text, ok := members.Get("id"); ok && s.Identity.Key == nil {
			return fmt.Errorf("the id is %s", text)
		}
		return s.checkNames(members)
	}
	return nil
}

// FieldOf returns the name in snake_case of a field whose name may be that in JSON. A member of open
// records whose name would be empty, or that of the id or the key, such as _id, has only its name
// in JSON.
func (s *Type) FieldOf(name string) string {
	if f := s.byName[name]; f != nil {
		return f.Snake
	}
	field := snakePath(name)
	if !s.Open() || field == "" || name != s.Identity.Wire && (field == s.Identity.Number || field == s.Engine.Key) {
		return name
	}
	return field
}

// checkNames returns an error if two members of an open record are the same field.
func (s *Type) checkNames(r schema.Record) error {
	var few [32]string // so that most records allocate nothing
	fields := few[:0]
	for name := range r.All() {
		fields = append(fields, s.FieldOf(name))
	}
	slices.Sort(fields)
	for i := 1; i < len(fields); i++ {
		if fields[i] != fields[i-1] {
			continue
		}
		var names []string
		for name := range r.All() {
			if s.FieldOf(name) == fields[i] {
				names = append(names, name)
			}
		}
		return fmt.Errorf("the name of both %q and %q is %q in snake_case: rename one", names[0], names[1], fields[i])
	}
	return nil
}

// openMembers returns the names of the members of an open record.
func openMembers(e *store.Entry) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range Typed[schema.Record](RecordOf(e)).All() {
			if !yield(name) {
				return
			}
		}
	}
}

// describeID sets the id of structs, an integer in the struct itself.
func (s *builder) describeID() error {
	m := s.Member(s.Identity.Wire)
	if m == nil {
		return fmt.Errorf("%v has no id: give an integer field the tag `json:%q` or a text field the tag `backlist:\"key\"`, or set Options.ID to the JSON name of a field", s.Reflect, s.Identity.Wire)
	}
	t, path := m.Go.Field.Type, m.at
	if t.Kind() == reflect.Pointer {
		t, path = t.Elem(), path.Elem()
	}
	if m.Go.Indirect || int(t.Kind()) >= len(integers) || integers[t.Kind()] == nil || m.decodes || jsontext.Writes(t) {
		return fmt.Errorf("%v: the id must be an integer in the struct itself, without methods for JSON or orderings, or a text with the tag key: %s is %v", s.Reflect, m.Go.Field.Name, m.Go.Field.Type)
	}
	s.plain = m.member() == "id" && !m.Go.Quoted()
	read, set := integers[t.Kind()](path)
	s.Identity.ID, s.Identity.SetID = read, set
	if m.Go.Field.Type != t {
		s.Identity.SetID = func(r *Record, id int) { // others may have the same pointer
			*(*unsafe.Pointer)(m.in(r)) = reflect.New(t).UnsafePointer()
			set(r, id)
		}
	}
	s.Identity.most = math.MaxInt
	if zero := reflect.Zero(t); zero.CanInt() {
		s.Identity.most = int(min(math.MaxInt, 1<<(t.Bits()-1)-1))
	} else if t.Bits() < strconv.IntSize {
		s.Identity.most = 1<<t.Bits() - 1
	}
	s.describeNumber()
	return nil
}

// describeNumber makes the ids of entries a field. Requests can compare them unless records have a key.
func (s *builder) describeNumber() {
	f := s.byName[s.Identity.Number]
	if f == nil || s.Open() {
		f = s.newField(schema.Field{Name: s.Identity.Number})
		f.Snake, f.Engine.Name, f.Indexed = s.Identity.Number, s.Identity.Number, true
		f.Engine.KeyOf = func(value any) (sortkey.Key, error) {
			k, err := ordering.KeyOf(value)
			if _, ok := k.AsInt(); err == nil && !ok {
				err = fmt.Errorf("want an integer, not %T", value)
			}
			return k, err
		}
		s.byName[f.Snake] = f
	}
	f.Kind, f.Engine.Kind = schema.Integer, reflect.Int
	f.JSONKey = func(e *store.Entry) sortkey.Key { return sortkey.Int(int64(e.ID)) }
	f.Engine.Key = f.JSONKey
	s.Fields = slices.DeleteFunc(s.Fields, func(other *Field) bool { return other.Snake == f.Snake })
	if f.described = s.Engine.Key == ""; f.described {
		s.Fields = append(s.Fields, f)
	}
}

// describeKey sets the key of structs, a text in the struct itself.
func (s *builder) describeKey() error {
	m := s.Member(s.Identity.Wire)
	if m == nil || m.Go.Indirect || m.Go.Field.Type.Kind() == reflect.Pointer {
		return fmt.Errorf("%v: the key %s must be a text in the struct itself", s.Reflect, s.Identity.Wire)
	}
	at := func(r *Record) reflect.Value { return reflect.NewAt(m.Go.Field.Type, m.in(r)) }
	s.Identity.text = func(r *Record) (text string) {
		if v := at(r); !v.Elem().IsZero() {
			b, _ := json.Marshal(v.Interface())
			_ = json.Unmarshal(b, &text) // it is stored, so it is the JSON of a text
		}
		return text
	}
	if t := m.Go.Field.Type; t.Kind() == reflect.String && !jsontext.Writes(t) {
		s.Identity.text = func(r *Record) string { return *(*string)(m.in(r)) }
	}
	s.Identity.setText = func(r *Record, text string) error {
		return m.decoder.Decode(at(r).Elem(), string(jsontext.AppendString(nil, text)))
	}
	s.keyBy()
	return nil
}

// describeOpenID sets the id of open records, or their key.
func (s *builder) describeOpenID() {
	s.Identity.ID = func(r *Record) int { return Typed[schema.Record](r).ID }
	s.Identity.SetID, s.Identity.most = func(r *Record, id int) { Typed[schema.Record](r).ID = id }, math.MaxInt
	if s.Engine.Key == "" {
		return
	}
	s.Identity.text = func(r *Record) (key string) {
		text, _ := Typed[schema.Record](r).Get(s.Identity.Wire)
		_ = json.Unmarshal([]byte(text), &key) // it remains empty if it is not text
		return key
	}
	s.Identity.setText = func(r *Record, text string) error {
		open := Typed[schema.Record](r)
		with, err := open.With(s.Identity.Wire, text)
		*open = with
		return err
	}
	s.keyBy()
}

// keyBy makes the key the identity. Only clients choose it if it is required of them.
func (s *builder) keyBy() {
	s.Identity.Key = s.byName[s.Engine.Key]
	if s.Identity.fresh = s.opts.NewKey; s.Identity.fresh == nil {
		s.Identity.fresh = NewUUID
	}
	if s.Identity.Key.Required && !s.Identity.Key.ReadOnly {
		s.Identity.fresh = nil
	}
	s.Identity.ID, s.Identity.SetID, s.Identity.most = func(*Record) int { return 0 }, func(*Record, int) {}, math.MaxInt
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

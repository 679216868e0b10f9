package catalogue

import (
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// A record is a record of a collection in memory. Its Go type is known only to the table of
// its type, and to the handles, which convert it by typed.
type record struct{}

// A header precedes the record in the memory of a stored record, so that the place of the
// record does not depend on its type. After it is in the store, only the encoding changes: it
// is set on first use.
type header struct {
	store.Entry
	encoding atomic.Pointer[[]byte]
}

type stored[T any] struct {
	header header
	record T
}

// newEntry returns an entry that holds a record. Its id is set when it is stored.
func newEntry[T any](record T) *store.Entry { return &(&stored[T]{record: record}).header.Entry }

func headerOf(e *store.Entry) *header { return (*header)(unsafe.Pointer(e)) } // Entry is its first field

// recordOf returns the record of an entry. It computes the address without reading the
// entry, which would be a cache miss for each record of a page. The record follows the header
// immediately: the size of a header is a multiple of the alignment of every type.
func recordOf(e *store.Entry) *record {
	return (*record)(unsafe.Add(unsafe.Pointer(e), unsafe.Sizeof(header{})))
}

// typed returns a record with its type, for which its table must be made.
func typed[T any](r *record) *T { return (*T)(unsafe.Pointer(r)) }

// untyped returns a function of records with a type as one of records without it. Both have
// the same representation: a function that takes a pointer. A closure that converts would be
// an allocation for each call, and compiled for each record type.
func untyped[T any](f func(*T) error) func(*record) error {
	return *(*func(*record) error)(unsafe.Pointer(&f))
}

// A table contains the operations on records that depend on their type T.
type table struct {
	reflect     reflect.Type
	new         func() *store.Entry                          // with a zero record
	copy        func(c *value.Copier, to, from *record)      // see copyTo
	pointer     func(r *record) any                          // the *T
	description func(key string) (schema.Description, error) // schema.DescriptionOf[T]
}

func tableOf[T any]() table {
	return table{
		reflect:     reflect.TypeOf((*T)(nil)).Elem(), // not TypeFor, which would be compiled for each T
		new:         func() *store.Entry { return &new(stored[T]).header.Entry },
		copy:        func(c *value.Copier, to, from *record) { copyTo(c, typed[T](to), typed[T](from)) },
		pointer:     func(r *record) any { return typed[T](r) },
		description: schema.DescriptionOf[T],
	}
}

// open reports whether the records are open.
func (t *table) open() bool { return t.reflect == reflect.TypeFor[schema.Record]() }

// copyTo sets *to to a copy of a record. to and from may be equal.
func copyTo[T any](c *value.Copier, to, from *T) {
	if c.Clones {
		*to = any(from).(interface{ Clone() T }).Clone() // *T has the method too; calling it avoids a copy
		return
	}
	*to = *from
	c.Unshare(unsafe.Pointer(to))
}

// copyOf returns a copy of the record of an entry, or the zero record if e is nil.
func copyOf[T any](s *layout, e *store.Entry) (record T) {
	if e != nil {
		copyTo(s.copier, &record, typed[T](recordOf(e)))
	}
	return record
}

// Options configures a collection. Package catalogue documents it.
type options struct {
	Name        string
	ID          string
	Ordering    []ordering.Term
	History     int
	Unique      [][]string
	Indexes     [][]ordering.Term
	Members     []schema.Field
	NewKey      func() string
	Description *schema.Description
	Validate    bool
	StrictLoad  bool
	Now         func() time.Time
}

// A layout is the record type of a collection: how its records are stored, identified, compared,
// read and written. It is made once for a collection, by reflection, and shared with clones.
type layout struct {
	table
	name     string
	identity identity
	fields   []*field            // those that requests can compare: the described ones, and the id
	byName   map[string]*field   // these and the others, by the name in snake_case
	texts    []*field            // unique fields that are text
	strict   []schema.Field      // the fields of the description if loads are strict
	members  []member            // members of a struct
	fill     func(reflect.Value) // makes nil lists of a struct empty; nil if it has none
	filled   int                 // number of members that are
	ownJSON  bool                // *T implements json.Unmarshaler
	trusted  bool                // loaded records need no check and no copy, because no methods are called
	engine   *store.Type
	unique   [][]store.Field // sets of fields
	copier   *value.Copier
	encoder  *value.Encoder // of a struct
	check    func(*record) error

	evolving schema.Description // the fields of which loaded records may have an older form
	omitted  []schema.Field     // those with a default that the JSON of records lacks if they are zero; Default is zero

	about       *schema.Description // nil if the collection is standalone, as is computes
	computes    *value.Encoder      // of what the method Computed returns, or nil
	hasTwoForms bool                // what is served has other members than what is stored
}

// A builder makes a layout.
type builder struct {
	*layout
	opts      options
	described []schema.Field // of the description
}

// A member is a member of a struct.
type member struct {
	jsonmember.Member
	decoder value.Decoder
	common  func(to unsafe.Pointer, text []byte) bool // see Decoder.Common; nil if the offset is not fixed
	offset  uintptr
	key     string // the name in quotes, and a colon
	strict  bool   // null in loaded data is an error
	filled  bool   // has a default if loaded data lack it
}

// isTagged reports whether a member of a type has a tag of this library.
func isTagged(t reflect.Type) bool {
	members, _ := jsonmember.Of(t)
	return slices.ContainsFunc(members, func(m jsonmember.Member) bool {
		_, ok := m.Field.Tag.Lookup("backlist")
		return ok
	})
}

// newLayout returns the layout of the records of a collection whose description has the given
// fields.
func newLayout(t table, opts options, fields []schema.Field) (*layout, error) {
	s := &builder{&layout{table: t, name: opts.Name}, opts, fields}
	s.identity.wire = cmp.Or(opts.ID, "id")
	s.identity.number = ordering.Snake(s.identity.wire)
	s.engine = &store.Type{ID: s.identity.number, Default: slices.Clone(opts.Ordering), History: max(opts.History, 0)}
	if i := slices.IndexFunc(fields, func(f schema.Field) bool { return f.Key }); i >= 0 {
		s.identity.wire, s.identity.number = fields[i].Name, sequence
		s.engine.ID, s.engine.Key = sequence, ordering.Snake(fields[i].Name)
		if len(opts.Ordering) == 0 {
			s.engine.Default = []ordering.Term{ordering.Asc(s.engine.Key)}
		}
	}
	s.engine.Field = s.engineField
	describe := s.describeStruct
	if s.open() {
		describe = s.describeOpen
	}
	if err := describe(); err != nil {
		return nil, s.errorf("%w: %w", ErrInvalidType, err)
	}
	if err := s.describeEvolution(); err != nil {
		return nil, s.errorf("%w: %w", ErrInvalidType, err)
	}
	if err := s.describeUnique(); err != nil {
		return nil, s.errorf("Options.Unique: %w", err)
	}
	s.describeTexts()
	if err := s.describeIndexes(); err != nil {
		return nil, s.errorf("%w", err)
	}
	for _, t := range s.engine.Default {
		if _, err := s.field(t.Field); err != nil {
			return nil, s.errorf("default ordering: %w", err)
		}
	}
	return s.layout, nil
}

// field returns the field with a name in snake_case.
func (s *layout) field(name string) (store.Field, error) {
	f, ok := s.engine.Field(name)
	switch {
	case !ok || name == "":
		return f, unknownField(name, s.engine.Names)
	case ordering.Snake(name) != name: // of open records, which have any field
		return f, camelField(name)
	}
	return f, nil
}

// describeUnique sets the sets of unique fields: those with the names, and the fields that are
// Unique.
func (s *builder) describeUnique() error {
	sets := slices.Clip(s.opts.Unique)
	for _, f := range s.described {
		if set := []string{ordering.Snake(f.Name)}; f.Unique && !containsSet(sets, set) {
			sets = append(sets, set)
		}
	}
	for _, set := range sets {
		if len(set) == 0 {
			return fmt.Errorf("%w: a set has no fields", ErrInvalidType)
		}
		unique := make([]store.Field, len(set))
		for i, name := range set {
			var err error
			if unique[i], err = s.field(name); err != nil {
				return err
			}
			if slices.Contains(set[:i], name) {
				return fmt.Errorf("%w: field %q is repeated", ErrInvalidType, name)
			}
		}
		s.unique = append(s.unique, unique)
		s.engine.Unique = append(s.engine.Unique, slices.Clone(set))
	}
	return nil
}

func containsSet(sets [][]string, set []string) bool {
	return slices.ContainsFunc(sets, func(other []string) bool { return slices.Equal(other, set) })
}

// describeIndexes adds the indexes of Options.Indexes.
func (s *builder) describeIndexes() error {
	for _, terms := range s.opts.Indexes {
		for _, t := range terms {
			if _, err := s.field(t.Field); err != nil {
				return fmt.Errorf("Options.Indexes: %w", err)
			}
		}
		if err := s.engine.AddIndex(terms); err != nil {
			return fmt.Errorf("%w: Options.Indexes: %w", ErrInvalidType, err)
		}
	}
	return nil
}

// describe sets what follows from the description of a collection of a catalogue. strict makes
// loads require the members that requests require.
func (s *layout) describe(about *schema.Description, strict bool) error {
	s.about, s.hasTwoForms = about, hasHiddenOrComputed(about.Fields)
	if strict {
		s.strict = about.Fields
	}
	for _, f := range about.Fields {
		m := s.member(f.Name)
		if m != nil {
			m.strict = strict && !f.Nullable
		}
		switch {
		case s.open():
			s.engine.Known = append(s.engine.Known, ordering.Snake(f.Name))
		case f.Computed:
		case m == nil && !s.ownJSON:
			return fmt.Errorf("the JSON of %v has no field %q: %s", s.reflect, f.Name, suggest(f.Name, s.members, func(m member) string { return m.Name }))
		}
	}
	if !s.open() {
		s.fill = filling(schema.Field{Fields: about.Fields}, s.reflect)
	}
	return s.describeComputed()
}

// ranges returns the ranges of keys that satisfy a condition.
func (s *layout) ranges(c ordering.Condition) ([]ordering.Range, error) {
	f, ok := s.engine.Field(c.Field())
	if !ok && c.Field() != "" { // Ranges returns the error of an empty name
		return nil, unknownField(c.Field(), s.engine.Names)
	}
	return c.Ranges(f.KeyOf)
}

// camelField returns the error for a field of open records that is not in snake_case.
func camelField(name string) error {
	return fmt.Errorf("%w: %q: names are in snake_case: did you mean %s?", ordering.ErrUnknownField, name, ordering.Snake(name))
}

func unknownField(name string, known []string) error {
	return fmt.Errorf("%w: %q: %s", ordering.ErrUnknownField, name, ordering.Suggest(name, known))
}

// member returns the member with a name, or nil.
func (s *layout) member(name string) *member {
	if i := slices.IndexFunc(s.members, func(m member) bool { return m.Name == name }); i >= 0 {
		return &s.members[i]
	}
	return nil
}

// value returns the record as an addressable value of its type.
func (s *table) value(r *record) reflect.Value { return reflect.ValueOf(s.pointer(r)).Elem() }

func (s *builder) describeStruct() error {
	if s.opts.Members != nil {
		return errors.New("Options.Members are for open records: give the fields of the struct the tag backlist")
	}
	t := s.reflect
	members, conflicts := jsonmember.Of(t)
	s.encoder = value.EncoderOf(t, members)
	for _, m := range members {
		d := member{Member: m, decoder: value.DecoderOf(m.Field.Type), key: `"` + m.Name + `":`}
		if !m.Indirect {
			d.common, d.offset = d.decoder.Common, offsetsOf(t, m.Field.Index)[0]
		}
		s.members = append(s.members, d)
	}
	s.ownJSON = jsontext.Implements[json.Unmarshaler](t)
	if err := s.describeTable(); err != nil {
		return err
	}
	if err := checkMethods(t); err != nil {
		return err
	}
	if conflicts != nil { // encoding/json would write none of them
		return fmt.Errorf("%v has two members %q", t, conflicts[0])
	}
	if s.engine.Key != "" {
		s.describeNumber()
		return cmp.Or(s.describeKey(s.newKey()), s.describeCopies())
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
	t := s.reflect
	c, writes := value.Of(t), jsontext.Writes(t)
	switch {
	case errors.Is(c.NoJSON, value.ErrStringOption) && !writes:
		return fmt.Errorf("%v: %w", t, c.NoJSON)
	case c.Clones:
	case c.NoJSON != nil:
		return fmt.Errorf("%v: %w: give the type of the field a method MarshalJSON, or the field the tag `json:\"-\"`", t, c.NoJSON)
	case c.NoCopy != nil:
		return fmt.Errorf("%v: %w: give %v the method Clone() %v, or the type of the field such a method", t, c.NoCopy, t, t)
	}
	s.copier = c
	methods := c.Methods || s.ownJSON
	s.trusted = !methods && !c.Cloning
	walks := !writes || c.Open // otherwise the JSON depends only on the method of T
	reloads, decodes := methods || c.Deep || c.NoJSON != nil, methods && !c.WriteOnly
	s.check = func(r *record) error {
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

// copied returns a fresh entry with a copy of the record of another one.
func (s *layout) copied(e *store.Entry) *store.Entry {
	fresh := s.new()
	s.copy(s.copier, recordOf(fresh), recordOf(e))
	return fresh
}

// encode returns the JSON of a record that passes its check, without white space, and without
// escaping <, > and &.
func (s *layout) encode(r *record) ([]byte, error) {
	if s.open() {
		return typed[schema.Record](r).MarshalJSON()
	}
	return s.encoder.Encode(unsafe.Pointer(r))
}

// errorf returns an error that begins with the name of the collection.
func (s *layout) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: "+format, append([]any{s.title()}, args...)...)
}

// invalid returns the error of an entry whose record is not valid.
func (s *layout) invalid(e *store.Entry, err error) error {
	return s.errorf("%w: %s: %w", ErrInvalid, s.identity.name(e), err)
}

// parse parses the JSON of a record.
func (s *layout) parse(text []byte) (schema.Record, error) {
	if s.identity.key != nil {
		return schema.ParseKeyed(text)
	}
	return schema.ParseRecord(text)
}

// title returns the prefix of the collection's errors.
func (s *layout) title() string { return cmp.Or(s.name, "collection") }

// named adds the name of the collection to an error of the store. It returns nil if err
// is nil.
func (s *layout) named(err error) error {
	if err == nil {
		return nil
	}
	return s.errorf("%w", err)
}

// describeOpen sets the record type of open records. They need no copies and no checks,
// because their members are immutable and valid JSON.
func (s *builder) describeOpen() error {
	if s.identity.wire != "id" && s.engine.Key == "" {
		return fmt.Errorf("Options.ID is %q, but the id of an open record is named id", s.identity.wire)
	}
	if err := (schema.Description{Key: "members", Segment: "members", Name: "member", Fields: s.opts.Members}).Check(); err != nil && s.opts.Members != nil {
		return fmt.Errorf("Options.Members: %w", err)
	}
	if err := s.describeTable(); err != nil {
		return err
	}
	for _, d := range slices.Concat(s.opts.Members, schema.Nested(s.opts.Members)) {
		if f := s.newField(d); s.byName[f.name] == nil {
			s.byName[f.name] = f
		}
	}
	s.describeNumber()
	s.engine.Members = openMembers
	s.describeOpenID(s.newKey())
	s.copier = new(value.Copier) // the members of an open record are immutable, so a flat copy is enough
	s.check = func(r *record) error {
		members := *typed[schema.Record](r)
		if id := members.ID; id != 0 && s.identity.key != nil {
			return fmt.Errorf("ID is %d, but the record has a key", id)
		}
		members.ID = 0
		if text, ok := members.Get("id"); ok && s.identity.key == nil {
			return fmt.Errorf("the id is %s", text)
		}
		return nil
	}
	return nil
}

// openMembers returns the names of the members of an open record.
func openMembers(e *store.Entry) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range typed[schema.Record](recordOf(e)).All() {
			if !yield(name) {
				return
			}
		}
	}
}

// checkJSON returns an error if a record, which has its id, cannot be loaded from its JSON,
// which is parsed and, if decode is set, decoded.
func (s *layout) checkJSON(r *record, decode bool) error {
	read := recordOf(s.new())
	text, err := s.encode(r)
	if err == nil {
		err = s.reload(read, text, decode)
	}
	switch {
	case err != nil && s.ownJSON: // only the method knows which member is at fault
		return err
	case err != nil:
		return s.blame(r, err, decode)
	case decode && s.identity.id(read) != s.identity.id(r):
		return errors.New("its JSON is loaded with another id")
	}
	return nil
}

func (s *layout) reload(to *record, text []byte, decode bool) error {
	members, err := s.parse(text)
	if err == nil && decode {
		err = s.set(to, members, false)
	}
	return err
}

// blame returns an error for the first field whose JSON alone cannot be loaded. If there
// is none, it returns err.
func (s *layout) blame(r *record, err error, decode bool) error {
	for _, m := range s.members {
		v, nilPointer := s.value(r).FieldByIndexErr(m.Field.Index)
		if nilPointer != nil {
			continue
		}
		text, bad := json.Marshal(map[string]any{m.Name: v.Addr().Interface()})
		if bad == nil {
			bad = s.reload(recordOf(s.new()), text, decode)
		}
		if bad != nil {
			return fmt.Errorf("field %s: %w", m.Name, bad)
		}
	}
	return err
}

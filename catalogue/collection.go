package catalogue

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"time"

	"github.com/gobacklist/backlist/catalogue/internal/jsontext"
	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/pagination"
)

// Options configures a [Collection]. With the zero value a collection has no name and
// no history, its id is the field id, and its default order is by id.
type Options struct {
	// Name is the prefix of the collection's errors. If empty, the prefix is
	// "collection".
	Name string

	// ID is the JSON name of the integer field that holds the id. If empty, it is "id".
	ID string

	// Ordering is the default order. If empty, records are in the order of their ids.
	// Open records are sorted by id until one has a member named in Ordering.
	Ordering []ordering.Term

	// History is the number of changes that are kept for [Collection.Since] and
	// [Collection.Changes]. The oldest are dropped first. If zero or negative, none
	// are kept. Each change keeps the record before and after it in memory. Consecutive
	// changes of a record share the one in between.
	History int

	// Unique are sets of fields, in snake_case, of which no two records can have the same
	// values: {{"slug"}, {"parent", "name"}} permits each slug once, and each name once for
	// each parent. A null equals nothing, but two empty strings are equal. A write that would
	// break this returns [ErrDuplicate]. Each set always has an index. Open records have these
	// fields even if no record has such a member.
	Unique [][]string

	// Indexes are orders that always have an index, so that the first query is as fast as
	// the others. Without it, queries build the indexes that they need. An index answers
	// queries with conditions on its first fields in the order of the others: write the
	// fields with conditions first and then the order. For Equal("status", …) in the order of
	// created, declare status,created; it serves -created too. An index takes some memory, and
	// the time to update it at each write. Open records have these fields even if no
	// record has such a member. It is an error to declare an index without terms, by id or
	// twice, and one in two directions, as status,-created, unless it ends with id.
	Indexes [][]ordering.Term

	// Members are members of open records of which only the order is known: their Name, and their
	// Kind, such as [schema.Decimal] for prices such as "12.00", or Fold. Those of Fields of the
	// Description take precedence. Structs have the tag backlist instead.
	Members []schema.Field

	// NewKey returns the key of a record that is written without one. It is called by a writer
	// before the record is visible, and must not write to the collection. Writers of a clone may
	// call it at the same time. If the key is empty or the field cannot hold it, the error of the
	// write wraps [ErrInvalidID]. If another record has it, NewKey is called again, at most 100
	// times; then the error wraps [ErrExists]. If NewKey is nil, the key is a random UUID, version
	// 4. NewKey has no effect if records have an id or a key that only clients choose; see the
	// tag key of [schema.DescriptionOf].
	NewKey func() string

	// Description describes the collection of a catalogue for servers and for posts. A
	// standalone collection ignores it. [schema.DescriptionOf] supplies the members that are
	// zero, or all if it is nil.
	Description *schema.Description

	// Validate makes all writes of the program and loads validate records as requests are: the
	// kinds, lengths, bounds, patterns and rules of the description. A standalone collection has
	// that of [schema.DescriptionOf]. As for requests, text is trimmed, absent members have
	// their defaults, and rules may change the record: the result is stored, and the key in it
	// is that of the record. A load stores what it reads: it only checks. The error wraps
	// [ErrInvalid] and [schema.FieldErrors]; that of a load is a [*RecordError]. Read-only
	// members keep their values. References are not checked, because the record can be part of
	// the same batch or load. Unique values are compared last. The context of rules is
	// [context.Background]. In a batch they are called for each write; other writers wait for
	// them, except during loads. They must not write to the collection.
	Validate bool

	// StrictLoad requires that loaded records have all members that the description
	// requires, and null only in those that are Nullable. Without it, members may be
	// missing. A standalone collection ignores it.
	StrictLoad bool

	// Now returns the time for fields that are [schema.Field].Created. If nil, it is
	// [time.Now].
	Now func() time.Time
}

// A Collection holds records of type T and returns them by id or in any order of
// their fields. T is [schema.Record] or a struct with an integer field for the id. Records without
// one can have a key of text instead; see [Collection.By].
// [NewCollection] lists the requirements. The zero Collection is invalid: its methods
// panic.
//
// A Collection is safe for concurrent use. Each read sees one state: every write that
// returned before the read began, and no write that begins after it. A read never waits for a
// writer's work. It takes a lock for microseconds, never while your functions run. Writers of
// one collection take turns. The writes of one batch become visible together or, after an
// error or a panic, not at all.
//
// Records are copied on the way in and out. Only a [View] exposes stored records;
// they must not be modified.
type Collection[T any] struct{ core *core }

// NewCollection returns an empty collection that belongs to no catalogue.
//
// T must be [schema.Record] or a struct with an integer field for the id, of any size, or a text
// field with the tag key. Open records have a key if a field of Options.Description is the Key. The
// id must be a field of T or of a struct embedded by value. Every field must have a
// type that package encoding/json can marshal, unless its tag is "-", and that can be copied:
//
//   - booleans, numbers, strings, [time.Time] and [encoding/json.RawMessage]
//   - structs, pointers, slices, arrays and maps of these types
//   - any, for numbers, booleans, strings, []any and map[string]any; other values are
//     rejected when they are written. A number that is loaded or posted is a float64 if
//     encoding/json writes that with the same digits, and otherwise, as for 1.0 and
//     9007199254740993, an [encoding/json.Number], so that no digit is lost
//   - types with a method Clone that returns a copy, of the same type as its receiver:
//     func (t Type) Clone() Type
//
// The JSON of a record is what encoding/json writes without HTML escapes, with two exceptions,
// which are as Django REST framework writes them. A float has a point or an exponent: 7.0, 1e+16,
// 1e-05. The fraction of a time.Time has six digits, or nine if there are nanoseconds, or is
// absent if it is zero. Neither exception applies to the output of methods of a type or to values
// of the type any.
//
// A struct with unexported fields that contain references, such as [math/big.Int] and
// [net/netip.Addr], must be part of a type with such a method. The option string of a json
// tag is not supported. Fields that are not in the JSON are copied too. If T has a method
// MarshalJSON, it must have UnmarshalJSON too. Its JSON must be an object, so T cannot have
// MarshalText or UnmarshalText without the corresponding method for JSON.
//
// Some words of the tag backlist have an effect. The field with key identifies the records in
// place of an id; [schema.DescriptionOf] describes it. A field with unique is added to
// Options.Unique. All other words but those of the order, which follow, are for requests. They
// have no effect in a standalone collection unless Options.Validate is set, but must be valid
// too; [schema.DescriptionOf] lists them.
//
// A field has one order. Orderings, conditions, filters, unique sets, keys and references compare
// by it, so that two values which it calls equal are equal everywhere. A type with a method
// OrderingKey decides it, as [ordering.FieldsOf] specifies. Otherwise text with the tag decimal
// compares as a number, and text with the tag fold without regard to case. Times compare by the
// microsecond, as those in requests do, even if the program stores nanoseconds. A reference by a
// text or a key compares as the field to which it refers.
//
// The error wraps [ErrInvalidType] and names the field if T does not meet these requirements, or
// if a set in Options.Unique has no fields or one twice. It wraps [ordering.ErrUnknownField] if T
// is a struct and Options.Ordering, Options.Unique or Options.Indexes names no field of it, and
// if T is schema.Record and one of them has a name that is not in snake_case. NewCollection
// inspects T by reflection once; the methods of the collection do not repeat that work.
//
// A record that Insert accepts can be saved and loaded, with one exception: if the type of a
// field has a method that marshals its JSON but none that unmarshals it, Insert checks only
// that the JSON is valid. Insert rejects a [time.Time] whose zone has seconds, such as Paris
// before 1911: JSON has no such offsets, so it would be another instant.
func NewCollection[T any](opts Options) (*Collection[T], error) {
	c, err := newCore(tableOf[T](), options(opts), &errorsOf)
	if err != nil {
		return nil, err
	}
	return &Collection[T]{c}, nil
}

// Clone returns an independent copy of the current state of the collection. The clone
// continues its revisions and its history. A write to one of the two does not affect
// the other. Both refer to the same records in memory until one of them replaces or
// deletes them. The clone of a read-only collection can be written to.
// O(orderings in use).
func (c *Collection[T]) Clone() *Collection[T] {
	return &Collection[T]{c.core.clone()}
}

// Count returns the number of records. O(1).
func (c *Collection[T]) Count() int { return c.core.store.Len() }

// Revision returns the number of writes that led to the current state. A batch counts as one
// write, or as none if it changes nothing. A new collection starts at 0 and a clone at the
// revision of its original. Revisions are not saved. O(1).
func (c *Collection[T]) Revision() uint64 { return c.core.store.Revision() }

// Has reports whether there is a record with the given id. O(log n).
func (c *Collection[T]) Has(id int) bool {
	_, err := c.core.typ.find(c.core.store, id)
	return err == nil
}

// Get returns a copy of the record with the given id. The error wraps [ErrNotFound] if
// none exists. O(log n).
func (c *Collection[T]) Get(id int) (T, error) {
	return copied[T](c.core.typ, c.core.store, id)
}

// Page returns copies of the records in a window, in the order of terms, and the number
// of all records. Without terms, records are in the default order. A window past the end
// has no records, and the zero Window has all. The error wraps [ordering.ErrUnknownField]
// if a term names an unknown field. O(log n + limit) at any offset, after the first use of
// the ordering. To restrict the records, use [Collection.Where].
func (c *Collection[T]) Page(w pagination.Window, terms ...ordering.Term) (Page[T], error) {
	return c.Where().Page(w, terms...)
}

// All returns an iterator over copies of all records in the default order. It yields the
// state at the time of the call; later writes do not affect it. O(1) for each record. For
// another order, use [Selection.All].
func (c *Collection[T]) All() iter.Seq[T] {
	all, _ := c.Where().All() // without terms there is no error
	return all
}

// copied returns a copy of the record with an id. The error wraps [ErrNotFound] if none exists.
func copied[T any](s *recordType, from getter, id int) (record T, err error) {
	e, err := s.find(from, id)
	return copyOf[T](s.layout, e), err
}

// Check returns an error that describes the first violated invariant of the collection, or
// nil. It is for tests. Each index must contain each record once, in order, and at its key
// and position. The stored JSON must match the records. Ids, lengths and the names of members
// must be as counted. The history must be in order and lead to the current records.
// O(orderings in use × n log n + history × log n).
func (c *Collection[T]) Check() error { return c.core.check() }

// A core is a collection without the type of its records. [Collection] and [AnyCollection]
// are handles of it.
type core struct {
	typ    *recordType
	store  *store.Store
	set    *set          // if it is standalone, one without keys
	handle any           // the *Collection[T]; nil if it is standalone
	refers schema.Checks // the functions that find what records refer to, made once
}

// A recordType is what the collections of one definition have in common: a collection, its
// snapshots and its clones.
type recordType struct {
	*layout
	handle    func(*core) any     // returns a new *Collection[T]
	demands   *schema.Description // what valid records meet; nil if the type has no description
	validates bool                // Options.Validate is set
	judged    bool                // an update is validated together with the record that it changes
	targets   []*field            // fields to which others refer By their texts
	now       func() time.Time
}

// newCore returns a standalone collection.
func newCore(t table, opts options, errors *errorTypes) (*core, error) {
	about, invalid := t.description(opts.Name)
	if invalid == nil {
		fields := schema.Description{Key: "fields", Segment: "fields", Name: "fields", Fields: about.Fields, Lookup: about.Lookup}
		invalid = fields.Check()
	}
	if invalid != nil && (opts.Validate || isTagged(t.reflect)) { // other types need no description
		return nil, (&layout{name: opts.Name}).errorf("%w: %w", ErrInvalidType, invalid)
	}
	l, err := newLayout(t, opts, about.Fields)
	if err != nil {
		return nil, err
	}
	s := &recordType{layout: l, validates: opts.Validate, now: opts.Now}
	if invalid == nil {
		s.demands = &about
	}
	return newStandalone(s, store.New(s.engine), errors), nil
}

func newStandalone(s *recordType, engine *store.Store, errors *errorTypes) *core {
	c := &core{typ: s, store: engine}
	c.set = &set{all: []*core{c}, errors: errors}
	return c
}

// clone returns a standalone copy of the collection.
func (c *core) clone() *core {
	return newStandalone(c.typ, store.Clone(c.store)[0], c.set.errors)
}

// newMember returns a collection of a catalogue with its handle.
func newMember(c *set, s *recordType, engine *store.Store) *core {
	m := &core{typ: s, store: engine, set: c}
	m.handle = s.handle(m)
	m.refers = schema.Checks{Exists: c.exists, Find: c.find}
	return m
}

// key returns the key of a collection of a catalogue.
func (c *core) key() string { return c.typ.about.Key }

// writable returns an error if the collection is read-only.
func (c *core) writable() error {
	if c.set.readOnly {
		return c.typ.errorf("%w: it belongs to a snapshot", ErrReadOnly)
	}
	return nil
}

// errCorrupt is wrapped by the errors of Check, which are bugs of this package.
var errCorrupt = errors.New("corrupt")

func (c *core) check() error { return c.typ.checkState(c.store.Current(), c.store.Check()) }

// checkState checks the records of a state. err is the result of the store's check.
func (s *recordType) checkState(state *store.State, err error) error {
	if err != nil {
		return s.errorf("%w: %w", errCorrupt, err)
	}
	for _, e := range state.Entries() {
		if err := s.checkEntry(e); err != nil {
			return s.errorf("%w: id %d: %w", errCorrupt, e.ID, err)
		}
	}
	return nil
}

// checkEntry returns an error unless an entry has the id and the JSON of its record.
func (s *layout) checkEntry(e *store.Entry) error {
	if id := s.identity.id(recordOf(e)); id != e.ID && s.identity.key == nil {
		return fmt.Errorf("the record has the id %d", id)
	}
	kept := headerOf(e).encoding.Load()
	if kept == nil {
		return nil
	}
	fresh, err := s.encode(recordOf(e))
	if err == nil && s.hasTwoForms {
		fresh, err = s.served(e, fresh)
	}
	if err != nil || !bytes.Equal(fresh, *kept) {
		return fmt.Errorf("the stored JSON is %s, want %s (%v)", *kept, fresh, err)
	}
	return nil
}

// encoded returns the JSON of an entry as it is served. Concurrent first calls may each make it;
// the results are equal.
func (s *layout) encoded(e *store.Entry) ([]byte, error) {
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
func (s *layout) stored(e *store.Entry) ([]byte, error) {
	if b := headerOf(e).encoding.Load(); b != nil && !s.hasTwoForms {
		return *b, nil
	}
	b, err := s.encode(recordOf(e))
	if err != nil {
		return nil, s.invalid(e, err)
	}
	return b, nil
}

// hasHiddenOrComputed reports whether a record is served in another form than it is stored.
func hasHiddenOrComputed(fields []schema.Field) bool {
	return slices.ContainsFunc(fields, func(f schema.Field) bool { return f.Hidden || f.Computed })
}

// served returns the JSON of an entry as it is served: the members of what is stored that are not
// hidden, and the computed ones, in the order of the description.
func (s *layout) served(e *store.Entry, stored []byte) ([]byte, error) {
	members, err := s.parse(stored)
	if err != nil {
		return nil, s.invalid(e, err)
	}
	computed, err := s.computed(e)
	if err != nil {
		return nil, s.invalid(e, err)
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
func (s *layout) computed(e *store.Entry) (schema.Record, error) {
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

// describeComputed sets the encoder of the result of a struct's method Computed, if it has one.
func (s *layout) describeComputed() error {
	members, err := schema.ComputedMembers(s.reflect)
	if err == nil && members != nil {
		method, _ := reflect.PointerTo(s.reflect).MethodByName("Computed")
		s.computes = value.EncoderOf(method.Type.Out(0), members)
	}
	return err
}

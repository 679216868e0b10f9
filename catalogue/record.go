package catalogue

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"math"
	"reflect"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/internal/value"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/jsonmember"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A recordType is what a collection knows of its record type. It is made once for a
// collection, by reflection.
type recordType[T any] struct {
	name      string
	idWire    string              // name of the id in JSON
	idName    string              // name of the id in an ordering
	fields    []string            // names of the fields of a struct; nil for open records
	strict    []schema.Field      // the fields of the description if loads are strict
	members   []jsonmember.Member // members of a struct
	lists     []jsonmember.Member // those that are never nil
	anyMember bool                // the members are not known, so SkipUnknown has no effect
	ownJSON   bool                // T implements json.Unmarshaler
	layout    *layout             // nil if only decode can read a record
	history   int                 // number of changes to keep
	unique    []store.Field

	id     func(*T) int
	setID  func(*T, int)
	clone  func(*T) T
	check  func(*T) error
	encode func(*T) ([]byte, error)
	with   func(old *T, members schema.Record) (T, error) // see setMembers
	ranges func(ordering.Condition) ([]ordering.Range, error)
}

// newRecordType returns what a collection knows of T and what its store does.
func newRecordType[T any](opts Options) (*recordType[T], *store.Type, error) {
	s := &recordType[T]{name: opts.Name, idWire: cmp.Or(opts.ID, "id"), history: max(opts.History, 0)}
	s.idName = ordering.Snake(s.idWire)
	engine := &store.Type{ID: s.idName, Default: slices.Clone(opts.Ordering), History: s.history}
	if open, ok := any(s).(*recordType[schema.Record]); ok {
		if s.idWire != "id" {
			return nil, nil, s.errorf("%w: Options.ID is %q, but the id of an open record is named id", ErrInvalidType, opts.ID)
		}
		if err := describeOpen(open, engine, opts.Keys); err != nil {
			return nil, nil, s.errorf("%w: %w", ErrInvalidType, err)
		}
	} else if err := describeStruct(s, engine, opts); err != nil {
		return nil, nil, s.errorf("%w: %w", ErrInvalidType, err)
	}
	if err := s.named(s.describeUnique(engine, opts.Unique)); err != nil {
		return nil, nil, err
	}
	if err := s.named(declareIndexes(engine, opts.Indexes)); err != nil {
		return nil, nil, err
	}
	for _, t := range engine.Default {
		if _, err := fieldNamed(engine, t.Field); err != nil {
			return nil, nil, s.errorf("default ordering: %w", err)
		}
	}
	return s, engine, nil
}

// fieldNamed returns the field with a name in snake_case.
func fieldNamed(engine *store.Type, name string) (store.Field, error) {
	f, ok := engine.Field(name)
	switch {
	case !ok || name == "":
		return f, unknownField(name, engine.Names)
	case ordering.Snake(name) != name: // of open records, which have any field
		return f, camelField(name)
	}
	return f, nil
}

// describeUnique sets the unique fields.
func (s *recordType[T]) describeUnique(engine *store.Type, names []string) error {
	for _, name := range names {
		f, err := fieldNamed(engine, name)
		if err != nil {
			return fmt.Errorf("Options.Unique: %w", err)
		}
		s.unique = append(s.unique, f)
	}
	engine.Unique = slices.Clone(names)
	return nil
}

// declareIndexes adds the indexes of Options.Indexes.
func declareIndexes(engine *store.Type, indexes [][]ordering.Term) error {
	for _, terms := range indexes {
		for _, t := range terms {
			if _, err := fieldNamed(engine, t.Field); err != nil {
				return fmt.Errorf("Options.Indexes: %w", err)
			}
		}
		if err := engine.AddIndex(terms); err != nil {
			return fmt.Errorf("%w: Options.Indexes: %w", ErrInvalidType, err)
		}
	}
	return nil
}

// camelField returns the error for a field of open records that is not in snake_case.
func camelField(name string) error {
	return fmt.Errorf("%w: %q: names are in snake_case: did you mean %s?", ordering.ErrUnknownField, name, ordering.Snake(name))
}

func unknownField(name string, known []string) error {
	return fmt.Errorf("%w: %q: %s", ordering.ErrUnknownField, name, ordering.Suggest(name, known))
}

func describeStruct[T any](s *recordType[T], engine *store.Type, opts Options) error {
	fields, err := ordering.FieldsOf[T](opts.Keys...)
	if err != nil {
		if _, without := ordering.FieldsOf[T](); without == nil {
			return fmt.Errorf("Options.Keys: %w", err)
		}
		return err
	}
	t := reflect.TypeFor[T]()
	if err := checkMethods(t); err != nil {
		return err
	}
	var conflicts []string
	if s.members, conflicts = jsonmember.Of(t); conflicts != nil { // encoding/json would write none of them
		return fmt.Errorf("%v has two members %q", t, conflicts[0])
	}
	byName := map[string]store.Field{}
	for _, m := range s.members {
		f, _ := fields.Lookup(ordering.Snake(m.Name))
		byName[f.Name] = store.Field{Name: f.Name, Kind: f.Kind, KeyOf: f.KeyOf,
			Key: func(e *store.Entry) sortkey.Key { return f.Key(recordOf[T](e)) }}
	}
	s.ranges = func(c ordering.Condition) ([]ordering.Range, error) {
		f, ok := fields.Lookup(c.Field())
		if !ok && c.Field() != "" { // Ranges returns the error of an empty name
			return nil, unknownField(c.Field(), s.fields)
		}
		return c.Ranges(f.KeyOf)
	}
	s.fields = fields.Names()
	engine.Names = s.fields
	engine.Field = func(name string) (store.Field, bool) {
		f, ok := byName[name]
		return f, ok
	}
	i := slices.IndexFunc(s.members, func(m jsonmember.Member) bool { return m.Name == s.idWire })
	if i < 0 {
		return fmt.Errorf("%v has no id: give an int field the tag `json:%q`; only a standalone collection can have an Options.ID", t, s.idWire)
	}
	id := s.members[i].Field
	if id.Type.Kind() != reflect.Int || byName[s.idName].Kind != reflect.Int {
		return fmt.Errorf("%v: the id must be an int in the struct itself, without a function in Options.Keys for it or its type: %s is %v", t, id.Name, id.Type)
	}
	at := value.OffsetOf(t, id.Index)
	s.id = func(r *T) int { return *intAt(r, at) }
	s.setID = func(r *T, n int) { *intAt(r, at) = n }
	s.encode = encodeJSON[T]
	if err := describeCopies(s); err != nil {
		return err
	}
	s.with = setMembers(s.clone, s.members)
	if _, s.ownJSON = any((*T)(nil)).(json.Unmarshaler); s.ownJSON {
		s.with = s.setByMethod
	}
	s.anyMember = value.ReadsJSON(t)
	s.layout = layoutOf[T](s.members)
	return nil
}

// intAt returns a pointer to the int at an offset in a record.
func intAt[T any](record *T, offset uintptr) *int {
	return (*int)(unsafe.Add(unsafe.Pointer(record), offset))
}

// checkMethods returns an error if a record type has methods by which encoding/json does
// not write an object that it can read.
func checkMethods(t reflect.Type) error {
	marshals, unmarshals := value.PointsTo[json.Marshaler](t), value.PointsTo[json.Unmarshaler](t)
	switch {
	case marshals && !unmarshals:
		return fmt.Errorf("%v has the method MarshalJSON but no UnmarshalJSON that reads what it writes: give it both or neither", t)
	case !marshals && value.PointsTo[encoding.TextMarshaler](t):
		return fmt.Errorf("%v has the method MarshalText, by which its JSON is a string: a record is an object: give it the methods MarshalJSON and UnmarshalJSON, or remove MarshalText", t)
	case !unmarshals && value.PointsTo[encoding.TextUnmarshaler](t):
		return fmt.Errorf("%v has the method UnmarshalText, which reads only strings: a record is an object: give it the method UnmarshalJSON, or remove UnmarshalText", t)
	}
	return nil
}

// describeCopies sets the functions that copy and check records of a struct type.
func describeCopies[T any](s *recordType[T]) error {
	t := reflect.TypeFor[T]()
	c, writes := value.Of(t), value.WritesJSON(t)
	switch {
	case errors.Is(c.NoJSON, value.ErrStringOption) && !writes:
		return fmt.Errorf("%v: %w", t, c.NoJSON)
	case c.Clones:
	case c.NoJSON != nil:
		return fmt.Errorf("%v: %w: give the type of the field a method MarshalJSON, or the field the tag `json:\"-\"`", t, c.NoJSON)
	case c.NoCopy != nil:
		return fmt.Errorf("%v: %w: give %v the method Clone() %v, or the type of the field such a method", t, c.NoCopy, t, t)
	}
	s.clone = func(r *T) T { return value.Copy(c, r) }
	if c.Clones {
		s.clone = func(r *T) T { return any(r).(interface{ Clone() T }).Clone() } // *T has the method too; calling it avoids a copy
	}
	s.check = func(r *T) error { return c.Check(reflect.ValueOf(r).Elem()) }
	methods := c.Methods || writes || value.ReadsJSON(t)
	if !methods && !c.Deep && c.NoJSON == nil {
		return nil
	}
	reload := reloader[T]{s, methods && !c.WriteOnly, writes || value.ReadsJSON(t)}
	s.check = func(r *T) error {
		if !writes || c.Open { // otherwise the JSON depends only on the method of T
			if err := c.Check(reflect.ValueOf(r).Elem()); err != nil {
				return err
			}
		}
		return reload.check(r)
	}
	return nil
}

// encodeJSON returns the JSON of a record, without white space, and without escaping <, >
// and &.
func encodeJSON[T any](record *T) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(record); err != nil {
		return nil, err
	}
	return bytes.Clone(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// names returns a copy of the names of the fields of a state.
func (s *recordType[T]) names(state *store.State) []string {
	if s.fields != nil {
		return slices.Clone(s.fields)
	}
	return state.Names()
}

// errorf returns an error that begins with the name of the collection.
func (s *recordType[T]) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: "+format, append([]any{s.title()}, args...)...)
}

// title returns the prefix of the collection's errors.
func (s *recordType[T]) title() string { return cmp.Or(s.name, "collection") }

// named adds the name of the collection to an error of the store. It returns nil if err
// is nil.
func (s *recordType[T]) named(err error) error {
	if err == nil {
		return nil
	}
	return s.errorf("%w", err)
}

// stored is an entry with its record. After it is in the store, only the encoding
// changes: it is set on first use.
type stored[T any] struct {
	store.Entry
	encoding atomic.Pointer[[]byte]
	record   T
}

// newEntry returns an entry that holds record.
func newEntry[T any](id int, record T) *store.Entry {
	s := &stored[T]{record: record}
	s.ID = id
	return &s.Entry
}

func storedOf[T any](e *store.Entry) *stored[T] { return (*stored[T])(unsafe.Pointer(e)) }

// recordOf returns the record of an entry, which must have type T. It computes the
// address without reading the entry, which would be a cache miss for each record of a
// page.
func recordOf[T any](e *store.Entry) *T {
	return (*T)(unsafe.Add(unsafe.Pointer(e), unsafe.Offsetof(stored[T]{}.record)))
}

// encoded returns the JSON of an entry. Concurrent first calls may each make it; the
// results are equal.
func (s *recordType[T]) encoded(e *store.Entry) ([]byte, error) {
	kept := &storedOf[T](e).encoding
	if b := kept.Load(); b != nil {
		return *b, nil
	}
	b, err := s.encode(recordOf[T](e))
	if err != nil {
		return nil, s.errorf("%w: id %d: %w", ErrInvalid, e.ID, err)
	}
	kept.Store(&b)
	return b, nil
}

// describeOpen sets the record type of open records. They need no copies and no checks,
// because their members are immutable and valid JSON.
func describeOpen(s *recordType[schema.Record], engine *store.Type, keys []ordering.KeyFunc) error {
	texts := map[string]func(string) sortkey.Key{}
	for i, k := range keys {
		name, key, ok := k.ForText()
		switch {
		case !ok || name == "id":
			return fmt.Errorf("function %d of Options.Keys: want an ordering.FieldKey that takes a string, for another field than id", i)
		case ordering.Snake(name) != name:
			return fmt.Errorf("function %d of Options.Keys: %w", i, camelField(name))
		}
		texts[name] = key
	}
	entries, err := ordering.FieldsOf[store.Entry]()
	if err != nil {
		return err
	}
	id, _ := entries.Lookup("id")
	engine.Field = func(name string) (store.Field, bool) {
		if name == id.Name {
			return id, true
		}
		return openField(name, texts[name]), true
	}
	engine.Members = openMembers
	s.ranges = func(c ordering.Condition) ([]ordering.Range, error) {
		f, _ := engine.Field(c.Field())
		return c.Ranges(f.KeyOf)
	}
	s.anyMember = true
	s.id = func(r *schema.Record) int { return r.ID }
	s.setID = func(r *schema.Record, id int) { r.ID = id }
	s.clone = func(r *schema.Record) schema.Record { return *r }
	s.check = func(*schema.Record) error { return nil }
	s.encode = func(r *schema.Record) ([]byte, error) { return r.MarshalJSON() }
	s.with = merged
	return nil
}

// isInstant reports whether a key is that of a time.
func isInstant(k sortkey.Key) bool {
	return k.Compare(sortkey.Float(math.Inf(1))) > 0 && k.Compare(sortkey.Text("")) < 0
}

// openMembers returns the names of the members of an open record.
func openMembers(e *store.Entry) iter.Seq[string] {
	return func(yield func(string) bool) {
		for name := range recordOf[schema.Record](e).All() {
			if !yield(name) {
				return
			}
		}
	}
}

// openField returns a field of open records. Its value is that of the member whose name
// is the camelCase form of name, or else of the first member whose name has name as its
// snake_case form. If there is no such member, it is null. If text is not nil, it returns
// the key of a value that is text.
func openField(name string, text func(string) sortkey.Key) store.Field {
	wire := ordering.Camel(name)
	special := func(k sortkey.Key) sortkey.Key {
		if s, ok := k.AsText(); ok && text != nil {
			return text(s)
		}
		return k
	}
	return store.Field{Name: name,
		Key: func(e *store.Entry) sortkey.Key {
			_, value := memberOf(*recordOf[schema.Record](e), wire, name)
			return special(sortkey.JSON(value))
		},
		KeyOf: func(value any) (sortkey.Key, error) {
			k, err := ordering.KeyOf(value)
			if isInstant(k) {
				return k, fmt.Errorf("open records have times as text: want a string, not %T", value)
			}
			return special(k), err
		},
	}
}

// A reloader checks that a record can be loaded from its JSON, which is parsed and, if
// methods write and read it, decoded.
type reloader[T any] struct {
	typ    *recordType[T]
	decode bool
	own    bool // methods of T write or read the whole record
}

// check returns an error if the record cannot be loaded from its JSON.
func (l *reloader[T]) check(record *T) error {
	s, copied := l.typ, *record
	if s.id(record) == 0 {
		s.setID(&copied, 1) // the id is not assigned yet
	}
	var read T
	text, err := s.encode(&copied)
	if err == nil {
		read, err = l.load(text)
	}
	switch {
	case err != nil && l.own: // only the method knows which member is at fault
		return err
	case err != nil:
		return l.blame(&copied, err)
	case l.decode && s.id(&read) != s.id(&copied):
		return errors.New("its JSON is loaded with another id")
	}
	return nil
}

func (l *reloader[T]) load(text []byte) (record T, err error) {
	if _, err = schema.ParseRecord(text); err == nil && l.decode {
		record, err = l.typ.decode(text)
	}
	return record, err
}

// blame returns an error for the first field whose JSON alone cannot be loaded. If there
// is none, it returns err.
func (l *reloader[T]) blame(record *T, err error) error {
	for _, m := range l.typ.members {
		v, nilPointer := reflect.ValueOf(record).Elem().FieldByIndexErr(m.Field.Index)
		if nilPointer != nil {
			continue
		}
		text, bad := json.Marshal(map[string]any{m.Name: v.Addr().Interface()})
		if bad == nil {
			_, bad = l.load(text)
		}
		if bad != nil {
			return fmt.Errorf("field %s: %w", m.Name, bad)
		}
	}
	return err
}

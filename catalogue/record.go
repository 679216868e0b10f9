package catalogue

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"

	"github.com/gobacklist/backlist/catalogue/internal/store"
	"github.com/gobacklist/backlist/catalogue/schema"
	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/ordering/jsonmember"
)

// A recordType is what a collection knows of its record type. It is made once for a collection, by reflection.
type recordType[T any] struct {
	name      string
	idWire    string              // name of the id in JSON
	idName    string              // name of the id in an ordering
	fields    []string            // names of the fields of a struct; nil for open records
	required  []string            // members that a loaded record must have
	members   []jsonmember.Member // members of a struct
	lists     []jsonmember.Member // those that are never nil
	anyMember bool                // the members are not known, so SkipUnknown has no effect
	layout    *layout             // nil if only decode can read a record
	history   int                 // number of changes to keep
	unique    []store.Field
	field     func(name string) (store.Field, bool) // for open records it returns a field for every name

	id     func(*T) int
	setID  func(*T, int)
	clone  func(*T) T
	check  func(*T) error
	encode func(*T) ([]byte, error)
	decode func(object []byte, required []string) (T, error)
	ranges func(ordering.Condition) ([]ordering.Range, error)
}

// newRecordType returns what a collection knows of T and what its store does.
func newRecordType[T any](opts Options) (*recordType[T], *store.Schema, error) {
	s := &recordType[T]{name: opts.Name, idWire: cmp.Or(opts.ID, "id"), history: max(opts.History, 0)}
	s.idName = ordering.Snake(s.idWire)
	engine := &store.Schema{ID: s.idName, Default: slices.Clone(opts.Ordering), History: s.history}
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
	s.field = engine.Field
	if err := s.named(s.describeUnique(engine, opts.Unique)); err != nil {
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
func fieldNamed(engine *store.Schema, name string) (store.Field, error) {
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
func (s *recordType[T]) describeUnique(engine *store.Schema, names []string) error {
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

// camelField returns the error for a field of open records that is not in snake_case.
func camelField(name string) error {
	return fmt.Errorf("%w: %q: names are in snake_case: did you mean %s?", ordering.ErrUnknownField, name, ordering.Snake(name))
}

func unknownField(name string, known []string) error {
	return fmt.Errorf("%w: %q: %s", ordering.ErrUnknownField, name, ordering.Suggest(name, known))
}

func describeStruct[T any](s *recordType[T], engine *store.Schema, opts Options) error {
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
			Key: func(e *store.Entry) ordering.Key { return f.Key(recordOf[T](e)) }}
	}
	s.ranges = fields.Ranges
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
	if id.Type.Kind() != reflect.Int || byName[s.idName].Kind != ordering.IntegerKey {
		return fmt.Errorf("%v: the id must be an int in the struct itself, without a function in Options.Keys for it or its type: %s is %v", t, id.Name, id.Type)
	}
	at := offsetOf(t, id.Index)
	s.id = func(r *T) int { return *intAt(r, at) }
	s.setID = func(r *T, n int) { *intAt(r, at) = n }
	s.encode = encodeJSON[T]
	s.decode = decoder[T](s.members)
	s.anyMember = readsJSON(t) && !documented[T]()
	s.layout = layoutOf[T](s.members)
	return describeCopies(s, opts.Clones)
}

// checkMethods returns an error if a record type has methods by which encoding/json does
// not write an object that it can read.
func checkMethods(t reflect.Type) error {
	marshals, unmarshals := pointsTo[json.Marshaler](t), pointsTo[json.Unmarshaler](t)
	switch {
	case marshals && !unmarshals:
		return fmt.Errorf("%v has the method MarshalJSON but no UnmarshalJSON that reads what it writes: give it both or neither", t)
	case !marshals && pointsTo[encoding.TextMarshaler](t):
		return fmt.Errorf("%v has the method MarshalText, by which its JSON is a string: a record is an object: give it the methods MarshalJSON and UnmarshalJSON, or remove MarshalText", t)
	case !unmarshals && pointsTo[encoding.TextUnmarshaler](t):
		return fmt.Errorf("%v has the method UnmarshalText, which reads only strings: a record is an object: give it the method UnmarshalJSON, or remove UnmarshalText", t)
	}
	return nil
}

// describeCopies sets the functions that copy and check records of a struct type.
func describeCopies[T any](s *recordType[T], clones []CloneFunc) error {
	t := reflect.TypeFor[T]()
	for i, c := range clones {
		if c.clone == nil {
			return fmt.Errorf("function %d of Options.Clones is nil", i)
		}
	}
	pl, writes := planOf(t, clones...), writesJSON(t) && !documented[T]()
	switch {
	case errors.Is(pl.noJSON, errStringOption) && !writes:
		return fmt.Errorf("%v: %w", t, pl.noJSON)
	case pl.clones:
	case pl.noJSON != nil:
		return fmt.Errorf("%v: %w: give the type of the field a method MarshalJSON, or the field the tag `json:\"-\"`", t, pl.noJSON)
	case pl.noCopy != nil:
		return fmt.Errorf("%v: %w: give %v the method Clone() %v, the type of the field such a method, or Options.Clones a function", t, pl.noCopy, t, t)
	}
	s.clone = func(r *T) T { return copyOf(pl, r) }
	if pl.clones && pl.cloneWith == nil {
		s.clone = func(r *T) T { return any(r).(interface{ Clone() T }).Clone() } // *T has the method too; calling it avoids a copy
	}
	s.check = func(r *T) error { return pl.valid(reflect.ValueOf(r).Elem(), 0) }
	methods := pl.methods || writes || readsJSON(t)
	if documented[T]() || !methods && !pl.deep && pl.noJSON == nil {
		return nil
	}
	reload := reloader[T]{s, methods, methods && !pl.writeOnly, writes || readsJSON(t)}
	s.check = func(r *T) error {
		if !writes || pl.open { // otherwise the JSON depends only on the method of T
			if err := pl.valid(reflect.ValueOf(r).Elem(), 0); err != nil {
				return err
			}
		}
		return reload.check(r)
	}
	return nil
}

// documented reports whether T is one of the three record types of package resources.
// Marshaling them cannot fail if their fields are valid, and they accept null only where
// the service's document does.
func documented[T any]() bool {
	switch any((*T)(nil)).(type) {
	case *schema.Event, *schema.Label, *schema.SocialLink:
		return true
	}
	return false
}

// encodeJSON returns the JSON of a record as the service writes it: without white space,
// and without escaping <, > and &.
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

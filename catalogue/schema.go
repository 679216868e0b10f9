package catalogue

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"

	"github.com/gobacklist/backlist/ordering"
	"github.com/gobacklist/backlist/resources"
)

// shape is what a store needs to know of its records.
type shape struct {
	name       string
	collection string // the name for errors
	idName     string // the id's name in an ordering
	idWire     string // and in JSON

	fields *ordering.Fields[entry]                 // nil for open records
	open   func(name string) ordering.Field[entry] // nil for typed ones
	id     func(record any) int
	encode func(record any) ([]byte, error)
}

// schema is all that is known of a record type: found out once, by reflection,
// when a collection is made.
type schema[T any] struct {
	*shape
	required []string // members that a loaded record must have

	id     func(*T) int
	setID  func(*T, int)
	clone  func(*T) T
	check  func(*T) error
	decode func(object []byte, required []string) (T, error)
}

func newSchema[T any](opts Options) (*schema[T], error) {
	s := &schema[T]{shape: &shape{
		name:       opts.Name,
		collection: cmp.Or(opts.Name, "collection"),
		idWire:     cmp.Or(opts.ID, "id"),
	}}
	s.idName = ordering.Snake(s.idWire)
	if open, ok := any(s).(*schema[resources.Record]); ok {
		if s.idWire != "id" {
			return nil, s.errorf("%w: the id of an open record is called id, not %q", ErrType, opts.ID)
		}
		describeOpen(open)
		return s, nil
	}
	if err := describeStruct(s); err != nil {
		return nil, s.errorf("%w: %w", ErrType, err)
	}
	s.shape.id = func(record any) int { return s.id(record.(*T)) }
	return s, nil
}

// describeOpen is the schema of open records, which need neither copies nor
// checks: nothing in them can change, and they hold valid JSON.
func describeOpen(s *schema[resources.Record]) {
	s.open = openField
	s.shape.id = func(record any) int { return record.(*resources.Record).ID }
	s.encode = func(record any) ([]byte, error) { return record.(*resources.Record).AppendJSON(nil), nil }
	s.id = func(r *resources.Record) int { return r.ID }
	s.setID = func(r *resources.Record, id int) { r.ID = id }
	s.clone = func(r *resources.Record) resources.Record { return *r }
	s.check = func(*resources.Record) error { return nil }
	s.decode = func(object []byte, _ []string) (resources.Record, error) { return resources.ParseRecord(object) }
}

func describeStruct[T any](s *schema[T]) error {
	fields, err := ordering.FieldsOf[T]()
	if err != nil {
		return err
	}
	if s.fields, err = entryFields(fields); err != nil {
		return err
	}
	id, ok := fields.Lookup(s.idName)
	t := reflect.TypeFor[T]()
	if !ok || id.Wire != s.idWire {
		return fmt.Errorf("%v has no field that is %q in JSON", t, s.idWire)
	}
	if f := t.FieldByIndex(id.Index); f.Type.Kind() != reflect.Int || id.Kind != ordering.Integer {
		return fmt.Errorf("%v: the id must be an int in the struct itself, %s is %v", t, f.Name, f.Type)
	}
	at := offsetOf(t, id.Index)
	s.id = func(r *T) int { return *intAt(r, at) }
	s.setID = func(r *T, n int) { *intAt(r, at) = n }
	s.encode = encodeJSON
	s.decode = decoder[T](fields)
	return describeCopies(s, fields)
}

// entryFields are the fields of entries that hold a T.
func entryFields[T any](fields *ordering.Fields[T]) (*ordering.Fields[entry], error) {
	var list []ordering.Field[entry]
	for _, name := range fields.Names() {
		f, _ := fields.Lookup(name)
		list = append(list, ordering.Field[entry]{Name: name, Kind: f.Kind,
			Key: func(e *entry) ordering.Key { return f.Key(recordOf[T](e)) }})
	}
	return ordering.NewFields(list...)
}

// describeCopies sets how records of a struct type are copied and checked.
func describeCopies[T any](s *schema[T], fields *ordering.Fields[T]) error {
	t := reflect.TypeFor[T]()
	pl, writes := planOf(t), writesJSON(t) && !documented[T]()
	if err := cmp.Or(pl.noJSON, pl.noCopy); err != nil && !pl.clones {
		return fmt.Errorf("%v: %w", t, err)
	}
	s.clone = func(r *T) T { return copyOf(pl, r) }
	if pl.clones {
		s.clone = func(r *T) T { return any(r).(interface{ Clone() T }).Clone() } // the pointer has it too, and is not copied first
	}
	s.check = func(r *T) error { return pl.valid(reflect.ValueOf(r).Elem(), 0) }
	methods := pl.methods || writes || readsJSON(t)
	if documented[T]() || !methods && !pl.deep && pl.noJSON == nil {
		return nil
	}
	reload := reloader[T]{s, fields, methods, methods && !pl.writeOnly && (!writes || readsJSON(t))}
	s.check = func(r *T) error {
		if !writes || pl.open { // otherwise only its method knows what its JSON is
			if err := pl.valid(reflect.ValueOf(r).Elem(), 0); err != nil {
				return err
			}
		}
		return reload.check(r)
	}
	return nil
}

// documented says that T is one of the three described records, whose
// marshalling cannot fail if their fields pass the check, and which take null
// only where the document does.
func documented[T any]() bool {
	switch any((*T)(nil)).(type) {
	case *resources.Event, *resources.Label, *resources.SocialLink:
		return true
	}
	return false
}

// encodeJSON writes a record as the service does: without white space, and
// with <, > and & as they are.
func encodeJSON(record any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(record); err != nil {
		return nil, err
	}
	return bytes.Clone(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// names lists the fields that there are.
func (s *shape) names(m members) []string {
	if s.fields != nil {
		return s.fields.Names()
	}
	return slices.Clone(m.names)
}

// resolve finds the fields of terms, or tells which is none.
func (s *shape) resolve(terms []ordering.Term, m members) ([]ordering.Field[entry], error) {
	fields := make([]ordering.Field[entry], len(terms))
	for i, t := range terms {
		if !s.has(t.Field, m) {
			return nil, s.errorf("%w: %q", ordering.ErrUnknownField, t.Field)
		}
		fields[i] = s.field(t.Field)
	}
	return fields, nil
}

// field gives the field of a name that is one.
func (s *shape) field(name string) ordering.Field[entry] {
	if s.fields == nil {
		return s.open(name)
	}
	f, _ := s.fields.Lookup(name)
	return f
}

// has says whether there is a field of that name.
func (s *shape) has(name string, m members) bool {
	if s.fields != nil {
		return s.fields.Has(name)
	}
	_, ok := slices.BinarySearch(m.names, name)
	return ok
}

func (s *shape) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: "+format, append([]any{s.collection}, args...)...)
}

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

// schema is all that is known of a record type: found out once, by reflection,
// when a collection is made.
type schema[T any] struct {
	name       string
	collection string   // the name for errors
	idName     string   // the id's name in an ordering
	idWire     string   // and in JSON
	required   []string // members that a loaded record must have

	fields *ordering.Fields[T]                 // nil for open records
	open   func(name string) ordering.Field[T] // nil for typed ones
	id     func(*T) int
	setID  func(*T, int)
	clone  func(*T) T
	check  func(*T) error
	encode func(*T) ([]byte, error)
	decode func(object []byte, required []string) (T, error)
}

func newSchema[T any](opts Options) (*schema[T], error) {
	s := &schema[T]{name: opts.Name, collection: cmp.Or(opts.Name, "collection"), idWire: cmp.Or(opts.ID, "id")}
	s.idName = ordering.Snake(s.idWire)
	if open, ok := any(s).(*schema[resources.Record]); ok {
		if opts.ID != "" && opts.ID != "id" {
			return nil, s.errorf("%w: the id of an open record is called id, not %q", ErrType, opts.ID)
		}
		describeOpen(open)
		return s, nil
	}
	if err := describeStruct(s); err != nil {
		return nil, s.errorf("%w: %w", ErrType, err)
	}
	return s, nil
}

// describeOpen is the schema of open records, which need neither copies nor
// checks: nothing in them can change, and they hold valid JSON.
func describeOpen(s *schema[resources.Record]) {
	s.open = openField
	s.id = func(r *resources.Record) int { return r.ID }
	s.setID = func(r *resources.Record, id int) { r.ID = id }
	s.clone = func(r *resources.Record) resources.Record { return *r }
	s.check = func(*resources.Record) error { return nil }
	s.encode = func(r *resources.Record) ([]byte, error) { return r.AppendJSON(nil), nil }
	s.decode = func(object []byte, _ []string) (resources.Record, error) { return resources.ParseRecord(object) }
}

func describeStruct[T any](s *schema[T]) error {
	fields, err := ordering.FieldsOf[T]()
	if err != nil {
		return err
	}
	s.fields = fields
	id, ok := fields.Lookup(s.idName)
	t := reflect.TypeFor[T]()
	if !ok || id.Wire != s.idWire {
		return fmt.Errorf("%v has no field that is %q in JSON", t, s.idWire)
	}
	if f := t.FieldByIndex(id.Index); f.Type.Kind() != reflect.Int || throughPointer(t, id.Index) {
		return fmt.Errorf("%v: the id must be an int in the struct itself, %s is %v", t, f.Name, f.Type)
	}
	s.id = func(r *T) int { return int(reflect.ValueOf(r).Elem().FieldByIndex(id.Index).Int()) }
	s.setID = func(r *T, n int) { reflect.ValueOf(r).Elem().FieldByIndex(id.Index).SetInt(int64(n)) }
	s.encode = encodeJSON[T]
	s.decode = decoder[T](fields)
	return describeCopies(s)
}

// describeCopies finds how to copy and check records of a struct type.
func describeCopies[T any](s *schema[T]) error {
	t := reflect.TypeFor[T]()
	var whole plan
	p := planner{t: &whole}
	if err := p.structure(t, &whole); err != nil && !hasClone(t) {
		return fmt.Errorf("%v: %w", t, err)
	}
	s.check = func(r *T) error {
		if whole.check == nil {
			return nil
		}
		return whole.check(reflect.ValueOf(r).Elem(), 0)
	}
	if marshals(t) && !documented[T]() {
		// Only its own method knows what it can write.
		s.check = func(r *T) error { return checkByMarshalling(reflect.ValueOf(r).Elem(), 0) }
	}
	s.clone = func(r *T) T {
		copied := *r
		if whole.copy != nil {
			whole.copy(reflect.ValueOf(&copied).Elem())
		}
		return copied
	}
	if hasClone(t) {
		s.clone = func(r *T) T { return any(*r).(interface{ Clone() T }).Clone() }
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

func throughPointer(t reflect.Type, index []int) bool {
	for _, i := range index[:len(index)-1] {
		if t = t.Field(i).Type; t.Kind() == reflect.Pointer {
			return true
		}
	}
	return false
}

// encodeJSON writes a record as the service does: without white space, and
// with <, > and & as they are.
func encodeJSON[T any](r *T) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(r); err != nil {
		return nil, err
	}
	return bytes.Clone(bytes.TrimSuffix(b.Bytes(), []byte("\n"))), nil
}

// names lists the fields that there are.
func (s *schema[T]) names(m members) []string {
	if s.fields != nil {
		return s.fields.Names()
	}
	return slices.Clone(m.names)
}

// resolve finds the fields of terms, or tells which is none.
func (s *schema[T]) resolve(terms []ordering.Term, m members) ([]ordering.Field[T], error) {
	fields := make([]ordering.Field[T], len(terms))
	for i, t := range terms {
		f, ok := s.field(t.Field, m)
		if !ok {
			return nil, s.errorf("%w: %q", ordering.ErrUnknownField, t.Field)
		}
		fields[i] = f
	}
	return fields, nil
}

func (s *schema[T]) field(name string, m members) (ordering.Field[T], bool) {
	if s.fields != nil {
		return s.fields.Lookup(name)
	}
	if !s.has(name, m) {
		return ordering.Field[T]{}, false
	}
	return s.open(name), true
}

// has says whether there is a field of that name.
func (s *schema[T]) has(name string, m members) bool {
	if s.fields != nil {
		return s.fields.Has(name)
	}
	_, ok := slices.BinarySearch(m.names, name)
	return ok
}

func (s *schema[T]) errorf(format string, args ...any) error {
	return fmt.Errorf("%s: "+format, append([]any{s.collection}, args...)...)
}

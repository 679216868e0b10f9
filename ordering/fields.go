package ordering

import (
	"cmp"
	"encoding"
	"fmt"
	"reflect"
	"slices"

	"github.com/gobacklist/backlist/ordering/jsonmember"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// Fields is the set of fields that records of type T can be ordered by. It is
// immutable and safe for concurrent use. The zero value is an empty set.
type Fields[T any] struct {
	list   []ValueField
	byName map[string]int
}

// lookup returns the field with the given name. The error suggests a known one.
func (fs *Fields[T]) lookup(name string) (ValueField, error) {
	if i, ok := fs.byName[name]; ok {
		return fs.list[i], nil
	}
	var names []string // in the order of the struct
	for _, f := range fs.list {
		names = append(names, f.Name)
	}
	return ValueField{}, fmt.Errorf("%w: %q: %s", ErrUnknownField, name, Suggest(name, names))
}

// Parse parses an ordering as the function [Parse] does, and drops unknown fields. It is
// for orderings from requests. A program that wants an error for an unknown field passes
// the terms that the function returns to [Fields.Sort].
func (fs *Fields[T]) Parse(text string) []Term { return Parse(text, fs.has) }

func (fs *Fields[T]) has(name string) bool {
	_, ok := fs.byName[name]
	return ok
}

// Sort sorts records in place by the terms. The sort is stable. Without terms, Sort
// does nothing.
//
// It returns an error wrapping [ErrUnknownField], and leaves records unchanged, if a
// term names an unknown field. Each key is computed once: O(n) keys and O(n log n)
// comparisons of bytes.
func (fs *Fields[T]) Sort(records []T, terms ...Term) error {
	keys := make([]func(reflect.Value) sortkey.Key, len(terms))
	for i, t := range terms {
		f, err := fs.lookup(t.Field)
		if err != nil {
			return err
		}
		keys[i] = f.Key
	}
	if len(terms) == 0 {
		return nil
	}
	type row struct {
		key    string
		record T
	}
	rows := make([]row, len(records))
	for i := range records {
		var key []byte
		record := reflect.ValueOf(&records[i]).Elem()
		for j, t := range terms {
			if k := keys[j](record); t.Desc {
				key = k.AppendDesc(key)
			} else {
				key = k.Append(key)
			}
		}
		rows[i] = row{string(key), records[i]}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.key, b.key) })
	for i := range rows {
		records[i] = rows[i].record
	}
	return nil
}

// Matcher returns a function that reports whether a record satisfies all conditions. It
// is for filtering a slice, for example with [slices.DeleteFunc]. Without conditions the
// function always returns true. It is safe for concurrent use. A call computes one key
// for each condition.
//
// The error wraps [ErrUnknownField] if a condition names an unknown field, and
// [ErrInvalidCondition] if a condition is invalid.
func (fs *Fields[T]) Matcher(conditions ...Condition) (func(record T) bool, error) {
	type test struct {
		key    func(reflect.Value) sortkey.Key
		ranges []Range
	}
	tests := make([]test, len(conditions))
	for i, c := range conditions {
		f := ValueField{Key: func(reflect.Value) sortkey.Key { return sortkey.Null() }} // of a condition for all records or for none
		var err error
		if c.field != "" {
			f, err = fs.lookup(c.field)
		}
		if err == nil {
			tests[i].key = f.Key
			tests[i].ranges, err = c.Ranges(f.KeyOf)
		}
		if err != nil {
			return nil, err
		}
	}
	return func(record T) bool {
		v := reflect.ValueOf(&record).Elem()
		for _, t := range tests {
			if !InRanges(t.ranges, t.key(v)) {
				return false
			}
		}
		return true
	}, nil
}

// FieldsOf returns the fields of a struct type, derived from its json tags. Each member
// of the JSON of T is a field, named by the snake_case form of the member's name. Terms and
// conditions can also name it as it is written in JSON. Embedded structs are flattened as in
// encoding/json.
//
// If a field is a struct or a pointer to one, the fields of that struct are fields of T too, ten
// levels deep at most, and fewer if more than 2,000 fields would be there. Their names begin with
// the name of the outer field and two underscores, as in address__city. They are null if a pointer
// on the way is nil. A struct inside a struct of the same type has no such fields, nor has one with
// a method MarshalJSON or MarshalText, such as [time.Time]. Elements of lists and maps have no
// names.
//
// Records compare by a field according to its type:
//
//   - A type with a method OrderingKey() int64 or OrderingKey() sortkey.Key compares
//     by the result of the method, which must be the same for equal values. An int64 is the
//     cheapest key to index.
//   - [time.Time] and structs that embed it compare by instant.
//   - Numbers, strings and booleans compare by value, slices and arrays element by
//     element. The value of a float is the number in its JSON, such as 0.1 for
//     float32(0.1). A nil slice is null, as in encoding/json.
//   - Pointers compare as the values they point to. A nil pointer is null.
//   - All other types compare by their JSON. Among them are maps, structs, types with a
//     method MarshalJSON, and []byte, whose JSON is text in base64. A value that
//     cannot be marshalled is null.
//
// So a type with the method decides how its values compare: text without regard to case, or a
// number that is kept as text. A type of another package can be embedded in one that has it.
//
// FieldsOf returns an error that names the field if T is not a struct, if two fields have the same
// name, or if a name in snake_case is empty. FieldsOf inspects the type
// once; the fields do not repeat that work for each record.
func FieldsOf[T any]() (*Fields[T], error) {
	list, err := ValueFields(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	fs := &Fields[T]{list, map[string]int{}}
	for i, f := range list {
		fs.byName[f.Name], fs.byName[f.JSON] = i, i
	}
	return fs, nil
}

// A ValueField is a field of records whose type is known only at run time. Programs with a slice
// use [Fields].
type ValueField struct {
	// Member is the member of the struct that has the field. The Index of its Field is the path from the
	// record, and it is Indirect if any struct on the path is a pointer.
	jsonmember.Member
	// Name is the name of the field in a [Term], in snake_case.
	Name string
	// JSON is the same name with the members as they are written in JSON, such as address__zipCode.
	JSON string
	// Key returns the sort key of a record, which must be addressable. It must not modify
	// the record. It is safe for concurrent use.
	Key func(record reflect.Value) sortkey.Key
	// Kind is the kind of all keys: [reflect.Bool] for those that [sortkey.Bool] makes, [reflect.Int]
	// for numbers of which [sortkey.Key.AsInt] reports true, [reflect.String] for those of
	// [sortkey.Text], and [reflect.Struct] for those of [sortkey.Time]. Otherwise, and if a key can be
	// null, it is [reflect.Invalid].
	Kind reflect.Kind
	// KeyOf returns the key of a value in a [Condition].
	KeyOf func(value any) (sortkey.Key, error)
	// Inside reports whether the struct is not the record, but inside it.
	Inside bool
	// Ordered reports whether the type has a method OrderingKey, which decides the order.
	Ordered bool
}

// ValueFields returns the fields of a struct type in the order of the struct, as [FieldsOf] does.
// The fields of a struct inside it follow the field that is the struct. The errors are
// those of FieldsOf. O(fields).
func ValueFields(t reflect.Type) ([]ValueField, error) {
	if t == nil || t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("invalid fields: %v is not a struct", t)
	}
	d := deriver{members: map[string]string{}, depth: jsonmember.Depth(t)}
	if err := d.derive(t, place{}); err != nil {
		return nil, fmt.Errorf("%v: %w", t, err)
	}
	return d.list, nil
}

// A deriver derives the fields of a struct type.
type deriver struct {
	members map[string]string // the Go names of the fields, such as Address.City
	list    []ValueField
	depth   int // how many structs inside each other have fields
}

// A place is where a struct is in a record.
type place struct {
	outer    []reflect.Type // the structs around it
	index    []int
	indirect bool   // a struct on the way is a pointer
	prefix   string // of the names of its fields
	inJSON   string // of their names in JSON
	inGo     string // of their Go names
}

// derive adds the fields of a struct at a place in the record.
func (d *deriver) derive(t reflect.Type, at place) error {
	at.outer = append(slices.Clip(at.outer), t)
	members, _ := jsonmember.Of(t)
	for _, m := range members {
		name, goName := Snake(m.Name), at.inGo+m.Field.Name
		if name == "" {
			return fmt.Errorf("invalid fields: the name of %s is %q, which is empty in snake_case", goName, m.Name)
		}
		name = at.prefix + name
		if other, taken := d.members[name]; taken {
			return fmt.Errorf("invalid fields: the name of both %s and %s is %q", other, goName, name)
		}
		d.members[name] = goName
		m.Field.Index, m.Indirect = slices.Concat(at.index, m.Field.Index), m.Indirect || at.indirect
		key, inner, pointer := keyOf(m.Field.Type), m.Field.Type, m.Field.Type.Kind() == reflect.Pointer
		if m.Indirect {
			key.kind = reflect.Invalid
		}
		if pointer {
			inner = inner.Elem()
		}
		d.list = append(d.list, ValueField{
			Member: m, Name: name, JSON: at.inJSON + m.Name, Key: keyAt(m.Field, key.of), Kind: key.kind, KeyOf: valueKey(m.Field.Type, key.of),
			Inside: at.prefix != "", Ordered: hasOrder(inner),
		})
		if !isObject(inner) || len(at.outer) == d.depth || slices.Contains(at.outer, inner) {
			continue
		}
		if err := d.derive(inner, place{at.outer, m.Field.Index, m.Indirect || pointer, name + "__", at.inJSON + m.Name + "__", goName + "."}); err != nil {
			return err
		}
	}
	return nil
}

// isObject reports whether the JSON of a type is an object with the fields of a struct.
func isObject(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !marshals(t) && !hasMethod[encoding.TextMarshaler](t)
}

// keyAt returns the function that computes the key of a field. The key is null if a pointer on
// the way is nil.
func keyAt(f reflect.StructField, key func(reflect.Value) sortkey.Key) func(reflect.Value) sortkey.Key {
	if !f.IsExported() {
		key = readable(key)
	}
	if len(f.Index) == 1 {
		i := f.Index[0]
		return func(record reflect.Value) sortkey.Key { return key(record.Field(i)) }
	}
	return func(v reflect.Value) sortkey.Key {
		for _, i := range f.Index {
			if v.Kind() == reflect.Pointer { // FieldByIndexErr would make an error
				if v.IsNil() {
					return sortkey.Null()
				}
				v = v.Elem()
			}
			v = v.Field(i)
		}
		return key(v)
	}
}

package ordering

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"time"

	"github.com/gobacklist/backlist/ordering/jsonmember"
	"github.com/gobacklist/backlist/ordering/sortkey"
)

// A Field is a property of type T that records can be ordered by.
type Field[T any] struct {
	// Name is the name of the field in a [Term], in snake_case.
	Name string
	// Key returns the sort key of a record. It must not retain or modify the
	// record, and must return equal keys for equal records. It must be safe for
	// concurrent use.
	Key func(record *T) sortkey.Key
	// Kind is [reflect.Bool], [reflect.Int], [reflect.String] or [reflect.Struct] if all keys
	// are made by [sortkey.Bool], are numbers for which [sortkey.Key.AsInt] reports true, are
	// made by [sortkey.Text], or by [sortkey.Time]. This permits a cheaper index. If a
	// key is of another kind, the index is wrong. The zero value is always right.
	Kind reflect.Kind
	// KeyOf returns the key of a value in a [Condition]. If nil, it is the function
	// [KeyOf].
	KeyOf func(value any) (sortkey.Key, error)
}

// Fields is the set of fields that records of type T can be ordered by. It is
// immutable and safe for concurrent use. The zero value is an empty set.
type Fields[T any] struct {
	list   []Field[T]
	byName map[string]int
}

// names returns the names of the fields, in the order of the struct.
func (fs *Fields[T]) names() []string {
	names := make([]string, len(fs.list))
	for i, f := range fs.list {
		names[i] = f.Name
	}
	return names
}

// Lookup returns the field with the given name and reports whether there is one. O(1).
func (fs *Fields[T]) Lookup(name string) (Field[T], bool) {
	i, ok := fs.byName[name]
	if !ok {
		return Field[T]{}, false
	}
	return fs.list[i], true
}

// Parse parses an ordering as the function [Parse] does, and drops unknown fields. It is
// for orderings from requests. A program that wants an error for an unknown field passes
// the terms that the function returns to [Fields.Sort].
func (fs *Fields[T]) Parse(text string) []Term { return Parse(text, fs.has) }

func (fs *Fields[T]) has(name string) bool {
	_, ok := fs.byName[name]
	return ok
}

func unknownField(name string, known []string) error {
	return fmt.Errorf("%w: %q: %s", ErrUnknownField, name, Suggest(name, known))
}

// Sort sorts records in place by the terms. The sort is stable. Without terms, Sort
// does nothing.
//
// It returns an error wrapping [ErrUnknownField], and leaves records unchanged, if a
// term names an unknown field. Each key is computed once: O(n) keys and O(n log n)
// comparisons of bytes.
func (fs *Fields[T]) Sort(records []T, terms ...Term) error {
	keys := make([]func(*T) sortkey.Key, len(terms))
	for i, t := range terms {
		f, ok := fs.Lookup(t.Field)
		if !ok {
			return unknownField(t.Field, fs.names())
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
		for j, t := range terms {
			if k := keys[j](&records[i]); t.Desc {
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

// FieldsOf returns the fields of a struct type, derived from its json tags. Each member
// of the JSON of T is a field, named by the snake_case form of the member's name.
// Embedded structs are flattened as in encoding/json.
//
// If a field is a struct or a pointer to one, the fields of that struct are fields of T too, at
// any depth. Their names begin with the name of the outer field and two underscores, as in
// address__city. They are null if a pointer on the way is nil. A struct inside a struct of the
// same type has no such fields, nor has one with a method MarshalJSON or MarshalText, such as
// [time.Time]. Elements of lists and maps have no names.
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
// FieldsOf returns an error wrapping [ErrInvalidFields] if T is not a struct, if two
// fields have the same name, or if a name in snake_case is empty. FieldsOf inspects the type
// once; the fields do not repeat that work for each record.
func FieldsOf[T any]() (*Fields[T], error) {
	list, err := ValueFields(reflect.TypeFor[T]())
	if err != nil {
		return nil, err
	}
	fs := &Fields[T]{byName: map[string]int{}}
	for i, f := range list {
		fs.byName[f.Name] = i
		if f.Nullable {
			f.Kind = reflect.Invalid
		}
		key := func(record *T) sortkey.Key { return f.Key(reflect.ValueOf(record).Elem()) }
		fs.list = append(fs.list, Field[T]{f.Name, key, f.Kind, f.KeyOf})
	}
	return fs, nil
}

// A ValueField is a [Field] of records whose type is known only at run time.
type ValueField struct {
	// Name is the name of the field in a [Term], in snake_case.
	Name string
	// Key returns the sort key of a record, which must be addressable. It must not modify
	// the record. It is safe for concurrent use.
	Key func(record reflect.Value) sortkey.Key
	// Kind and KeyOf are as in a [Field], but if the field is Nullable, Kind is that of the
	// keys that are not null.
	Kind  reflect.Kind
	KeyOf func(value any) (sortkey.Key, error)
	// Index is the path from the record to the Go field, for [reflect.Type.FieldByIndex].
	Index []int
	// Nullable reports whether a struct on the path is a pointer. If it is nil, the key is null.
	Nullable bool
	// Ordered reports whether the type has a method OrderingKey, which decides the order.
	Ordered bool
}

// ValueFields returns the fields of a struct type in the order of the struct, as
// [FieldsOf] does. The fields of a struct inside it follow the field that is the struct. The
// error wraps [ErrInvalidFields]. It is for collections of records. O(fields).
func ValueFields(t reflect.Type) ([]ValueField, error) {
	if t == nil || t.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%w: %v is not a struct", ErrInvalidFields, t)
	}
	d := deriver{members: map[string]string{}}
	if err := d.derive(t, place{}); err != nil {
		return nil, fmt.Errorf("%v: %w", t, err)
	}
	return d.list, nil
}

// A deriver derives the fields of a struct type.
type deriver struct {
	members map[string]string // the Go names of the fields, such as Address.City
	list    []ValueField
}

// A place is where a struct is in a record.
type place struct {
	outer    []reflect.Type // the structs around it
	index    []int
	indirect bool   // a struct on the way is a pointer
	prefix   string // of the names of its fields
	goPrefix string // of their Go names
}

// derive adds the fields of a struct at a place in the record.
func (d *deriver) derive(t reflect.Type, at place) error {
	at.outer = append(slices.Clip(at.outer), t)
	members, _ := jsonmember.Of(t)
	for _, m := range members {
		name, goName := Snake(m.Name), at.goPrefix+m.Field.Name
		if name == "" {
			return fmt.Errorf("%w: the name of %s is %q, which is empty in snake_case", ErrInvalidFields, goName, m.Name)
		}
		name = at.prefix + name
		if other, taken := d.members[name]; taken {
			return fmt.Errorf("%w: the name of both %s and %s is %q", ErrInvalidFields, other, goName, name)
		}
		d.members[name] = goName
		m.Field.Index, m.Indirect = slices.Concat(at.index, m.Field.Index), m.Indirect || at.indirect
		f := fieldKey(m.Field.Type)
		d.list = append(d.list, ValueField{
			Name: name, Key: keyAt(m.Field, f.key), Kind: f.kind, KeyOf: valueKey(m.Field.Type, f.key, f.own),
			Index: m.Field.Index, Nullable: m.Indirect, Ordered: f.ordered,
		})
		inner, pointer := m.Field.Type, m.Field.Type.Kind() == reflect.Pointer
		if pointer {
			inner = inner.Elem()
		}
		if !isObject(inner) || slices.Contains(at.outer, inner) {
			continue
		}
		if err := d.derive(inner, place{at.outer, m.Field.Index, m.Indirect || pointer, name + "__", goName + "."}); err != nil {
			return err
		}
	}
	return nil
}

// isObject reports whether the JSON of a type is an object with the fields of a struct.
func isObject(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !marshals(t) && !hasMethod[encoding.TextMarshaler](t)
}

// A memberKey is the key of a member of a struct.
type memberKey struct {
	key     func(reflect.Value) sortkey.Key
	kind    reflect.Kind // see [Field]
	ordered bool         // the type has a method OrderingKey
	own     bool         // the type decides how its values compare
}

// fieldKey returns the key of a member of type t.
func fieldKey(t reflect.Type) memberKey {
	base := t
	if base.Kind() == reflect.Pointer {
		base = base.Elem()
	}
	ordered := hasOrder(base)
	own := ownKey(base) != nil || marshals(t) || t == reflect.TypeFor[json.Number]()
	f := memberKey{keyOf(t), reflect.Invalid, ordered, own}
	switch {
	case t.Kind() == reflect.Pointer: // the key can be null
	case hasMethod[integerKeyed](t):
		f.kind = reflect.Int
	case isTime(t):
		f.kind = reflect.Struct
	case !own:
		f.kind = basicKind(t)
	}
	return f
}

// isTime reports whether the keys of all values of a type are those of times.
func isTime(t reflect.Type) bool {
	of := reflect.TypeFor[time.Time]()
	if t.Kind() == reflect.Struct && t != of && !hasMethod[keyed](t) {
		if f, ok := t.FieldByName("Time"); ok && f.Anonymous && len(f.Index) == 1 {
			t = f.Type
		}
	}
	return t == of
}

// basicKind returns the kind of the keys of basicKey.
func basicKind(t reflect.Type) reflect.Kind {
	switch t.Kind() {
	case reflect.Bool:
		return reflect.Bool
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return reflect.Int
	case reflect.String:
		return reflect.String
	}
	return reflect.Invalid
}

// keyAt returns a function that returns the key of a field. The key is null if a pointer on
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

// readable adapts key to an unexported field, whose value can be read only through its
// address. Such a field is a member if it is an embedded struct with a name in its tag.
func readable(key func(reflect.Value) sortkey.Key) func(reflect.Value) sortkey.Key {
	return func(v reflect.Value) sortkey.Key {
		return key(reflect.NewAt(v.Type(), v.Addr().UnsafePointer()).Elem())
	}
}

// Types can implement one of these interfaces to supply their own keys.
type (
	integerKeyed interface{ OrderingKey() int64 }
	keyed        interface{ OrderingKey() sortkey.Key }
)

// hasMethod reports whether a pointer to a type has the methods of I.
func hasMethod[I any](t reflect.Type) bool {
	return reflect.PointerTo(t).Implements(reflect.TypeFor[I]())
}

// hasOrder reports whether a type has a method OrderingKey.
func hasOrder(t reflect.Type) bool { return hasMethod[integerKeyed](t) || hasMethod[keyed](t) }

// marshals reports whether values of a type, which are addressable, have a method MarshalJSON.
func marshals(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[json.Marshaler]()) || hasMethod[json.Marshaler](t)
}

// keyOf returns a function that returns the key of an addressable value of type t.
func keyOf(t reflect.Type) func(reflect.Value) sortkey.Key {
	if t.Kind() == reflect.Pointer { // before Marshaler, which t implements too
		if key := ownKey(t.Elem()); key != nil {
			return pointerKey(key)
		}
	}
	if key := ownKey(t); key != nil {
		return key
	}
	switch {
	case marshals(t), t == reflect.TypeFor[json.Number](), recursive(t):
		return jsonKey
	case t.Kind() == reflect.Pointer:
		return pointerKey(keyOf(t.Elem()))
	case t.Kind() == reflect.Slice && t.Elem().Kind() != reflect.Uint8, t.Kind() == reflect.Array:
		return listKey(t)
	}
	return basicKey(t)
}

// ownKey returns the key function of a time or of a type with a method OrderingKey. It returns
// nil for all other types.
func ownKey(t reflect.Type) func(reflect.Value) sortkey.Key {
	// Addr avoids a copy of the value on the heap.
	switch {
	case hasMethod[integerKeyed](t):
		return func(v reflect.Value) sortkey.Key {
			return sortkey.Int(v.Addr().Interface().(integerKeyed).OrderingKey())
		}
	case hasMethod[keyed](t):
		return func(v reflect.Value) sortkey.Key { return v.Addr().Interface().(keyed).OrderingKey() }
	}
	if t == reflect.TypeFor[time.Time]() {
		return func(v reflect.Value) sortkey.Key { return sortkey.Time(*v.Addr().Interface().(*time.Time)) }
	}
	if t.Kind() != reflect.Struct {
		return nil
	}
	f, found := t.FieldByName("Time")
	if !found || !f.Anonymous || f.Type != reflect.TypeFor[time.Time]() && f.Type != reflect.TypeFor[*time.Time]() {
		return nil
	}
	key := keyOf(f.Type)
	return func(v reflect.Value) sortkey.Key {
		v, err := v.FieldByIndexErr(f.Index)
		if err != nil {
			return sortkey.Null()
		}
		return key(v)
	}
}

// recursive reports whether a type is a list of itself or a pointer to itself.
func recursive(t reflect.Type) bool {
	for outer := map[reflect.Type]bool{}; !outer[t]; t = t.Elem() {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Array:
			outer[t] = true
		default:
			return false
		}
	}
	return true
}

func basicKey(t reflect.Type) func(reflect.Value) sortkey.Key {
	switch t.Kind() {
	case reflect.Bool:
		return func(v reflect.Value) sortkey.Key { return sortkey.Bool(v.Bool()) }
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return func(v reflect.Value) sortkey.Key { return sortkey.Int(v.Int()) }
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return func(v reflect.Value) sortkey.Key { return unsignedKey(v.Uint()) }
	case reflect.Float32, reflect.Float64:
		bits := t.Bits()
		return func(v reflect.Value) sortkey.Key { return floatKey(v.Float(), bits) }
	case reflect.String:
		return func(v reflect.Value) sortkey.Key { return sortkey.Text(v.String()) }
	}
	return jsonKey
}

// floatKey returns the key of the shortest decimal that identifies f among the floats with
// the given number of bits. It is 0.1 for float32(0.1), whose value as a float64 is
// 0.10000000149011612.
func floatKey(f float64, bits int) sortkey.Key {
	if bits == 64 || f-f != 0 { // infinite or NaN
		return sortkey.Float(f)
	}
	return sortkey.Decimal(strconv.FormatFloat(f, 'e', -1, bits))
}

func pointerKey(key func(reflect.Value) sortkey.Key) func(reflect.Value) sortkey.Key {
	return func(v reflect.Value) sortkey.Key {
		if v.IsNil() {
			return sortkey.Null()
		}
		return key(v.Elem())
	}
}

func listKey(t reflect.Type) func(reflect.Value) sortkey.Key {
	key := keyOf(t.Elem())
	return func(v reflect.Value) sortkey.Key {
		if v.Kind() == reflect.Slice && v.IsNil() {
			return sortkey.Null()
		}
		var room [8]sortkey.Key
		elements := room[:0]
		for i := range v.Len() {
			elements = append(elements, key(v.Index(i)))
		}
		return sortkey.List(elements...)
	}
}

// jsonKey returns the key of the JSON of a value, or null if it cannot be marshalled.
func jsonKey(v reflect.Value) sortkey.Key {
	if v.CanAddr() {
		v = v.Addr()
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if e.Encode(v.Interface()) != nil {
		return sortkey.Null()
	}
	return sortkey.JSON(string(bytes.TrimSpace(b.Bytes())))
}

func unsignedKey(u uint64) sortkey.Key {
	if u <= math.MaxInt64 {
		return sortkey.Int(int64(u))
	}
	return sortkey.Decimal(strconv.FormatUint(u, 10))
}
